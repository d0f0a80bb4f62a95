"""The command line: arguments and dispatch. Heavy things are imported inside the command that needs them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from desktop_tts import __version__, exit_codes
from desktop_tts.commands import quick
from desktop_tts.errors import DesktopTTSError


def parser() -> argparse.ArgumentParser:
    """The whole grammar, with help that is shown in the README."""
    codes = "\n".join(f"  {code:3}  {meaning}" for code, meaning in exit_codes.MEANING.items())
    top = argparse.ArgumentParser(
        prog="desktop-tts",
        description="Hear any text on your desktop. Without a command, the tray app starts.",
        epilog=f"exit codes:\n{codes}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"desktop-tts {__version__}")
    top.add_argument("--debug", action="store_true", help="write more into the log")
    commands = top.add_subparsers(dest="command", metavar="COMMAND")

    speak = commands.add_parser("speak", help="read TEXT aloud, or what comes on standard input with -")
    speak.add_argument("text", metavar="TEXT", help="the text; - reads standard input as it comes")
    speak.add_argument("--output", "-o", metavar="FILE", help="write a wav, flac, mp3 or opus file instead of playing")
    speak.add_argument("--voice", metavar="ID", help="id or name of a voice of `desktop-tts voices`")
    speak.add_argument("--language", metavar="CODE", help="language of the text, such as en or de, instead of guessing")
    speak.add_argument("--speed", type=float, metavar="X", help="0.5 to 3; the setting reading.speed by default")
    speak.add_argument(
        "--instruct", metavar="HOW", help="how to speak, in words or as the name of a preset such as calm"
    )
    speak.add_argument("--seed", type=int, default=0, metavar="N", help="equal seeds give equal sound (default 0)")
    speak.add_argument("--wait", action="store_true", help="with a running app: return when it was heard to its end")
    speak.add_argument("--append", action="store_true", help="with a running app: read after what is being read")
    speak.add_argument("--here", action="store_true", help="speak in this process even if the app is running")

    for name, help_ in (
        ("read-selection", "read what is selected"),
        ("read-clipboard", "read what was copied"),
    ):
        read = commands.add_parser(name, help=help_)
        read.add_argument("--voice", metavar="ID", help="id or name of a voice of `desktop-tts voices`")

    for name, help_ in (
        ("pause", "pause reading"),
        ("resume", "go on reading"),
        ("toggle", "pause, or go on"),
        ("stop", "stop reading"),
        ("next", "skip to the next sentence"),
        ("previous", "go back a sentence"),
        ("show", "open the app's window"),
        ("quit", "end the app"),
    ):
        commands.add_parser(name, help=help_)

    status = commands.add_parser("status", help="what the app is doing")
    status.add_argument("--json", action="store_true", help="as one JSON object")
    voices = commands.add_parser("voices", help="the voices on this machine")
    voices.add_argument("--json", action="store_true", help="as a JSON list")

    settings = commands.add_parser("settings", help="show and change settings").add_subparsers(
        dest="action", metavar="ACTION", required=True
    )
    settings.add_parser("path", help="where the settings file is")
    settings.add_parser("list", help="every setting with its value and meaning")
    get = settings.add_parser("get", help="value of a setting")
    get.add_argument("key")
    change = settings.add_parser("set", help="change a setting")
    change.add_argument("key")
    change.add_argument("value")

    doctor = commands.add_parser("doctor", help="check that everything works here, and say what doesn't")
    doctor.add_argument("--json", action="store_true", help="as one JSON object")

    models = commands.add_parser("models", help="the Qwen3-TTS models: list, download, verify, remove").add_subparsers(
        dest="action", metavar="ACTION", required=True
    )
    models.add_parser("list", help="which there are, their size, what is installed")
    for name, help_ in (
        ("download", "bring one here; goes on where an earlier try stopped"),
        ("verify", "check every byte"),
        ("remove", "delete it"),
        ("path", "its folder"),
    ):
        action = models.add_parser(name, help=help_)
        action.add_argument("model", metavar="MODEL", help="a key of `desktop-tts models list`")
        if name == "download":
            action.add_argument("--source", choices=("huggingface", "modelscope"), help="instead of trying both")

    bench = commands.add_parser("bench", help="measure this machine; prints JSON")
    bench.add_argument("what", nargs="?", choices=("path",), help="path: from the hotkey to the sound")
    bench.add_argument("--runs", type=int, default=10, metavar="N", help="path: how often to measure (default 10)")
    bench.add_argument("--random", choices=("0.6b", "1.7b"), help="Qwen3-TTS of this size with random weights")
    bench.add_argument("--kind", choices=("custom_voice", "voice_design"), default="custom_voice", help="its kind")
    bench.add_argument("--device", default="auto", help="cpu, cuda:0, mps; auto is the fastest there is")
    bench.add_argument("--dtype", default="int8,float32,bfloat16", help="number formats, with commas between")
    bench.add_argument("--frames", type=int, default=20, help="frames to measure (default 20)")
    bench.add_argument("--threads", type=int, default=0, help="processor threads; the fastest number by default")
    bench.add_argument("--quality", action="store_true", help="also how far each format strays from float32")
    bench.add_argument("--long", action="store_true", help="also a frame after 0, 500 and 2,000 others")
    return top


def main(arguments: Sequence[str]) -> int:
    """Run a command; the exit code. Expected errors become one sentence on standard error."""
    options = parser().parse_args(arguments)
    try:
        return _run(options)
    except KeyboardInterrupt:
        return exit_codes.INTERRUPTED
    except BrokenPipeError:  # the reader of our output, such as `head`, has what it wants
        sys.stderr.close()
        return exit_codes.OK
    except DesktopTTSError as error:
        print(error, file=sys.stderr)
        return exit_codes.FAILED


def _run(options: argparse.Namespace) -> int:
    match options.command:
        case None:
            from desktop_tts.commands import tray

            return tray.run(debug=options.debug)
        case "speak":
            from desktop_tts.commands import speak

            return speak.run(options)
        case "read-selection" | "read-clipboard":
            from desktop_tts.commands import speak

            return speak.read_desktop(options.command, options.voice)
        case "status":
            from desktop_tts.commands import info

            return info.status(as_json=options.json)
        case "voices":
            from desktop_tts.commands import info

            return info.voices(as_json=options.json)
        case "settings":
            from desktop_tts.commands import settings

            return settings.run(options)
        case "models":
            from desktop_tts.commands import models

            return models.run(options)
        case "doctor":
            from desktop_tts.commands import doctor

            return doctor.run(as_json=options.json)
        case "bench":
            from desktop_tts.commands import bench

            if not options.what and not options.random:
                print("Say what to measure: `bench path` or `bench --random 0.6b`.", file=sys.stderr)
                return exit_codes.USAGE
            return bench.run(options)
        case command:
            from desktop_tts.control.client import NotRunning, ask

            try:
                return quick.report(ask({"command": command}))
            except NotRunning:
                return quick.not_running()
