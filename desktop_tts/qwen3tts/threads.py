"""How many processor threads make a frame, found by trying, while it speaks.

More threads are faster on an idle machine and far slower on a busy one: every product waits for the slowest. On two
cores a frame of the 0.6B model (int8) took 72 ms with two threads and 92 with one; beside a program that kept one core
busy, 400 and 94.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch

_LOOK_EVERY = 40
"""Frames after which another number is tried for one frame."""
_SLOWER = 1.35
"""How many times its usual time a frame may take before others are tried at once."""
_WEIGHT = 0.4
"""Of the newest frame in what is usual."""


class ThreadTuner:
    """For one thread that makes frames: ``with work():`` around each part of a frame, then ``frame_done``.

    ``fixed`` threads are kept, on devices other than a CPU too.
    """

    def __init__(self, fixed: int | None = None, most: int | None = None) -> None:
        self._choices = _halved(most or torch.get_num_threads()) if fixed is None else (fixed,)
        self._usual: dict[int, float] = {}
        self._now = self._choices[0]
        self._size = 0
        self._spent = 0.0
        self._best = 0
        self._doubted = False
        self._since_look = self._looks = 0

    @property
    def threads(self) -> int:
        """For the next frame."""
        return self._now

    @property
    def best(self) -> int:
        """What has been fastest; the first choice before the first frame."""
        return min(self._usual, key=lambda number: self._usual[number], default=self._now)

    @property
    def usual_s(self) -> float | None:
        """Seconds that a frame takes with the best number of threads; None before the first."""
        return min(self._usual.values(), default=None)

    def begin(self, size: int) -> None:
        """Before the frames of a batch of ``size`` utterances."""
        if size != self._size:
            self._usual, self._best, self._doubted = {}, 0, False
            self._size, self._now = size, self._choices[0]
        self._spent = 0.0

    @contextmanager
    def work(self) -> Iterator[None]:
        """A part of a frame, without what it waits for."""
        if torch.get_num_threads() != self._now:
            torch.set_num_threads(self._now)
        begun = time.perf_counter()
        yield
        self._spent += time.perf_counter() - begun

    def frame_done(self) -> None:
        spent, self._spent = self._spent, 0.0
        if len(self._choices) > 1:
            self.learn(spent)
        else:
            self._usual[self._now] = spent

    def learn(self, spent_s: float) -> None:
        """Take note of a frame that ``threads`` made, and choose for the next."""
        usual = self._usual.get(self._now)
        if usual is None or self._now != self._best:
            self._usual[self._now] = spent_s
        elif spent_s <= _SLOWER * usual:
            self._usual[self._now] = usual + _WEIGHT * (spent_s - usual)
            self._doubted = False
        elif not self._doubted:
            self._doubted = True  # once is chance
            return
        else:
            self._usual, self._doubted = {self._now: spent_s}, False  # the machine has changed: try all again
        self._now = self._choose()

    def _choose(self) -> int:
        untried = next((number for number in self._choices if number not in self._usual), None)
        if untried is not None:
            return untried
        self._best = min(self._choices, key=lambda number: self._usual[number])
        self._since_look += 1
        if self._since_look < _LOOK_EVERY:
            return self._best
        self._since_look = 0
        others = [number for number in self._choices if number != self._best]
        self._looks += 1
        return others[self._looks % len(others)]


def _halved(most: int) -> Sequence[int]:
    """``most``, half of it, and so on down to one."""
    numbers = [max(most, 1)]
    while numbers[-1] > 1:
        numbers.append(numbers[-1] // 2)
    return tuple(numbers)
