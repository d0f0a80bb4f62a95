"""Choosing a voice file to import, or a place to export one to."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QStandardPaths, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop_tts.voices.archive import SUFFIX

translate = QCoreApplication.translate


def import_dialog(parent: QWidget, chosen: Callable[[list[Path]], None]) -> QFileDialog:
    """``chosen`` is called with the files unless it's cancelled."""
    dialog = _dialog(parent, translate("voices", "Import voices"))
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    dialog.filesSelected.connect(lambda names: chosen([Path(name) for name in names]))
    return dialog


def export_dialog(parent: QWidget, name: str, chosen: Callable[[Path], None]) -> QFileDialog:
    """With a file name made of ``name``; asks before it overwrites."""
    dialog = _dialog(parent, translate("voices", "Export “{name}”").format(name=name))
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(SUFFIX.lstrip("."))
    dialog.selectFile(file_name(name))
    dialog.fileSelected.connect(lambda name: chosen(Path(name)))
    return dialog


def file_name(name: str) -> str:
    """A file name that every system takes."""
    plain = re.sub(r'[\x00-\x1f<>:"/\\|?*]+', " ", name).strip(" .")[:60]
    return (plain or "voice") + SUFFIX


def _dialog(parent: QWidget, title: str) -> QFileDialog:
    documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    dialog = QFileDialog(parent, title, documents, translate("voices", "Voices") + f" (*{SUFFIX})")
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return dialog
