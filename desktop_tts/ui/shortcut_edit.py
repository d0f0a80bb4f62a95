"""A control that takes a hotkey: press it, then press the keys."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QHideEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QToolButton, QWidget

from desktop_tts.ui.announce import announce
from desktop_tts.ui.icons import glyph
from desktop_tts.ui.shortcut_rules import MODIFIER_KEYS, held_keys, objection, portable
from desktop_tts.ui.texts import keys_text


class ShortcutEdit(QWidget):
    """Shows a hotkey, takes a new one, clears it. While it listens it holds the keyboard, so that keys of the window
    manager arrive too; Escape, or looking elsewhere, ends that."""

    listening_changed = Signal(bool)
    chosen = Signal(str)
    """In Qt's portable form; empty for none. Never emitted while listening."""
    refused = Signal(str)
    """Why the keys that were pressed can't be a hotkey. It goes on listening."""

    def __init__(self, name: str) -> None:
        """``name``: what the hotkey does."""
        super().__init__()
        self._name = name
        self._keys = ""
        self._listening = False
        self.button = _KeyButton(self)
        self.button.clicked.connect(self._pressed)
        self.clear = QToolButton()
        self.clear.setAutoRaise(True)
        self.clear.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.clear.setAccessibleName(self.tr("Clear the shortcut for {name}").format(name=name))
        self.clear.setToolTip(self.tr("No shortcut"))
        self.clear.clicked.connect(lambda: self.chosen.emit(""))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self.button, 1)
        row.addWidget(self.clear)
        self.setFocusProxy(self.button)
        self._recolour()
        self._show()

    @property
    def listening(self) -> bool:
        return self._listening

    def set_keys(self, keys: str) -> None:
        """Show a hotkey, in Qt's portable form."""
        self._keys = keys
        self._show()

    def listen(self, on: bool) -> None:
        """Start or end to wait for keys."""
        if on == self._listening:
            return
        self._listening = on
        if on:
            self.button.grabKeyboard()
            announce(self.button, self.tr("Press the new keys. Escape keeps the old ones."))
        else:
            self.button.releaseKeyboard()
        self._show()
        self.listening_changed.emit(on)

    def take(self, event: QKeyEvent) -> None:
        """A key while listening."""
        key, modifiers = Qt.Key(event.key()), held_keys(event.modifiers())
        if key in MODIFIER_KEYS:
            self._show(event)
        elif key == Qt.Key.Key_Escape and not modifiers:
            self.listen(False)
        else:
            key = Qt.Key.Key_Tab if key == Qt.Key.Key_Backtab else key
            if reason := objection(key, modifiers):
                self.refused.emit(reason)
                return
            self.listen(False)
            self.chosen.emit(portable(key, modifiers))

    def released(self, event: QKeyEvent) -> None:
        """A key was let go while listening."""
        if Qt.Key(event.key()) in MODIFIER_KEYS:
            self._show()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._recolour()

    def hideEvent(self, event: QHideEvent) -> None:
        self.listen(False)
        super().hideEvent(event)

    def _pressed(self) -> None:
        self.listen(not self._listening)

    def _recolour(self) -> None:
        self.clear.setIcon(glyph("close", self.palette()))

    def _show(self, event: QKeyEvent | None = None) -> None:
        """What is set, or what is held so far."""
        if self._listening:
            held = QKeySequence(held_keys(event.modifiers()).value).toString() if event else ""
            text = keys_text(held + "X")[:-1] + "…" if held else self.tr("Press the new keys…")
        else:
            text = keys_text(self._keys) or self.tr("None")
        self.button.setText(text)
        self.button.setDown(self._listening)
        self.button.setAccessibleName(self.tr("{name}: {keys}").format(name=self._name, keys=text))
        self.button.setAccessibleDescription(self.tr("Press to choose other keys."))
        self.clear.setEnabled(bool(self._keys) and not self._listening)


class _KeyButton(QPushButton):
    """Hands every key to its editor while that listens."""

    def __init__(self, editor: ShortcutEdit) -> None:
        super().__init__()
        self._editor = editor
        self.setAutoDefault(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def event(self, event: QEvent) -> bool:
        if self._editor.listening and isinstance(event, QKeyEvent):
            event.accept()
            if event.type() == QEvent.Type.KeyPress and not event.isAutoRepeat():
                self._editor.take(event)
            elif event.type() == QEvent.Type.KeyRelease:
                self._editor.released(event)
            return True
        return super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._editor.listen(False)
        super().focusOutEvent(event)
