"""What the pages of the settings window are made of: rows of controls, each bound to one setting.

A change takes effect at once. When it can't be kept, the control goes back to the value in effect and a sentence
under it says why.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QFormLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from desktop_tts import settings as values
from desktop_tts.errors import SettingsError
from desktop_tts.reader_state import ReaderState
from desktop_tts.settings import Settings, SettingsStore
from desktop_tts.ui.actions import Actions
from desktop_tts.ui.announce import announce
from desktop_tts.ui.icons import state_icon
from desktop_tts.ui.steady import FactorSlider, SteadyComboBox
from desktop_tts.ui.surfaces import MutedLabel, heading


class Problem(QWidget):
    """A sentence under a control about what is wrong; takes no room when there is nothing."""

    def __init__(self) -> None:
        super().__init__()
        self._sign = QLabel()
        self._sign.setPixmap(state_icon(ReaderState.ERROR).pixmap(16, 16))
        self._text = QLabel()
        self._text.setTextFormat(Qt.TextFormat.PlainText)  # it may name a file or a voice
        self._text.setWordWrap(True)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 2, 0, 0)
        row.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._text, 1)
        self.hide()

    def text(self) -> str:
        return self._text.text()

    def show_text(self, text: str) -> None:
        """Empty hides it."""
        if text and text != self._text.text():
            announce(self, text)
        self._text.setText(text)
        self.setVisible(bool(text))


class SettingsPage(QWidget):
    """Base of the pages. Rows are added from top to bottom."""

    def __init__(self, title: str, settings: SettingsStore, actions: Actions) -> None:
        super().__init__()
        self.settings, self.app = settings, actions
        self.problems: dict[str, Problem] = {}
        self._refreshers: list[Callable[[Settings], None]] = []
        self.form = QFormLayout()
        self.form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self.form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        self.form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.form.setHorizontalSpacing(18)
        self.form.setVerticalSpacing(16)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(20, 16, 20, 16)
        self.column.setSpacing(16)
        self.column.addWidget(heading(title))
        self.column.addLayout(self.form)
        settings.on_change(self.refresh)

    def shown(self) -> None:
        """The page comes to the front: a place to look things up again."""

    def refresh(self, now: Settings) -> None:
        """Show the settings as they are."""
        for refresher in self._refreshers:
            refresher(now)

    def keep(self, key: str, value: object) -> bool:
        """Change a setting; False when it can't be, which is then said under its control."""
        try:
            self.settings.set(key, value)
        except SettingsError as error:
            self.problems[key].show_text(str(error))
            self.refresh(self.settings.current)
            return False
        self.problems[key].show_text("")
        return True

    # ------------------------------------------------------------ rows

    def check_row(self, key: str, text: str, help_text: str = "") -> QCheckBox:
        box = QCheckBox(text)
        box.setAccessibleDescription(help_text)
        box.clicked.connect(lambda on: self.keep(key, on))
        self.follow(lambda now: box.setChecked(values.get(now, key)))
        indent = box.iconSize().width() + box.fontMetrics().averageCharWidth()
        self.form.addRow(self.with_notes(box, key, help_text, indent))
        return box

    def choice_row(
        self, key: str, text: str, choices: Sequence[tuple[str, str]], help_text: str = ""
    ) -> SteadyComboBox:
        """``choices`` are pairs of value and words."""
        combo = SteadyComboBox()
        combo.setAccessibleName(text.replace("&", ""))
        combo.setAccessibleDescription(help_text)
        for value, words in choices:
            combo.addItem(words, value)
        combo.activated.connect(lambda row: self.keep(key, combo.itemData(row)))
        self.follow(lambda now: combo.setCurrentIndex(combo.findData(values.get(now, key))))
        self.labelled(text, self.with_notes(combo, key, help_text), combo)
        return combo

    def factor_row(
        self, key: str, text: str, name: str, low: float, high: float, show: Callable[[float], str]
    ) -> FactorSlider:
        slider = FactorSlider(name, low, high, show)
        slider.chosen.connect(lambda value: self.keep(key, value))
        self.follow(lambda now: slider.set_value(values.get(now, key)))
        self.labelled(text, self.with_notes(slider, key), slider.slider)
        return slider

    def labelled(self, text: str, field: QWidget, buddy: QWidget) -> QLabel:
        """A row with a label that names ``buddy`` and gives it the focus by its letter."""
        label = QLabel(text)
        label.setBuddy(buddy)
        self.form.addRow(label, field)
        return label

    def with_notes(self, control: QWidget, key: str, help_text: str = "", indent: int = 0) -> QWidget:
        """The control with its help and room for what is wrong with the setting ``key``."""
        cell = QWidget()
        column = QVBoxLayout(cell)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(3)
        column.addWidget(control)
        problem = self.problems[key] = Problem()
        if help_text:
            note = MutedLabel(help_text)
            note.setIndent(indent)
            column.addWidget(note)
        column.addWidget(problem)
        return cell

    def follow(self, refresher: Callable[[Settings], None]) -> None:
        """Call it now and whenever settings change."""
        self._refreshers.append(refresher)
        refresher(self.settings.current)
