"""The hotkeys that work in every program."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QPushButton

from desktop_tts.settings import Hotkeys, Settings, SettingsStore
from desktop_tts.speech import Voice
from desktop_tts.ui.actions import Actions
from desktop_tts.ui.background import BackgroundCall
from desktop_tts.ui.pages.page import Problem, SettingsPage
from desktop_tts.ui.shortcut_edit import ShortcutEdit
from desktop_tts.ui.surfaces import MutedLabel
from desktop_tts.ui.voices.picker import Picker, voice_entries

_SECOND = "voices.second"


def _key(hotkey: str) -> str:
    return f"hotkeys.{hotkey}"


class ShortcutsPage(SettingsPage):
    def __init__(self, settings: SettingsStore, actions: Actions) -> None:
        super().__init__(self.tr("Shortcuts"), settings, actions)
        self.general_problem = Problem()
        self.column.insertWidget(
            1, MutedLabel(self.tr("These keys work in every program, also when no window is open."))
        )
        self.column.insertWidget(2, self.general_problem)
        self.edits: dict[str, ShortcutEdit] = {}
        self._names = {
            "read_selection": self.tr("Read selection"),
            "read_clipboard": self.tr("Read clipboard"),
            "read_in_second_voice": self.tr("Read in a second voice"),
            "pause": self.tr("Pause and resume"),
            "stop": self.tr("Stop"),
        }
        for hotkey, letter_name in (
            ("read_selection", self.tr("Read &selection")),
            ("read_clipboard", self.tr("Read &clipboard")),
            ("read_in_second_voice", self.tr("Read in a second &voice")),
            ("pause", self.tr("&Pause and resume")),
            ("stop", self.tr("S&top")),
        ):
            self._add(hotkey, letter_name)
            if hotkey == "read_in_second_voice":
                self._add_second_voice()
        self.reset = QPushButton(self.tr("&Reset to defaults"))
        self.reset.setAutoDefault(False)
        self.reset.clicked.connect(self._reset)
        row = QHBoxLayout()
        row.addWidget(self.reset)
        row.addStretch(1)
        self.form.addRow("", row)
        self.column.addStretch(1)
        self.follow(self._show)

    def shown(self) -> None:
        self._show_problems()
        BackgroundCall(self, self.app.voices, self._offer)

    def _add(self, hotkey: str, label: str) -> None:
        edit = self.edits[hotkey] = ShortcutEdit(self._names[hotkey])
        edit.listening_changed.connect(self._listening)
        edit.chosen.connect(lambda keys: self._chosen(hotkey, keys))
        edit.refused.connect(lambda reason: self.problems[_key(hotkey)].show_text(reason))
        self.labelled(label, self.with_notes(edit, _key(hotkey)), edit.button)

    def _add_second_voice(self) -> None:
        self.second = Picker(self.tr("Second voice"))
        self.second.chosen.connect(lambda voice: self.keep(_SECOND, voice))
        note = self.tr("What it doesn't speak is read by the other voices.")
        self.labelled(self.tr("Sec&ond voice"), self.with_notes(self.second, _SECOND, note), self.second)
        self._voices: tuple[Voice, ...] = ()
        self.follow(lambda now: self._offer(self._voices))

    def _offer(self, voices: tuple[Voice, ...]) -> None:
        self._voices = voices
        usual = (self.tr("The default voice"), "")
        self.second.offer([usual, *voice_entries(voices)], self.settings.current.voices.second)

    def _listening(self, on: bool) -> None:
        """Keys that are in use must reach the editor; one editor listens at a time, because the focus is in one."""
        if on:
            self.app.suspend_hotkeys()
        else:
            self.app.resume_hotkeys()
        self._show_problems()

    def _chosen(self, hotkey: str, keys: str) -> None:
        used_by = next((name for name in self._names if name != hotkey and keys and self._keys(name) == keys), "")
        if used_by:
            text = self.tr("“{name}” has these keys already. Choose others, or clear them there first.")
            self.problems[_key(hotkey)].show_text(text.format(name=self._names[used_by]))
            return
        if self._set(hotkey, keys):
            self._show_problems()

    def _reset(self) -> None:
        kept = [self._set(hotkey, getattr(Hotkeys(), hotkey)) for hotkey in self._names]
        if all(kept):
            self._show_problems()

    def _set(self, hotkey: str, keys: str) -> bool:
        return self.keep(_key(hotkey), keys)

    def _keys(self, hotkey: str) -> str:
        return str(getattr(self.settings.current.hotkeys, hotkey))

    def _show(self, now: Settings) -> None:
        for hotkey, edit in self.edits.items():
            edit.set_keys(getattr(now.hotkeys, hotkey))

    def _show_problems(self) -> None:
        """Which hotkeys another program has."""
        found = self.app.hotkey_problems()
        self.general_problem.show_text(found.get("", ""))
        for hotkey in self.edits:
            self.problems[_key(hotkey)].show_text(found.get(hotkey, ""))
