"""A virtual microphone that hears what is fed to it, and sound that is like speech where its words don't matter."""

import subprocess
from pathlib import Path

import numpy as np
import pytest
import soundfile

RATE = 24_000


def speech_like(seconds, seed=1, rate=RATE, level=0.2, noise=0.0005):
    """Syllables of a buzzing tone with pauses between them, over a little noise. No two places are alike."""
    rng = np.random.default_rng(seed)
    count = round(seconds * rate)
    envelope, pitch = np.zeros(count), np.zeros(count)
    at = round(0.1 * rate)
    while at < count:
        length = round(rng.uniform(0.1, 0.22) * rate)
        part = slice(at, min(at + length, count))
        envelope[part] = (np.sin(np.pi * np.arange(length) / length) * rng.uniform(0.6, 1.0))[: part.stop - at]
        pitch[part] = rng.uniform(100, 240)
        at += length + round((rng.uniform(0.25, 0.45) if rng.random() < 0.2 else rng.uniform(0.02, 0.06)) * rate)
    phase = 2 * np.pi * np.cumsum(pitch) / rate
    tone = sum(np.sin(number * phase) / number for number in range(1, 12))
    sound = level * envelope * tone / 2 + noise * rng.standard_normal(count)
    return sound.astype(np.float32)


class Microphone:
    """A null sink whose monitor is the default source of a sound server."""

    def __init__(self, server, name="mic", rate=RATE):
        self._server, self._name, self._feeders = server, name, []
        server.load_sink(name, rate)
        server.set_default_sink("main")
        server.pactl("set-default-source", f"{name}.monitor")

    def feed(self, pcm, rate=RATE):
        """Begin to play into the microphone; returns the program that does."""
        number = len(self._feeders)
        file = Path(self._server.folder) / f"{self._name}-{number}.wav"
        soundfile.write(file, pcm, rate, subtype="FLOAT")
        command = ["paplay", "--device", self._name, "--latency-msec=20", str(file)]
        self._feeders.append(subprocess.Popen(command, env=self._server.env))
        return self._feeders[-1]

    def unplug(self):
        """The device goes, and with it the last one that records."""
        self.silence()
        self._server.unload_sink(self._name)

    def silence(self):
        """Nobody speaks any more."""
        for feeder in self._feeders:
            feeder.kill()
            feeder.wait()

    close = silence


@pytest.fixture
def microphone(sound_here):
    """A virtual microphone, for this process too."""
    made = Microphone(sound_here)
    yield made
    made.close()
