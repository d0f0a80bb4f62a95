"""All voices: hear them, choose the default, and make, change, sort and pass on voices of one's own."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QDragEnterEvent, QDropEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QMenu, QPushButton

from desktop_tts.errors import DesktopTTSError
from desktop_tts.settings import Settings, SettingsStore
from desktop_tts.speech import Voice
from desktop_tts.ui.actions import Actions
from desktop_tts.ui.announce import announce
from desktop_tts.ui.background import BackgroundCall
from desktop_tts.ui.pages.page import Problem, SettingsPage
from desktop_tts.ui.steady import SteadyComboBox
from desktop_tts.ui.surfaces import MutedLabel
from desktop_tts.ui.voices.dialogs import VoiceDialogs
from desktop_tts.ui.voices.hearing import Hearing
from desktop_tts.ui.voices.picker import name_by_label
from desktop_tts.ui.voices.rows import Group, Row, group_title, rows
from desktop_tts.ui.voices.shelf import Shelf
from desktop_tts.ui.voices.undo_bar import UndoBar
from desktop_tts.ui.voices.voice_bar import VoiceBar
from desktop_tts.ui.voices.voice_list import VoiceList, voice_files

KEY = "voices.default"


class VoicesPage(SettingsPage):
    """The arrows go through the list; Space lets a voice be heard, Return makes it the default."""

    _store_changed = Signal()

    def __init__(self, settings: SettingsStore, actions: Actions) -> None:
        super().__init__(self.tr("Voices"), settings, actions)
        self._mine = actions.mine
        self._voices: tuple[Voice, ...] = ()
        self._wanted = settings.current.voices.default
        """The voice to go to as soon as it's there."""
        self.shelf = Shelf(self._mine.store, settings, self)
        self.hearing = Hearing(self._mine, actions.stop, self)
        self.dialogs = VoiceDialogs(self, settings, actions, lambda: self._voices)
        self.search = QLineEdit()
        self.search.setPlaceholderText(self.tr("Name, language or kind"))
        self.search.setAccessibleName(self.tr("Search voices"))
        self.search.setClearButtonEnabled(True)
        self.group = SteadyComboBox()
        self.group.setAccessibleName(self.tr("Show"))
        self.group.setMinimumContentsLength(8)
        self.group.addItem(self.tr("All voices"), None)
        for group in Group:
            if group is not Group.BROKEN:
                self.group.addItem(group_title(group), group)
        self.add = QPushButton(self.tr("Add a &voice"))
        self.add.setAutoDefault(False)
        self.add.setMenu(self._add_menu())
        self.hint = MutedLabel()
        self.list = VoiceList()
        self.bar = VoiceBar(self.list)
        self.undo = UndoBar()
        self.problems[KEY] = Problem()
        self.reason = Problem()
        self.state = MutedLabel()
        self.state.hide()
        self._lay_out()
        self._connect()
        self.follow(self._show_default)
        self._fill()

    def shown(self) -> None:
        BackgroundCall(self, self._look, self._found, self._failed)

    def _look(self) -> tuple[Voice, ...]:
        """For voices, also those that another program made; in a thread of its own."""
        self._mine.store.refresh()
        return self.app.voices()

    # ------------------------------------------------------------ making

    def _lay_out(self) -> None:
        self.column.removeItem(self.form)
        self.column.setSpacing(8)
        top = QHBoxLayout()
        top.addWidget(self.search, 3)
        top.addWidget(self.group, 2)
        top.addWidget(self.add)
        self.column.addLayout(top)
        name_by_label(self.group)
        self.column.addWidget(self.hint)
        self.column.addWidget(self.list, 1)
        self.column.addWidget(self.undo)
        self.column.addWidget(self.problems[KEY])
        self.column.addWidget(self.reason)
        self.column.addWidget(self.state)
        self.column.addWidget(self.bar)
        self.setAcceptDrops(True)

    def _add_menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        for text, tip, call in (
            (self.tr("&Adapt a voice…"), self.tr("One that is here, with a manner of your own"), self._adapt),
            (self.tr("&Design a voice…"), self.tr("From a description"), lambda: self.app.open_settings("design")),
            (self.tr("&Clone a voice…"), self.tr("From a recording"), self.dialogs.clone),
            (self.tr("&Import a voice file…"), self.tr("That somebody exported"), self._import),
        ):
            menu.addAction(text, call).setToolTip(tip)
        return menu

    def _connect(self) -> None:
        self.search.textChanged.connect(lambda: self._fill())
        self.group.currentIndexChanged.connect(lambda: self._fill())
        self.list.currentItemChanged.connect(lambda: self._show_bar())
        self.list.listen.connect(self._listen)
        self.list.chosen.connect(self._make_default)
        self.list.renamed.connect(self.shelf.rename)
        self.list.edited.connect(self._store_changed)
        self.list.moved.connect(self.shelf.move)
        self.list.files_dropped.connect(self._import_files)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(
            lambda at: self.bar.menu.popup(self.list.viewport().mapToGlobal(at)) if self.list.current() else None
        )
        self.bar.wanted.connect(self._wish)
        self.shelf.failed.connect(self._say)
        self.shelf.done.connect(lambda text: announce(self, text))
        self.shelf.undoable.connect(self._offer_undo)
        self.shelf.arrived.connect(self._go_to)
        self.dialogs.arrived.connect(self._go_to)
        self.dialogs.refused.connect(self._say)
        for keys, call in (
            (QKeySequence.StandardKey.Undo, self.undo.undo),
            (QKeySequence.StandardKey.Find, self.search.setFocus),
        ):
            shortcut = QShortcut(QKeySequence(keys), self, call)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self._store_changed.connect(self._changed, Qt.ConnectionType.QueuedConnection)
        stop_following = self._mine.store.on_change(self._store_changed.emit)
        self.destroyed.connect(lambda: stop_following())
        self.hearing.changed.connect(self._heard)
        self.hearing.state.connect(self._show_state)
        self.hearing.failed.connect(self._say)

    # ------------------------------------------------------------ what is shown

    def _found(self, voices: tuple[Voice, ...]) -> None:
        if voices != self._voices:
            self._voices = voices
            self._fill()
        self._wanted = ""

    def _failed(self, error: DesktopTTSError) -> None:
        self._say(str(error))

    def _changed(self) -> None:
        self._fill()
        BackgroundCall(self, self.app.voices, self._found, self._failed)

    def _fill(self) -> None:
        if self.list.is_editing():
            return  # until the name is typed
        every = rows(self._voices, self._mine.store.profiles(), self._mine.store.broken())
        group, words = self.group.currentData(), self.search.text()
        shown = [row for row in every if (group in (None, row.group)) and row.matches(words)]
        self.list.show_rows(shown, self.settings.current.voices.default)
        if self._wanted and self.list.select(self._wanted):
            self._wanted = ""
        self._show_hint(bool(shown), bool(words))
        self._show_bar()

    def _show_hint(self, any_shown: bool, searched: bool) -> None:
        if any_shown and self._mine.store.profiles():
            text = ""
        elif any_shown or not searched:
            text = self.tr("Make voices of your own with “Add a voice”: adapt, design or clone one.")
        else:
            text = self.tr("No voice fits this search.")
        self.hint.setText(text)
        self.hint.setVisible(bool(text))

    def _show_default(self, now: Settings) -> None:
        self.list.set_default(now.voices.default)
        self._show_bar()

    def _show_bar(self) -> None:
        row = self.list.current()
        self.reason.show_text(row.problem if row and (row.broken or row.problem != row.second_line) else "")
        order = [shown.id for shown in self.list.rows() if shown.profile]
        self.bar.show_row(
            row,
            default=row is not None and row.id == self.settings.current.voices.default,
            sounding=row is not None and row.id == self.hearing.voice_id,
            first=row is not None and order[:1] == [row.id],
            last=row is not None and order[-1:] == [row.id],
        )

    def _say(self, problem: str) -> None:
        self.problems[KEY].show_text(problem)

    def _offer_undo(self, text: str, undo: object) -> None:
        self._say("")
        assert callable(undo)
        self.undo.offer(text, undo)

    def _go_to(self, voice_id: str) -> None:
        """Show this voice, now or when the list has it, whatever is searched for."""
        self._wanted = voice_id
        self.group.setCurrentIndex(0)
        self.search.clear()
        self._fill()
        self.list.setFocus()

    def _listen(self, voice_id: str) -> None:
        self._say("")
        row = next((row for row in self.list.rows() if row.id == voice_id), None)
        if row:
            self.hearing.toggle(row)

    def _heard(self, voice_id: str) -> None:
        self.list.set_sounding(voice_id)
        self._show_bar()

    def _show_state(self, text: str) -> None:
        if text != self.state.text():
            self.state.setText(text)
            self.state.setVisible(bool(text))

    # ------------------------------------------------------------ doing

    def _make_default(self, voice_id: str) -> None:
        if self.keep(KEY, voice_id):
            row = self.list.current()
            if row and row.id == voice_id:
                announce(self, self.tr("{name} is the default voice.").format(name=row.name))

    def _wish(self, what: str) -> None:
        row = self.list.current()
        if row is None:
            return
        self._say("")
        match what:
            case "listen":
                self._listen(row.id)
            case "default":
                self._make_default(row.id)
            case "model":
                self.app.open_settings("models")
            case "edit" if row.profile:
                self.dialogs.edit(row.profile)
            case "adapt":
                self.dialogs.adapt(row)
            case "rename":
                self.list.rename()
            case "duplicate":
                self.shelf.duplicate(row.id)
            case "up" | "down":
                self.list.move_current(-1 if what == "up" else 1)
            case "export" | "export-bare" if row.profile:
                self._export(row, with_reference=what == "export")
            case "folder":
                self._show_folder(row)
            case "delete":
                self.shelf.delete(row)

    # ------------------------------------------------------------ files

    def _adapt(self) -> None:
        self.dialogs.adapt(self.list.current())

    def _import(self) -> None:
        self.dialogs.import_files(self._import_files)

    def _export(self, row: Row, *, with_reference: bool) -> None:
        self.dialogs.export(row.name, lambda file: self.shelf.hand_out(row.id, file, with_reference=with_reference))

    def _import_files(self, files: list[Path]) -> None:
        self._say("")
        self.shelf.bring_in(files)

    def _show_folder(self, row: Row) -> None:
        folder_id = row.broken.id if row.broken else row.profile.id if row.profile else ""
        try:
            folder = self._mine.store.folder(folder_id)
        except DesktopTTSError as error:
            self._say(str(error))
        else:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if voice_files(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        if files := voice_files(event):
            event.acceptProposedAction()
            self._import_files(files)
