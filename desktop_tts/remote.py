"""What the running app does with the commands that come over its control socket. Lives on the Qt main thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from desktop_tts.control.server import Answer, Client
from desktop_tts.engines.catalog import Catalog
from desktop_tts.exit_codes import FAILED, NOTHING_TO_READ, USAGE
from desktop_tts.narrate import Manner, in_voice
from desktop_tts.reader import Reader
from desktop_tts.settings import SettingsStore, parse_value
from desktop_tts.speech_worker import Reading
from desktop_tts.text.feed import TextFeed
from desktop_tts.ui.actions import Actions


@dataclass(frozen=True)
class RemoteControl:
    """Answers requests; see ``control`` for their form."""

    reader: Reader
    catalog: Catalog
    settings: SettingsStore
    actions: Actions
    want: Callable[[str, float | None, Client, str], None]
    """Read the "selection" or "clipboard", in a voice if one is named; the client is told when the text is there."""
    problems: Callable[[], tuple[str, ...]]

    def __call__(self, request: dict[str, Any], client: Client) -> Answer | None:
        command = request.get("command")
        match command:
            case "pause" | "resume" | "toggle" | "next" | "previous":
                getattr(self.reader, command)()
            case "stop":
                self.actions.stop()
            case "read-selection" | "read-clipboard":
                self.want(str(command).removeprefix("read-"), None, client, str(request.get("voice") or ""))
                return None
            case "speak":
                return self._speak(request, client)
            case "status":
                return {"ok": True} | self._status()
            case "show":
                self.actions.open_window()
            case "set":
                key = str(request.get("key"))
                value = request.get("value")
                if isinstance(value, str):
                    value = parse_value(self.settings.current, key, value)
                self.settings.set(key, value)
            case "quit":
                client.answer({"ok": True})
                self.actions.quit()
                return None
            case _:
                return {"ok": False, "error": f"There's no command {str(command)[:40]!r}.", "code": USAGE}
        return {"ok": True}

    def _speak(self, request: dict[str, Any], client: Client) -> Answer | None:
        settings = self.settings.current
        if voice := request.get("voice"):
            settings = in_voice(settings, self.catalog.voice(str(voice)))
        manner = Manner.from_settings(settings)
        language, instruct = str(request.get("language", "")), str(request.get("instruct", ""))
        manner = replace(manner, seed=int(request.get("seed", 0)), language=language, instruct=instruct)
        speed = float(request["speed"]) if request.get("speed") else None
        append = bool(request.get("append"))
        if request.get("stream"):
            client.feed = TextFeed()
            reading = self.reader.read_stream(client.feed, append=append, manner=manner, speed=speed)
        else:
            text = str(request.get("text", ""))
            if not text.strip():
                return {"ok": False, "error": "There is nothing to read in this text.", "code": NOTHING_TO_READ}
            reading = self.reader.read(text, append=append, manner=manner, speed=speed)
        if request.get("wait") or request.get("stream"):
            self._answer_at_end(reading, client)
        return {"ok": True}

    def _answer_at_end(self, reading: Reading, client: Client) -> None:
        """Answer when the reading is over; stop it when whoever asked goes away before."""

        def over(which: Reading) -> None:
            if which is reading:
                self.reader.finished.disconnect(over)
                client.gone.disconnect(gone)
                failed = {"ok": False, "error": reading.problem, "code": reading.code or FAILED}
                client.answer(failed if reading.problem else {"ok": True})

        def gone() -> None:
            self.reader.finished.disconnect(over)
            self.reader.abandon(reading)

        self.reader.finished.connect(over)
        client.gone.connect(gone)

    def _status(self) -> dict[str, Any]:
        status = self.reader.status
        span = status.span and [status.span.start, status.span.end]
        return {
            "state": status.state,
            "text": status.text,
            "span": span,
            "progress": status.progress,
            "voice": status.voice_name,
            "source": status.source,
            "message": status.message,
            "problems": list(self.problems()),
            "underruns": self.reader.player.underruns,
            "timings_ms": self.reader.timings_ms(),
        }
