"""Naming a drawn voice, and keeping it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Event

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from desktop_tts.errors import DesktopTTSError
from desktop_tts.ui.announce import announce
from desktop_tts.ui.background import BackgroundCall
from desktop_tts.ui.pages.page import Problem
from desktop_tts.ui.steady import SteadyComboBox
from desktop_tts.ui.surfaces import MutedLabel
from desktop_tts.voices.folder import NAME_LIMIT
from desktop_tts.voices.making import MakerModel
from desktop_tts.voices.profile import Profile

Work = Callable[[str, str, Event], Profile | None]
"""Keeps the voice under a name with the Base model of this key (empty for none), unless cancelled. Blocks."""


class KeepDialog(QDialog):
    """``bases`` are the Base models on this machine. Closing it while the voice is being made stops that."""

    kept = Signal(object)
    """The Profile."""
    models_wanted = Signal()

    def __init__(self, parent: QWidget, name: str, bases: Sequence[MakerModel], work: Work) -> None:
        super().__init__(parent)
        self._work = work
        self._cancel: Event | None = None
        self.setWindowTitle(self.tr("Keep this voice"))
        self.name = QLineEdit(name)
        self.name.setMaxLength(NAME_LIMIT)
        self.name.selectAll()
        self.name.textChanged.connect(self._check)
        self.base = SteadyComboBox()
        self.base.setAccessibleName(self.tr("Made with"))
        for model in bases:
            self.base.addItem(model.name, model.key)
        self.get_model = QPushButton(self.tr("&Get a Base model…"))
        self.get_model.setAutoDefault(False)
        self.get_model.clicked.connect(self._to_models)
        self.state = QLabel()
        self.state.setWordWrap(True)
        self.problem = Problem()
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.keep_button = self.buttons.addButton(self.tr("&Keep"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.buttons.accepted.connect(self._keep)
        self.buttons.rejected.connect(self.reject)
        form = QFormLayout()
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        form.addRow(self.tr("&Name"), self.name)
        if bases:
            about = self.tr("The voice is frozen as it sounds now: every text is read in it.")
            form.addRow(self.tr("&Made with"), self.base)
        else:
            about = self.tr(
                "To freeze a voice as it sounds now, a Base model is needed, and none is installed. Without one its "
                "description and number are kept: it may sound a little different from sentence to sentence."
            )
        column = QVBoxLayout(self)
        column.setSpacing(12)
        column.addLayout(form)
        column.addWidget(MutedLabel(about))
        if not bases:
            column.addWidget(self.get_model)
        self.base.setVisible(bool(bases))
        self.get_model.setVisible(not bases)
        column.addWidget(self.state)
        column.addWidget(self.problem)
        column.addStretch(1)
        column.addWidget(self.buttons)
        self.state.hide()
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * 52)
        self._check()

    def reject(self) -> None:
        """Close, and stop what goes on."""
        if self._cancel is not None:
            self._cancel.set()
        super().reject()

    def _keep(self) -> None:
        name, base = self.name.text().strip(), self.base.currentData() or ""
        cancel = self._cancel = Event()
        self.problem.show_text("")
        self._show_busy(self.tr("Freezing the voice…") if base else self.tr("Keeping the voice…"))
        BackgroundCall(self, lambda: self._work(name, base, cancel), self._done, self._failed)

    def _done(self, profile: Profile | None) -> None:
        self._cancel = None
        self._show_busy("")
        if profile is not None:
            self.kept.emit(profile)
            self.accept()

    def _failed(self, error: DesktopTTSError) -> None:
        self._cancel = None
        self._show_busy("")
        self.problem.show_text(str(error))

    def _show_busy(self, text: str) -> None:
        self.state.setText(text)
        self.state.setVisible(bool(text))
        announce(self, text)
        for widget in (self.name, self.base):
            widget.setEnabled(not text)
        self._check()

    def _check(self) -> None:
        self.keep_button.setEnabled(self._cancel is None and bool(self.name.text().strip()))

    def _to_models(self) -> None:
        self.reject()
        self.models_wanted.emit()
