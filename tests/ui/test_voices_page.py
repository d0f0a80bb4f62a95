"""The Voices page as a person uses it, on real voices in real folders."""

import dataclasses
import json
import random
import threading

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit

from desktop_tts.reader_state import ReaderState, ReaderStatus
from desktop_tts.speech import LANGUAGE_NAMES, Voice
from desktop_tts.ui.pages.voices import VoicesPage
from desktop_tts.ui.sample import VOICES, sample_actions
from desktop_tts.ui.sample_voices import CLONE, NARRATOR, NEWS, voice_actions
from desktop_tts.ui.voices.card import ROW, _play_place, _star_place
from desktop_tts.ui.voices.preview import SENTENCES, preview
from desktop_tts.ui.voices.rows import Group, rows
from desktop_tts.voices.archive import export_voice
from desktop_tts.voices.profile import BrokenVoice
from desktop_tts.voices.store import VoiceStore

K, ALT, CTRL = Qt.Key, Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def mine(reader, tmp_path):
    return voice_actions(tmp_path, reader, reader.called, (NARRATOR, CLONE, NEWS))


@pytest.fixture
def make_page(qtbot, store, reader, mine):
    def make(voices=VOICES, **changes):
        actions = dataclasses.replace(sample_actions(reader, mine=mine), voices=lambda: voices, **changes)
        page = VoicesPage(store, actions)
        qtbot.addWidget(page)
        page.resize(700, 700)
        page.show()
        page.shown()
        qtbot.waitUntil(lambda: any(row.group is Group.SYSTEM for row in shown(page)))
        page.activateWindow()
        qtbot.waitUntil(page.isActiveWindow)
        return page

    return make


@pytest.fixture
def page(make_page):
    return make_page()


def shown(page):
    return page.list.rows()


def names(page, group=Group.MINE):
    return [row.name for row in shown(page) if row.group is group]


def go_to(page, name):
    assert page.list.select(next(row.id for row in shown(page) if row.name == name))
    page.list.setFocus()


def place(page, name, part):
    item = next(item for item in page.list.voice_items() if item.data(ROW).name == name)
    return part(page.list.visualItemRect(item)).center()


# ---------------------------------------------------------------- the list


def test_voices_are_grouped_and_the_default_is_current_and_starred(page):
    groups = list(dict.fromkeys(row.group for row in shown(page)))
    assert groups == [Group.MINE, Group.BUILTIN, Group.SPEAKERS, Group.SYSTEM]
    assert names(page) == ["Evening narrator", "My own voice", "Morning news"]
    assert page.list.current().name == "Heart"
    said = page.list.currentItem().data(Qt.ItemDataRole.AccessibleTextRole)
    assert said == "Heart, default voice. English · Built in, works offline. American English"
    assert not page.bar.default.isEnabled()


def test_arrows_pass_headings_and_change_no_setting(qtbot, page, store):
    page.list.setFocus()
    for _ in range(2):
        qtbot.keyClick(page.list, K.Key_Up)
    assert page.list.current().name == "My own voice"
    assert store.current.voices.default == "builtin:heart"


def test_return_and_star_make_a_voice_the_default(qtbot, page, store, mine):
    ids = {profile.name: profile.voice_id for profile in mine.store.profiles()}
    go_to(page, "Morning news")
    qtbot.keyClick(page.list, K.Key_Return)
    assert store.current.voices.default == ids["Morning news"]
    qtbot.mouseClick(page.list.viewport(), LEFT, pos=place(page, "My own voice", _star_place))
    assert store.current.voices.default == ids["My own voice"]
    go_to(page, "Evening narrator")
    qtbot.mouseClick(page.bar.default, LEFT)
    assert store.current.voices.default == ids["Evening narrator"]
    assert "default voice" in page.list.currentItem().data(Qt.ItemDataRole.AccessibleTextRole)


def test_search_and_filter(qtbot, page):
    qtbot.keyClicks(page.search, "german")
    assert [row.name for row in shown(page)] == ["My own voice", "Vivian", "German (espeak-ng)"]
    page.search.clear()
    qtbot.keyClicks(page.search, "fire calm")
    assert [row.name for row in shown(page)] == ["Evening narrator"]
    qtbot.keyClicks(page.search, "zzz")
    assert shown(page) == []
    assert page.hint.text() == "No voice fits this search."
    assert page.bar.listen.isVisible()
    assert not page.bar.listen.isEnabled()
    page.search.clear()
    page.group.setCurrentIndex(page.group.findData(Group.BUILTIN))
    assert [row.name for row in shown(page)] == ["Heart"]


def test_the_nine_speakers_are_offered_before_their_model_is_here(qtbot, make_page, reader):
    page = make_page(tuple(voice for voice in VOICES if voice.engine != "qwen"))
    speakers = [row for row in shown(page) if row.group is Group.SPEAKERS]
    assert len(speakers) == 9
    assert speakers[0].about == "Native language Chinese, speaks ten · a bright young woman, slightly edgy"
    go_to(page, "Uncle Fu")
    assert not page.bar.listen.isEnabled()
    qtbot.mouseClick(page.bar.model, LEFT)
    assert reader.calls == ["open_settings models"]


def test_a_voice_whose_model_is_missing_says_so_and_leads_to_it(qtbot, make_page, mine, reader):
    own = mine.store.profiles()[0]
    lacking = Voice(own.voice_id, own.name, "my", ("en",), needs_download=True, needs="the model 1.7b-voice-design")
    page = make_page((*VOICES, lacking))
    go_to(page, "Evening narrator")
    assert page.list.current().second_line == "Needs the model 1.7b-voice-design, which isn't here yet."
    assert not page.bar.default.isVisible()
    qtbot.mouseClick(page.bar.model, LEFT)
    assert reader.calls == ["open_settings models"]


# ---------------------------------------------------------------- hearing


def test_voices_are_heard_by_key_button_and_click_and_stopped(qtbot, page, reader, mine):
    ids = {profile.name: profile.voice_id for profile in mine.store.profiles()}
    go_to(page, "Morning news")
    qtbot.keyClick(page.list, K.Key_Space)
    assert reader.calls.pop() == f"listen {ids['Morning news']} | en | {SENTENCES['en']}"
    assert page.bar.listen.text() == "&Stop"
    reader.show(ReaderStatus(ReaderState.SPEAKING, source="command"))
    assert page.bar.listen.text() == "&Stop"
    qtbot.mouseClick(page.bar.listen, LEFT)
    assert reader.calls.pop() == "stop"
    assert page.bar.listen.text() == "&Listen"
    qtbot.mouseClick(page.list.viewport(), LEFT, pos=place(page, "Heart", _play_place))
    assert reader.calls.pop() == f"listen builtin:heart | en | {SENTENCES['en']}"
    reader.show(ReaderStatus(ReaderState.SPEAKING, source="selection"))
    assert page.bar.listen.text() == "&Listen"


def test_a_slow_start_and_a_failure_are_told_on_the_page(qtbot, page, reader):
    go_to(page, "Heart")
    qtbot.keyClick(page.list, K.Key_Space)
    reader.show(ReaderStatus(ReaderState.PREPARING, source="command", message="Loading Qwen3-TTS 0.6B…"))
    assert page.state.text() == "Loading Qwen3-TTS 0.6B…"
    assert page.state.isVisible()
    reader.show(ReaderStatus(ReaderState.SPEAKING, source="command"))
    assert not page.state.isVisible()
    reader.show(ReaderStatus(ReaderState.ERROR, message="There isn't enough memory."))
    assert page.problems["voices.default"].text() == "There isn't enough memory."
    assert page.bar.listen.text() == "&Listen"


def test_a_name_being_typed_survives_changes_elsewhere(qtbot, page, mine):
    go_to(page, "My own voice")
    qtbot.keyClick(page.list, K.Key_F2)
    field = page.list.findChild(QLineEdit)
    field.setText("Half a na")
    mine.store.add(dataclasses.replace(NEWS, name="Meanwhile"))
    qtbot.wait(50)
    qtbot.keyClicks(field, "me")
    qtbot.keyClick(field, K.Key_Return)
    qtbot.waitUntil(lambda: names(page) == ["Evening narrator", "Half a name", "Morning news", "Meanwhile"])


def test_a_voice_is_heard_in_its_own_language(qtbot, page, reader):
    """Otherwise another voice would step in for a sentence that this one doesn't speak."""
    for name, language in (("German (espeak-ng)", "de"), ("My own voice", "de"), ("Turkish (espeak-ng)", "tr")):
        go_to(page, name)
        qtbot.keyClick(page.list, K.Key_Space)
        assert reader.calls.pop().endswith(f" | {language} | {SENTENCES[language]}")
    assert preview(("eo", "ia")) == ("eo", SENTENCES["en"])
    assert preview(("ka", "en")) == ("en", SENTENCES["en"])
    assert preview(("zh", "en"), "zh") == ("zh", SENTENCES["zh"])
    assert set(SENTENCES) <= set(LANGUAGE_NAMES)


# ---------------------------------------------------------------- changing


def test_rename_in_place(qtbot, page, mine):
    go_to(page, "My own voice")
    qtbot.keyClick(page.list, K.Key_F2)
    field = page.list.findChild(QLineEdit)
    assert field.accessibleName() == "Name of the voice"
    field.selectAll()
    qtbot.keyClicks(field, "Me")
    qtbot.keyClick(field, K.Key_Return)
    qtbot.waitUntil(lambda: names(page) == ["Evening narrator", "Me", "Morning news"])
    assert mine.store.profiles()[1].name == "Me"
    assert page.list.current().name == "Me"
    assert page.list.hasFocus()
    qtbot.keyClick(page.list, K.Key_F2)
    field = page.list.findChild(QLineEdit)
    qtbot.keyClicks(field, "Nobody")
    qtbot.keyClick(field, K.Key_Escape)
    assert mine.store.profiles()[1].name == "Me"


def test_delete_and_undo_by_keys_keep_place_and_default(qtbot, page, mine, store):
    go_to(page, "My own voice")
    own = page.list.current_id()
    qtbot.keyClick(page.list, K.Key_Return)
    qtbot.keyClick(page.list, K.Key_Delete)
    qtbot.waitUntil(lambda: names(page) == ["Evening narrator", "Morning news"])
    assert page.undo.text() == "“My own voice” is deleted."
    assert store.current.voices.default == "builtin:heart"
    assert page.list.current().name == "Morning news"
    qtbot.keyClick(page.list, K.Key_Z, CTRL)
    qtbot.waitUntil(lambda: names(page) == ["Evening narrator", "My own voice", "Morning news"])
    assert not page.undo.isVisible()
    assert page.list.current().name == "My own voice"
    assert store.current.voices.default == own


def test_duplicate_and_move(qtbot, page, mine):
    go_to(page, "Evening narrator")
    qtbot.keyClick(page.list, K.Key_D, CTRL)
    qtbot.waitUntil(lambda: page.list.current().name == "Evening narrator (copy)")
    qtbot.keyClick(page.list, K.Key_Down, ALT)
    qtbot.waitUntil(lambda: names(page)[2] == "Evening narrator (copy)")
    qtbot.keyClick(page.list, K.Key_Down, ALT)
    qtbot.waitUntil(lambda: names(page)[3] == "Evening narrator (copy)")
    assert not page.bar.actions_by_name["down"].isEnabled()
    qtbot.keyClick(page.list, K.Key_Up, ALT)
    qtbot.waitUntil(lambda: names(page)[2] == "Evening narrator (copy)")
    assert [profile.name for profile in VoiceStore(mine.store.root).profiles()] == names(page)


def test_a_dragged_voice_lands_where_it_is_dropped(qtbot, page):
    go_to(page, "Morning news")
    rects = [page.list.visualItemRect(item) for item in page.list.voice_items()]
    page.list.drop_at(page.list.current_id(), rects[0].top() + 2)
    qtbot.waitUntil(lambda: names(page) == ["Morning news", "Evening narrator", "My own voice"])
    assert page.list.current().name == "Morning news"
    page.list.drop_at(page.list.current_id(), rects[1].top() + 2)
    page.list.drop_at(page.list.current_id(), page.list.height())
    qtbot.waitUntil(lambda: names(page) == ["Evening narrator", "My own voice", "Morning news"])


def test_moving_in_a_searched_list_goes_past_what_is_seen(qtbot, page, mine):
    qtbot.keyClicks(page.search, "english")
    assert names(page) == ["Evening narrator", "Morning news"]
    go_to(page, "Morning news")
    qtbot.keyClick(page.list, K.Key_Up, ALT)
    qtbot.waitUntil(lambda: names(page) == ["Morning news", "Evening narrator"])
    assert [profile.name for profile in mine.store.profiles()] == ["Morning news", "Evening narrator", "My own voice"]


def test_built_in_voices_can_only_be_adapted(qtbot, page, mine):
    go_to(page, "Heart")
    qtbot.keyClick(page.list, K.Key_Delete)
    qtbot.keyClick(page.list, K.Key_F2)
    assert len(mine.store.profiles()) == 3
    assert page.list.findChild(QLineEdit) is None
    assert not page.bar.more.isVisible()
    qtbot.mouseClick(page.bar.adapt, LEFT)
    assert page.dialogs.current.base.value() == "builtin:heart"


def test_a_full_disk_is_told(qtbot, page, mine, monkeypatch):
    go_to(page, "My own voice")
    monkeypatch.setattr("desktop_tts.voices.store.os.rename", _full)
    qtbot.keyClick(page.list, K.Key_Delete)
    assert "can't be deleted" in page.problems["voices.default"].text()
    assert len(names(page)) == 3


def _full(*_):
    raise OSError(28, "No space left on device")


# ---------------------------------------------------------------- files


def test_export_and_import_through_the_dialogs(qtbot, page, mine, tmp_path):
    go_to(page, "Morning news")
    page.bar.actions_by_name["export"].trigger()
    assert isinstance(page.dialogs.current, QFileDialog)
    page.dialogs.current.setDirectory(str(tmp_path))
    page.dialogs.current.selectFile(str(tmp_path / "news.dttsvoice"))
    page.dialogs.current.accept()
    qtbot.waitUntil((tmp_path / "news.dttsvoice").exists)
    action = next(action for action in page.add.menu().actions() if "Import" in action.text())
    action.trigger()
    page.dialogs.current.setDirectory(str(tmp_path))
    page.dialogs.current.selectFile(str(tmp_path / "news.dttsvoice"))
    page.dialogs.current.accept()
    qtbot.waitUntil(lambda: page.list.current().name == "Morning news (2)")


def test_voice_files_are_dropped_on_the_list(qtbot, page, mine, tmp_path):
    page.shelf.hand_out(mine.store.profiles()[1].voice_id, tmp_path / "x.dttsvoice", with_reference=True)
    qtbot.waitUntil((tmp_path / "x.dttsvoice").exists)
    (tmp_path / "bad.dttsvoice").write_bytes(b"PK nonsense")
    (tmp_path / "worse.dttsvoice").write_bytes(b"")
    drop(page, *(tmp_path / f"{name}.dttsvoice" for name in ("bad", "x", "worse")))
    qtbot.waitUntil(lambda: "My own voice (2)" in names(page))
    assert page.list.current().name == "My own voice (2)"
    told = page.problems["voices.default"].text()
    assert told.startswith("bad.dttsvoice can't be imported")
    assert told.endswith(" Another file can't either.")


def drop(page, *files):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file)) for file in files])
    copy, held = Qt.DropAction.CopyAction, Qt.KeyboardModifier.NoModifier
    entering = QDragEnterEvent(QPoint(50, 50), copy, data, LEFT, held)
    QApplication.sendEvent(page.list.viewport(), entering)
    assert entering.isAccepted()
    event = QDropEvent(QPointF(50, 50), copy, data, LEFT, held, QEvent.Type.Drop)
    QApplication.sendEvent(page.list.viewport(), event)
    assert event.isAccepted()


def test_two_hundred_damaged_files_are_refused_and_nothing_else_is_touched(qtbot, page, mine, tmp_path):
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    export_voice(mine.store, mine.store.profiles()[1].id, tmp_path / "good.dttsvoice")
    good, dice = (tmp_path / "good.dttsvoice").read_bytes(), random.Random(5)
    for number in range(200):
        (inbox / f"{number}.dttsvoice").write_bytes(spoiled(good, dice))
    before = tree(tmp_path, mine.store.root)
    drop(page, *sorted(inbox.iterdir()))
    qtbot.waitUntil(lambda: "more files" in page.problems["voices.default"].text(), timeout=30_000)
    assert tree(tmp_path, mine.store.root) == before
    assert "Evening narrator" in names(page)
    page.grab()


def spoiled(content, dice):
    spoiled = bytearray(content)
    match dice.randrange(4):
        case 0:
            return bytes(spoiled[: dice.randrange(len(spoiled))])
        case 1:
            at = dice.randrange(len(spoiled))
            spoiled[at : at + dice.randrange(40)] = dice.randbytes(dice.randrange(40))
        case 2:
            return content.replace(b"voice.json", b"../evil.js")
        case 3:
            for _ in range(20):
                spoiled[dice.randrange(len(spoiled))] = dice.randrange(256)
    return bytes(spoiled)


def tree(folder, but):
    """Every file outside ``but``, with its content."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and but not in path.parents}


def test_changes_from_another_thread_are_shown(qtbot, page, mine):
    thread = threading.Thread(target=mine.store.add, args=(dataclasses.replace(NEWS, name="From afar"),))
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: "From afar" in names(page))


# ---------------------------------------------------------------- damage


def test_two_hundred_damaged_folders_are_shown_at_the_end_and_can_be_deleted(
    qtbot, make_page, mine, store, reader, tmp_path
):
    root = mine.store.root
    good = json.loads(next(root.glob("*/voice.json")).read_text())
    for number in range(200):
        folder = root / f"damaged-{number:03}"
        folder.mkdir()
        (folder / "voice.json").write_bytes(damaged(good, number))
    mine.store.refresh()
    page = make_page()
    broken = [row for row in shown(page) if row.group is Group.BROKEN]
    assert len(broken) >= 160
    assert shown(page)[-len(broken) :] == broken
    assert all(row.problem for row in broken)
    assert {"Evening narrator", "My own voice", "Morning news"} <= set(names(page))
    page.list.select(broken[0].id)
    page.list.setFocus()
    assert page.bar.folder.isVisible()
    assert page.reason.text() == broken[0].problem
    assert not page.bar.listen.isVisible()
    qtbot.mouseClick(page.bar.delete, LEFT)
    qtbot.waitUntil(lambda: broken[0].id not in [row.id for row in shown(page)])
    qtbot.keyClick(page.list, K.Key_Z, CTRL)
    qtbot.waitUntil(lambda: broken[0].id in [row.id for row in shown(page)])
    assert page.problems["voices.default"].text() == ""
    page.grab()


def damaged(good, number):
    kinds = (
        lambda: b"",
        lambda: b"\x00\xff\xfe" * number,
        lambda: b"[" * 50_000,
        lambda: json.dumps(good).encode()[: 20 + number],
        lambda: json.dumps(good | {"schema": 99}).encode(),
        lambda: json.dumps(good | {"kind": "\ud800" if number % 2 else ["x"]}).encode(),
        lambda: json.dumps(good | {"speed": "fast", "name": "<b>" * 9}).encode(),
        lambda: json.dumps(good | {"name": 5}).encode(),
        lambda: json.dumps(good | {"base": None}).encode(),
        lambda: b"null",
    )
    return kinds[number % len(kinds)]()


def test_names_are_never_read_as_markup(qtbot, page, mine):
    mine.store.save(dataclasses.replace(mine.store.profiles()[0], name="<b>Bold</b>", notes="<img src=x> & co"))
    qtbot.waitUntil(lambda: names(page)[0] == "<b>Bold</b>")
    go_to(page, "<b>Bold</b>")
    qtbot.keyClick(page.list, K.Key_Delete)
    assert page.undo._text.textFormat() == Qt.TextFormat.PlainText


# ---------------------------------------------------------------- words


def test_rows_of_what_isnt_here(qapp):
    found = rows((), (dataclasses.replace(CLONE, id="x"),), (BrokenVoice("y", "It is damaged.", newer=True),))
    assert [row.id for row in found] == ["my:x", "broken:y"]
    assert found[1].spoken("") == "y, From a newer version. It is damaged"


def test_context_menu_has_what_fits_the_voice(qtbot, page):
    for name, has, lacks in (
        ("Morning news", {"rename", "adapt", "delete", "up", "default"}, {"export-bare", "model"}),
        ("My own voice", {"edit", "export-bare"}, {"adapt"}),
        ("Heart", {"listen", "adapt"}, {"rename", "delete", "folder", "default"}),
        ("Vivian", {"model"}, {"listen", "default", "rename"}),
    ):
        go_to(page, name)
        page.list.customContextMenuRequested.emit(QPoint(5, 5))
        assert page.bar.menu.isVisible()
        seen = {name for name, action in page.bar.actions_by_name.items() if action.isVisible()}
        assert has <= seen
        assert not lacks & seen
        page.bar.menu.hide()
