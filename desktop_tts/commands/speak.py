"""``desktop-tts speak``, and reading the selection or clipboard when no app is running.

With a running app the text is handed over; without one this process speaks by itself, also with no display.
"""

from __future__ import annotations

import argparse
import codecs
import itertools
import os
import sys
import threading
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop_tts import settings as tree
from desktop_tts.commands.quick import report
from desktop_tts.control.client import Connection, NotRunning, ask
from desktop_tts.errors import NoAudioDevice, Unsupported
from desktop_tts.exit_codes import FAILED, NO_AUDIO, NO_VOICE, NOTHING_TO_READ, OK

if TYPE_CHECKING:
    from desktop_tts.narrate import Spoken
    from desktop_tts.settings import Settings
    from desktop_tts.speech import Utterance

NOTHING = "There is nothing to read in this text."


def run(options: argparse.Namespace) -> int:
    settings = _settings(options)
    if options.instruct:
        options.instruct = _instruct(options.instruct, settings)
    if options.output:
        return _to_file(options, settings)
    if not options.here:
        try:
            return _by_app(options)
        except NotRunning:
            pass
    return _aloud(_utterances(_pieces(options.text), settings), settings, options)


def read_desktop(command: str, voice: str | None) -> int:
    """Read the selection or the clipboard, in this process if no app is running."""
    from desktop_tts.desktop.selection import pick_reader
    from desktop_tts.errors import SelectionError

    try:
        return report(ask({"command": command} | ({"voice": voice} if voice else {})))
    except NotRunning:
        pass
    settings = tree.load().settings
    if voice:
        settings = _in_voice(settings, voice)
    reader = pick_reader(lambda: settings.reading.simulate_copy, None)
    try:
        found = reader.read_selection() if command == "read-selection" else reader.read_clipboard()
    except SelectionError as error:
        print(error, file=sys.stderr)
        return NOTHING_TO_READ
    return _aloud(_utterances([found.text], settings), settings)


def _settings(options: argparse.Namespace) -> Settings:
    """The user's settings with what this command says instead. Raises SettingsError or NotInstalled."""
    settings = tree.load().settings
    if options.speed is not None:
        settings = tree.with_value(settings, "reading.speed", options.speed)
    if options.voice:
        settings = _in_voice(settings, options.voice)
        options.voice = settings.voices.default
    return settings


def _in_voice(settings: Settings, wanted: str) -> Settings:
    """``settings`` that read in the voice of this id or name. Raises NotInstalled."""
    from desktop_tts.engines.catalog import Catalog
    from desktop_tts.narrate import in_voice
    from desktop_tts.voices.engine import every_engine

    return in_voice(settings, Catalog(every_engine(lambda: settings)).voice(wanted))


def _instruct(words: str, settings: Settings) -> str:
    """A preset's text if ``words`` are its name. Says so when the voice doesn't follow it."""
    from desktop_tts.voices.engine import MyVoices, every_engine
    from desktop_tts.voices.instructs import InstructPresets

    mine = next(engine for engine in every_engine(lambda: settings) if isinstance(engine, MyVoices))
    if obstacle := mine.instruct_obstacle(settings.voices.default):
        print(obstacle, file=sys.stderr)
    named = {preset.name.casefold(): preset.text for preset in InstructPresets().list()}
    return named.get(words.strip().casefold(), words)


# ---------------------------------------------------------------- the text


def _pieces(text: str) -> Iterable[str]:
    return _stdin() if text == "-" else [text]


def _stdin() -> Iterator[str]:
    """Standard input as it comes, not line by line; wrong bytes become spaces, nothing else is lost."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    while data := os.read(sys.stdin.fileno(), 65536):
        if text := decoder.decode(data):
            yield text
    if text := decoder.decode(b"", final=True):
        yield text


def _utterances(pieces: Iterable[str], settings: Settings) -> Iterator[Utterance]:
    from desktop_tts.text import TextOptions, prepare, prepare_stream

    options = TextOptions(emoji=settings.reading.emoji, code=settings.reading.code)
    return prepare(pieces[0], options) if isinstance(pieces, list) else prepare_stream(iter(pieces), options)


# ---------------------------------------------------------------- the ways


def _by_app(options: argparse.Namespace) -> int:
    """Hand the text to the running app. Raises NotRunning."""
    with Connection() as app:
        request: dict[str, Any] = {"command": "speak", "wait": options.wait, "append": options.append}
        keys = ("voice", "language", "speed", "seed", "instruct")
        request |= {key: getattr(options, key) for key in keys if getattr(options, key)}
        answers = app.answers()
        if options.text != "-":
            app.send(request | {"text": options.text})
        else:
            app.send(request | {"stream": True})
        if code := report(next(answers, {})):
            return code
        if options.text == "-":
            app.wait_forever()
            for piece in _stdin():
                app.send({"text": piece})
            app.send({"end": True})
        if options.wait or options.text == "-":
            app.wait_forever()
            return report(next(answers, {"error": "The app ended before the text was read.", "code": FAILED}))
    return OK


def _spoken(
    utterances: Iterator[Utterance], settings: Settings, options: argparse.Namespace | None, cancel: threading.Event
) -> Iterator[Spoken]:
    from desktop_tts.engines.catalog import Catalog
    from desktop_tts.narrate import Manner, Script, narrate
    from desktop_tts.voices.engine import every_engine

    manner = Manner.from_settings(settings)
    if options:
        manner = replace(manner, seed=options.seed, language=options.language or "", instruct=options.instruct or "")

    def tell(sentence: str) -> None:
        if sentence:
            print(sentence, file=sys.stderr)

    engines = every_engine(lambda: settings, lambda progress: tell(progress.warning))
    return narrate(Script(utterances), Catalog(engines), lambda: manner, cancel, tell)


def _to_file(options: argparse.Namespace, settings: Settings) -> int:
    from desktop_tts.audio.files import write_audio
    from desktop_tts.speech import AudioChunk

    utterances = _utterances(_pieces(options.text), settings)
    first = next(utterances, None)
    if first is None:
        print(NOTHING, file=sys.stderr)
        return NOTHING_TO_READ
    spoken = _spoken(itertools.chain([first], utterances), settings, options, threading.Event())
    chunks = (AudioChunk(piece.pcm, piece.sample_rate) for piece in spoken)
    try:
        write_audio(Path(options.output), chunks, speed=settings.reading.speed)
    except Unsupported as error:
        print(error, file=sys.stderr)
        return NO_VOICE
    return OK


def _aloud(utterances: Iterator[Utterance], settings: Settings, options: argparse.Namespace | None = None) -> int:
    from desktop_tts.audio.player import Player, PlayerEvent, PlayerEventKind

    first = next(utterances, None)
    if first is None:
        print(NOTHING, file=sys.stderr)
        return NOTHING_TO_READ
    cancel = threading.Event()
    silent: list[str] = []

    def on_event(event: PlayerEvent) -> None:
        if event.message:
            print(event.message, file=sys.stderr)
        if event.kind is PlayerEventKind.NO_DEVICE:
            silent.append(event.message)
            cancel.set()

    player = Player(
        settings.audio.device, speed=settings.reading.speed, volume=settings.reading.volume, on_event=on_event
    )
    try:
        for piece in _spoken(itertools.chain([first], utterances), settings, options, cancel):
            if not player.write(piece.pcm, piece.sample_rate, piece, cancel):
                break
        player.finish()
        while not cancel.is_set() and not player.wait_drained(0.25):
            pass
    except Unsupported as error:
        print(error, file=sys.stderr)
        return NO_VOICE
    except NoAudioDevice as error:
        print(error, file=sys.stderr)
        return NO_AUDIO
    finally:
        player.clear()
        player.close()
    return NO_AUDIO if silent else OK
