"""The wizard at each of its steps, with a recording and models that are made up: for pictures, and for tests."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from desktop_tts.audio.clip import RATE, Clip
from desktop_tts.audio.recorder import InputDevice
from desktop_tts.ui.clone.wizard import CloneWizard
from desktop_tts.voices.store import VoiceStore


@dataclass(frozen=True, slots=True)
class SampleModel:
    key: str
    name: str
    installed: bool


SMALL = SampleModel("0.6b-base", "Qwen3-TTS 0.6B Base", True)
LARGE = SampleModel("1.7b-base", "Qwen3-TTS 1.7B Base", False)


class SampleCloner:
    """Takes as long as it is told, and does nothing."""

    def __init__(self, seconds: float = 0.0) -> None:
        self._seconds = seconds

    def clone_models(self) -> tuple[SampleModel, ...]:
        return (SMALL, LARGE)

    def clone(self, draft_id: str, model: str, transcript: str, x_vector_only: bool, cancel: threading.Event) -> bool:
        return not cancel.wait(self._seconds)


def sample_clip(seconds: float = 14.0) -> Clip:
    """Looks like speech with a pause before and after it."""
    rng = np.random.default_rng(7)
    count = round(seconds * RATE)
    pcm = 0.001 * rng.standard_normal(count)
    at = round(1.2 * RATE)
    while at < count - 2 * RATE:
        length = round(rng.uniform(0.12, 0.3) * RATE)
        pcm[at : at + length] += 0.3 * np.sin(np.pi * np.arange(length) / length) * rng.uniform(-1, 1, length)
        at += length + round((0.4 if rng.random() < 0.12 else 0.03) * RATE)
    return Clip(pcm.astype(np.float32))


def pictured_steps(folder: Path) -> Iterator[tuple[str, CloneWizard]]:
    """A name and the window at each step; to be drawn before the next is asked for. Voices go to ``folder``."""
    wizard = CloneWizard(
        VoiceStore(folder),
        SampleCloner(0.5),
        lambda voice_id, sentence="", instruct="", language="": None,
        lambda: None,
        find_recogniser=lambda language: folder,
        find_devices=lambda: (InputDevice("Headset", "", True),),
    )
    wizard.show()
    _wait(lambda: wizard.source.record.device.count() > 1)
    yield "clone-source", wizard
    wizard.source.record.recorded.emit(sample_clip())
    yield "clone-recorded", wizard
    wizard.next.click()
    _wait(lambda: bool(wizard.trim.quality.text()))
    yield "clone-part", wizard
    wizard.trim.waveform.set_part(1.0, 3.0)
    wizard.next.click()
    _wait(lambda: bool(wizard.problem.text()))
    yield "clone-part-too-short", wizard
    wizard.trim.suggest.click()
    wizard.next.click()
    _wait(wizard.words.write.isVisible)
    wizard.words.as_read.click()
    yield "clone-words", wizard
    wizard.next.click()
    _wait(lambda: bool(wizard.model.choices))
    yield "clone-model", wizard
    wizard.model.consent.box.click()
    wizard.next.click()
    yield "clone-making", wizard
    _wait(lambda: wizard.step is wizard.audition)
    yield "clone-listen", wizard
    wizard.reject()


def _wait(condition: Callable[[], bool]) -> None:
    """For what runs in the background."""
    from PySide6.QtWidgets import QApplication

    end = time.monotonic() + 10
    while not condition() and time.monotonic() < end:
        QApplication.processEvents()
        time.sleep(0.01)
