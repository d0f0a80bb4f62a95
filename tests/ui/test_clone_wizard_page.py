"""The clone wizard as the Voices page opens it: beside the settings, which stay usable, and only one at a time."""

import dataclasses

import pytest
import soundfile
from PySide6.QtCore import Qt

from desktop_tts.audio.clip_file import read_clip
from desktop_tts.ui.pages.voices import VoicesPage
from desktop_tts.ui.sample import VOICES, sample_actions
from desktop_tts.ui.sample_voices import voice_actions
from support.cloning import StandIn
from support.microphone import RATE, speech_like


@pytest.fixture
def page(qtbot, store, reader, tmp_path):
    mine = voice_actions(tmp_path, reader, reader.called)
    mine = dataclasses.replace(mine, maker=StandIn(mine.store))
    actions = dataclasses.replace(sample_actions(reader, mine=mine), voices=lambda: VOICES)
    made = VoicesPage(store, actions)
    qtbot.addWidget(made)
    made.show()
    made.shown()
    return made


def test_a_voice_is_cloned_beside_the_settings(qtbot, page, reader, tmp_path):
    page.dialogs.clone()
    wizard = page.dialogs.current
    qtbot.waitExposed(wizard)
    assert wizard.windowModality() == Qt.WindowModality.NonModal
    page.dialogs.clone()
    assert page.dialogs.current is wizard
    soundfile.write(tmp_path / "Ann.wav", speech_like(5.0), RATE)
    wizard.source.read(tmp_path / "Ann.wav")
    qtbot.waitUntil(lambda: wizard.source.clip is not None)
    assert wizard.source.clip.duration_s == read_clip(tmp_path / "Ann.wav").duration_s
    wizard.next.click()
    qtbot.waitUntil(lambda: wizard.step is wizard.trim)
    wizard.next.click()
    qtbot.waitUntil(lambda: wizard.step is wizard.words)
    wizard.words.voice_only.button.click()
    wizard.next.click()
    qtbot.waitUntil(lambda: bool(wizard.model.choices))
    wizard.model.get_models.click()
    assert reader.calls[-1] == "open_settings models"
    wizard.model.consent.box.click()
    wizard.next.click()
    qtbot.waitUntil(lambda: wizard.step is wizard.audition)
    wizard.audition.play.click()
    assert reader.calls[-1].startswith("listen my:draft-")
    arrived = []
    page.dialogs.arrived.connect(arrived.append)
    wizard.next.click()
    qtbot.waitUntil(lambda: bool(arrived))
    (voice,) = page.app.mine.store.profiles()
    assert arrived == [voice.voice_id]
    page.dialogs.clone()
    assert page.dialogs.current is not wizard
    page.dialogs.current.reject()
