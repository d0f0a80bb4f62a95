"""Voices on a real disk: kept, changed, brought back, and not hidden by broken neighbours."""

import contextlib
import json
import os
import random
import shutil
import stat
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from desktop_tts.voices.errors import VoiceError
from desktop_tts.voices.folder import read_profile, write_profile
from desktop_tts.voices.profile import MANIFEST, PREVIEW, PROMPT, REFERENCE, Consent, Kind, Profile
from desktop_tts.voices.store import VoiceStore

SPEAKER = Profile("", "Anna", Kind.SPEAKER, "builtin:heart", speed=1.25)
CLONE = Profile(
    "", "Björn", Kind.CLONED, "qwen:0.6b-base", language="sv", transcript="Hej.\nDå.",
    consent=Consent("Björn agreed.", "2026-03-01T10:00:00Z"),
)  # fmt: skip


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture
def store(tmp_path: Path) -> VoiceStore:
    return VoiceStore(tmp_path / "voices")


def names(store: VoiceStore) -> list[str]:
    return [profile.name for profile in store.profiles()]


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def edit(store: VoiceStore, voice_id: str, **changes: object) -> None:
    file = store.folder(voice_id) / MANIFEST
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | changes), "utf-8")


def test_a_voice_is_there_after_a_restart(store: VoiceStore) -> None:
    added = store.add(SPEAKER)
    assert added.id.startswith("anna-")
    assert added.created
    assert added == replace(SPEAKER, id=added.id, created=added.created)
    assert VoiceStore(store.root).profiles() == (added,) == store.profiles()
    assert store.get(added.id) == added
    assert read_profile(store.folder(added.id)) == added


@pytest.mark.skipif(os.name != "posix", reason="modes")
def test_files_are_for_their_owner_only(store: VoiceStore) -> None:
    added = store.add(SPEAKER)
    assert stat.S_IMODE((store.folder(added.id) / MANIFEST).stat().st_mode) == 0o600
    assert stat.S_IMODE(store.root.stat().st_mode) == 0o700
    assert stat.S_IMODE(store.folder(added.id).stat().st_mode) == 0o700


def test_a_draft_is_hidden_until_it_is_kept(store: VoiceStore) -> None:
    store.add(SPEAKER)
    draft = store.new_draft(replace(CLONE, name="", base=""))
    assert draft.id.startswith("draft-")
    assert draft.voice_id == f"my:{draft.id}"
    assert store.get(draft.id) == draft
    assert names(store) == ["Anna"]
    assert store.broken() == ()
    (store.folder(draft.id) / REFERENCE).write_bytes(b"sound")
    with pytest.raises(VoiceError, match="base"):
        store.keep(draft.id, "Björn")
    store.save(replace(draft, base="qwen:0.6b-base"))
    with pytest.raises(VoiceError, match="empty"):
        store.keep(draft.id, "  ")
    kept = store.keep(draft.id, " Björn  B ")
    assert (kept.name, kept.consent, kept.base) == ("Björn B", CLONE.consent, "qwen:0.6b-base")
    assert names(store) == ["Anna", "Björn B"]
    assert (store.folder(kept.id) / REFERENCE).read_bytes() == b"sound"
    assert store.get(draft.id) is None
    with pytest.raises(VoiceError, match="draft"):
        store.keep(draft.id, "Björn")
    assert VoiceStore(store.root).profiles() == store.profiles()


def test_a_discarded_draft_leaves_nothing(store: VoiceStore) -> None:
    draft = store.new_draft(CLONE)
    folder = store.folder(draft.id)
    (folder / REFERENCE).write_bytes(b"private")
    store.discard(draft.id)
    store.discard(draft.id)
    assert not folder.exists()
    assert store.get(draft.id) is None


def test_drafts_of_a_dead_process_go_and_those_of_a_living_one_stay(store: VoiceStore) -> None:
    mine = store.new_draft(CLONE)
    (store.folder(mine.id) / REFERENCE).write_bytes(b"mine")
    program = (
        "import os, sys; from pathlib import Path; from desktop_tts.voices.store import VoiceStore\n"
        "from desktop_tts.voices.profile import Kind, Profile\n"
        "store = VoiceStore(Path(sys.argv[1]))\n"
        "made = store.new_draft(Profile('', 'x', Kind.CLONED, 'qwen:0.6b-base'))\n"
        "store.delete(store.add(Profile('', 'gone', Kind.SPEAKER, 'builtin:heart')).id)\n"
        "print(store.folder(made.id), flush=True); os._exit(1)"
    )
    out = subprocess.run([sys.executable, "-c", program, store.root], capture_output=True, text=True, check=False)
    dead = Path(out.stdout.strip())
    assert dead.is_dir()
    assert len(list((store.root / ".trash").iterdir())) == 1
    VoiceStore(store.root)
    assert not dead.exists()
    assert list((store.root / ".trash").iterdir()) == []
    assert (store.folder(mine.id) / REFERENCE).read_bytes() == b"mine"
    assert len(list(store.root.glob(".lock-*"))) == 1


def test_saving_changes_fields_and_keeps_keys_of_others(store: VoiceStore) -> None:
    added = store.add(SPEAKER)
    edit(store, added.id, colour={"red": 3}, odd="\ud800")
    store.save(replace(added, speed=2, notes="quick", created=""))
    written = json.loads((store.folder(added.id) / MANIFEST).read_text("utf-8"))
    assert (written["colour"], written["odd"], written["speed"]) == ({"red": 3}, "\ud800", 2)
    assert VoiceStore(store.root).get(added.id) == replace(added, speed=2.0, notes="quick") == store.get(added.id)


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": ""}, {"name": "a\nb"}, {"name": "x" * 81}, {"name": "\ud800"}, {"base": "heart"}, {"base": "my:other"},
        {"language": "Klingon!"}, {"speed": 0.4}, {"speed": float("nan")}, {"volume": 2.1}, {"seed": -1},
        {"notes": "\0"}, {"instruct": "x" * 4001}, {"created": "yesterday"}, {"consent": Consent("", "")},
    ],
)  # fmt: skip
def test_what_could_not_be_read_again_is_not_saved(store: VoiceStore, wrong: dict[str, object]) -> None:
    added = store.add(SPEAKER)
    before = snapshot(store.root)
    with pytest.raises(VoiceError, match=r"^The voice can't be saved because its “\w+” .+\.$"):
        store.save(replace(added, **wrong))
    assert snapshot(store.root) == before
    assert store.get(added.id) == added


def test_a_duplicate_has_all_files_and_stands_after_the_original(store: VoiceStore) -> None:
    first = store.keep(store.new_draft(CLONE).id, "Björn")
    store.add(SPEAKER)
    for name in (PROMPT, REFERENCE, PREVIEW):
        (store.folder(first.id) / name).write_bytes(name.encode())
    edit(store, first.id, colour="red")
    copy = store.duplicate(first.id)
    assert names(store) == ["Björn", "Björn (copy)", "Anna"]
    assert copy.id != first.id
    for name in (PROMPT, REFERENCE, PREVIEW):
        assert (store.folder(copy.id) / name).read_bytes() == name.encode()
    assert json.loads((store.folder(copy.id) / MANIFEST).read_text("utf-8"))["colour"] == "red"
    assert store.duplicate(first.id).name == "Björn (copy) (2)"
    store.save(replace(first, name="x" * 80))
    assert store.duplicate(first.id).name == "x" * 73 + " (copy)"


def test_deleting_can_be_undone_until_the_next_start(store: VoiceStore) -> None:
    voices = [store.add(replace(SPEAKER, name=name)) for name in ("A", "B", "C")]
    (store.folder(voices[1].id) / PREVIEW).write_bytes(b"sound")
    deleted = store.delete(voices[1].id)
    assert (deleted.name, names(store)) == ("B", ["A", "C"])
    with pytest.raises(VoiceError, match="doesn't exist"):
        store.folder(voices[1].id)
    assert names(VoiceStore(store.root)) == ["A", "C"]  # another program's start doesn't empty our trash
    assert store.restore(deleted) == voices[1]
    assert (names(store), names(VoiceStore(store.root))) == (["A", "B", "C"],) * 2
    assert (store.folder(voices[1].id) / PREVIEW).read_bytes() == b"sound"
    with pytest.raises(VoiceError, match="no longer in the trash"):
        store.restore(deleted)
    deleted = store.delete(voices[0].id)
    root = store.root
    store._claim = None  # as if the program ended
    assert names(VoiceStore(root)) == ["B", "C"]
    assert list((root / ".trash").iterdir()) == []
    with pytest.raises(VoiceError, match="no longer in the trash"):
        store.restore(deleted)


def test_the_order_is_kept_and_forgives(store: VoiceStore) -> None:
    a, b, c = (store.add(replace(SPEAKER, name=name)).id for name in "ABC")
    store.reorder([c, a, "unknown", c])
    assert names(store) == ["C", "A", "B"] == names(VoiceStore(store.root))
    (store.root / "order.json").write_bytes(b"\xff{")
    assert sorted(names(VoiceStore(store.root))) == ["A", "B", "C"]
    (store.root / "order.json").write_text(json.dumps([3, None, b, b, [], "../x"]))
    assert names(VoiceStore(store.root))[0] == "B"


def test_listeners_hear_of_changes_and_can_stop(store: VoiceStore) -> None:
    heard: list[list[str]] = []
    stop = store.on_change(lambda: heard.append(names(store)))
    added = store.add(SPEAKER)
    draft = store.new_draft(CLONE)
    store.save(replace(draft, notes="not told"))
    store.keep(draft.id, "B")
    store.reorder([])
    store.save(replace(added, name="Anne"))
    store.restore(store.delete(added.id))
    assert heard == [["Anna"], ["Anna", "B"], ["Anna", "B"], ["Anne", "B"], ["B"], ["Anne", "B"]]
    stop()
    stop()
    store.add(SPEAKER)
    assert len(heard) == 6


def test_another_programs_changes_are_seen_after_a_refresh(store: VoiceStore) -> None:
    added = store.add(SPEAKER)
    told: list[bool] = []
    store.on_change(lambda: told.append(True))
    store.refresh()
    assert not told
    edit(store, added.id, name="Anne")
    shutil.copytree(store.folder(added.id), store.root / "anna-by-hand")
    store.refresh()
    assert (names(store), told) == (["Anne", "Anne"], [True])
    shutil.rmtree(store.root / "anna-by-hand")
    store.delete("anna-by-hand")
    assert names(store) == ["Anne"]


def test_a_newer_voice_is_left_untouched(store: VoiceStore) -> None:
    added = store.add(SPEAKER)
    edit(store, added.id, schema=2, name={"de": "Anna"})
    before = snapshot(store.root)
    with pytest.raises(VoiceError, match="newer version") as caught:
        store.save(added)
    assert caught.value.newer
    again = VoiceStore(store.root)
    assert [(voice.id, voice.newer) for voice in again.broken()] == [(added.id, True)]
    with pytest.raises(VoiceError, match="newer version"):
        again.save(added)
    with pytest.raises(VoiceError, match="newer version"):
        write_profile(store.root / added.id, added)
    assert snapshot(store.root) == before
    deleted = again.delete(added.id)
    with pytest.raises(VoiceError, match="is back"):
        again.restore(deleted)
    assert snapshot(store.root)[f"{added.id}/{MANIFEST}"] == before[f"{added.id}/{MANIFEST}"]


def test_links_are_never_followed(store: VoiceStore, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    shutil.copytree(store.folder(store.add(SPEAKER).id), outside)
    victim = store.add(replace(CLONE, name="Victim"))
    (store.root / "linked").symlink_to(outside, target_is_directory=True)
    (store.root / ".draft-00000000-1").symlink_to(outside, target_is_directory=True)
    (store.root / ".trash").symlink_to(outside, target_is_directory=True)
    (store.root / "order.json").unlink()
    (store.root / "order.json").symlink_to(outside / MANIFEST)
    (store.folder(victim.id) / PROMPT).symlink_to(outside / MANIFEST)
    before = snapshot(outside)
    again = VoiceStore(store.root)
    assert names(again) == ["Anna"]
    assert sorted(voice.id for voice in again.broken()) == sorted(["linked", victim.id])
    again.reorder([])
    for voice in again.broken():
        again.delete(voice.id)
    assert again.broken() == ()
    assert not (store.root / ".trash").is_symlink()
    again._claim = store._claim = None
    VoiceStore(store.root)
    assert snapshot(outside) == before
    assert not (store.root / ".draft-00000000-1").is_symlink()


@pytest.mark.skipif(sys.platform != "linux", reason="names that aren't UTF-8")
def test_a_link_with_an_odd_name_is_told_in_printable_words(store: VoiceStore) -> None:
    store.add(SPEAKER)
    for name in (b"/\xff\xfe", b"/a\nb"):
        os.symlink(b"nowhere", os.fsencode(store.root) + name)
    store.refresh()
    assert names(store) == ["Anna"]
    assert [(voice.id.isprintable(), voice.reason.isprintable()) for voice in store.broken()] == [(True, True)] * 2
    for voice in store.broken():
        assert store.delete(voice.id).name == voice.id
    assert store.broken() == ()


@pytest.mark.parametrize("voice_id", ["", ".", "..", "../x", "/etc", "a/b", "draft-x", "a\0b", "x" * 5000])
def test_strange_ids_reach_nothing(store: VoiceStore, voice_id: str) -> None:
    store.add(SPEAKER)
    assert store.get(voice_id) is None
    for call in (store.folder, store.delete, store.duplicate, lambda i: store.save(replace(SPEAKER, id=i))):
        with pytest.raises(VoiceError):
            call(voice_id)
    store.discard(voice_id)
    assert names(store) == ["Anna"]


def test_a_file_in_place_of_the_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "voices").write_text("?")
    store = VoiceStore(tmp_path / "voices")
    assert store.profiles() == ()
    assert "can't be read" in store.broken()[0].reason
    for call in (lambda: store.add(SPEAKER), lambda: store.new_draft(CLONE), lambda: store.delete("voices")):
        with pytest.raises(VoiceError):
            call()
    assert (tmp_path / "voices").read_text() == "?"


def test_a_full_disk_leaves_all_as_it_was(store: VoiceStore, monkeypatch: pytest.MonkeyPatch) -> None:
    added = store.add(SPEAKER)
    draft = store.new_draft(CLONE)
    before = snapshot(store.root)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    for call in (
        lambda: store.save(replace(added, notes="more")), lambda: store.add(SPEAKER), lambda: store.keep(draft.id, "B"),
        lambda: store.duplicate(added.id), lambda: store.reorder([]),
    ):  # fmt: skip
        with pytest.raises(VoiceError, match="No space left"):
            call()
    assert snapshot(store.root) == before
    monkeypatch.undo()
    assert VoiceStore(store.root).profiles() == store.profiles() == (added,)
    assert store.keep(draft.id, "B").name == "B"


def test_threads_can_work_at_once(store: VoiceStore) -> None:
    problems: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for _ in range(5):
                added = store.add(replace(SPEAKER, name=f"V{number}"))
                copy = store.duplicate(added.id)
                store.save(replace(added, notes="x"))
                store.restore(store.delete(added.id))
                store.delete(copy.id)
                store.profiles()
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    assert len(store.profiles()) == 20
    assert VoiceStore(store.root).profiles() == store.profiles()


# --- Damage ---------------------------------------------------------------------------------------------------------

VALUES: list[object] = [
    None, True, -1, 0, 3, 1e308, 2**70, "", "x", "x" * 100_000, "\0", "a\u2028b", "\ud800", [], [[]], {}, {"a": 1},
    "../../x", "my:self", "999-99-99", 1.5,
]  # fmt: skip
RAW = [
    b"", b"null", b"[]", b"[" * 100_000, b'{"a":' * 5_000, b'{"schema": NaN}', b'{"schema": 1e999}', b"\xff\xfe{}",
    b"\0" * 500, b'{"schema": ' + b"9" * 5_000 + b"}", b"{}" + b" " * 300_000, b'"\\ud800"',
]  # fmt: skip


def damage_manifest(file: Path, chance: random.Random) -> None:
    content = bytearray(file.read_bytes())
    way = chance.randrange(6)
    if way == 0:
        for _ in range(chance.randint(1, 8)):
            content[chance.randrange(len(content))] = chance.randrange(256)
    elif way == 1:
        del content[chance.randrange(len(content)) :]
    elif way == 2:
        content = bytearray(chance.choice(RAW))
    elif way == 3:
        start = chance.randrange(len(content))
        content[start:start] = chance.randbytes(chance.randint(1, 50))
    else:
        data = json.loads(content)
        key = chance.choice([*data, "unknown"])
        data[key] = chance.choice(VALUES)
        if chance.random() < 0.3:
            data.pop(chance.choice(list(data)))
        if chance.random() < 0.3 and isinstance(data.get("consent"), dict):
            data["consent"][chance.choice(["sentence", "given"])] = chance.choice(VALUES)
        content = bytearray(json.dumps(data).encode())
    file.write_bytes(content)


def damage_folder(folder: Path, outside: Path, chance: random.Random) -> None:
    way = chance.randrange(9)
    target = folder / chance.choice([MANIFEST, PROMPT, REFERENCE, PREVIEW])
    if way in (0, 1, 2):  # another thing in a file's place
        if target.exists():
            target.unlink()
        if way == 0:
            target.mkdir()
        elif way == 1:
            target.symlink_to(chance.choice([outside / "secret", outside, target, Path("/dev/zero"), Path("nowhere")]))
        else:
            os.mkfifo(target)
    elif way == 3:
        (folder / MANIFEST).unlink()
    elif way == 4:
        shutil.rmtree(folder)
        folder.write_bytes(chance.randbytes(30))
    elif way == 5:
        shutil.rmtree(folder)
        folder.symlink_to(chance.choice([outside, folder, Path("..")]))
    elif way == 6:
        name = chance.choice(["a b", "x" * 200, "ü", "draft-1", "a\nb", "-", "a.b"])
        os.rename(folder, folder.with_name(name))
    elif way == 7:
        os.rename(os.fsencode(folder), os.fsencode(folder.parent) + b"/\xff\xfe")
    else:
        (folder / MANIFEST).chmod(0)


@pytest.mark.skipif(os.name != "posix", reason="FIFOs and links")
@pytest.mark.parametrize("part", ["manifest", "folder"])
@pytest.mark.parametrize("seed", range(100))
def test_damage_is_told_and_hides_no_neighbour(tmp_path: Path, part: str, seed: int) -> None:
    chance = random.Random(f"{part} {seed}")
    store = VoiceStore(tmp_path / "voices")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_bytes(b"secret")
    intact = [store.add(replace(SPEAKER, name="First"))]
    victim = store.keep(store.new_draft(CLONE).id, "Victim")
    intact.append(store.add(replace(SPEAKER, name="Last")))
    before = {profile.id: snapshot(store.folder(profile.id)) for profile in intact}
    if part == "manifest":
        damage_manifest(store.folder(victim.id) / MANIFEST, chance)
    else:
        damage_folder(store.folder(victim.id), outside, chance)

    again = VoiceStore(store.root)
    assert [profile for profile in again.profiles() if profile in intact] == intact
    assert len(again.profiles()) + len(again.broken()) >= 2
    for voice in again.broken():
        assert voice.reason.endswith(".")
        assert voice.reason.isprintable()
    with contextlib.suppress(VoiceError):  # the store that doesn't know of the damage yet
        store.save(replace(victim, notes="x"))
    for act in (again.duplicate, lambda i: again.restore(again.delete(i))):
        for voice_id in [victim.id, *(voice.id for voice in again.broken())]:
            with contextlib.suppress(VoiceError):
                act(voice_id)
    for voice in again.broken():
        again.delete(voice.id)
    assert again.broken() == ()
    for profile in intact:
        assert snapshot(again.folder(profile.id)) == before[profile.id]
    assert snapshot(outside) == {"secret": b"secret"}
    final = VoiceStore(store.root)
    assert final.broken() == ()
    assert [profile for profile in final.profiles() if profile in intact] == intact
