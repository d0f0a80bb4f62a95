"""Making and changing a voice of one's own, and the library of instructs, in their dialogs."""

import dataclasses

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox, QWidget

from desktop_tts.errors import DesktopTTSError
from desktop_tts.speech import Voice
from desktop_tts.ui.sample import VOICES
from desktop_tts.ui.sample_voices import CLONE, NARRATOR, NEWS, voice_actions
from desktop_tts.ui.voices.edit_dialog import EditDialog
from desktop_tts.ui.voices.file_dialogs import file_name
from desktop_tts.ui.voices.presets_dialog import PresetsDialog
from desktop_tts.voices.instructs import InstructPresets
from desktop_tts.voices.profile import PROMPT, Kind, Profile
from desktop_tts.voices.store import VoiceStore

K, LEFT = Qt.Key, Qt.MouseButton.LeftButton
RYAN = Voice("qwen:1.7b-custom-voice/ryan", "Ryan (Qwen3-TTS 1.7B)", "qwen", ("en", "de", "fr"))
EVERY = (*VOICES, RYAN)


@pytest.fixture
def mine(reader, tmp_path):
    return voice_actions(tmp_path, reader, reader.called, (NARRATOR, CLONE, NEWS))


@pytest.fixture
def make_dialog(qtbot, mine, parent):
    def make(profile):
        dialog = EditDialog(profile, EVERY, mine, parent)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
        dialog.open()
        qtbot.waitUntil(dialog.isActiveWindow)
        return dialog

    return make


@pytest.fixture
def parent(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    qtbot.waitUntil(window.isActiveWindow)
    return window


def save(qtbot, dialog):
    qtbot.mouseClick(dialog.buttons.button(QDialogButtonBox.StandardButton.Save), LEFT)


def choose(combo, value):
    combo.setCurrentIndex(combo.findData(value))
    combo.activated.emit(combo.currentIndex())


def values(combo):
    return [combo.itemData(row) for row in range(combo.count())]


def test_a_voice_is_made_from_a_speaker_with_a_preset(qtbot, make_dialog, mine):
    dialog = make_dialog(Profile("", "", Kind.SPEAKER, "builtin:heart"))
    arrived = []
    dialog.saved.connect(arrived.append)
    assert not dialog.instruct.edit.isEnabled()
    assert "follows an instruct" in dialog.instruct.note.text()
    choose(dialog.base, RYAN.id)
    assert dialog.instruct.edit.isEnabled()
    assert not dialog.instruct.note.isVisible()
    assert values(dialog.language) == ["", "en", "fr", "de"]
    choose(dialog.language, "de")
    whisper = next(action for action in dialog.instruct.menu.actions() if action.text() == "Whisper")
    whisper.trigger()
    dialog.speed.slider.setValue(125)
    dialog.volume.slider.setValue(80)
    dialog.notes.setPlainText("For the night.")
    save(qtbot, dialog)
    assert dialog.problem.text() == "Give the voice a name."
    assert dialog.name.hasFocus()
    qtbot.keyClicks(dialog.name, "Night  Ryan")
    qtbot.keyClick(dialog.name, K.Key_Return)
    assert not dialog.isVisible()
    made = mine.store.profiles()[-1]
    assert arrived == [made.voice_id]
    assert (made.name, made.kind, made.base, made.language) == ("Night Ryan", Kind.SPEAKER, RYAN.id, "de")
    assert (made.speed, made.volume, made.notes) == (1.25, 0.8, "For the night.")
    assert made.instruct == next(preset.text for preset in mine.presets.list() if preset.name == "Whisper")
    assert VoiceStore(mine.store.root).profiles()[-1] == made


def test_a_voice_is_changed_and_cancel_changes_nothing(qtbot, make_dialog, mine):
    voice = mine.store.profiles()[1]
    dialog = make_dialog(voice)
    qtbot.keyClicks(dialog.name, "Mine")
    dialog.notes.setPlainText("")
    save(qtbot, dialog)
    assert mine.store.profiles()[1] == dataclasses.replace(voice, name="Mine", notes="")
    dialog = make_dialog(mine.store.profiles()[1])
    qtbot.keyClicks(dialog.name, "Other")
    qtbot.keyClick(dialog, K.Key_Escape)
    assert not dialog.isVisible()
    assert mine.store.profiles()[1].name == "Mine"


def test_a_base_that_is_gone_and_an_instruct_without_effect_are_kept(qtbot, make_dialog, mine):
    voice = mine.store.add(Profile("", "Old", Kind.SPEAKER, "qwen:own/ann", instruct="Gently."))
    dialog = make_dialog(voice)
    assert dialog.base.currentText() == "own/ann"
    assert not dialog.instruct.edit.isEnabled()
    save(qtbot, dialog)
    assert mine.store.get(voice.id) == voice


def test_a_voice_is_heard_as_it_would_be_and_nothing_is_left_of_it(qtbot, make_dialog, mine, reader):
    voice = mine.store.profiles()[1]
    (mine.store.folder(voice.id) / PROMPT).write_bytes(b"prompt")
    dialog = make_dialog(voice)
    dialog.speed.slider.setValue(150)
    qtbot.keyClicks(dialog.sentence, "Good evening.")
    qtbot.mouseClick(dialog.listen, LEFT)
    heard = reader.calls.pop()
    draft = mine.store.get(heard.split()[1].removeprefix("my:"))
    assert heard == f"listen {draft.voice_id} | Good evening."
    assert (draft.speed, draft.kind, draft.base) == (1.5, Kind.CLONED, voice.base)
    assert (mine.store.folder(draft.id) / PROMPT).read_bytes() == b"prompt"
    dialog.speed.slider.setValue(75)
    qtbot.keyClick(dialog.sentence, K.Key_Return)
    assert dialog.isVisible()
    assert reader.calls.pop() == heard
    qtbot.waitUntil(lambda: dialog.speed.value() == 0.75)
    assert mine.store.get(draft.id).speed == 0.75
    folder = mine.store.folder(draft.id)
    dialog.reject()
    assert mine.store.get(draft.id) is None
    assert not folder.exists()
    assert mine.store.profiles()[1] == voice


def test_a_full_disk_keeps_the_dialog_open(qtbot, make_dialog, mine, monkeypatch):
    dialog = make_dialog(mine.store.profiles()[0])

    def full(profile):
        raise DesktopTTSError("The voice can't be saved.", "Check the disk.")

    monkeypatch.setattr(mine.store, "save", full)
    save(qtbot, dialog)
    assert dialog.isVisible()
    assert dialog.problem.text() == "The voice can't be saved. Check the disk."
    dialog.reject()


# ---------------------------------------------------------------- presets


@pytest.fixture
def presets(tmp_path):
    return InstructPresets(tmp_path / "presets.json")


@pytest.fixture
def library(qtbot, presets, parent):
    dialog = PresetsDialog(presets, parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    dialog.open()
    qtbot.waitUntil(dialog.isVisible)
    return dialog


def names(presets):
    return [preset.name for preset in presets.list()]


def test_presets_are_added_and_changed_as_they_are_typed(qtbot, library, presets, tmp_path):
    before = names(presets)
    qtbot.mouseClick(library.add, LEFT)
    qtbot.keyClicks(library.name, "Pirate")
    qtbot.keyClick(library.name, K.Key_Tab)
    qtbot.keyClicks(library.text, "Like a pirate.")
    library.list.setCurrentRow(0)
    assert names(presets) == [*before, "Pirate"]
    assert library.name.text() == before[0]
    library.list.setCurrentRow(library.list.count() - 1)
    assert library.text.toPlainText() == "Like a pirate."
    library.text.setPlainText("Like an old\npirate.")
    library.name.clear()
    qtbot.keyClick(library, K.Key_Escape)
    kept = InstructPresets(tmp_path / "presets.json").list()[-1]
    assert (kept.name, kept.text) == ("Pirate", "Like an old pirate.")


def test_presets_are_deleted_and_reset_with_a_way_back(qtbot, library, presets):
    before = presets.list()
    library.list.setCurrentRow(1)
    library.list.setFocus()
    qtbot.keyClick(library.list, K.Key_Delete)
    assert names(presets) == [preset.name for preset in before if preset != before[1]]
    qtbot.mouseClick(library.undo.button, LEFT)
    assert presets.list() == before
    assert library.list.currentItem().text() == before[1].name
    library.text.setPlainText("Otherwise.")
    qtbot.mouseClick(library.reset, LEFT)
    assert presets.list() == before
    qtbot.mouseClick(library.undo.button, LEFT)
    assert presets.list()[1].text == "Otherwise."


def test_the_last_preset_can_go_too(qtbot, library, presets):
    for _ in range(len(presets.list())):
        qtbot.mouseClick(library.delete, LEFT)
    assert presets.list() == ()
    assert not library.delete.isEnabled()
    assert not library.name.isEnabled()
    qtbot.mouseClick(library.add, LEFT)
    assert names(presets) == ["New preset"]


def test_instruct_field_offers_what_the_library_has(qtbot, make_dialog, mine):
    dialog = make_dialog(Profile("", "x", Kind.SPEAKER, RYAN.id))
    mine.presets.add("Me & you", "Together.")
    dialog.instruct.menu.aboutToShow.emit()
    action = next(action for action in dialog.instruct.menu.actions() if action.text() == "Me && you")
    action.trigger()
    assert dialog.instruct.text() == "Together."
    next(action for action in dialog.instruct.menu.actions() if "Edit" in action.text()).trigger()
    assert dialog.instruct.dialog.isVisible()
    dialog.reject()


@pytest.mark.parametrize(
    ("name", "file"),
    [("Anna", "Anna"), ("a/b\\c:d", "a b c d"), ("../..", "voice"), ("  . ", "voice"), ("x" * 99, "x" * 60)],
)
def test_export_file_names_are_plain(name, file):
    assert file_name(name) == f"{file}.dttsvoice"
