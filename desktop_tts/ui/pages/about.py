"""What this program is, under which licence, and what it is built on."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QSizePolicy, QVBoxLayout

from desktop_tts import __version__
from desktop_tts.settings import SettingsStore
from desktop_tts.ui.actions import Actions
from desktop_tts.ui.background import BackgroundCall
from desktop_tts.ui.icons import app_icon
from desktop_tts.ui.pages.page import SettingsPage
from desktop_tts.ui.surfaces import MutedLabel, heading
from desktop_tts.ui.texts import APP_NAME

PACKAGE = "desktop-tts"


class AboutPage(SettingsPage):
    def __init__(self, settings: SettingsStore, actions: Actions) -> None:
        super().__init__(self.tr("About"), settings, actions)
        picture = QLabel()
        picture.setPixmap(app_icon().pixmap(QSize(64, 64), self.devicePixelRatio()))
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(heading(APP_NAME))
        words.addWidget(MutedLabel(self.tr("Version {version}").format(version=__version__)))
        words.addWidget(QLabel(self.tr("Hear any text on your desktop, at once, in a voice you love.")))
        top = QHBoxLayout()
        top.setSpacing(16)
        top.addWidget(picture, 0, Qt.AlignmentFlag.AlignTop)
        top.addLayout(words, 1)
        self.column.addLayout(top)
        label = QLabel(self.tr("&Licence and notices"))
        self.notices = QPlainTextEdit()
        self.notices.setReadOnly(True)
        self.notices.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.notices.setTabChangesFocus(True)
        self.notices.setAccessibleName(self.tr("Licence and notices"))
        self.notices.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.notices.setMinimumHeight(self.fontMetrics().lineSpacing() * 8)
        label.setBuddy(self.notices)
        self.column.addWidget(label)
        self.column.addWidget(self.notices, 1)

    def shown(self) -> None:
        if not self.notices.toPlainText():
            BackgroundCall(self, notices, self.notices.setPlainText)


def notices() -> str:
    """This program's notice, what it uses with the licences, and the licence in full. Reads files."""
    texts = [_own_file("NOTICE"), _used(), _own_file("LICENSE")]
    return "\n\n".join(text.strip() for text in texts if text)


def _own_file(name: str) -> str:
    """A file of the installed package's metadata, or of the source tree."""
    try:
        listed = metadata.files(PACKAGE) or []
    except metadata.PackageNotFoundError:
        listed = []
    places = [Path(str(file.locate())) for file in listed if file.name == name]
    places.append(Path(__file__).parents[3] / name)
    return next((place.read_text(encoding="utf-8") for place in places if place.is_file()), "")


def _used() -> str:
    """Names, versions and licences of the packages that this one asks for and that are here."""
    try:
        wanted = metadata.requires(PACKAGE) or []
    except metadata.PackageNotFoundError:
        return ""
    names = sorted(
        {re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in wanted if "extra ==" not in line}, key=str.lower
    )
    lines = [line for name in names if (line := _licence_line(name))]
    return "Built on:\n" + "\n".join(lines) if lines else ""


def _licence_line(name: str) -> str:
    try:
        about = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return ""
    classifiers = about.get_all("Classifier") or []
    named = [line.rsplit("::", 1)[1].strip() for line in classifiers if line.startswith("License ::")]
    if "License-Expression" in about:
        licence = about["License-Expression"]
    elif named:
        licence = ", ".join(named)
    else:
        licence = about["License"].strip().splitlines()[0][:60] if "License" in about else "see its documentation"
    return f"{about['Name']} {about['Version']}: {licence}"
