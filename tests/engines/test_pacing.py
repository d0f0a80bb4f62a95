"""Speech that is made too slowly starts late and then doesn't stop; speech that is made in time isn't delayed."""

import numpy as np
import pytest

from desktop_tts.engines.pacing import expected_s, hold_s, paced
from desktop_tts.speech import AudioChunk

FRAME_S = 0.08


class Machine:
    """Makes frames of 80 ms, each in ``factor`` times that, by its own clock; ``factors`` change frame by frame."""

    def __init__(self, *factors: float, frames: int = 100) -> None:
        self.now, self.factors, self.frames = 0.0, factors, frames

    def chunks(self):
        for number in range(self.frames):
            self.now += FRAME_S * self.factors[min(number, len(self.factors) - 1)]
            yield AudioChunk(np.zeros(1920, np.float32), 24_000)

    def play(self, known: float | None, length_s: float | None = None) -> tuple[float, float]:
        """When the first sound is heard, and for how long it stops afterwards in all."""
        length_s = self.frames * FRAME_S if length_s is None else length_s
        start, played_until, gaps = None, 0.0, 0.0
        for _ in paced(self.chunks(), known, length_s, lambda: self.now):
            if start is None:
                start = played_until = self.now
            gaps += max(0.0, self.now - played_until)
            played_until = max(played_until, self.now) + FRAME_S
        return start, gaps


@pytest.mark.parametrize("factor", [0.1, 0.5, 0.7])
def test_what_is_fast_enough_starts_with_the_first_frame(factor):
    start, gaps = Machine(factor).play(known=factor)
    assert start == pytest.approx(FRAME_S * factor)
    assert gaps == 0


def test_what_is_barely_fast_enough_has_some_sound_ahead():
    """For frames that take twice as long now and then."""
    start, gaps = Machine(*[0.9] * 8, 2.0, 0.9, 2.0, 0.9).play(known=0.9)
    assert gaps == 0
    assert start < 0.4


@pytest.mark.parametrize("factor", [1.05, 1.5, 2.0, 4.0])
def test_what_is_too_slow_starts_late_and_never_stops(factor):
    start, gaps = Machine(factor).play(known=factor)
    assert gaps == 0
    assert start <= FRAME_S * 100 * (factor * 1.1 - 1) + FRAME_S * factor * 2, "later than needed"


def test_a_machine_that_slowed_down_since_it_was_measured_is_noticed():
    start, gaps = Machine(2.0).play(known=1.1)
    assert gaps == 0
    assert start > 1.0


def test_nothing_known_is_measured_on_the_way():
    _, gaps = Machine(0.5).play(known=None)
    assert gaps == 0


def test_short_speech_is_given_whole():
    machine = Machine(3.0, frames=5)
    assert len(list(paced(machine.chunks(), 3.0, 10.0, lambda: machine.now))) == 5


def test_the_wait_has_an_end():
    assert hold_s(10.0, 3600.0) == 60.0
    assert hold_s(0.5, 3600.0) == 0.0


def test_lengths_are_near_what_people_speak():
    assert 4 < expected_s("People who cannot read a screen for long rely on it every day.") < 7
    assert 4 < expected_s("不能长时间看屏幕的人每天都依靠它来阅读。") < 8
    assert expected_s("") > 0
