"""The reader: owns the queue and the state of what is read aloud, and is the only one who changes it.

Lives on the Qt main thread. Its worker, a QThread, turns text into sound and hands it to the player; the player's
thread and the worker speak to the reader by queued signals only. No method waits.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal

from desktop_tts.audio.player import Player, PlayerEvent, PlayerEventKind
from desktop_tts.engines.base import SpeechEngine
from desktop_tts.engines.catalog import Catalog
from desktop_tts.exit_codes import NOTHING_TO_READ
from desktop_tts.narrate import Manner, Script, Spoken
from desktop_tts.reader_state import ReaderState, ReaderStatus
from desktop_tts.speech import Utterance
from desktop_tts.speech_worker import Job, Reading, Unload, WarmUp, Worker
from desktop_tts.text.feed import TextFeed

log = logging.getLogger(__name__)

NOTHING = "There is nothing to read in this text."
POSITION_MS = 40
"""How often the place that is heard is looked up while speaking."""
RESTART_SENTENCE_S = 2.0
"""``previous`` goes to the start of the sentence when more than this of it was heard, else to the one before."""


class Reader(QObject):
    """Reads texts aloud. See the module's docstring."""

    status_changed = Signal(object)
    """ReaderStatus."""
    notice = Signal(str)
    """One sentence for the user."""
    finished = Signal(object)
    """Reading: heard to its end, stopped or failed."""
    _player_event = Signal(object)

    def __init__(
        self,
        catalog: Catalog,
        make_player: Callable[[Callable[[PlayerEvent], None]], Player],
        prepare: Callable[[str], Iterable[Utterance]],
        prepare_stream: Callable[[Iterable[str]], Iterable[Utterance]],
        manner: Callable[[], Manner],
    ) -> None:
        super().__init__()
        self._sentence = -1
        self._sentence_since = 0.0
        self.status = ReaderStatus()
        self._prepare, self._prepare_stream = prepare, prepare_stream
        self._player_event.connect(self._on_player_event)
        self.player = make_player(self._player_event.emit)
        self._speed = self.player.speed
        self._job: Job | None = None
        self._waiting: deque[Reading] = deque()
        self.last_stamps: dict[str, float] = {}
        self._worker = Worker(catalog, self.player, manner)
        self._worker.first_pcm.connect(self._on_first_pcm)
        self._worker.ended.connect(self._on_ended)
        self._worker.notice.connect(self.notice)
        self._worker.start()
        self._timer = QTimer(self)
        self._timer.setInterval(POSITION_MS)
        self._timer.timeout.connect(self._follow)

    # ------------------------------------------------------------ commands

    def warm_up(self, engine: SpeechEngine, voice: str = "") -> None:
        """Load an engine in the worker, so that the first reading, with ``voice``, starts at once."""
        self._worker.submit(WarmUp(engine, voice))

    def reload(self, engine: SpeechEngine) -> None:
        """Let an engine go, in the worker, so that its next use sees changed settings."""
        self._worker.submit(Unload(engine))

    def read(
        self,
        text: str,
        source: str = "command",
        *,
        append: bool = False,
        requested: float | None = None,
        manner: Manner | None = None,
        speed: float | None = None,
    ) -> Reading:
        """Read a text, at once or after what is being read."""
        reading = Reading(Script(self._prepare(text)), source, len(text), manner=manner, speed=speed)
        return self._begin(reading, append, requested)

    def read_stream(
        self,
        feed: TextFeed,
        source: str = "command",
        *,
        append: bool = False,
        manner: Manner | None = None,
        speed: float | None = None,
    ) -> Reading:
        """Read a text that still grows."""
        reading = Reading(Script(self._prepare_stream(feed)), source, 0, feed, manner, speed)
        return self._begin(reading, append, None)

    def abandon(self, reading: Reading) -> None:
        """Stop this reading, whether it is read or waits; others go on."""
        if self._job and self._job.reading is reading:
            self._advance()
        elif reading in self._waiting:
            self._waiting.remove(reading)
            reading.abandon()
            self.finished.emit(reading)

    def set_speed(self, speed: float) -> None:
        """The speed for readings that have none of their own; heard at once."""
        self._speed = speed
        if self._job is None or self._job.reading.speed is None:
            self.player.set_speed(speed)

    def _begin(self, reading: Reading, append: bool, requested: float | None) -> Reading:
        now = time.perf_counter()
        reading.stamps |= {"requested": requested or now, "text": now}
        if append and self.status.busy:
            self._waiting.append(reading)
            return reading
        self._end_current()
        self._start(Job(reading, 0))
        return reading

    def pause(self) -> None:
        if self.status.state in (ReaderState.SPEAKING, ReaderState.PREPARING):
            self.player.pause()
            self._show(state=ReaderState.PAUSED)

    def resume(self) -> None:
        if self.status.state is ReaderState.PAUSED:
            self.player.resume()
            heard = self.player.position() is not None
            self._show(state=ReaderState.SPEAKING if heard else ReaderState.PREPARING)

    def toggle(self) -> None:
        """Pause, or go on."""
        if self.status.state is ReaderState.PAUSED:
            self.resume()
        else:
            self.pause()

    def stop(self) -> None:
        """Silent at once; what waits is dropped too."""
        self.player.clear()
        for reading in self._waiting:
            reading.abandon()
        self._waiting.clear()
        self._end_current()
        self._idle()

    def next(self) -> None:
        """To the next sentence; past the last one, the reading ends."""
        self._skip(+1)

    def previous(self) -> None:
        """To the start of this sentence, or to the one before when this one has just begun."""
        self._skip(-1)

    def show_progress(self, message: str) -> None:
        """What an engine says while it loads; shown until the reading is heard."""
        if self.status.state is not ReaderState.SPEAKING:
            self._show(message=message)

    def timings_ms(self) -> dict[str, float]:
        """Of the last text that began to sound: milliseconds from the key or command to each stage."""
        stamps = self.last_stamps
        since = stamps.get("requested", 0.0)
        return {name: round((at - since) * 1000, 1) for name, at in stamps.items() if name != "requested"}

    def shut_down(self) -> None:
        """Stop and join the threads, in a bounded time."""
        self.stop()
        self._worker.shut_down()
        self._worker.wait(3000)
        self.player.close()

    # ------------------------------------------------------------ inside

    def _start(self, job: Job) -> None:
        self._job = job
        self.player.set_speed(self._speed if job.reading.speed is None else job.reading.speed)
        self._worker.submit(job)
        self._show(ReaderStatus(ReaderState.PREPARING, source=job.reading.source))

    def _end_current(self) -> None:
        """Drop the current job; its reading is over."""
        if job := self._job:
            self._job = None
            job.cancel.set()
            job.reading.abandon()
            self.player.clear()
            self.finished.emit(job.reading)

    def _skip(self, step: int) -> None:
        job = self._job
        if job is None:
            return
        heard, into_s = self._heard()
        if heard is None:
            return
        sentence = heard.utterance.sentence
        target = sentence + 1 if step > 0 else sentence if into_s > RESTART_SENTENCE_S else max(sentence - 1, 0)
        if self.status.state is ReaderState.PAUSED:
            self.player.resume()
        if step > 0 and self.player.skip_until(
            lambda mark: isinstance(mark, Spoken) and mark.utterance.sentence >= target
        ):
            self._follow()
            return
        start = job.reading.script.first_of_sentence(target)
        if start is None and job.written:  # that was the last sentence
            self._advance()
            return
        again = Job(job.reading, job.reading.script.made if start is None else start, target)
        job.cancel.set()
        self.player.clear()
        self._job = again
        self._worker.submit(again)
        self._show(state=ReaderState.PREPARING)

    def _heard(self) -> tuple[Spoken | None, float]:
        """What is heard now and how many seconds of its sentence were heard."""
        position = self.player.position()
        if position is None or not isinstance(position.mark, Spoken):
            return None, 0.0
        self._track_sentence(position.mark.utterance.sentence)
        return position.mark, time.monotonic() - self._sentence_since

    def _track_sentence(self, sentence: int) -> None:
        if sentence != self._sentence:
            self._sentence, self._sentence_since = sentence, time.monotonic()

    def _advance(self) -> None:
        """This reading is over; the next that waits, or rest."""
        self._end_current()
        if self._waiting:
            self._start(Job(self._waiting.popleft(), 0))
        else:
            self._idle()

    def _idle(self) -> None:
        self._timer.stop()
        self._sentence = -1
        self._show(ReaderStatus())

    def _show(self, status: ReaderStatus | None = None, **changes: object) -> None:
        status = replace(status or self.status, **changes)  # type: ignore[arg-type]
        if status.state is ReaderState.SPEAKING:
            if not self._timer.isActive():
                self._timer.start()
        else:
            self._timer.stop()
        if status != self.status:
            self.status = status
            self.status_changed.emit(status)

    def _follow(self) -> None:
        """Show the place that is heard."""
        position = self.player.position()
        job = self._job
        if position is None or job is None or not isinstance(position.mark, Spoken):
            return
        heard = position.mark
        self._track_sentence(heard.utterance.sentence)
        word = next((w for w in heard.words if w.start_s <= position.offset_s < w.end_s), None)
        same = self.status.span == heard.utterance.span  # between two words the last one stays
        length = job.reading.length
        self._show(
            text=heard.utterance.text,
            span=heard.utterance.span,
            word=word.span if word else self.status.word if same else None,
            word_in_text=word.text_span if word else self.status.word_in_text if same else None,
            progress=min(heard.utterance.span.start / length, 1.0) if length else 0.0,
            voice_name=heard.voice.name,
        )

    # ------------------------------------------------------------ from the threads

    def _on_first_pcm(self, job: Job) -> None:
        if job is self._job and job.reading.feed is None:
            self.last_stamps = job.reading.stamps

    def _on_ended(self, job: Job, problem: str) -> None:
        if job is not self._job:
            return
        job.written = True
        if problem:
            job.reading.problem = problem
            self.notice.emit(problem)
            if not job.spoke:
                self._end_current()
                self._show(ReaderStatus(ReaderState.ERROR, message=problem))
        elif not job.spoke:
            if job.start == 0:
                job.reading.problem, job.reading.code = NOTHING, NOTHING_TO_READ
                self.notice.emit(NOTHING)
            self._advance()

    def _on_player_event(self, event: PlayerEvent) -> None:
        job = self._job
        match event.kind:
            case PlayerEventKind.STARTED:
                if job is not None:
                    job.reading.stamps.setdefault("started", event.at)
                    if self.status.state is ReaderState.PREPARING:
                        self._show(state=ReaderState.SPEAKING, message="")
                        self._follow()
            case PlayerEventKind.DRAINED:
                if job is not None and job.written:
                    self._advance()
            case _:
                if event.message:
                    self.notice.emit(event.message)
                    self._show(message=event.message if event.is_problem else "")
