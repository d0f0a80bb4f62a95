"""Starts the process that holds the model and talks to it. Any thread may send; one thread at a time receives."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from contextlib import suppress
from typing import Any

from desktop_tts.errors import EngineFault

Message = tuple[dict[str, Any], bytes]
AHEAD = 40
"""Messages that wait unread, of 80 ms each; then the pipe fills and the model waits."""
ENVIRONMENT = {
    "TOKENIZERS_PARALLELISM": "false",
    # How long a thread that waits for the next product keeps its core. Ever after takes it from the player; not at all
    # costs two thirds more per frame, for waking up. Some microseconds (GNU), a millisecond, its least (Intel, LLVM).
    "GOMP_SPINCOUNT": "10000",
    "KMP_BLOCKTIME": "1",
    "MALLOC_MMAP_THRESHOLD_": str(8 << 20),  # the weights' places while loading go back to the system at once
}


class QwenProcess:
    """One child process. ``close`` ends it; it ends by itself when this process does."""

    def __init__(self) -> None:
        self._child = subprocess.Popen(
            [sys.executable, "-m", "desktop_tts.engines.qwen_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=ENVIRONMENT | os.environ,
        )
        self._messages: queue.Queue[Message | None] = queue.Queue(AHEAD)
        self._sending = threading.Lock()
        self._closed = False
        self._over = False
        threading.Thread(target=self._read, name="qwen answers", daemon=True).start()

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def alive(self) -> bool:
        return not self._over and self._child.poll() is None

    def send(self, request: dict[str, Any]) -> None:
        """Raises EngineFault when the process has ended."""
        assert self._child.stdin is not None
        try:
            with self._sending:
                self._child.stdin.write(json.dumps(request).encode() + b"\n")
                self._child.stdin.flush()
        except (OSError, ValueError) as error:
            raise self._ended() from error

    def receive(self, timeout_s: float) -> Message | None:
        """The next message, or None when none came in time. Raises EngineFault when the process has ended."""
        try:
            message = self._messages.get(timeout=timeout_s)
        except queue.Empty:
            return None
        if message is None:
            self._messages.put(None)
            raise self._ended()
        return message

    def _ended(self) -> EngineFault:
        return EngineFault("The process that speaks with Qwen3-TTS ended unexpectedly, perhaps for lack of memory.")

    def _read(self) -> None:
        stream = self._child.stdout
        assert stream is not None
        with suppress(OSError, ValueError):
            while line := stream.readline():
                message = json.loads(line)
                pcm = stream.read(message["pcm"]) if "pcm" in message else b""
                if not self._put((message, pcm)):
                    return
        self._over = True
        self._put(None)

    def _put(self, message: Message | None) -> bool:
        while not self._closed:
            try:
                self._messages.put(message, timeout=0.2)
            except queue.Full:
                continue
            return True
        return False

    def close(self) -> None:
        """End it and give its memory back; waits a moment at most."""
        self._closed = True
        with suppress(OSError):
            if self._child.stdin:
                self._child.stdin.close()
        try:
            self._child.wait(1)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        if self._child.stdout:
            self._child.stdout.close()
