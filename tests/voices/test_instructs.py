"""The library of instructs on disk."""

import dataclasses
import json
import os
import threading

import pytest

from desktop_tts.voices.errors import VoiceError
from desktop_tts.voices.instructs import SHIPPED, InstructPresets, Preset


@pytest.fixture
def file(tmp_path):
    return tmp_path / "new" / "instructs.json"


def test_the_shipped_presets_are_there_and_nothing_is_written_for_them(file):
    names = [preset.name for preset in InstructPresets(file).list()]
    assert names[:5] == ["Calm", "Newsreader", "Excited", "Whisper", "Slow and clear"]
    assert len({preset.id for preset in SHIPPED}) == len(SHIPPED) >= 8
    assert all(preset.text for preset in SHIPPED)
    assert not file.parent.exists()


def test_changes_are_kept_and_reset_undoes_them(file):
    presets = InstructPresets(file)
    pirate = presets.add("Pirate", "Like a pirate.")
    presets.change(dataclasses.replace(SHIPPED[0], text="Otherwise."))
    presets.delete(SHIPPED[1].id)
    presets.delete("nobody")
    kept = InstructPresets(file).list()
    assert kept == presets.list()
    assert kept == (dataclasses.replace(SHIPPED[0], text="Otherwise."), *SHIPPED[2:], pirate)
    presets.reset()
    assert InstructPresets(file).list() == SHIPPED
    presets.replace(kept)
    assert InstructPresets(file).list() == kept


def test_what_is_gone_cannot_be_changed(file):
    presets = InstructPresets(file)
    with pytest.raises(VoiceError, match="doesn't exist"):
        presets.change(Preset("nobody", "x", "y"))
    assert presets.list() == SHIPPED


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff\xfe", b"null", b"[]", b'{"presets": 5}', b"[" * 100_000, b'{"presets": NaN}', b" " * 300_000],
)
def test_a_damaged_file_counts_as_none(file, content):
    file.parent.mkdir()
    file.write_bytes(content)
    presets = InstructPresets(file)
    assert presets.list() == SHIPPED
    presets.add("A", "b")
    assert InstructPresets(file).list() == presets.list()


def test_damaged_entries_are_left_out(file):
    file.parent.mkdir()
    good = {"id": "a", "name": "A", "text": "b"}
    entries = [good, {"id": "b"}, 5, {"id": "c", "name": 1, "text": "x"}, {**good, "name": "Twice"}]
    file.write_text(json.dumps({"schema": 1, "presets": entries}))
    assert InstructPresets(file).list() == (Preset("a", "Twice", "b"),)


def test_a_full_disk_changes_nothing(file, monkeypatch):
    presets = InstructPresets(file)
    presets.add("A", "b")
    before = presets.list()

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", full)
        with pytest.raises(VoiceError, match="can't be saved: No space left on device"):
            presets.reset()
    assert presets.list() == before
    assert InstructPresets(file).list() == before
    assert [entry.name for entry in file.parent.iterdir()] == ["instructs.json"]


def test_threads_lose_nothing(file):
    presets = InstructPresets(file)
    threads = [threading.Thread(target=presets.add, args=(str(number), "x")) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {preset.name for preset in InstructPresets(file).list()} >= {str(number) for number in range(12)}
