"""Many languages by espeak-ng, where it is installed. It is a program of its own, never loaded into this process."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from desktop_tts.engines.base import Progress
from desktop_tts.engines.programs import iso_language, plain, run, say
from desktop_tts.errors import NotInstalled, Unsupported
from desktop_tts.speech import LANGUAGE_NAMES, AudioChunk, Capabilities, SpeechRequest, Voice, language_name

RATE = 22_050
WORDS_PER_MINUTE = 160
"""Its own default, 175, is hurried."""

_PREFERRED = {"en": "en-us", "fr": "fr-fr", "zh": "cmn-latn-pinyin", "no": "nb"}
"""Where a language has several voices and none is called as the language is. Plain ``cmn`` spells Mandarin in English
in version 1.51; the pinyin one reads the same text well."""
_LEFT_OUT = frozenset({"ja", "my", "th", "py"})
"""Languages that it lists but can't read as they are written: it spells or drops most of the characters. ``py`` is no
ISO code."""
_LINE = re.compile(r"\s*(\d+)\s+(\S+)\s+\S+\s+(\S+)\s+\S+")


@dataclass(frozen=True, slots=True, order=True)
class Listed:
    """A voice in espeak-ng's list. The least is the best of its language."""

    rank: int
    priority: int
    tag: str
    name: str


class EspeakEngine:
    """One process for each piece of text. Sound comes while it still speaks; no word times."""

    id = "espeak"
    name = "espeak-ng"

    def __init__(self) -> None:
        self._known: dict[str, Mapping[str, Listed]] = {}

    def available(self) -> str:
        return "" if find_program() else f"Install espeak-ng to hear more languages: {how_to_install()}"

    def capabilities(self) -> Capabilities:
        """Where the program is missing, what it would speak."""
        languages = frozenset(self._listed() or LANGUAGE_NAMES.keys() - _LEFT_OUT)
        return Capabilities(languages, RATE, streams_audio=True, seeds=True)

    def voices(self) -> tuple[Voice, ...]:
        return tuple(
            Voice(f"espeak:{code}", f"{LANGUAGE_NAMES.get(code, best.name)} (espeak-ng)", "espeak", (code,), "Robotic.")
            for code, best in sorted(self._listed().items())
        )

    def load(self, progress: Progress | None = None, voice: str = "") -> None:
        if missing := self.available():
            raise NotInstalled(missing)

    def stream(self, request: SpeechRequest, cancel: Event) -> Iterator[AudioChunk]:
        program = find_program()
        if not program:
            raise NotInstalled(self.available())
        engine, _, named = request.voice.partition(":")
        code = named if engine == self.id else request.language
        voice = self._listed().get(code)
        if not voice:
            raise Unsupported(f"espeak-ng has no voice for {language_name(code)}.")
        text = plain(request.text if isinstance(request.text, str) else "".join(request.text))
        if not any(map(str.isalnum, text)):
            return
        command = [program, "-v", voice.tag, "-s", str(WORDS_PER_MINUTE), "-b", "1", "-z", "--stdin", "--stdout"]
        for pcm, rate in say(command, text.encode(), cancel, self.name):
            yield AudioChunk(pcm, rate)

    def unload(self) -> None:
        """There's nothing to give back."""

    def _listed(self) -> Mapping[str, Listed]:
        """The best voice for each language. Asked once for each program found."""
        program = find_program()
        if not program:
            return {}
        if program not in self._known and (best := best_voices(run([program, "--voices"]))):
            self._known[program] = best
        return self._known.get(program, {})


def find_program() -> str:
    """Path of espeak-ng, or of espeak, or empty."""
    places = [str(Path(os.environ.get("PROGRAMFILES", "")) / "eSpeak NG")] if sys.platform == "win32" else []
    for name in ("espeak-ng", "espeak"):
        if found := shutil.which(name) or shutil.which(name, path=os.pathsep.join(places)):
            return found
    return ""


def how_to_install() -> str:
    """The command that installs it on this system."""
    if sys.platform == "darwin":
        return "brew install espeak-ng"
    if sys.platform == "win32":
        return "winget install eSpeak-NG.eSpeak-NG"
    managers = {"apt": "apt install", "dnf": "dnf install", "pacman": "pacman -S", "zypper": "zypper install"}
    return next(
        (f"sudo {line} espeak-ng" for name, line in managers.items() if shutil.which(name)), "use your package manager"
    )


def best_voices(listing: str) -> dict[str, Listed]:
    """The best voice for each language code, from what ``espeak-ng --voices`` prints."""
    best: dict[str, Listed] = {}
    for line in listing.splitlines():
        if not (found := _LINE.match(line)):
            continue
        priority, tag, name = found.groups()
        code = iso_language(tag)
        if not code or code in _LEFT_OUT:
            continue
        rank = 0 if tag == _PREFERRED.get(code) else 1 if tag == code else 2
        listed = Listed(rank, int(priority), tag, name.partition("_(")[0].replace("_", " "))
        best[code] = min(best.get(code, listed), listed)
    return best
