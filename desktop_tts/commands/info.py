"""``desktop-tts status`` and ``desktop-tts voices``."""

from __future__ import annotations

import json

from desktop_tts.commands.quick import not_running
from desktop_tts.control.client import NotRunning, ask
from desktop_tts.exit_codes import NOT_RUNNING, OK
from desktop_tts.speech import language_name


def status(*, as_json: bool) -> int:
    try:
        answer = ask({"command": "status"})
    except NotRunning:
        if as_json:
            print(json.dumps({"running": False}))
            return NOT_RUNNING
        return not_running()
    answer.pop("ok", None)
    if as_json:
        print(json.dumps({"running": True} | answer, ensure_ascii=False))
        return OK
    print(f"{answer['state']}" + (f", {answer['progress']:.0%} of the text" if answer["state"] != "idle" else ""))
    for problem in answer.get("problems", []):
        print(problem)
    return OK


def voices(*, as_json: bool) -> int:
    from desktop_tts import settings
    from desktop_tts.engines.catalog import Catalog
    from desktop_tts.voices.engine import every_engine

    found = Catalog(every_engine(lambda: settings.load().settings)).voices()
    if as_json:
        print(
            json.dumps(
                [
                    {
                        "id": voice.id,
                        "name": voice.name,
                        "languages": list(voice.languages),
                        "description": voice.description,
                        "needs_download": voice.needs_download,
                    }
                    for voice in found
                ],
                ensure_ascii=False,
            )
        )
        return OK
    width = max((len(voice.id) for voice in found), default=0)
    for voice in found:
        spoken = ", ".join(language_name(code) for code in voice.languages)
        missing = f", needs {voice.needs}" if voice.needs else ""
        print(f"{voice.id:{width}}  {voice.name} ({spoken}){missing}")
    return OK
