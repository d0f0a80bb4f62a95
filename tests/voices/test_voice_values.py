"""What a ``voice.json`` may say, and that whatever is written can be read again."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop_tts.voices.errors import VoiceError
from desktop_tts.voices.files import JSON_LIMIT, disk, parse_json
from desktop_tts.voices.folder import NAME_LIMIT, is_id, numbered, parse_profile, read_profile, to_json, write_profile
from desktop_tts.voices.profile import MANIFEST, Consent, Kind, Profile

VOICE = Profile("anna", "Anna", Kind.SPEAKER, "builtin:heart")

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"]), max_size=40)
moments = st.datetimes().map(lambda moment: moment.isoformat(timespec="seconds") + "+00:00")
profiles = st.builds(
    Profile,
    id=st.just("anna"),
    name=texts.filter(str.strip),
    kind=st.sampled_from(Kind),
    base=st.sampled_from(["builtin:heart", "qwen:0.6b-base", "espeak:gmw/en", "system:é ü"]),
    language=st.sampled_from(["", "de", "zh-Hant"]),
    instruct=texts,
    description=texts,
    seed=st.integers(0, (1 << 63) - 1),
    transcript=texts,
    speed=st.floats(0.5, 2.0),
    volume=st.floats(0.0, 2.0),
    notes=texts,
    consent=st.none() | st.builds(Consent, texts.filter(str.strip), moments),
    created=st.just("") | moments,
)


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "anna").mkdir()
    return tmp_path / "anna"


def assert_sentence(told: str) -> None:
    assert told.isprintable()
    assert told.endswith(".")


@given(profiles)
def test_every_voice_is_read_as_it_was_written(profile: Profile) -> None:
    assert parse_profile(parse_json(json.dumps(to_json(profile)).encode()), "anna") == profile


@given(st.dictionaries(st.sampled_from([*to_json(VOICE), "other"]), json_values, max_size=4), json_values)
@settings(max_examples=300)
def test_any_value_gives_a_voice_or_a_sentence(changes: dict[str, object], whole: object) -> None:
    for data in (to_json(VOICE) | changes, whole):
        try:
            profile = parse_profile(data, "anna")
        except VoiceError as error:
            assert_sentence(str(error))
        else:
            assert profile.id == "anna"  # never what the file says
            assert 0.5 <= profile.speed <= 2
            assert 0 <= profile.volume <= 2
            assert 0 < len(profile.name) <= NAME_LIMIT
            assert parse_profile(to_json(profile), "anna") == profile


@given(st.text(max_size=70))
def test_an_id_is_one_plain_name(text: str) -> None:
    if is_id(text):
        assert Path("root", text).parent == Path("root")
        assert text.isascii()
        assert not text.startswith((".", "-"))


@given(st.text(max_size=100), st.lists(st.sampled_from(["Anna", "anna (2)", "x" * 80, "x" * 76 + " (2)"])))
def test_a_numbered_name_is_free_and_short(name: str, taken: list[str]) -> None:
    for wished in (name, "ANNA", "x" * 80):
        free = numbered(wished, taken)
        assert free.casefold() not in {other.casefold() for other in taken}
        assert len(free) <= NAME_LIMIT


@pytest.mark.parametrize(
    "extra",
    [
        [[0]] * 40_000,  # grows when it's indented
        {"deep": [0] * 60_000},
    ],
)
def test_what_grew_too_long_is_refused_and_the_old_stays(folder: Path, extra: object) -> None:
    manifest = folder / MANIFEST
    manifest.write_text(json.dumps(to_json(VOICE) | {"extra": extra}, separators=(",", ":")))
    assert len(manifest.read_bytes()) <= JSON_LIMIT
    before = manifest.read_bytes()
    with pytest.raises(VoiceError, match="too long"):
        write_profile(folder, replace(VOICE, notes="more"))
    assert manifest.read_bytes() == before
    assert read_profile(folder) == VOICE
    assert [path.name for path in folder.iterdir()] == [MANIFEST]


def test_the_longest_texts_in_any_writing_can_be_read_again(folder: Path) -> None:
    (folder / MANIFEST).write_text(json.dumps({"schema": 1, "key of \ud800": 1}))
    longest = replace(
        VOICE, instruct="𝄞" * 4000, description="𝄞" * 4000, transcript="𝄞" * 8000, notes="𝄞" * 8000, name="𝄞" * 80
    )
    try:
        write_profile(folder, longest)
    except VoiceError as error:
        assert "too long" in str(error)  # noqa: PT017
    else:
        assert read_profile(folder) == longest


@pytest.mark.parametrize("depth", [60, 500, 5_000])
def test_deep_nesting_is_damage_at_every_depth_of_the_stack(folder: Path, depth: int) -> None:
    raw = json.dumps(to_json(VOICE))[:-1] + ', "extra": ' + "[" * depth + "]" * depth + "}"
    (folder / MANIFEST).write_text(raw)
    with pytest.raises(VoiceError, match="damaged"):
        read_profile(folder)


def test_a_disk_error_without_words_is_told() -> None:
    with pytest.raises(VoiceError, match="It failed: odd disk"), disk("It failed"):
        raise OSError("odd disk")
