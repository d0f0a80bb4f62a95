"""The worker that turns readings into sound: a QThread that runs the engines and hands what they make to the player.

It speaks to the reader by queued signals only.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType

from PySide6.QtCore import QThread, Signal

from desktop_tts.audio.player import Player
from desktop_tts.engines.base import SpeechEngine
from desktop_tts.engines.catalog import Catalog
from desktop_tts.errors import DesktopTTSError
from desktop_tts.narrate import Manner, Script, load_quietly, narrate
from desktop_tts.text.feed import TextFeed

log = logging.getLogger(__name__)


@dataclass(eq=False)
class Reading:
    """One text that is read."""

    script: Script
    source: str
    length: int
    """Characters of the source; 0 when it still grows."""
    feed: TextFeed | None = None
    manner: Manner | None = None
    """How to speak it, instead of as the settings say."""
    speed: float | None = None
    """How fast, instead of as the settings say."""
    problem: str = ""
    """Why it wasn't read, for whoever waits for its end."""
    code: int = 0
    """Exit code that goes with the problem."""
    stamps: dict[str, float] = field(default_factory=dict)
    """``time.perf_counter()`` at requested, text, first_pcm, started."""

    def abandon(self) -> None:
        if self.feed:
            self.feed.close()


@dataclass(eq=False)
class Job:
    """One run of the worker over a reading, from an utterance on."""

    reading: Reading
    start: int
    sentence: int = 0
    """What belongs to sentences before this one is left out."""
    cancel: threading.Event = field(default_factory=threading.Event)
    written: bool = False
    """All its sound is with the player."""
    spoke: bool = False


@dataclass(frozen=True)
class WarmUp:
    """The wish to get an engine ready."""

    engine: SpeechEngine
    voice: str = ""
    """The ``Voice.id`` that will be asked of it."""


@dataclass(frozen=True)
class Unload:
    """The wish to let an engine go."""

    engine: SpeechEngine


class Worker(QThread):
    """Runs the engines. One job at a time; a new one is taken as soon as the current one is cancelled."""

    first_pcm = Signal(object)
    """Job: its first sound exists."""
    ended = Signal(object, str)
    """Job, and why it could not go on (empty when it is complete or was cancelled)."""
    notice = Signal(str)

    def __init__(self, catalog: Catalog, player: Player, manner: Callable[[], Manner]) -> None:
        super().__init__()
        self.setObjectName("speech worker")
        self._catalog, self._player, self._manner = catalog, player, manner
        self._told_faults: set[str] = set()
        self._jobs: queue.Queue[Job | WarmUp | Unload | None] = queue.Queue(maxsize=64)

    def submit(self, job: Job | WarmUp | Unload) -> None:
        """A job, or an engine to warm up or let go."""
        self._jobs.put_nowait(job)

    def shut_down(self) -> None:
        self._jobs.put_nowait(None)

    def run(self) -> None:
        while (job := self._jobs.get()) is not None:
            if isinstance(job, Unload):
                job.engine.unload()
                self._told_faults.clear()
            elif isinstance(job, WarmUp):
                load_quietly(job.engine, job.voice)
            elif not job.cancel.is_set():
                self._speak(job)

    def _speak(self, job: Job) -> None:
        problem = ""
        try:
            for spoken in narrate(
                job.reading.script,
                self._catalog,
                lambda: job.reading.manner or self._manner(),
                job.cancel,
                self.notice.emit,
                start=job.start,
                sentence=job.sentence,
                told_faults=self._told_faults,
            ):
                if not job.spoke:
                    job.spoke = True
                    job.reading.stamps.setdefault("first_pcm", time.perf_counter())
                    self.first_pcm.emit(job)
                if not self._player.write(spoken.pcm, spoken.sample_rate, spoken, job.cancel):
                    return
        except DesktopTTSError as error:
            problem = str(error)
        except Exception as error:
            log.error("the speech worker met an unexpected %s", type(error).__name__, exc_info=_place(error))
            problem = "Something went wrong while reading. The log has the place; press the hotkey to try again."
        if job.cancel.is_set():
            return
        self.ended.emit(
            job, problem
        )  # before finish(), so that the reader knows it before the player says it's drained
        self._player.finish()


def _place(error: BaseException) -> tuple[type[BaseException], BaseException, TracebackType | None]:
    """The traceback with an empty message: an exception's own words may quote the text that was being read."""
    return type(error), type(error)(), error.__traceback__
