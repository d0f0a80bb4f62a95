"""Downloads, checks and removals of models in the background: one download at a time, the others wait in line."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from threading import Event, RLock, Thread

from desktop_tts.errors import DesktopTTSError
from desktop_tts.models import download as transfer
from desktop_tts.models import store
from desktop_tts.models.catalog import Model
from desktop_tts.models.download import TELL_S, Cancelled, DownloadProgress

log = logging.getLogger(__name__)


class Task(StrEnum):
    DOWNLOAD = "download"
    VERIFY = "verify"
    REMOVE = "remove"
    DISCARD = "discard"
    """Delete what an unfinished download brought."""


class Phase(StrEnum):
    WAITING = "waiting"
    """Another download comes first."""
    RUNNING = "running"
    STOPPING = "stopping"
    """Told to stop, and not there yet: a silent server is waited for, 20 seconds at most."""
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Job:
    """What goes on with a model, or went on last."""

    task: Task
    phase: Phase
    progress: DownloadProgress
    problems: tuple[str, ...] = ()
    """Sentences for the user about what went wrong."""

    @property
    def busy(self) -> bool:
        return self.phase is not Phase.ENDED


@dataclass(slots=True)
class _Control:
    """How a task is stopped."""

    stop: Event
    discard: bool = False


class ModelJobs:
    """Every method may be called from any thread and returns at once. What can't be done now, as a second task for the
    same model, is left undone. Threads end with the program; an unfinished download is kept on disk."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._jobs: dict[str, Job] = {}
        self._controls: dict[str, _Control] = {}
        self._line: list[tuple[Model, str]] = []
        self._downloading = False
        self._listeners: list[Callable[[str], None]] = []

    def job(self, key: str) -> Job | None:
        """What goes on with this model or went on last; None for nothing since the start."""
        with self._lock:
            return self._jobs.get(key)

    @property
    def busy(self) -> bool:
        with self._lock:
            return any(job.busy for job in self._jobs.values())

    def on_change(self, listener: Callable[[str], None]) -> Callable[[], None]:
        """Call ``listener`` with the key of each model whose job changes, from any thread, and a few times a second
        while it runs; returns the way to stop."""
        with self._lock:
            self._listeners.append(listener)

        def stop() -> None:
            with self._lock, contextlib.suppress(ValueError):
                self._listeners.remove(listener)

        return stop

    # ------------------------------------------------------------ what can be asked for

    def download(self, model: Model, source: str = "") -> None:
        """Bring it, or go on bringing it, when its turn comes. ``source`` as for ``download.download``."""
        with self._lock:
            if not self._enter(model, Task.DOWNLOAD, Phase.WAITING):
                return
            self._line.append((model, source))
            if not self._downloading:
                self._downloading = True
                Thread(target=self._work_off, name="model downloads", daemon=True).start()
        self._tell(model.key)

    def verify(self, model: Model) -> None:
        """Compare every file with its hash."""
        self._start(model, Task.VERIFY, self._verify)

    def remove(self, model: Model, first: Callable[[], None] = lambda: None) -> None:
        """Delete our copy. ``first`` lets go of it, and may refuse by a DesktopTTSError."""

        def work(model: Model, control: _Control) -> tuple[str, ...]:
            first()
            store.remove(model)
            return ()

        self._start(model, Task.REMOVE, work)

    def stop(self, key: str) -> None:
        """Pause a download or end a check."""
        self._stop(key, discard=False)

    def cancel(self, model: Model) -> None:
        """Give a download up and delete what came, whether it runs, waits or was stopped before."""
        if not self._stop(model.key, discard=True):
            self._start(model, Task.DISCARD, self._discard)

    def close(self) -> None:
        """Stop everything; what came of downloads is kept."""
        with self._lock:
            self._line.clear()
            for control in self._controls.values():
                control.stop.set()

    # ------------------------------------------------------------ inside

    def _enter(self, model: Model, task: Task, phase: Phase) -> bool:
        """Note a new job; False while there is another."""
        job = self._jobs.get(model.key)
        if job is not None and job.busy:
            return False
        came = store.came(model) if task is Task.DOWNLOAD else 0
        self._jobs[model.key] = Job(task, phase, DownloadProgress(came, model.size))
        self._controls[model.key] = _Control(Event())
        return True

    def _start(self, model: Model, task: Task, work: Callable[[Model, _Control], tuple[str, ...]]) -> None:
        with self._lock:
            if not self._enter(model, task, Phase.RUNNING):
                return
            control = self._controls[model.key]
        self._tell(model.key)
        Thread(target=self._run, args=(model, control, work), name=f"model {task}", daemon=True).start()

    def _stop(self, key: str, *, discard: bool) -> bool:
        """False if there is no download or check to stop."""
        with self._lock:
            job = self._jobs.get(key)
            if job is None or not job.busy or job.task not in (Task.DOWNLOAD, Task.VERIFY):
                return False
            control = self._controls[key]
            control.discard |= discard and job.task is Task.DOWNLOAD
            control.stop.set()
            self._change(key, phase=Phase.STOPPING)
            waiting = [entry for entry in self._line if entry[0].key == key]
            if waiting:  # its turn hasn't come: it's over at once
                self._line.remove(waiting[0])
        if waiting:
            work = self._discard if control.discard else _nothing
            Thread(target=self._run, args=(waiting[0][0], control, work), name="model download", daemon=True).start()
        self._tell(key)
        return True

    def _work_off(self) -> None:
        """The thread of the downloads."""
        while True:
            with self._lock:
                if not self._line:
                    self._downloading = False
                    return
                model, source = self._line.pop(0)
                control = self._controls[model.key]
                self._change(model.key, phase=Phase.RUNNING)
            self._tell(model.key)
            self._run(model, control, partial(self._download, source))

    def _run(self, model: Model, control: _Control, work: Callable[[Model, _Control], tuple[str, ...]]) -> None:
        problems: tuple[str, ...]
        try:
            problems = work(model, control)
        except DesktopTTSError as error:
            problems = (str(error),)
        except Exception as unexpected:
            log.error("a job with the model %s failed", model.key, exc_info=unexpected)
            problems = ("Something went wrong here. The log has more.",)
        with self._lock:
            self._change(model.key, phase=Phase.ENDED, problems=problems)
        self._tell(model.key)

    def _download(self, source: str, model: Model, control: _Control) -> tuple[str, ...]:
        try:
            transfer.download(model, source, lambda progress: self._progressed(model.key, progress), control.stop)
        except Cancelled:
            if control.discard:
                transfer.discard(model)
        return ()

    def _verify(self, model: Model, control: _Control) -> tuple[str, ...]:
        here = store.installed(model)
        if here is None:
            raise DesktopTTSError(f"{model.key} isn't installed.", "Download it first.")
        done, told, began = 0, 0.0, time.monotonic()

        def count(read: int) -> None:
            nonlocal done, told
            done += read
            now = time.monotonic()
            if now - told >= TELL_S:
                told = now
                speed = done / (now - began) if now > began else 0.0
                self._progressed(model.key, DownloadProgress(done, model.size, speed, "check"))

        problems = store.verify(model, here.folder, count, control.stop)
        if control.stop.is_set():
            raise Cancelled("The check was stopped.")
        return problems

    def _discard(self, model: Model, control: _Control) -> tuple[str, ...]:
        transfer.discard(model)
        return ()

    def _progressed(self, key: str, progress: DownloadProgress) -> None:
        with self._lock:
            self._change(key, progress=progress)
        self._tell(key)

    def _change(self, key: str, **changes: object) -> None:
        self._jobs[key] = replace(self._jobs[key], **changes)  # type: ignore[arg-type]

    def _tell(self, key: str) -> None:
        for listener in tuple(self._listeners):
            listener(key)


def _nothing(model: Model, control: _Control) -> tuple[str, ...]:
    return ()
