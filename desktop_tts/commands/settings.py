"""``desktop-tts settings path|list|get|set``."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from desktop_tts import paths
from desktop_tts import settings as tree
from desktop_tts.commands.quick import report
from desktop_tts.control.client import NotRunning, ask
from desktop_tts.exit_codes import OK


def run(options: argparse.Namespace) -> int:
    match options.action:
        case "path":
            print(paths.settings_file())
            return OK
        case "list":
            for key, value in tree.keys(_current()).items():
                print(f"{key} = {_text(value)}  # {tree.help_for(key)}")
            return OK
        case "get":
            print(_text(tree.get(_current(), options.key)))
            return OK
        case _:
            return _set(options.key, options.value)


def _set(key: str, text: str) -> int:
    """Through the running app where there is one, so that it takes effect at once."""
    current = _current()
    value = tree.parse_value(current, key, text)
    changed = tree.with_value(current, key, value)
    try:
        return report(ask({"command": "set", "key": key, "value": value}))
    except NotRunning:
        tree.save(changed)
        return OK


def _current() -> tree.Settings:
    loaded = tree.load()
    for problem in loaded.problems:
        print(problem, file=sys.stderr)
    return loaded.settings


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
