"""The settings file: atomic, versioned, repaired and reported."""

import json
import os

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from desktop_tts import paths, settings
from desktop_tts.errors import SettingsError


def test_no_file_means_defaults_without_a_word(home):
    assert settings.load() == settings.Loaded(settings.Settings())


def test_saved_settings_come_back(home):
    changed = settings.with_value(settings.Settings(), "reading.speed", 1.5)
    changed = settings.with_value(changed, "voices.by_language", {"de": "espeak:de"})
    settings.save(changed)
    assert settings.load() == settings.Loaded(changed)


@pytest.mark.parametrize("content", [b"{", b"\xff\xfe", b"[]", b"", b'{"version": 99}', b"[" * 100_000])
def test_a_damaged_file_is_kept_aside_and_reported(home, content):
    file = paths.settings_file()
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    loaded = settings.load()
    assert loaded.settings == settings.Settings()
    (kept,) = file.parent.glob("settings.damaged-*.json")
    assert kept.read_bytes() == content
    assert str(kept) in loaded.problems[0]
    assert not file.exists()


def test_two_damaged_files_are_both_kept(home):
    file = paths.settings_file()
    file.parent.mkdir(parents=True)
    for _ in range(2):
        file.write_text("{")
        settings.load()
    assert len(list(file.parent.glob("settings.damaged-*.json"))) == 2


def test_one_bad_value_costs_only_itself(home):
    file = paths.settings_file()
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"version": 1, "reading": {"speed": "fast", "volume": 0.5}, "later": {"x": 1}}))
    loaded = settings.load()
    assert loaded.settings.reading.speed == 1.0
    assert loaded.settings.reading.volume == 0.5
    assert loaded.problems == ("reading.speed takes a number from 0.5 to 3.0. The default is used.",)


def test_a_failed_save_leaves_the_old_file(home, monkeypatch):
    settings.save(settings.Settings())
    before = paths.settings_file().read_bytes()
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(SettingsError, match="No space left"):
        settings.save(settings.with_value(settings.Settings(), "reading.speed", 2.0))
    assert paths.settings_file().read_bytes() == before
    assert [p.name for p in paths.config_dir().iterdir()] == ["settings.json"]


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("reading.speed", 9.0, "0.5 to 3.0"),
        ("reading.speed", float("nan"), "0.5 to 3.0"),
        ("reading.speed", True, "0.5 to 3.0"),
        ("reading.emoji", "loud", "skip, name"),
        ("general.autostart", "maybe", "true or false"),
        ("voices.by_language", {"de": 1}, "object"),
        ("no.such", 1, "The settings are: hotkeys.read_selection"),
        ("reading", 1, "The settings are"),
        ("version", 2, "The settings are"),
    ],
)
def test_a_wrong_value_says_what_is_allowed(key, value, says):
    with pytest.raises(SettingsError) as caught:
        settings.with_value(settings.Settings(), key, value)
    assert says in str(caught.value)


def test_every_setting_has_help_and_round_trips_as_typed_text(home):
    tree = settings.Settings()
    for key, value in settings.keys(tree).items():
        assert settings.help_for(key)
        text = value if isinstance(value, str) else json.dumps(value)
        assert settings.with_value(tree, key, settings.parse_value(tree, key, text)) == tree


def test_the_store_tells_listeners_and_saves(home):
    store = settings.SettingsStore()
    heard = []
    store.on_change(heard.append)
    store.set("reading.speed", 2.0)
    store.set("reading.speed", 2.0)
    assert [s.reading.speed for s in heard] == [2.0]
    assert settings.load().settings.reading.speed == 2.0
    with pytest.raises(SettingsError):
        store.set("reading.speed", 50.0)
    assert store.current.reading.speed == 2.0


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["reading", "speed", "voices"]), inner),
    max_leaves=8,
)


@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from(["version", "hotkeys", "voices", "reading", "audio", "general"]), json_values))
def test_no_file_content_stops_the_app(tmp_path_factory, data):
    file = tmp_path_factory.mktemp("s") / "settings.json"
    file.write_text(json.dumps(data))
    loaded = settings.load(file)
    settings.save(loaded.settings, file)
    assert settings.load(file).settings == loaded.settings
