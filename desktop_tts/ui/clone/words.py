"""What is said about a recording: its length, how good it is, and what to do about what is wrong with it."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from desktop_tts.audio.clip_check import Quality, Report, Trouble

translate = QCoreApplication.translate


def seconds_text(seconds: float) -> str:
    """``8.2 s``, or ``2:31 min`` from a minute on."""
    if seconds < 59.95:
        return translate("clone", "{0} s").format(f"{seconds:.1f}")
    return translate("clone", "{0} min").format(f"{round(seconds) // 60}:{round(seconds) % 60:02d}")


def quality_text(quality: Quality) -> str:
    return {
        Quality.GOOD: translate("clone", "Good: this will make a clear voice."),
        Quality.USABLE: translate("clone", "Usable: the voice may be less clear."),
        Quality.POOR: translate("clone", "Poor: the voice will not sound right."),
        Quality.UNUSABLE: translate("clone", "This part can't be used."),
    }[quality]


def advice_text(trouble: Trouble) -> str:
    """One sentence that says what is wrong and what to do."""
    return {
        Trouble.TOO_SHORT: translate("clone", "It is too short: take 3 seconds or more."),
        Trouble.TOO_LONG: translate("clone", "It is too long: keep 30 seconds or less."),
        Trouble.SILENT: translate("clone", "No speech is heard: check that the microphone is on, and record again."),
        Trouble.CLIPPED: translate("clone", "It is distorted: record again, further away or with less gain."),
        Trouble.VERY_NOISY: translate("clone", "Noise drowns the voice: record again in a quiet room."),
        Trouble.NOISY: translate("clone", "There is noise: a quieter room, or closer to the microphone, helps."),
        Trouble.QUIET: translate("clone", "It is very quiet: closer to the microphone helps."),
        Trouble.PAUSES: translate("clone", "Most of it is pauses: keep a part with steady speech."),
    }[trouble]


def report_text(report: Report) -> str:
    """All of it, for one label."""
    return "\n".join([quality_text(report.quality), *(advice_text(trouble) for trouble in report.troubles)])
