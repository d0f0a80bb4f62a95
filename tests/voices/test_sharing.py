"""Several programs on the same voices: what one changes the other finds, cheaply, and nothing breaks meanwhile."""

import json
import os
import random
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from desktop_tts.voices import listing
from desktop_tts.voices.profile import MANIFEST, PREVIEW, Kind, Profile
from desktop_tts.voices.store import VoiceStore

SPEAKER = Profile("", "Anna", Kind.SPEAKER, "builtin:heart")

BUSY = """
import os, random, sys, time
from dataclasses import replace
from pathlib import Path
os.fsync = lambda _: None
from desktop_tts.voices.profile import Kind, Profile
from desktop_tts.voices.store import VoiceStore
store, chance, end = VoiceStore(Path(sys.argv[1])), random.Random(7), time.monotonic() + 1.5
print("going", flush=True)
rounds = 0
while time.monotonic() < end:
    added = store.add(Profile("", "Busy", Kind.SPEAKER, "builtin:heart", notes="x" * chance.randrange(3000)))
    store.save(replace(added, speed=1.5))
    copy = store.duplicate(added.id)
    store.restore(store.delete(added.id))
    store.reorder([copy.id])
    store.discard(store.new_draft(added).id)
    store.delete(copy.id)
    store.delete(added.id)
    rounds += 1
print(rounds, len(store.profiles()), flush=True)
"""


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> VoiceStore:
    monkeypatch.setattr(os, "fsync", lambda _: None)
    return VoiceStore(tmp_path / "voices")


def settle(store: VoiceStore) -> None:
    """As if nothing had changed for a minute."""
    past = time.time() - 60
    for folder in store.root.iterdir():
        for path in (*(folder.iterdir() if folder.is_dir() else ()), folder):
            os.utime(path, (past, past))


def test_what_did_not_change_is_not_read_again(store: VoiceStore, monkeypatch: pytest.MonkeyPatch) -> None:
    voices = [store.add(replace(SPEAKER, name=name)) for name in "ABCD"]
    (store.folder(voices[3].id) / MANIFEST).write_bytes(b"broken")
    settle(store)
    store.refresh()
    opened: list[str] = []
    read = listing.read_profile
    monkeypatch.setattr(listing, "read_profile", lambda folder: (opened.append(folder.name), read(folder))[1])
    store.refresh()
    assert opened == []
    assert [voice.id for voice in store.broken()] == [voices[3].id]
    manifest = store.folder(voices[1].id) / MANIFEST
    manifest.write_text(json.dumps(json.loads(manifest.read_text("utf-8")) | {"name": "Z"}), "utf-8")
    (store.folder(voices[2].id) / PREVIEW).symlink_to("/etc/passwd")
    (store.folder(voices[3].id) / MANIFEST).write_text(manifest.read_text("utf-8"), "utf-8")
    store.refresh()
    assert set(opened) == {voice.id for voice in voices[1:]}
    assert [profile.name for profile in store.profiles()] == ["A", "Z", "Z"]
    assert [voice.id for voice in store.broken()] == [voices[2].id]


def test_what_is_young_is_read_again(store: VoiceStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the next change may get the same time."""
    voice = store.add(SPEAKER)
    store.refresh()
    opened: list[str] = []
    read = listing.read_profile
    monkeypatch.setattr(listing, "read_profile", lambda folder: (opened.append(folder.name), read(folder))[1])
    store.refresh()
    assert opened == [voice.id]


def test_a_folder_that_goes_while_it_is_read_is_no_broken_voice(
    store: VoiceStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone, stays = store.add(SPEAKER), store.add(replace(SPEAKER, name="B"))
    read, other = listing.read_profile, VoiceStore(store.root)

    def late(folder: Path) -> Profile:
        if folder.name == gone.id and folder.exists():
            other.delete(gone.id)
        return read(folder)

    monkeypatch.setattr(listing, "read_profile", late)
    store.refresh()
    assert store.broken() == ()
    assert store.profiles() == (stays,)


def test_a_voice_that_goes_and_comes_back_meanwhile_is_no_broken_voice(
    store: VoiceStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    voice = store.add(SPEAKER)
    read, other, times = listing.read_profile, VoiceStore(store.root), 0

    def away(folder: Path) -> Profile:
        nonlocal times
        times += 1
        if times > 1:
            return read(folder)
        deleted = other.delete(voice.id)
        try:
            return read(folder)
        finally:
            monkeypatch.undo()  # that the other doesn't come here
            other.restore(deleted)

    monkeypatch.setattr(listing, "read_profile", away)
    store.refresh()
    assert store.broken() == ()
    assert store.profiles() == (voice,)


def test_two_programs_at_once_break_nothing(store: VoiceStore) -> None:
    mine = [store.add(replace(SPEAKER, name=name)) for name in "AB"]
    command = [sys.executable, "-c", BUSY, store.root]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as other:
        try:
            assert other.stdout is not None
            assert other.stdout.readline() == "going\n"
            chance, end = random.Random(3), time.monotonic() + 60
            while other.poll() is None:
                store.refresh()
                assert store.broken() == ()
                assert {"A", "B"} <= {profile.name for profile in store.profiles()}
                store.save(replace(mine[0], notes=str(chance.random())))
                store.restore(store.delete(mine[1].id))
                assert VoiceStore(store.root).broken() == ()
                assert time.monotonic() < end
            out, error = other.communicate()
        finally:
            other.kill()
    assert error == ""
    assert int(out.split()[0]) > 2
    store.refresh()
    assert sorted(profile.name for profile in store.profiles()) == ["A", "B"]


def test_the_others_voices_come_with_a_restored_one(store: VoiceStore) -> None:
    a, b, c = (store.add(replace(SPEAKER, name=name)) for name in "ABC")
    deleted = store.delete(b.id)
    VoiceStore(store.root).add(replace(SPEAKER, name="Other"))
    store.restore(deleted)
    assert [profile.name for profile in store.profiles()] == ["A", "B", "C", "Other"]
    assert VoiceStore(store.root).profiles() == store.profiles()
    assert {a.id, c.id} <= {profile.id for profile in store.profiles()}
