"""What the Voices page lists: every voice of the catalog and every voice of the user's own, as words. No widgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QCoreApplication

from desktop_tts.engines.qwen import LANGUAGES, SPEAKERS
from desktop_tts.speech import Voice, language_name
from desktop_tts.ui.texts import shorten, speed_text
from desktop_tts.voices.profile import ENGINE, BrokenVoice, Kind, Profile

translate = QCoreApplication.translate
SPEAKER_MODEL = "0.6b-custom-voice"
"""Whose speakers are offered while no model with speakers is installed: the smallest."""
_LONG = 90


class Group(Enum):
    """Parts of the list, in order."""

    MINE = "mine"
    BUILTIN = "builtin"
    SPEAKERS = "speakers"
    SYSTEM = "system"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Row:
    """One voice."""

    id: str
    """Its ``Voice.id``; of a broken one ``broken:`` and its folder's id."""
    name: str
    group: Group
    kind: str
    about: str
    languages: tuple[str, ...] = ()
    """ISO 639-1 codes."""
    problem: str = ""
    """Why it can't speak, as a sentence, or empty."""
    needs_model: bool = False
    profile: Profile | None = None
    broken: BrokenVoice | None = None

    @property
    def usable(self) -> bool:
        return not self.problem

    @property
    def second_line(self) -> str:
        """Why it can't speak; of a speaker that is only offered, who that is."""
        return self.about if self.group is Group.SPEAKERS else self.problem or self.about

    def spoken(self, default: str) -> str:
        """What a screen reader says, when ``default`` is the id of the default voice."""
        parts = [self.name, self.kind, translate("voices", "default voice") if self.id == default else ""]
        sentence = ", ".join(part for part in parts if part)
        return ". ".join(part.rstrip(".") for part in (sentence, self.problem, self.about) if part)

    def matches(self, words: str) -> bool:
        """Whether every word of a search is in what is known of the voice."""
        names = " ".join(map(language_name, self.languages))
        notes = self.profile.notes if self.profile else ""
        text = f"{self.name} {self.kind} {self.about} {self.problem} {names} {notes}".casefold()
        return all(word in text for word in words.casefold().split())


def group_title(group: Group) -> str:
    return {
        Group.MINE: translate("voices", "My voices"),
        Group.BUILTIN: translate("voices", "Built in"),
        Group.SPEAKERS: translate("voices", "Qwen3-TTS speakers"),
        Group.SYSTEM: translate("voices", "System voices"),
        Group.BROKEN: translate("voices", "Can't be used"),
    }[group]


def kind_title(kind: Kind) -> str:
    return {
        Kind.SPEAKER: translate("voices", "Adapted"),
        Kind.DESIGNED: translate("voices", "Designed"),
        Kind.CLONED: translate("voices", "Cloned"),
    }[kind]


def rows(voices: Sequence[Voice], profiles: Sequence[Profile], broken: Sequence[BrokenVoice]) -> tuple[Row, ...]:
    """In the order of the list: by group, the user's own in the user's order."""
    known = {voice.id: voice for voice in voices}
    found = [_mine(profile, known) for profile in profiles]
    found += [_ready(voice) for voice in voices if voice.engine != ENGINE]
    if voices and not any(row.group is Group.SPEAKERS for row in found):
        found += _offered()
    found += [_broken(voice) for voice in broken]
    order = list(Group)
    return tuple(sorted(found, key=lambda row: order.index(row.group)))


def _mine(profile: Profile, known: dict[str, Voice]) -> Row:
    voice = known.get(profile.voice_id)
    base = known.get(profile.base)
    missing = _missing(voice) if voice else ""
    languages = (profile.language,) if profile.language else voice.languages if voice else ()
    own = {
        Kind.SPEAKER: base.name if base else profile.base.partition(":")[2].replace("_", " ").title(),
        Kind.DESIGNED: profile.description,
        Kind.CLONED: translate("voices", "from a recording"),
    }[profile.kind]
    parts = (
        language_name(profile.language),
        shorten(own, _LONG),
        f"“{shorten(profile.instruct, _LONG)}”" if profile.instruct else "",
        speed_text(profile.speed) if profile.speed != 1.0 else "",
        shorten(profile.notes, _LONG),
    )
    return Row(
        profile.voice_id,
        profile.name,
        Group.MINE,
        kind_title(profile.kind),
        _joined(*parts),
        languages,
        problem=missing,
        needs_model=bool(missing),
        profile=profile,
    )


def _ready(voice: Voice) -> Row:
    group = {"builtin": Group.BUILTIN, "qwen": Group.SPEAKERS}.get(voice.engine, Group.SYSTEM)
    languages = ", ".join(map(language_name, voice.languages[:3])) + (", …" if len(voice.languages) > 3 else "")
    if group is Group.SPEAKERS:
        languages = _native(voice.id.rpartition("/")[2])
    missing = _missing(voice)
    kind = translate("voices", "Not here yet") if missing else ""
    return Row(
        voice.id,
        voice.name,
        group,
        kind,
        _joined(languages, voice.description),
        voice.languages,
        missing,
        bool(missing),
    )


def _offered() -> list[Row]:
    """The published speakers, as long as no model that has them is here."""
    problem = _needs(f"the model {SPEAKER_MODEL}")
    return [
        Row(
            f"qwen:{SPEAKER_MODEL}/{speaker}",
            speaker.replace("_", " ").title(),
            Group.SPEAKERS,
            translate("voices", "Not here yet"),
            _joined(_native(speaker), description),
            tuple(LANGUAGES),
            problem,
            needs_model=True,
        )
        for speaker, (_, description) in SPEAKERS.items()
    ]


def _missing(voice: Voice) -> str:
    if not voice.needs_download:
        return ""
    return _needs(voice.needs) if voice.needs else translate("voices", "Has to be downloaded first.")


def _needs(what: str) -> str:
    return translate("voices", "Needs {what}, which isn't here yet.").format(what=what)


def _native(speaker: str) -> str:
    if speaker not in SPEAKERS:
        return ""
    text = translate("voices", "Native language {language}, speaks ten")
    return text.format(language=language_name(SPEAKERS[speaker][0]))


def _broken(voice: BrokenVoice) -> Row:
    kind = translate("voices", "From a newer version") if voice.newer else translate("voices", "Damaged")
    return Row(f"broken:{voice.id}", voice.id, Group.BROKEN, kind, "", problem=voice.reason, broken=voice)


def _joined(*parts: str) -> str:
    return " · ".join(part for part in parts if part)
