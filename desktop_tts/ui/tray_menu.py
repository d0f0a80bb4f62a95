"""The menu of the tray icon. Its words change when the state changes, not when it opens: tray hosts keep copies."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu

from desktop_tts.reader_state import ReaderState, ReaderStatus
from desktop_tts.settings import Settings
from desktop_tts.speech import Voice
from desktop_tts.ui.actions import Actions, ReaderControls
from desktop_tts.ui.texts import keys_text, speed_text
from desktop_tts.ui.voice_choice import short_list
from desktop_tts.ui.voice_combo import languages_of_user

SPEEDS = (0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5)


class TrayMenu(QMenu):
    """``keys_in_labels``: write hotkeys into the labels, for hosts that draw the menu themselves and show labels only;
    else they stand in a column of their own."""

    def __init__(
        self, reader: ReaderControls, actions: Actions, keep: Callable[[str, object], None], *, keys_in_labels: bool
    ) -> None:
        super().__init__()
        self._app, self._keep, self._keys_in_labels = actions, keep, keys_in_labels
        self._paused = False
        self.read_selection = self._entry(self.tr("Read selection"), actions.read_selection)
        self.read_clipboard = self._entry(self.tr("Read clipboard"), actions.read_clipboard)
        self.addSeparator()
        self.pause = self._entry(self.tr("Pause"), reader.toggle)
        self.stop = self._entry(self.tr("Stop"), actions.stop)
        self.next = self._entry(self.tr("Next sentence"), reader.next)
        self.previous = self._entry(self.tr("Previous sentence"), reader.previous)
        self.addSeparator()
        self.voices = self.addMenu(self.tr("Voice"))
        self.speeds = self.addMenu(self.tr("Speed"))
        self.addSeparator()
        self._entry(self.tr("Show window"), actions.open_window)
        self._entry(self.tr("Settings…"), actions.open_settings)
        self._entry(self.tr("Quit"), actions.quit)
        self._voice_group, self._speed_group = _choice_group(self), _choice_group(self)
        self._listed: list[tuple[str, str]] = []

    def show_status(self, status: ReaderStatus) -> None:
        for action in (self.pause, self.stop, self.next, self.previous):
            action.setEnabled(status.busy)
        self._paused = status.state is ReaderState.PAUSED

    def show_settings(self, now: Settings, voices: tuple[Voice, ...]) -> None:
        keys = now.hotkeys
        self._label(self.read_selection, self.tr("Read selection"), keys.read_selection)
        self._label(self.read_clipboard, self.tr("Read clipboard"), keys.read_clipboard)
        self._label(self.pause, self.tr("Resume") if self._paused else self.tr("Pause"), keys.pause)
        self._label(self.stop, self.tr("Stop"), keys.stop)
        self._show_speed(now.reading.speed)
        self._show_voices(now, voices)

    # ------------------------------------------------------------ inside

    def _entry(self, text: str, on_choice: Callable[[], None]) -> QAction:
        action = self.addAction(text)
        action.triggered.connect(lambda: on_choice())
        return action

    def _label(self, action: QAction, text: str, hotkey: str) -> None:
        keys = keys_text(hotkey)
        if keys:
            text += f" ({keys})" if self._keys_in_labels else f"\t{keys}"
        action.setText(text)

    def _show_speed(self, speed: float) -> None:
        self.speeds.setTitle(self.tr("Speed: {speed}").format(speed=speed_text(speed)))
        if not self.speeds.actions():
            for choice in SPEEDS:
                self._radio(self.speeds, self._speed_group, speed_text(choice), "reading.speed", choice)
        self._check(self._speed_group, speed)

    def _show_voices(self, now: Settings, voices: tuple[Voice, ...]) -> None:
        chosen = now.voices.default
        offered = short_list(voices, chosen, languages_of_user(now))
        name = next((voice.name for voice in offered if voice.id == chosen), "")
        self.voices.setTitle(self.tr("Voice: {name}").format(name=name) if name else self.tr("Voice"))
        listed = [(voice.id, voice.name) for voice in offered]
        if listed != self._listed or not self.voices.actions():
            self._listed = listed
            self.voices.clear()
            self._voice_group = _choice_group(self)
            for voice_id, voice_name in listed:
                self._radio(self.voices, self._voice_group, voice_name, "voices.default", voice_id)
            self.voices.addSeparator()
            more = self.voices.addAction(self.tr("More voices…"))
            more.triggered.connect(lambda: self._app.open_settings("voices"))
        self._check(self._voice_group, chosen)

    def _radio(self, menu: QMenu, group: QActionGroup, text: str, key: str, value: object) -> None:
        action = menu.addAction(text.replace("&", "&&"))
        action.setCheckable(True)
        action.setData(value)
        action.triggered.connect(lambda: self._keep(key, value))
        group.addAction(action)

    @staticmethod
    def _check(group: QActionGroup, value: object) -> None:
        """Mark the entry with this value; none when it isn't offered."""
        for action in group.actions():
            action.setChecked(action.data() == value)


def _choice_group(menu: QMenu) -> QActionGroup:
    """One of its entries is checked, or none: the value in effect may not be among those offered."""
    group = QActionGroup(menu)
    group.setExclusionPolicy(QActionGroup.ExclusionPolicy.ExclusiveOptional)
    return group
