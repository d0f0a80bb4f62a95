"""Which voice reads which language: a row for each, to add and to take away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QLocale, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QPushButton, QToolButton, QVBoxLayout, QWidget

from desktop_tts.speech import Voice, language_name
from desktop_tts.ui.icons import glyph
from desktop_tts.ui.voices.picker import Picker, language_entries, name_by_label, voice_entries


class LanguageRules(QWidget):
    """Shows the rules it is given, and tells the rules that are wanted."""

    wanted = Signal(object)  # a dict would come sorted
    """Voice by language, as in the setting ``voices.by_language``."""

    def __init__(self) -> None:
        super().__init__()
        self._rules: dict[str, str] = {}
        self._voices: tuple[Voice, ...] = ()
        self.rows: dict[str, tuple[Picker, Picker, QToolButton]] = {}
        self._grid = QGridLayout()
        self._grid.setColumnStretch(0, 2)
        self._grid.setColumnStretch(1, 3)
        self.add = QPushButton(self.tr("&Add a language"))
        self.add.setAutoDefault(False)
        self.add.setEnabled(False)
        self.add.clicked.connect(self._add)
        below = QHBoxLayout()
        below.addWidget(self.add)
        below.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(self._grid)
        column.addLayout(below)

    def show_rules(self, rules: Mapping[str, str]) -> None:
        """Those of the settings."""
        if dict(rules) != self._rules:
            self._rules = dict(rules)
            self._fill()

    def show_voices(self, voices: Sequence[Voice]) -> None:
        """Among which a rule can choose."""
        self._voices = tuple(voices)
        self.add.setEnabled(bool(self._spoken()))
        self._fill()

    def _spoken(self) -> list[str]:
        """Languages that some voice speaks here, without those that have a rule; the user's own first."""
        spoken = {code for voice in self._voices if not voice.needs_download for code in voice.languages}
        own = [name.split("-")[0] for name in QLocale.system().uiLanguages()]
        by_name = [code for _, code in language_entries(spoken)]
        return [code for code in dict.fromkeys([*own, *by_name]) if code in spoken and code not in self._rules]

    def _fill(self) -> None:
        if list(self.rows) != list(self._rules):
            self._rebuild()
        free = self._spoken()
        for code, (language, voice, _) in self.rows.items():
            language.offer(language_entries({code, *free}), code)
            chosen = self._rules[code]
            name = next((one.name for one in self._voices if one.id == chosen), chosen.partition(":")[2] or chosen)
            voice.offer(voice_entries(self._voices, code), chosen, self.tr("{name} (not here)").format(name=name))

    def _rebuild(self) -> None:
        for widgets in self.rows.values():
            for widget in widgets:
                self._grid.removeWidget(widget)
                widget.hide()
                widget.deleteLater()
        self.rows = {}
        for number, code in enumerate(self._rules):
            self._make_row(number, code)
        before: QWidget | None = None
        order: list[QWidget] = [widget for widgets in self.rows.values() for widget in widgets]
        for after in [*order, self.add]:
            if before is not None:
                QWidget.setTabOrder(before, after)
            before = after

    def _make_row(self, number: int, code: str) -> None:
        name = language_name(code)
        language = Picker(self.tr("Language"))
        voice = Picker(self.tr("Voice for {language}").format(language=name))
        remove = QToolButton()
        remove.setAutoRaise(True)
        remove.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        remove.setAccessibleName(self.tr("Remove the voice for {language}").format(language=name))
        remove.setToolTip(remove.accessibleName())
        remove.setIcon(glyph("close", self.palette()))
        language.chosen.connect(lambda other: self._change_language(code, other))
        voice.chosen.connect(lambda voice_id: self.wanted.emit(self._rules | {code: voice_id}))
        remove.clicked.connect(lambda: self._remove(code))
        for column, widget in enumerate((language, voice, remove)):
            self._grid.addWidget(widget, number, column)
            widget.show()  # at once, so that it can have the focus
        for picker in (language, voice):
            name_by_label(picker)
        self.rows[code] = (language, voice, remove)

    def _change_language(self, code: str, other: str) -> None:
        """The row keeps its place, and its voice if that speaks the other language."""
        if other != code:
            changed = (other, self._voice_for(other, self._rules[code]))
            self.wanted.emit(dict(changed if rule[0] == code else rule for rule in self._rules.items()))
            self._focus(other, 0)

    def _add(self) -> None:
        free = self._spoken()
        if free:
            self.wanted.emit(self._rules | {free[0]: self._voice_for(free[0], "")})
            self._focus(free[0], 0)

    def _remove(self, code: str) -> None:
        place = list(self._rules).index(code)
        self.wanted.emit({key: voice for key, voice in self._rules.items() if key != code})
        left = list(self.rows)
        self._focus(left[min(place, len(left) - 1)] if left else "", 2)

    def _focus(self, code: str, column: int) -> None:
        """On a control of a language's row, if there is such a row."""
        if code in self.rows:
            self.rows[code][column].setFocus()
        else:
            self.add.setFocus()

    def _voice_for(self, code: str, wished: str) -> str:
        ids = [voice_id for _, voice_id in voice_entries(self._voices, code)]
        return wished if wished in ids or not ids else ids[0]

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "rows"):
            for _, _, remove in self.rows.values():
                remove.setIcon(glyph("close", self.palette()))
