"""What the tests of the player share."""

import functools
import threading
import time

import numpy as np

from desktop_tts.audio.player import Player
from support.sound import RATE


class ListeningPlayer(Player):
    """Keeps the events."""

    def __init__(self, *arguments, **options):
        self.events = []
        super().__init__(*arguments, on_event=self.events.append, **options)

    @property
    def kinds(self):
        return [event.kind for event in self.events]

    def write_all(self, pcm, piece=4800, rate=RATE):
        """In pieces, each with the number of its first sample as mark."""
        return all(self.write(pcm[at : at + piece], rate, at) for at in range(0, len(pcm), piece))

    def play_all(self, pcm, **how):
        assert self.write_all(pcm, **how)
        self.finish()

    def place(self):
        """The sample of what ``write_all`` was given that is heard now."""
        position = self.position()
        return position.mark + position.offset_s * RATE


def steadily(test):
    """Again, up to three times, when it fails and the busy machine made a device run empty."""

    @functools.wraps(test)
    def run(*arguments, play, **named):
        for attempt in range(3):
            players = []

            def make(*positional, made=players, **options):
                made.append(play(*positional, **options))
                return made[-1]

            try:
                return test(*arguments, play=make, **named)
            except AssertionError:
                if attempt == 2 or not any(player.underruns for player in players):
                    raise
            finally:
                for player in players:
                    player.close()
        return None

    return run


def noise(seconds, seed=1):
    """Sound in which every place is unlike any other, and that is never silent for long."""
    pcm = np.random.default_rng(seed).uniform(-0.3, 0.3, int(seconds * RATE)).astype(np.float32)
    pcm[np.abs(pcm) < 0.004] = 0.004
    return pcm


def tone(seconds, hertz=220.0, rate=RATE):
    return (0.3 * np.sin(2 * np.pi * hertz * np.arange(int(seconds * rate)) / rate)).astype(np.float32)


def wait_until(condition, timeout=15):
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.01)


def in_background(work):
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread
