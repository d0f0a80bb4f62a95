"""What can be done with the current voice: a row of buttons, a menu, and the keys of both."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QWidget

from desktop_tts.ui.voices.rows import Group, Row
from desktop_tts.voices.profile import Kind


class VoiceBar(QWidget):
    """Shows what fits the voice it is given; what is wanted comes as ``wanted``, by name."""

    wanted = Signal(str)
    """``listen``, ``default``, ``edit``, ``adapt``, ``model``, ``folder``, ``rename``, ``duplicate``, ``up``, ``down``,
    ``export``, ``export-bare`` or ``delete``."""

    def __init__(self, keys_of: QWidget) -> None:
        """``keys_of`` is where the keys of the menu work."""
        super().__init__()
        self.menu = QMenu(self)
        self.actions_by_name: dict[str, QAction] = {}
        for name, text, keys in (  # what has no keys here has them in the list itself
            ("listen", self.tr("&Listen") + "\tSpace", ""),
            ("default", self.tr("Make &default") + "\tReturn", ""),
            ("model", self.tr("&Get the model"), ""),
            ("edit", self.tr("&Edit…"), ""),
            ("adapt", self.tr("&Adapt…"), ""),
            ("rename", self.tr("&Rename"), "F2"),
            ("duplicate", self.tr("D&uplicate"), "Ctrl+D"),
            ("up", self.tr("Move &up"), "Alt+Up"),
            ("down", self.tr("Move &down"), "Alt+Down"),
            ("export", self.tr("E&xport…"), "Ctrl+E"),
            ("export-bare", self.tr("Export &without the recording…"), ""),
            ("folder", self.tr("Show &folder"), ""),
            ("delete", self.tr("De&lete"), "Del"),
        ):
            action = QAction(text, self)
            action.setShortcut(QKeySequence(keys))
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            action.triggered.connect(lambda _=False, name=name: self.wanted.emit(name))
            keys_of.addAction(action)
            self.menu.addAction(action)
            self.actions_by_name[name] = action
            if name in ("adapt", "down", "export-bare"):
                self.menu.addSeparator()
        self.listen = self._button("listen", self.tr("&Listen"), self.tr("Hear a sentence in this voice (Space)"))
        self.default = self._button(
            "default", self.tr("Make &default"), self.tr("Read everything in this voice (Return)")
        )
        self.edit = self._button("edit", self.tr("&Edit…"), self.tr("Name, manner, speed and loudness"))
        self.adapt = self._button(
            "adapt", self.tr("&Adapt…"), self.tr("Make a voice of your own from this one, with a manner of its own")
        )
        self.model = self._button("model", self.tr("&Get the model"), self.tr("Opens the page Models"))
        self.folder = self._button("folder", self.tr("Show &folder"), self.tr("Look at this voice's files"))
        self.delete = self._button("delete", self.tr("De&lete"), self.tr("Can be undone"))
        self.more = QPushButton(self.tr("&More"))
        self.more.setAutoDefault(False)
        self.more.setMenu(self.menu)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for button in (self.listen, self.default, self.model, self.edit, self.adapt, self.folder, self.delete):
            row.addWidget(button)
        row.addStretch(1)
        row.addWidget(self.more)

    def show_row(self, row: Row | None, *, default: bool, sounding: bool, first: bool, last: bool) -> None:
        """``first`` and ``last`` tell whether it is so among the user's own voices."""
        broken = row is not None and row.group is Group.BROKEN
        mine = row is not None and row.profile is not None
        usable = row is not None and row.usable
        self.listen.setVisible(not broken)
        self.listen.setEnabled(usable)
        self.listen.setText(self.tr("&Stop") if sounding else self.tr("&Listen"))
        self.default.setVisible(usable or row is None)
        self.default.setEnabled(usable and not default)
        self.model.setVisible(row is not None and row.needs_model)
        self.edit.setVisible(mine)
        self.adapt.setVisible(row is not None and not mine and not broken)
        self.folder.setVisible(broken)
        self.delete.setVisible(broken)
        self.more.setVisible(mine)
        kind = row.profile.kind if row and row.profile else None
        fits = {
            "listen": usable,
            "default": usable and not default,
            "model": row is not None and row.needs_model,
            "edit": mine,
            "adapt": row is not None and not broken and kind in (None, Kind.SPEAKER),
            "up": mine and not first,
            "down": mine and not last,
            "export-bare": kind is Kind.CLONED,
            "folder": mine or broken,
            "delete": mine or broken,
        }
        for name, action in self.actions_by_name.items():
            fit = fits.get(name, mine)
            action.setVisible(fit or (mine and name in ("up", "down", "default")))
            action.setEnabled(fit)

    def _button(self, name: str, text: str, tip: str) -> QPushButton:
        button = QPushButton(text)
        button.setAutoDefault(False)
        button.setToolTip(tip)
        button.setAccessibleDescription(tip)
        button.clicked.connect(lambda: self.wanted.emit(name))
        return button
