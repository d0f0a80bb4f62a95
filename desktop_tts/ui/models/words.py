"""What is known of a model, and how it is said. No widgets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from desktop_tts.engines.qwen import OWN
from desktop_tts.models import store
from desktop_tts.models.catalog import MODELS, Model
from desktop_tts.models.download import DownloadProgress
from desktop_tts.models.jobs import Job, Phase, Task
from desktop_tts.models.store import Installed

translate = QCoreApplication.translate


class Act(StrEnum):
    """What a button on a card does."""

    DOWNLOAD = "download"
    RESUME = "resume"
    UPDATE = "update"
    PAUSE = "pause"
    CANCEL = "cancel"
    VERIFY = "verify"
    STOP = "stop"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True)
class Facts:
    """What the disk says of a model."""

    model: Model
    installed: Installed | None = None
    came: int = 0
    """Bytes of an unfinished download."""


def look_up(model: Model) -> Facts:
    """Asks the disk; the first call takes a moment, since it may import the hub's library."""
    return Facts(model, store.installed(model), store.came(model))


def acts(facts: Facts, job: Job | None) -> tuple[Act, ...]:
    """What can be done now, the likeliest first."""
    if job is not None and job.busy:
        if job.phase is Phase.STOPPING:
            return ()
        return {Task.DOWNLOAD: (Act.PAUSE, Act.CANCEL), Task.VERIFY: (Act.STOP,)}.get(job.task, ())
    here = facts.installed
    if facts.came and (here is None or here.outdated):
        return (Act.RESUME, Act.CANCEL)
    if here is None:
        return (Act.DOWNLOAD,)
    update = (Act.UPDATE,) if here.outdated else ()
    return (*update, Act.VERIFY) if here.shared else (*update, Act.VERIFY, Act.REMOVE)


def act_title(act: Act) -> str:
    return {
        Act.DOWNLOAD: translate("models", "Download"),
        Act.RESUME: translate("models", "Resume"),
        Act.UPDATE: translate("models", "Update"),
        Act.PAUSE: translate("models", "Pause"),
        Act.CANCEL: translate("models", "Cancel download…"),
        Act.VERIFY: translate("models", "Check files"),
        Act.STOP: translate("models", "Stop checking"),
        Act.REMOVE: translate("models", "Remove…"),
    }[act]


def purpose(model: Model) -> str:
    """What it is for, as sentences."""
    if model.key.startswith("0.6b"):
        pace = translate("models", "Small and fast.")
    else:
        pace = translate("models", "Larger and slower.")
    task = {
        "custom_voice": translate("models", "Nine ready speakers, ten languages.")
        if model.key.startswith("0.6b")
        else translate("models", "Nine ready speakers, ten languages; follows instructs, as “whisper”."),
        "voice_design": translate("models", "Makes new voices from a description: for the Design page."),
        "base": translate("models", "Speaks with voices of your own: cloned or designed ones."),
    }[model.kind]
    return f"{task} {pace}"


def state_text(facts: Facts, job: Job | None) -> str:
    """How it stands with the model, in a line."""
    if job is not None and job.busy:
        return _busy_text(job)
    if facts.came and (facts.installed is None or facts.installed.outdated):
        return translate("models", "Paused at {percent} %: {done} of {total} are here.").format(
            percent=percent(facts.came, facts.model.size), done=size_text(facts.came), total=size_text(facts.model.size)
        )
    here = facts.installed
    if here is None:
        return translate("models", "Not installed.")
    if here.outdated:
        text = translate("models", "Installed in {folder}. There is a newer version; this one works until you update.")
    elif here.shared:
        text = translate(
            "models",
            "Installed, the current version. It lies in the cache of Hugging Face, which other programs share, so it "
            "isn't removed here: {folder}",
        )
    else:
        text = translate("models", "Installed in {folder}. This is the current version.")
    return text.format(folder=folder_text(here.folder))


def _busy_text(job: Job) -> str:
    if job.phase is Phase.STOPPING:
        return translate("models", "Stopping…")
    if job.phase is Phase.WAITING:
        return translate("models", "Waits until another download has ended.")
    if job.task is Task.VERIFY:
        text = translate("models", "Checking {percent} %").format(
            percent=percent(job.progress.done, job.progress.total)
        )
        return " · ".join([text, *_left(job.progress)])
    if job.task is not Task.DOWNLOAD:
        return translate("models", "Removing…")
    return progress_text(job.progress)


def progress_text(progress: DownloadProgress) -> str:
    """``Downloading 41 % · 1.9 of 4.5 GB · 8.3 MB/s · 5 min left``."""
    share = percent(progress.done, progress.total)
    if progress.stage == "check":
        return translate("models", "Downloading {percent} % · checking what came").format(percent=share)
    parts = [
        translate("models", "Downloading {percent} %").format(percent=share),
        translate("models", "{done} of {total}").format(done=size_text(progress.done), total=size_text(progress.total)),
    ]
    if progress.bytes_per_s > 0:
        parts.append(translate("models", "{size} a second").format(size=size_text(progress.bytes_per_s)))
    return " · ".join([*parts, *_left(progress)])


def _left(progress: DownloadProgress) -> tuple[str, ...]:
    if progress.left_s is None:
        return ()
    return (translate("models", "{time} left").format(time=time_text(progress.left_s)),)


def outcome(job: Job | None) -> str:
    """What a check that ended well says; empty for anything else."""
    if job is None or job.busy or job.problems or job.task is not Task.VERIFY:
        return ""
    return translate("models", "All files are complete and undamaged.")


def problem(job: Job | None) -> str:
    """What went wrong, with the remedy; empty for nothing."""
    if job is None or job.busy or not job.problems:
        return ""
    text = " ".join(job.problems)
    if job.task is Task.VERIFY and "damaged" in text:
        text += " " + translate("models", "Remove the model and download it again.")
    return text


def model_name(key: str) -> str:
    """Of the model with this key, for people."""
    if key == OWN:
        return translate("models", "The model in your own folder")
    return next((known.name for known in MODELS if known.key == key), key)


def percent(done: float, total: float) -> int:
    """Whole percents, 100 only when all is there."""
    return min(math.floor(100 * done / total), 100) if total else 0


def size_text(size: float) -> str:
    """``4.5 GB``."""
    for unit, worth in (("GB", 1e9), ("MB", 1e6)):
        if size >= worth * 0.9995:
            return f"{size / worth:.1f} {unit}"
    return f"{math.ceil(size / 1e3)} kB"


def time_text(seconds: float) -> str:
    """``2 h 5 min``, ``5 min``, ``40 s``."""
    seconds = max(round(seconds), 1)
    if seconds < 60:
        return translate("models", "{n} s").format(n=seconds)
    minutes = math.ceil(seconds / 60)
    if minutes < 60:
        return translate("models", "{n} min").format(n=minutes)
    return translate("models", "{h} h {n} min").format(h=minutes // 60, n=minutes % 60)


def folder_text(folder: Path) -> str:
    """With ``~`` for the home folder."""
    try:
        return str(Path("~") / folder.relative_to(Path.home()))
    except (ValueError, RuntimeError):
        return str(folder)
