"""Starts ``tray_program.py`` and talks with it."""

import json
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path

PROGRAM = Path(__file__).with_name("tray_program.py")


class TrayClient:
    def __init__(self, display, folder, patience_ms=800, **environment):
        env = display.env | environment | {"QT_LOGGING_RULES": "qt.qpa.*=false"}
        self._process = subprocess.Popen(
            [sys.executable, str(PROGRAM), str(folder / "settings.json"), str(patience_ms)],
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.pid = self._process.pid
        self._lines = queue.Queue()
        self._seen = []
        threading.Thread(target=self._read, daemon=True).start()
        self.wait_for(event="ready")

    def _read(self):
        for line in self._process.stdout:
            self._lines.put(json.loads(line))

    def wait_for(self, timeout=20, **what):
        """Until the program tells this."""
        self.next(lambda line: what.items() <= line.items(), timeout, what)

    def next(self, accept, timeout=20, what="an answer"):
        deadline = time.monotonic() + timeout
        while True:
            for number, line in enumerate(self._seen):
                if accept(line):
                    return self._seen.pop(number)
            try:
                self._seen.append(self._lines.get(timeout=max(deadline - time.monotonic(), 0.001)))
            except queue.Empty:
                raise AssertionError(f"the program didn't tell {what}, only {self._seen}") from None

    def calls(self):
        """What was called since the last time; all that happened before is in it."""
        self.do("status", state="idle")
        return [line["called"] for line in self.drain() if "called" in line]

    def drain(self):
        seen, self._seen = self._seen, []
        return seen

    def do(self, command, **arguments):
        self._process.stdin.write(json.dumps({"do": command} | arguments) + "\n")
        self._process.stdin.flush()
        if command in ("geometry", "window"):
            key = "x" if command == "geometry" else "visible"
            return self.next(lambda line: key in line)
        self.wait_for(done=command)
        return None

    def close(self):
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()
        self._process.stdin.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
