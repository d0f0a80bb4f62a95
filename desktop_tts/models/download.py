"""Bringing a model here: resumed after a cut, checked to the last byte, whole or not at all.

Files come from the first hub (``HF_ENDPOINT``, proxies and offline mode as its own library reads them) or, for users
who can't reach it, from ModelScope (``MODELSCOPE_ENDPOINT``). The hashes in the catalogue decide, whichever it was. The
hub's library isn't used for the transfer itself, since it drops a half-loaded file when the process ends.
"""

from __future__ import annotations

import errno
import http.client
import os
import shutil
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from urllib.parse import quote

from desktop_tts import __version__
from desktop_tts.errors import DesktopTTSError, NotInstalled
from desktop_tts.models import store
from desktop_tts.models.catalog import Model, ModelFile

SOURCES = ("huggingface", "modelscope")
TIMEOUT_S = 20.0
ATTEMPTS = 5
"""How often a file is tried again without a single new byte."""
WAIT_S = 1.0
"""Before the first new try; doubled each time."""
TELL_S = 0.25
"""How often progress is told."""
BLOCK = 256 * 1024
SPARE = 64 * 1024 * 1024
"""Bytes that stay free on the disk."""


class DownloadError(DesktopTTSError):
    """The model can't be brought here now."""


class Unreachable(DownloadError):
    """The source doesn't answer at all."""


class Cancelled(DownloadError):
    """The user stopped it; what came is kept."""


@dataclass(frozen=True, slots=True)
class DownloadProgress:
    """How far it is."""

    done: int
    """Bytes of the model that are here."""
    total: int
    bytes_per_s: float = 0.0
    """Over the last seconds; 0 when unknown."""
    stage: str = "download"
    """``download`` or ``check``."""

    @property
    def left_s(self) -> float | None:
        """Seconds that it will still take, if that can be said."""
        return (self.total - self.done) / self.bytes_per_s if self.bytes_per_s > 0 else None


OnProgress = Callable[[DownloadProgress], None]


def download(
    model: Model, source: str = "", on_progress: OnProgress = lambda _: None, cancel: Event | None = None
) -> Path:
    """The folder of the complete, checked model. Goes on where an earlier try stopped; does nothing when it's here.

    ``source`` is one of ``SOURCES``; empty tries them in order. Raises DownloadError with what to do.
    """
    here = store.installed(model)
    if here and not here.outdated:
        return here.folder
    with _alone(model):
        return _download(model, source, on_progress, cancel or Event())


def discard(model: Model) -> int:
    """Delete what an unfinished download brought; bytes freed. Raises DesktopTTSError, also while it is going on."""
    with _alone(model):
        return store.discard(model)


@contextmanager
def _alone(model: Model) -> Iterator[None]:
    """No other process downloads this model meanwhile."""
    try:
        import filelock
    except ImportError as error:
        raise NotInstalled(
            "Downloading models needs an extra part of the app.",
            "Install it with: python3 installers/bootstrap.py setup --qwen",
        ) from error
    staging = store.staging(model)
    try:
        staging.parent.mkdir(parents=True, exist_ok=True)
        with filelock.FileLock(staging.with_suffix(".lock")).acquire(timeout=0):
            yield
    except filelock.Timeout as error:
        raise DownloadError(
            f"{model.key} is being downloaded already.", "Wait for it, or stop that download."
        ) from error
    except OSError as error:
        raise DownloadError(f"{staging.parent} can't be written: {error.strerror}.", "Check the disk.") from error


def _download(model: Model, source: str, on_progress: OnProgress, cancel: Event) -> Path:
    staging = store.staging(model)
    staging.mkdir(exist_ok=True)
    _need_space(model, staging)
    meter = Meter(model, on_progress)
    for file in model.files:
        target = staging / file.path
        if _finished(target, file):
            continue
        _from_any_source(model, file, target, source, meter, cancel)
    final = store.folder(model)
    store.note_origin(model, staging)
    if final.exists():
        shutil.rmtree(final)  # an incomplete or outdated copy, or it would have been used
    os.replace(staging, final)
    return final


def _finished(target: Path, file: ModelFile) -> bool:
    """A file gets its name only after its hash was right."""
    return target.exists() and target.stat().st_size == file.size


def _need_space(model: Model, staging: Path) -> None:
    need = model.size - store.came(model) + SPARE
    free = shutil.disk_usage(staging).free
    if free < need:
        raise DownloadError(
            f"{model.key} needs {need / 1e9:.1f} GB on {staging.parent}, and {free / 1e9:.1f} GB are free.",
            "Make room, or set XDG_DATA_HOME to a larger disk.",
        )


def _from_any_source(model: Model, file: ModelFile, target: Path, source: str, meter: Meter, cancel: Event) -> None:
    wanted = (source,) if source else SOURCES
    for number, name in enumerate(wanted):
        try:
            _fetch(_url(model, file, name), file, target, meter, cancel)
        except Unreachable:
            if number == len(wanted) - 1:
                raise
        else:
            return


def _url(model: Model, file: ModelFile, source: str) -> str:
    path = quote(file.path)
    if source == "modelscope":
        endpoint = os.environ.get("MODELSCOPE_ENDPOINT", "https://modelscope.cn").rstrip("/")
        return f"{endpoint}/models/{model.repository}/resolve/master/{path}"
    if source != "huggingface":
        raise DownloadError(f"There's no source {source!r}.", "The sources are: " + ", ".join(SOURCES) + ".")
    from huggingface_hub import constants, hf_hub_url

    if constants.HF_HUB_OFFLINE:
        raise DownloadError("HF_HUB_OFFLINE is set, so nothing is downloaded.", "Unset it and try again.")
    return hf_hub_url(model.repository, file.path, revision=model.revision)


def _fetch(url: str, file: ModelFile, target: Path, meter: Meter, cancel: Event) -> None:
    """One file, through any number of cuts as long as each try brings something."""
    part = target.with_name(target.name + store.INCOMPLETE)
    part.parent.mkdir(parents=True, exist_ok=True)
    failures, damaged = 0, False
    while True:
        before = part.stat().st_size if part.exists() else 0
        if before > file.size:
            part.unlink()
            before = 0
        problem = "" if before == file.size else _transfer(url, file, part, before, meter, cancel)
        have = part.stat().st_size if part.exists() else 0
        if have == file.size:
            meter.check()
            if store.sha256(part, cancel=cancel) == file.sha256:
                os.replace(part, target)
                return
            _stop_if(cancel)
            part.unlink()
            meter.restart()
            if damaged:
                raise DownloadError(
                    f"{file.path} came damaged twice, so it was thrown away.", "Try again later or another source."
                )
            damaged = True
            continue
        failures = 0 if have > before else failures + 1
        if failures >= ATTEMPTS:
            text = f"The connection broke and {ATTEMPTS} new tries brought nothing ({problem})."
            raise (Unreachable if have == 0 else DownloadError)(text, "What came is kept: start it again to go on.")
        if failures and cancel.wait(WAIT_S * 2 ** (failures - 1)):
            _stop_if(cancel)


def _transfer(url: str, file: ModelFile, part: Path, start: int, meter: Meter, cancel: Event) -> str:
    """Append what the server sends from ``start`` on; why it ended early. Raises when going on makes no sense."""
    request = urllib.request.Request(  # noqa: S310 - the endpoints are ours or the user's own
        url, headers={"User-Agent": f"desktop-tts/{__version__}", "Accept-Encoding": "identity"}
    )
    if start:
        request.add_header("Range", f"bytes={start}-")
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310
            if start and answer.status != http.HTTPStatus.PARTIAL_CONTENT:
                start = 0  # this server can't go on in the middle
                meter.restart()
            promised = answer.headers.get("Content-Length")
            if promised and promised.isdigit() and start + int(promised) != file.size:
                raise DownloadError(
                    f"The server offers another {file.path} than was published.", "Try again later or another source."
                )
            with part.open("ab" if start else "wb") as out:
                while start < file.size and (block := answer.read1(min(BLOCK, file.size - start))):
                    _stop_if(cancel)
                    out.write(block)
                    start += len(block)
                    meter.add(len(block))
    except urllib.error.HTTPError as error:
        if error.code in (408, 429) or error.code >= 500:
            return f"HTTP {error.code}"
        raise Unreachable(f"The server refuses {file.path} (HTTP {error.code}).", "Try another source.") from error
    except OSError as error:  # cut, time-out, no network, full disk
        reason = getattr(error, "reason", error)
        if getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT):
            raise DownloadError("The disk is full.", "Make room and start it again to go on.") from error
        return str(getattr(reason, "strerror", None) or type(reason).__name__)
    except http.client.HTTPException as error:
        return type(error).__name__
    return "it ended early"


def _stop_if(cancel: Event) -> None:
    if cancel.is_set():
        raise Cancelled("The download was stopped.", "What came is kept: start it again to go on.")


class Meter:
    """Counts bytes and tells the progress a few times a second."""

    def __init__(self, model: Model, on_progress: OnProgress) -> None:
        self._model, self._on_progress = model, on_progress
        self._progress = DownloadProgress(store.came(model), model.size)
        self._told = 0.0
        self._marks: list[tuple[float, int]] = []
        self._came = 0

    def restart(self) -> None:
        """Something that had come is gone."""
        self._progress = replace(self._progress, done=store.came(self._model))

    def add(self, count: int) -> None:
        self._came += count
        now = time.monotonic()
        self._progress = replace(self._progress, done=self._progress.done + count, stage="download")
        if now - self._told < TELL_S and self._progress.done < self._progress.total:
            return
        self._marks = [*(mark for mark in self._marks if mark[0] > now - 8), (now, self._came)]
        first = self._marks[0]
        speed = (self._came - first[1]) / (now - first[0]) if now > first[0] else 0.0
        self._progress = replace(self._progress, bytes_per_s=speed)
        self._tell(now)

    def check(self) -> None:
        self._progress = replace(self._progress, stage="check")
        self._tell(time.monotonic())

    def _tell(self, now: float) -> None:
        self._told = now
        with suppress(BrokenPipeError):
            self._on_progress(self._progress)
