"""The voices that Windows and macOS bring, through the programs that they bring for them.

Not through QTextToSpeech: its Python binding has no ``synthesize``, so it plays by itself and gives no samples. Each
piece of text is a run of ``say`` (macOS), or of Windows PowerShell with .NET's System.Speech.
"""

from __future__ import annotations

import base64
import locale
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from desktop_tts.engines.base import Progress
from desktop_tts.engines.programs import WavReader, iso_language, plain, run, say
from desktop_tts.errors import EngineFault, NotInstalled, Unsupported
from desktop_tts.speech import AudioChunk, Capabilities, SpeechRequest, Voice, language_name

RATE = 22_050
_SAY_LINE = re.compile(r"(.+?)\s+([a-z]{2,3}[_-]\w+)\s+#")
_REGISTRY = r"SOFTWARE\Microsoft\Speech\Voices\Tokens"
_POWERSHELL = """
$ErrorActionPreference = 'Stop'
Add-Type -AssemblyName System.Speech
function Read-Text { [Text.Encoding]::UTF8.GetString([Convert]::FromBase64String([Console]::In.ReadLine())) }
$speaker = New-Object System.Speech.Synthesis.SpeechSynthesizer
$speaker.SelectVoice((Read-Text))
$sound = New-Object IO.MemoryStream
$speaker.SetOutputToWaveStream($sound)
$speaker.Speak((Read-Text))
$speaker.SetOutputToNull()
$out = [Console]::OpenStandardOutput()
$sound.WriteTo($out)
$out.Flush()
"""


@dataclass(frozen=True, slots=True)
class SystemVoice:
    """A voice by the system's own name for it."""

    name: str
    language: str
    """ISO 639-1 code."""


def registry_voices() -> list[tuple[str, str]]:
    """Name and language number (hexadecimal, "407" or "409;9") of each voice that Windows has."""
    found: list[tuple[str, str]] = []
    if sys.platform == "win32":
        import winreg

        with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, _REGISTRY) as tokens:
            for number in range(winreg.QueryInfoKey(tokens)[0]):
                with winreg.OpenKey(tokens, winreg.EnumKey(tokens, number) + r"\Attributes") as attributes:
                    name, language = (winreg.QueryValueEx(attributes, key)[0] for key in ("Name", "Language"))
                    found.append((str(name), str(language)))
    return found


class SystemEngine:
    """Speaks with the voices of the system. Sound comes when a piece of text is done; no word times."""

    id = "system"
    name = "System voices"

    def __init__(
        self, platform: str = sys.platform, registry: Callable[[], list[tuple[str, str]]] = registry_voices
    ) -> None:
        self._platform = platform
        self._registry = registry
        self._known: Mapping[str, SystemVoice] | None = None

    def available(self) -> str:
        program = {"darwin": "say", "win32": "powershell"}.get(self._platform)
        if not program:
            return "The system's own voices are for Windows and macOS; here espeak-ng speaks other languages."
        if not shutil.which(program):
            return f"The program {program}, which speaks with the system's voices, is missing."
        return "" if self._listed() else "The system has no voices installed."

    def capabilities(self) -> Capabilities:
        return Capabilities(frozenset(voice.language for voice in self._listed().values()), RATE)

    def voices(self) -> tuple[Voice, ...]:
        return tuple(Voice(id_, voice.name, self.id, (voice.language,)) for id_, voice in self._listed().items())

    def load(self, progress: Progress | None = None, voice: str = "") -> None:
        if missing := self.available():
            raise NotInstalled(missing)

    def stream(self, request: SpeechRequest, cancel: Event) -> Iterator[AudioChunk]:
        self.load()
        listed = self._listed().values()
        by_language = next((voice for voice in listed if voice.language == request.language), None)
        voice = self._listed().get(request.voice, by_language)
        if not voice:
            raise Unsupported(f"The system has no voice for {language_name(request.language)}.")
        text = plain(request.text if isinstance(request.text, str) else "".join(request.text))
        if not any(map(str.isalnum, text)):
            return
        speak = _by_say if self._platform == "darwin" else _by_powershell
        yield from speak(voice.name, text, cancel)

    def unload(self) -> None:
        """There's nothing to give back."""

    def _listed(self) -> Mapping[str, SystemVoice]:
        """The voices by id, looked up once."""
        if self._known is None:
            found: list[SystemVoice] = []
            if self._platform == "darwin":
                found = say_voices(run(["say", "-v", "?"]))
            elif self._platform == "win32":
                found = windows_voices(self._registry())
            self._known = {f"{self.id}:{voice.name}": voice for voice in found}
        return self._known


def say_voices(listing: str) -> list[SystemVoice]:
    """From what ``say -v ?`` prints, best first: "Anna (Premium)  de_DE  # Hallo!"."""
    lines = (_SAY_LINE.match(line) for line in listing.splitlines())
    found = [SystemVoice(line[1], iso_language(line[2])) for line in lines if line]
    return sorted((voice for voice in found if voice.language), key=lambda voice: _say_rank(voice.name))


def _say_rank(name: str) -> int:
    """Downloaded high quality first; "Grandma (German)" and other caricatures last."""
    kinds = ("(Premium)", "(Enhanced)")
    return next((rank for rank, kind in enumerate(kinds) if kind in name), 3 if "(" in name else 2)


def windows_voices(registered: list[tuple[str, str]]) -> list[SystemVoice]:
    """From names and language numbers."""
    found = []
    for name, numbers in registered:
        tag = locale.windows_locale.get(int(numbers.partition(";")[0], 16), "")
        if code := iso_language(tag):
            found.append(SystemVoice(name, code))
    return found


def _by_say(name: str, text: str, cancel: Event) -> Iterator[AudioChunk]:
    with tempfile.TemporaryDirectory(prefix="desktop-tts-") as folder:
        file = Path(folder) / "speech.wav"
        form = ["--file-format=WAVE", f"--data-format=LEI16@{RATE}"]
        command = ["say", "-v", name, "-o", str(file), *form, "-f", "-"]
        list(say(command, text.encode(), cancel, "say", to_file=True))
        if cancel.is_set():
            return
        wav = WavReader()
        try:
            pcm = wav.feed(file.read_bytes())
        except (OSError, ValueError) as error:
            raise EngineFault("The program say did not write sound that can be read.") from error
    if len(pcm):
        yield AudioChunk(pcm, wav.rate)


def _by_powershell(name: str, text: str, cancel: Event) -> Iterator[AudioChunk]:
    # Base64, because the console's code page would lose other scripts; and nothing of the user's is in the command.
    lines = b"".join(base64.b64encode(value.encode()) + b"\n" for value in (name, text))
    command = ["powershell", "-NoProfile", "-NonInteractive", "-Command", _POWERSHELL]
    for pcm, rate in say(command, lines, cancel, "Windows speech"):
        yield AudioChunk(pcm, rate)
