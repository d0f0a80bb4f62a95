"""The Models page with models that are coming, here, outdated and missing: for pictures."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from desktop_tts.engines.qwen import Model as Usable
from desktop_tts.engines.qwen import QwenEngine
from desktop_tts.models.catalog import MODELS, Model
from desktop_tts.models.download import DownloadProgress
from desktop_tts.models.jobs import Job, ModelJobs, Phase, Task
from desktop_tts.models.store import Installed
from desktop_tts.settings import SettingsStore
from desktop_tts.ui.models.speed import Measured, verdict
from desktop_tts.ui.models.words import Act, Facts
from desktop_tts.ui.pages.models import ModelsPage
from desktop_tts.ui.sample import SampleReader, sample_actions
from desktop_tts.ui.sample_voices import voice_actions

HERE = Path.home() / ".local" / "share" / "desktop-tts" / "models"
SMALL, LARGE, DESIGN, SMALL_BASE, LARGE_BASE = MODELS
FACTS = (
    Facts(SMALL, Installed(HERE / SMALL.key, shared=False)),
    Facts(LARGE, came=1_900_000_000),
    Facts(DESIGN, came=1_040_000_000),
    Facts(SMALL_BASE, Installed(HERE / SMALL_BASE.key, shared=False, outdated=True)),
    Facts(LARGE_BASE),
)
JOBS = {
    SMALL.key: Job(Task.VERIFY, Phase.ENDED, DownloadProgress(SMALL.size, SMALL.size)),
    DESIGN.key: Job(Task.DOWNLOAD, Phase.RUNNING, DownloadProgress(1_040_000_000, DESIGN.size, 8_300_000.0)),
    LARGE_BASE.key: Job(
        Task.DOWNLOAD,
        Phase.ENDED,
        DownloadProgress(0, LARGE_BASE.size),
        ("1.7b-base needs 4.6 GB on the disk, and 2.1 GB are free. Make room, or set XDG_DATA_HOME to a larger disk.",),
    ),
}


class _Jobs(ModelJobs):
    """Always as in ``JOBS``."""

    def job(self, key: str) -> Job | None:
        return JOBS.get(key)


def pictured_models(folder: Path) -> Iterator[tuple[str, QWidget]]:
    """A name and a window; to be drawn before the next is asked for. Files go to ``folder``."""
    reader = SampleReader()
    engine = QwenEngine(find_models=lambda: (Usable(SMALL.key, HERE / SMALL.key, "custom_voice", ("ryan",), "0b6"),))
    mine = dataclasses.replace(voice_actions(folder, reader), jobs=_Jobs(), qwen=engine)
    settings = SettingsStore(folder / "settings.json")
    page = ModelsPage(settings, sample_actions(reader, mine=mine), look=_look)
    page.shown()
    window = whole(page)
    yield "models-states", window
    page.speed.result.setText(verdict(Measured(0.41, 6.2, 3.9, "cpu, int8"), smaller=False))
    yield "models-speed", window
    page.cards[SMALL.key].wanted.emit(Act.REMOVE)
    assert page.question is not None
    yield "models-remove", page.question
    page.question.reject()
    window.close()


def whole(page: QWidget) -> QScrollArea:
    """A window that shows all of a page."""
    window = QScrollArea()
    window.setFrameShape(QFrame.Shape.NoFrame)
    window.setWidgetResizable(True)
    window.setWidget(page)
    width = page.fontMetrics().averageCharWidth() * 80
    window.resize(width, max(page.heightForWidth(width), page.sizeHint().height()) + 120)
    return window


def _look(model: Model) -> Facts:
    return next(facts for facts in FACTS if facts.model is model)
