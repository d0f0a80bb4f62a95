"""Speech programs of the system, run as processes of their own: text in, a WAV file out, as it is made.

A program's licence and crashes stay outside the app. No shell: arguments are lists, and the text goes through stdin.
"""

from __future__ import annotations

import contextlib
import queue
import subprocess
import sys
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from typing import IO

import numpy as np

from desktop_tts.errors import EngineFault, NotInstalled, Unsupported
from desktop_tts.speech import Pcm

SILENCE_LIMIT_S = 15.0
"""A program that sends nothing for so long is ended."""
_LOOK_S = 0.02  # how often a cancel is looked for
_READ_BYTES = 16_384
_AHEAD = 16  # reads that wait for the listener; then the program waits
_HEADER_LIMIT = 65_536
_UNKNOWN = 1 << 62

_ISO = {"cmn": "zh", "nb": "no", "nn": "no", "iw": "he", "in": "id"}


def iso_language(tag: str) -> str:
    """ISO 639-1 code of a language tag such as ``pt-BR`` or ``nb_NO``, or empty if it has none."""
    code = tag.replace("_", "-").split("-")[0].lower()
    code = _ISO.get(code, code)
    return code if len(code) == 2 else ""


def plain(text: str) -> str:
    """Without what such programs take for commands: control characters, and double brackets."""
    clean = "".join(" " if unicodedata.category(char) in ("Cc", "Cs", "Cn", "Co") else char for char in text)
    return clean.replace("[[", "[ [")


def say(
    command: Sequence[str],
    text: bytes,
    cancel: threading.Event,
    name: str,
    *,
    to_file: bool = False,
    silence_s: float = SILENCE_LIMIT_S,
) -> Iterator[tuple[Pcm, int]]:
    """Run ``command``, give it ``text``, and yield (samples, sample rate) of the WAV that it writes, as it comes.

    Raises NotInstalled when there's no such program, EngineFault when it fails, hangs or sends something else, and
    Unsupported when it has nothing to say, unless it writes ``to_file``.
    The process is gone when this ends, in whatever way. It also goes when the app is killed: its pipes close.
    """
    process = _start(command, name)
    arrived: queue.Queue[bytes] = queue.Queue(_AHEAD)
    left = threading.Event()
    reader = threading.Thread(target=_read, args=(process.stdout, arrived, left), name=f"{name} output", daemon=True)
    reader.start()
    try:
        with contextlib.suppress(OSError):  # it ended before it read everything; its exit status tells
            assert process.stdin
            process.stdin.write(text)
            process.stdin.close()
        wav = WavReader()
        waited, heard = 0.0, to_file
        while not cancel.is_set():
            try:
                data = arrived.get(timeout=_LOOK_S)
            except queue.Empty:
                waited += _LOOK_S
                if waited >= silence_s:
                    raise EngineFault(f"{name} stopped answering.") from None
                continue
            waited = 0.0
            if not data:
                break
            pcm = wav.feed(data)
            if len(pcm):
                heard = True
                yield pcm, wav.rate
        if cancel.is_set():
            return
        if process.wait(timeout=silence_s) != 0:
            raise EngineFault(f"{name} failed with status {process.returncode}.")
        if not heard:
            raise Unsupported(f"{name} finds nothing in a piece of this text that it can say.")
    except (subprocess.TimeoutExpired, ValueError) as error:
        raise EngineFault(f"{name} did not give sound that can be read.") from error
    finally:
        left.set()
        process.kill()
        process.wait()
        with contextlib.suppress(OSError):
            assert process.stdin
            process.stdin.close()
        reader.join()
        assert process.stdout
        process.stdout.close()


def run(command: Sequence[str], timeout_s: float = 5.0) -> str:
    """What a short command prints, or empty when it fails."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout_s,
            check=True,
            creationflags=_hidden(),
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("utf-8", "replace")


def _start(command: Sequence[str], name: str) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            creationflags=_hidden(),
        )
    except FileNotFoundError:
        raise NotInstalled(f"{name} is not installed.") from None
    except OSError as error:
        raise EngineFault(f"{name} can't be started ({error.strerror}).") from error


def _hidden() -> int:
    """Flags that keep Windows from flashing a console window."""
    return getattr(subprocess, "CREATE_NO_WINDOW", 0) if sys.platform == "win32" else 0


def _read(stdout: IO[bytes], arrived: queue.Queue[bytes], left: threading.Event) -> None:
    """Hand on what comes, then an empty end mark, until nobody listens. Runs in its own thread."""
    while not left.is_set():
        data = stdout.read1(_READ_BYTES)  # type: ignore[attr-defined]
        while not left.is_set():
            with contextlib.suppress(queue.Full):
                arrived.put(data, timeout=_LOOK_S)
                break
        if not data:
            return


class WavReader:
    """Samples from a WAV file that comes in pieces, mixed to mono. 16-bit only; lengths in the header may be wrong,
    as they are when a program didn't know them yet."""

    def __init__(self) -> None:
        self.rate = 0
        self._channels = 1
        self._rest = b""
        self._left: int | None = None  # bytes of sound to come; None before they start

    def feed(self, data: bytes) -> Pcm:
        """The samples that became whole. Raises ValueError if it isn't such a file."""
        self._rest += data
        if self._left is None and not self._header():
            return np.zeros(0, np.float32)
        assert self._left is not None
        frame = 2 * self._channels
        size = min(len(self._rest), self._left) // frame * frame
        sound, self._rest = self._rest[:size], self._rest[size:]
        self._left -= size
        frames = np.frombuffer(sound, "<i2").reshape(-1, self._channels)
        mono: Pcm = frames.mean(axis=1, dtype=np.float32) / np.float32(32768)
        return mono

    def _header(self) -> bool:
        """Whether the sound starts at ``_rest`` now."""
        head = self._rest
        if not b"RIFF".startswith(head[:4]) or (len(head) >= 12 and head[8:12] != b"WAVE"):
            raise ValueError("not a WAV file")
        at = 12
        while at + 8 <= len(head):
            name, size = head[at : at + 4], int.from_bytes(head[at + 4 : at + 8], "little")
            if name == b"data":
                if not self.rate:
                    raise ValueError("no format")
                self._rest, self._left = head[at + 8 :], size or _UNKNOWN
                return True
            if name == b"fmt " and at + 24 <= len(head):
                kind, channels, bits = (int.from_bytes(head[at + p : at + p + 2], "little") for p in (8, 10, 22))
                if bits != 16 or kind not in (1, 0xFFFE) or not channels:
                    raise ValueError("not 16-bit PCM")
                self._channels, self.rate = channels, int.from_bytes(head[at + 12 : at + 16], "little")
            at += 8 + size + size % 2
        if len(head) > _HEADER_LIMIT:
            raise ValueError("no sound")
        return False
