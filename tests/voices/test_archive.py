"""Voices passed on in one file: what comes back, and what an evil or damaged file can't do."""

import hashlib
import io
import json
import os
import random
import shutil
import stat
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from desktop_tts.voices import archive as archives
from desktop_tts.voices.archive import export_voice, import_voice
from desktop_tts.voices.errors import VoiceError
from desktop_tts.voices.profile import MANIFEST, PREVIEW, PROMPT, REFERENCE, Consent, Kind, Profile
from desktop_tts.voices.safetensors_header import check_safetensors
from desktop_tts.voices.store import VoiceStore

CLONE = Profile(
    "", "Björn", Kind.CLONED, "qwen:0.6b-base", language="sv", transcript="Hej.\nDå.", speed=1.5,
    consent=Consent("Björn agreed.", "2026-03-01T10:00:00Z"),
)  # fmt: skip
SOUND = b"fLaC" + random.Random(1).randbytes(5000)


def safetensors(header: object, data: bytes) -> bytes:
    encoded = json.dumps(header).encode()
    return len(encoded).to_bytes(8, "little") + encoded + data


TENSORS = {
    "__metadata__": {"kind": "qwen3-tts voice prompt", "ref_text": "Hej."},
    "x_vector": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]},
    "codes": {"dtype": "I16", "shape": [2, 16], "data_offsets": [16, 80]},
}
TENSOR_FILE = safetensors(TENSORS, bytes(range(80)))


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture
def store(tmp_path: Path) -> VoiceStore:
    return VoiceStore(tmp_path / "voices")


def clone(store: VoiceStore) -> Profile:
    draft = store.new_draft(CLONE)
    for name, content in ((PROMPT, TENSOR_FILE), (REFERENCE, SOUND), (PREVIEW, SOUND[:900])):
        (store.folder(draft.id) / name).write_bytes(content)
    return store.keep(draft.id, "Björn")


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def everything(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*")}


def contents(profile: Profile = CLONE, **changes: object) -> dict[str, bytes]:
    """The files of a good archive."""
    consent = profile.consent and {"sentence": profile.consent.sentence, "given": profile.consent.given}
    told = {"schema": 1, "name": profile.name, "kind": "cloned", "base": profile.base, "consent": consent}
    return {MANIFEST: json.dumps(told | changes).encode(), PROMPT: TENSOR_FILE, REFERENCE: SOUND}


def listed(files: dict[str, bytes]) -> dict[str, object]:
    told = {name: {"size": len(raw), "sha256": hashlib.sha256(raw).hexdigest()} for name, raw in files.items()}
    return {"schema": 1, "files": told}


def zipped(files: dict[str, bytes], manifest: object = None, compression: int = zipfile.ZIP_STORED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, raw in files.items():
            archive.writestr(name, raw)
        told = listed(files) if manifest is None else manifest
        archive.writestr("manifest.json", told if isinstance(told, bytes) else json.dumps(told))
    return out.getvalue()


@pytest.mark.parametrize("with_reference", [True, False])
def test_a_voice_comes_back_on_another_computer(store: VoiceStore, tmp_path: Path, with_reference: bool) -> None:
    voice = clone(store)
    file = store.folder(voice.id) / MANIFEST
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | {"colour": "red"}), "utf-8")
    target = tmp_path / "Björn.dttsvoice"
    export_voice(store, voice.id, target, with_reference=with_reference)
    other = VoiceStore(tmp_path / "other")
    got = import_voice(other, target)
    assert got == replace(voice, id=got.id, created=got.created) == other.get(got.id)
    there, here = files_of(other.folder(got.id)), files_of(store.folder(voice.id))
    assert json.loads(there.pop(MANIFEST))["colour"] == json.loads(here.pop(MANIFEST))["colour"] == "red"
    if not with_reference:
        del here[REFERENCE]
    assert there == here
    assert VoiceStore(other.root).profiles() == other.profiles() == (got,)
    assert not list(other.root.glob(".draft-*"))
    if os.name == "posix":
        assert {stat.S_IMODE(path.stat().st_mode) for path in other.folder(got.id).iterdir()} == {0o600}
        assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith(".part")] == []


def test_equal_names_get_a_number(store: VoiceStore, tmp_path: Path) -> None:
    voice = clone(store)
    export_voice(store, voice.id, tmp_path / "v.dttsvoice")
    assert [import_voice(store, tmp_path / "v.dttsvoice").name for _ in range(2)] == ["Björn (2)", "Björn (3)"]
    assert [profile.name for profile in store.profiles()] == ["Björn", "Björn (2)", "Björn (3)"]


def test_equal_voices_give_equal_files(store: VoiceStore, tmp_path: Path) -> None:
    voice = clone(store)
    for name in "ab":
        export_voice(store, voice.id, tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_an_archive_by_other_tools_is_taken(store: VoiceStore, tmp_path: Path) -> None:
    (tmp_path / "v").write_bytes(zipped(contents(), compression=zipfile.ZIP_DEFLATED))
    got = import_voice(store, tmp_path / "v")
    assert files_of(store.folder(got.id))[PROMPT] == TENSOR_FILE


def test_what_can_not_be_exported_is_told(store: VoiceStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    voice, target = clone(store), tmp_path / "v"
    target.write_bytes(b"before")
    draft = store.new_draft(CLONE)
    for voice_id, where in (("unknown", target), (draft.id, target), (voice.id, tmp_path / "no" / "v")):
        with pytest.raises(VoiceError):
            export_voice(store, voice_id, where)
    monkeypatch.setattr(archives, "FILE_LIMIT", 4000)
    with pytest.raises(VoiceError, match="reference.flac is too large"):
        export_voice(store, voice.id, target)
    (store.folder(voice.id) / PROMPT).unlink()
    (store.folder(voice.id) / PROMPT).symlink_to(target)
    with pytest.raises(VoiceError, match="plain file"):
        export_voice(store, voice.id, target)
    assert target.read_bytes() == b"before"
    assert not list(tmp_path.glob(".*"))


# --- Evil and damage ------------------------------------------------------------------------------------------------


def entry(name: str, raw: bytes = b"x", **attributes: int) -> Callable[[], bytes]:
    """A good archive with one more entry."""

    def make() -> bytes:
        out = io.BytesIO(zipped(contents()))
        with zipfile.ZipFile(out, "a") as archive:
            info = zipfile.ZipInfo(name)
            for key, value in attributes.items():
                setattr(info, key, value)
            archive.writestr(info, raw)
        return out.getvalue()

    return make


def patched(files: dict[str, bytes], field: int, value: bytes, local: int | None = None) -> bytes:
    """All entries of the central directory (and local headers) with other bytes at an offset."""
    raw = bytearray(zipped(files))
    for mark, where in ((b"PK\1\2", field), (b"PK\3\4", local)):
        at = raw.find(mark)
        while at >= 0 and where is not None:
            raw[at + where : at + where + len(value)] = value
            at = raw.find(mark, at + 4)
    return bytes(raw)


def told(change: Callable[[dict], object]) -> bytes:
    manifest = json.loads(json.dumps(listed(contents())))
    change(manifest)
    return zipped(contents(), manifest)


def with_file(name: str, raw: bytes) -> bytes:
    return zipped(contents() | {name: raw})


def a_bomb() -> bytes:
    return zipped(contents() | {PREVIEW: b"fLaC" + bytes(20 << 20)}, compression=zipfile.ZIP_DEFLATED)


def lying_size() -> bytes:
    """Twenty megabytes that are told to be few, with the few's checksum."""
    few = b"fLaC" + bytes(59_996)
    packed = contents() | {PREVIEW: b"fLaC" + bytes(20 << 20)}
    raw = bytearray(zipped(packed, listed(packed | {PREVIEW: few}), zipfile.ZIP_DEFLATED))
    struct.pack_into("<L", raw, raw.rfind(PREVIEW.encode(), 0, raw.rfind(b"manifest.json")) - 46 + 24, len(few))
    return bytes(raw)


def linked() -> bytes:
    out = io.BytesIO()
    files = contents() | {PREVIEW: b"/etc/passwd"}
    with zipfile.ZipFile(out, "w") as archive:
        for name, raw in {**files, "manifest.json": json.dumps(listed(files)).encode()}.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = ((stat.S_IFLNK if name == PREVIEW else stat.S_IFREG) | 0o777) << 16
            archive.writestr(info, raw)
    return out.getvalue()


def twice() -> bytes:
    with pytest.warns(UserWarning, match="Duplicate"):
        return entry(MANIFEST, contents()[MANIFEST])()


def many() -> bytes:
    return zipped(contents() | {f"f{number}": b"" for number in range(3000)})


EVIL: dict[str, tuple[Callable[[], bytes], str]] = {
    "up": (entry("../../evil"), "doesn't belong"),
    "up windows": (entry("..\\evil"), "doesn't belong"),
    "absolute": (entry("/tmp/evil"), "doesn't belong"),
    "drive": (entry("C:evil"), "doesn't belong"),
    "folder": (entry("voice.json/"), "doesn't belong"),
    "inside": (entry("a/voice.json"), "doesn't belong"),
    "pickle": (entry("prompt.pt"), "doesn't belong"),
    "case": (entry("VOICE.JSON"), "doesn't belong"),
    "unlisted": (entry(PREVIEW, SOUND), "manifest.json is damaged"),
    "device": (entry(PREVIEW, SOUND, external_attr=(stat.S_IFCHR | 0o666) << 16), "plain file"),
    "link": (linked, "plain file"),
    "twice": (twice, "twice"),
    "many": (many, "more than a voice"),
    "bomb": (a_bomb, "out of measure"),
    "lying size": (lying_size, "is damaged"),
    "encrypted": (lambda: patched(contents(), 8, b"\1\0", 6), "encrypted"),
    "method": (lambda: patched(contents(), 10, b"\x0c\0", 8), "unknown way"),
    "huge": (lambda: patched(contents(), 24, (65 << 20).to_bytes(4, "little")), "too large"),
    "offset": (lambda: patched(contents(), 42, b"\xf0\xff\xff\x7f"), "can't be imported"),
    "crc": (lambda: patched(contents(), 16, b"\0\0\0\0", 14), "damaged"),
    "comment": (lambda: zipped(contents())[:-2] + b"\2\0hi", "isn't a voice file"),
    "in front": (lambda: b"#!/bin/sh\n" + zipped(contents()), "damaged"),
    "empty": (lambda: b"", "isn't a voice file"),
    "empty zip": (lambda: b"PK\5\6" + bytes(18), "no manifest.json"),
    "text": (lambda: b"hello " * 100, "isn't a voice file"),
    "no voice": (lambda: zipped({PROMPT: TENSOR_FILE}), "no voice.json"),
    "manifest list": (lambda: zipped(contents(), []), "manifest.json is damaged"),
    "manifest bytes": (lambda: zipped(contents(), b"\xff"), "manifest.json is damaged"),
    "manifest deep": (lambda: zipped(contents(), b"[" * 100_000), "manifest.json is damaged"),
    "manifest schema": (lambda: told(lambda m: m.update(schema="1")), "manifest.json is damaged"),
    "manifest newer": (lambda: told(lambda m: m.update(schema=2)), "newer version"),
    "manifest size": (lambda: told(lambda m: m["files"][PROMPT].update(size=1)), "manifest.json is damaged"),
    "manifest sum": (lambda: told(lambda m: m["files"][PROMPT].update(sha256="0" * 64)), "safetensors is damaged"),
    "voice sum": (lambda: told(lambda m: m["files"][MANIFEST].update(sha256="0" * 64)), "voice.json is damaged"),
    "manifest odd sum": (lambda: told(lambda m: m["files"][PROMPT].update(sha256=None)), "manifest.json is damaged"),
    "manifest less": (lambda: told(lambda m: m["files"].pop(PROMPT)), "manifest.json is damaged"),
    "manifest more": (lambda: told(lambda m: m["files"].update({"../x": {}})), "manifest.json is damaged"),
    "voice newer": (lambda: zipped(contents(schema=2)), "newer version"),
    "voice wrong": (lambda: zipped(contents(speed="fast")), "voice.json is damaged"),
    "voice self": (lambda: zipped(contents(base="my:other")), "voice.json is damaged"),
    "sound": (lambda: with_file(REFERENCE, b"RIFF1234WAVE"), "reference.flac is damaged"),
    "tensors": (lambda: with_file(PROMPT, b"\x80\x04cos\nsystem\n"), "prompt.safetensors is damaged"),
}


@pytest.mark.parametrize("evil", EVIL)
def test_evil_archives_are_refused_with_a_sentence(store: VoiceStore, tmp_path: Path, evil: str) -> None:
    make, why = EVIL[evil]
    file = tmp_path / "a\nb.dttsvoice"
    file.write_bytes(make())
    voice = clone(store)
    before = everything(tmp_path), files_of(store.folder(voice.id))
    with pytest.raises(VoiceError, match=why) as caught:
        import_voice(store, file)
    assert str(caught.value).startswith("a?b.dttsvoice can't be imported")
    assert str(caught.value).endswith(".")
    assert caught.value.newer == ("newer" in evil)
    assert (everything(tmp_path), files_of(store.folder(voice.id))) == before
    assert store.profiles() == (voice,)


def test_a_bomb_takes_no_memory(store: VoiceStore, tmp_path: Path) -> None:
    names = io.BytesIO()
    with zipfile.ZipFile(names, "w") as archive:
        for number in range(20_000):
            archive.writestr(f"{number}" * 20, b"")
    for raw in (a_bomb(), lying_size(), names.getvalue()):
        (tmp_path / "v").write_bytes(raw)
        tracemalloc.start()
        with pytest.raises(VoiceError):
            import_voice(store, tmp_path / "v")
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
        tracemalloc.stop()


@pytest.mark.skipif(os.name != "posix", reason="FIFOs")
def test_only_files_are_read(store: VoiceStore, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    with (tmp_path / "sparse").open("wb") as sparse:
        sparse.truncate(1 << 33)
    for path in (tmp_path / "fifo", tmp_path, tmp_path / "missing", Path("/dev/zero"), tmp_path / "sparse"):
        with pytest.raises(VoiceError, match="can't be imported"):
            import_voice(store, path)


def test_a_full_disk_leaves_nothing(store: VoiceStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "v").write_bytes(zipped(contents()))
    store.add(replace(CLONE, kind=Kind.SPEAKER))
    before, calls, failing = everything(store.root), 0, 0

    def full(_: int) -> None:
        nonlocal calls
        calls += 1
        if calls == failing:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    for number in (1, 3, 4):
        calls, failing = 0, number
        with pytest.raises(VoiceError, match="No space left"):
            import_voice(store, tmp_path / "v")
        assert everything(store.root) == before


@pytest.mark.parametrize(
    "raw",
    [
        b"", b"\0" * 8, b"\xff" * 100, TENSOR_FILE[:-1], TENSOR_FILE + b"\0", safetensors({}, b""),
        safetensors([], b""),
        safetensors({"__metadata__": {"a": 1}, "x": TENSORS["x_vector"]}, bytes(16)),
        safetensors({"x": {"dtype": "F32", "shape": [4], "data_offsets": [0, 12]}}, bytes(12)),
        safetensors({"x": {"dtype": "F32", "shape": [4], "data_offsets": [16, 0]}}, bytes(16)),
        safetensors({"x": {"dtype": "OBJ", "shape": [4], "data_offsets": [0, 16]}}, bytes(16)),
        safetensors({"x": {"dtype": "F32", "shape": [True], "data_offsets": [0, 4]}}, bytes(4)),
        safetensors({"x": {"dtype": "F32", "shape": [-1, -1], "data_offsets": [0, 4]}}, bytes(4)),
        safetensors({"x": {"dtype": "F32", "shape": [1 << 63, 0], "data_offsets": [0, 0]}}, b""),
        safetensors({"x": {"dtype": [], "shape": [1], "data_offsets": [0, 4]}}, bytes(4)),
        safetensors({"x": TENSORS["x_vector"], "y": TENSORS["x_vector"]}, bytes(16)),
        safetensors({"x": 3}, b""), (50).to_bytes(8, "little") + b"{" * 50,
    ],
)  # fmt: skip
def test_wrong_safetensors_are_told(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "x").write_bytes(raw)
    with pytest.raises(ValueError):  # noqa: PT011
        check_safetensors(tmp_path / "x")


def test_right_safetensors_pass(tmp_path: Path) -> None:
    numpy = pytest.importorskip("safetensors.numpy")
    np = pytest.importorskip("numpy")
    tensors = {"x_vector": np.zeros(1024, np.float32), "codes": np.zeros((70, 16), np.int16), "none": np.zeros((0, 3))}
    numpy.save_file(tensors, tmp_path / "x", {"kind": "voice", "text": "é"})
    check_safetensors(tmp_path / "x")
    (tmp_path / "x").write_bytes(TENSOR_FILE)
    check_safetensors(tmp_path / "x")


def corrupted(raw: bytes, chance: random.Random) -> bytes:
    content = bytearray(raw)
    way = chance.randrange(6)
    edge = raw.find(b"PK\1\2") if chance.random() < 0.6 else 0  # mostly where the structure is
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(edge, len(content))
        if way == 0:
            content[at] = chance.randrange(256)
        elif way == 1:
            content[at] ^= 1 << chance.randrange(8)
        elif way == 2:
            content[at : at + 4] = chance.choice([b"\0\0\0\0", b"\xff\xff\xff\xff", b"PK\3\4", b"PK\1\2"])
        elif way == 3:
            del content[at : at + chance.randint(1, 200)]
        elif way == 4:
            content[at:at] = chance.randbytes(chance.randint(1, 30))
        else:
            return bytes(content[:at])
        edge = min(edge, len(content) - 1)
    return bytes(content)


@pytest.mark.parametrize("seed", range(100))
def test_damaged_archives_add_nothing_or_a_whole_voice(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    store = VoiceStore(tmp_path / "voices")
    voice = store.add(replace(CLONE, kind=Kind.SPEAKER))
    good = zipped(contents() | {PREVIEW: SOUND}, compression=chance.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]))
    file = tmp_path / "v.dttsvoice"
    file.write_bytes(corrupted(good, chance))
    before = everything(tmp_path)
    try:
        got = import_voice(store, file)
    except VoiceError:
        assert everything(tmp_path) == before
        assert store.profiles() == (voice,)
    else:  # the damage was in a date or the like
        there = files_of(store.folder(got.id))
        assert there.pop(MANIFEST)
        assert there == {PROMPT: TENSOR_FILE, REFERENCE: SOUND, PREVIEW: SOUND}
        shutil.rmtree(store.folder(got.id))
        assert everything(tmp_path) == before
    assert VoiceStore(store.root).profiles() == (voice,)
