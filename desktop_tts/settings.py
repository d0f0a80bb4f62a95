"""The user's settings: one frozen tree, one versioned file, written whole or not at all.

A damaged file is kept aside and defaults are used; a single bad value is replaced by its default. Both are
reported as sentences for the user. Keys are dotted paths, ``reading.speed``, for the command line.
"""

from __future__ import annotations

import dataclasses
import json
import math
import os
import sys
import tempfile
import threading
import types
import typing
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any

from desktop_tts import paths
from desktop_tts.errors import SettingsError

VERSION = 1

# Chosen to collide with nothing common: on Linux no desktop binds Super+Alt with these letters (GNOME uses +S and +8,
# KDE +K and +L); Windows keeps Win+Alt for its game bar and AltGr is Ctrl+Alt, so three modifiers there and on macOS.
_PREFIX = "Meta+Alt" if sys.platform.startswith("linux") else "Ctrl+Alt+Shift"


def _option(
    default: Any, help_: str, *, low: float | None = None, high: float | None = None, choices: tuple[str, ...] = ()
) -> Any:
    return field(default=default, metadata={"help": help_, "low": low, "high": high, "choices": choices})


@dataclass(frozen=True, slots=True)
class Hotkeys:
    """In Qt's portable form; empty means none. Meta is the Windows/Super key."""

    read_selection: str = _option(f"{_PREFIX}+R", "reads the selected text aloud")
    read_clipboard: str = _option(f"{_PREFIX}+C", "reads the copied text aloud")
    read_in_second_voice: str = _option("", "reads the selected text aloud in the voice `voices.second`")
    pause: str = _option(f"{_PREFIX}+P", "pauses, and goes on")
    stop: str = _option(f"{_PREFIX}+X", "stops reading")


@dataclass(frozen=True, slots=True)
class Voices:
    default: str = _option("builtin:heart", "voice to read with; `desktop-tts voices` lists them")
    second: str = _option("", "voice of the hotkey for a second voice; empty is the default voice")
    by_language: Mapping[str, str] = field(
        default_factory=dict, metadata={"help": 'voice for each language, as {"de": "espeak:de"}'}
    )


@dataclass(frozen=True, slots=True)
class Reading:
    speed: float = _option(1.0, "how fast to read, without changing the pitch", low=0.5, high=3.0)
    volume: float = _option(1.0, "loudness", low=0.0, high=1.5)
    when_busy: str = _option("restart", "what a new text does to the one being read", choices=("restart", "append"))
    emoji: str = _option("skip", "what happens to emoji", choices=("skip", "name"))
    code: str = _option("skip", "what happens to code blocks", choices=("skip", "announce", "read"))
    simulate_copy: bool = _option(
        True, "press Ctrl+C for programs that don't offer their selection; the clipboard is put back"
    )


@dataclass(frozen=True, slots=True)
class Audio:
    device: str = _option("", "name of the output device; empty follows the system's default")


@dataclass(frozen=True, slots=True)
class Models:
    device: str = _option("auto", "where Qwen3-TTS runs: auto, cpu, cuda:0, mps")
    dtype: str = _option(
        "auto", "number format of Qwen3-TTS", choices=("auto", "int8", "float32", "bfloat16", "float16")
    )
    folder: str = _option("", "folder of a Qwen3-TTS model of your own; its voices are qwen:own/...")
    source: str = _option(
        "auto",
        "where models are downloaded from; auto tries them in turn",
        choices=("auto", "huggingface", "modelscope"),
    )
    unload_after_min: float = _option(
        10.0, "minutes without speech after which Qwen3-TTS gives its memory back; 0 keeps it", low=0.0, high=1440.0
    )


@dataclass(frozen=True, slots=True)
class General:
    autostart: bool = _option(False, "start when you log in")
    notifications: bool = _option(True, "show notices when something needs you")


@dataclass(frozen=True, slots=True)
class Settings:
    version: int = VERSION
    hotkeys: Hotkeys = field(default_factory=Hotkeys)
    voices: Voices = field(default_factory=Voices)
    reading: Reading = field(default_factory=Reading)
    audio: Audio = field(default_factory=Audio)
    models: Models = field(default_factory=Models)
    general: General = field(default_factory=General)


# ---------------------------------------------------------------- values


def _check(key: str, option: dataclasses.Field[Any], kind: Any, value: Any) -> Any:
    """``value`` as the option's type. Raises SettingsError with what is allowed."""
    if typing.get_origin(kind) in (Mapping, types.MappingProxyType) or kind is Mapping or "Mapping" in str(kind):
        if isinstance(value, dict) and all(isinstance(k, str) and isinstance(v, str) for k, v in value.items()):
            return dict(value)
        raise SettingsError(f'{key} takes an object of names and voices, as {{"de": "espeak:de"}}.')
    if kind is bool:
        if isinstance(value, bool):
            return value
        raise SettingsError(f"{key} takes true or false.")
    if kind is float:
        low, high = option.metadata["low"], option.metadata["high"]
        if (
            isinstance(value, int | float)
            and not isinstance(value, bool)
            and math.isfinite(value)
            and low <= value <= high
        ):
            return float(value)
        raise SettingsError(f"{key} takes a number from {low} to {high}.")
    if kind is str:
        choices = option.metadata["choices"]
        if isinstance(value, str) and (not choices or value in choices):
            return value
        raise SettingsError(f"{key} takes {'one of: ' + ', '.join(choices) if choices else 'text'}.")
    raise AssertionError(f"no rule for {kind}")


def _build(cls: type[Any], data: Mapping[str, Any], prefix: str, problems: list[str]) -> Any:
    kinds = typing.get_type_hints(cls)
    given: dict[str, Any] = {}
    for option in fields(cls):
        key, kind = prefix + option.name, kinds[option.name]
        if option.name == "version" or option.name not in data:
            continue
        value = data[option.name]
        if is_dataclass(kind):
            if isinstance(value, dict):
                given[option.name] = _build(typing.cast(type[Any], kind), value, key + ".", problems)
            else:
                problems.append(f"{key} takes an object; the default is used.")
            continue
        try:
            given[option.name] = _check(key, option, kind, value)
        except SettingsError as error:
            problems.append(f"{error.message} The default is used.")
    return cls(**given)


def keys(settings: Settings | None = None) -> dict[str, Any]:
    """Every dotted key with its value in ``settings`` (the defaults if None)."""
    found: dict[str, Any] = {}
    tree = settings or Settings()
    for group in fields(tree):
        branch = getattr(tree, group.name)
        if is_dataclass(branch):
            found |= {f"{group.name}.{leaf.name}": getattr(branch, leaf.name) for leaf in fields(branch)}
    return found


def help_for(key: str) -> str:
    """What the setting does, in a phrase."""
    return str(_rules(key)["help"])


def choices_for(key: str) -> tuple[str, ...]:
    """The values that the setting may have; empty for any."""
    return tuple(_rules(key)["choices"])


def range_for(key: str) -> tuple[float, float]:
    """Lowest and highest value of a number."""
    rules = _rules(key)
    return float(rules["low"]), float(rules["high"])


def _rules(key: str) -> Mapping[str, Any]:
    group, _, name = key.partition(".")
    branch = getattr(Settings(), group)
    return next(leaf.metadata for leaf in fields(branch) if leaf.name == name)


def get(settings: Settings, key: str) -> Any:
    """Value of a dotted key. Raises SettingsError that lists the keys."""
    found = keys(settings)
    if key not in found:
        raise SettingsError(f"There's no setting {key!r}.", "The settings are: " + ", ".join(found) + ".")
    return found[key]


def with_value(settings: Settings, key: str, value: Any) -> Settings:
    """A copy with one value changed and checked. Raises SettingsError."""
    get(settings, key)
    group, _, name = key.partition(".")
    branch = getattr(settings, group)
    option = next(leaf for leaf in fields(branch) if leaf.name == name)
    kind = typing.get_type_hints(type(branch))[name]
    changed = dataclasses.replace(branch, **{name: _check(key, option, kind, value)})
    return dataclasses.replace(settings, **{group: changed})


def parse_value(settings: Settings, key: str, text: str) -> Any:
    """What a person typed for ``key``, as the setting's type: ``on`` and ``true`` for switches, JSON for objects."""
    current = get(settings, key)
    if isinstance(current, bool):
        words = {
            "true": True,
            "yes": True,
            "on": True,
            "1": True,
            "false": False,
            "no": False,
            "off": False,
            "0": False,
        }
        return words.get(text.strip().lower(), text)
    if isinstance(current, float | dict):
        try:
            return json.loads(text)
        except ValueError:
            return text
    return text


# ---------------------------------------------------------------- file


@dataclass(frozen=True, slots=True)
class Loaded:
    settings: Settings
    problems: tuple[str, ...] = ()
    """Sentences for the user about what wasn't as it should be."""


def load(file: Path | None = None) -> Loaded:
    """Settings from the file. Never fails: what can't be used is kept aside and reported."""
    file = file or paths.settings_file()
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Loaded(Settings())
    except (OSError, UnicodeDecodeError) as error:
        return _kept_aside(file, type(error).__name__)
    try:
        data = json.loads(text)
        if not isinstance(data, dict):
            raise ValueError("not an object")
    except (ValueError, RecursionError):
        return _kept_aside(file, "not valid JSON")
    version = data.get("version", VERSION)
    if not isinstance(version, int) or version > VERSION:
        return _kept_aside(file, "written by a newer version")
    problems: list[str] = []
    settings = _build(Settings, data, "", problems)
    return Loaded(settings, tuple(problems))


def problem_of(file: Path) -> str:
    """What is wrong with the file, or empty; changes nothing."""
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        return f"{file} can't be used ({type(error).__name__}); at the next start it is kept aside."
    if not isinstance(data, dict):
        return f"{file} can't be used; at the next start it is kept aside."
    problems: list[str] = []
    _build(Settings, data, "", problems)
    return " ".join(problems)


def _kept_aside(file: Path, why: str) -> Loaded:
    number = 1
    while (aside := file.with_name(f"{file.stem}.damaged-{number}{file.suffix}")).exists():
        number += 1
    try:
        os.replace(file, aside)
        kept = f"It was kept as {aside}."
    except OSError:
        kept = f"It was left at {file}."
    return Loaded(Settings(), (f"The settings file could not be used ({why}). {kept} Default settings are used.",))


def save(settings: Settings, file: Path | None = None) -> None:
    """Write the file whole or not at all. Raises SettingsError when the disk doesn't take it."""
    file = file or paths.settings_file()
    text = json.dumps(dataclasses.asdict(settings), indent=2, ensure_ascii=False, sort_keys=False) + "\n"
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=file.name, suffix=".part")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as out:
                out.write(text)
            os.replace(name, file)
            # Down to the disk itself in the background: a slow one must not hold up the window.
            threading.Thread(target=_sync, args=(file,), daemon=True).start()
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise SettingsError(
            f"Settings can't be saved to {file}: {error.strerror}.", "Check the disk and its permissions."
        ) from error


def _sync(file: Path) -> None:
    with suppress(OSError), file.open("rb+") as written:
        os.fsync(written.fileno())


class SettingsStore:
    """The one holder of the current settings: tells its listeners about changes and saves them.

    Lives on the main thread.
    """

    def __init__(self, file: Path | None = None) -> None:
        self.file = file or paths.settings_file()
        loaded = load(self.file)
        self.current = loaded.settings
        self.problems = loaded.problems
        self._listeners: list[Callable[[Settings], None]] = []

    def on_change(self, listener: Callable[[Settings], None]) -> None:
        self._listeners.append(listener)

    def set(self, key: str, value: Any) -> None:
        """Change one value, save, tell. Raises SettingsError and changes nothing when it can't."""
        changed = with_value(self.current, key, value)
        if changed == self.current:
            return
        save(changed, self.file)
        self.current = changed
        for listener in self._listeners:
            listener(changed)
