"""The tray app: the one place where objects are made and joined. It decides nothing about speech, windows or sound.

Order at start: Qt → settings → reader and its threads → windows → control socket (one app per user) → tray → hotkeys
→ the voice is warmed up.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from desktop_tts import logs
from desktop_tts.audio.devices import output_devices
from desktop_tts.audio.player import Player, PlayerEvent
from desktop_tts.control.server import Client, ControlServer
from desktop_tts.desktop import autostart
from desktop_tts.desktop.hotkeys import HotkeyBackend, pick_backend
from desktop_tts.desktop.selection import SelectedText, SelectionReader, pick_reader
from desktop_tts.engines.base import LoadProgress
from desktop_tts.engines.catalog import Catalog, all_engines
from desktop_tts.engines.qwen import QwenEngine
from desktop_tts.errors import DesktopTTSError, NotInstalled, SelectionError
from desktop_tts.exit_codes import FAILED, NOTHING_TO_READ
from desktop_tts.narrate import Manner, in_voice
from desktop_tts.qt_main_thread import SignalWatch, on_main_thread
from desktop_tts.reader import Reader
from desktop_tts.remote import RemoteControl
from desktop_tts.settings import Settings, SettingsStore
from desktop_tts.speech import Voice
from desktop_tts.text import TextOptions, prepare, prepare_stream
from desktop_tts.ui.actions import Actions
from desktop_tts.ui.control_window import ControlWindow
from desktop_tts.ui.settings_window import SettingsWindow
from desktop_tts.ui.tray import TrayIcon
from desktop_tts.ui.voice_actions import VoiceActions
from desktop_tts.voices.engine import MyVoices
from desktop_tts.voices.instructs import InstructPresets
from desktop_tts.voices.making import VoiceMaker
from desktop_tts.voices.store import VoiceStore

log = logging.getLogger(__name__)

ALREADY_RUNNING = -1
PREVIEW = "This is how I sound. I can read anything you select, in any program."


def run(*, debug: bool = False) -> int:
    """Start the app and stay until it is quit; the exit code."""
    logs.set_up(debug=debug)
    qt = QApplication([sys.argv[0]])
    qt.setApplicationName("desktop-tts")
    qt.setApplicationDisplayName("Desktop TTS")
    qt.setDesktopFileName("desktop-tts")
    qt.setQuitOnLastWindowClosed(False)
    app = App()
    if not app.start():
        app.shut_down()
        return ALREADY_RUNNING
    stop_signals = SignalWatch(qt.quit)
    try:
        return qt.exec()
    finally:
        stop_signals.close()
        app.shut_down()


Look = tuple[SelectedText, Manner | None]
"""What was found, and how to read it if not as usual."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A wish to read what is selected or copied."""

    what: str
    at: float
    """``time.perf_counter()`` of the key or command."""
    number: int
    client: Client | None = None


class App(QObject):
    """Holds every long-lived object. Lives on the main thread."""

    _key = Signal(str, float)
    """From the hotkey thread: name and ``time.perf_counter()``."""
    _loading = Signal(object)
    """From the worker: LoadProgress of a model."""
    _found = Signal(object, object)
    """From the selection thread: Wanted, and SelectedText or an error."""

    def __init__(self) -> None:
        super().__init__()
        self.settings = SettingsStore()
        engines = all_engines(lambda: self.settings.current, self._loading.emit)
        self.qwen = next(engine for engine in engines if isinstance(engine, QwenEngine))
        self.voice_store = VoiceStore()
        self.voice_maker = VoiceMaker(self.voice_store, self.qwen)
        self.my_voices = MyVoices(self.voice_store, engines)
        self.catalog = Catalog((*engines, self.my_voices))
        self.reader = Reader(self.catalog, self._make_player, self._prepare, self._prepare_stream, self._manner)
        self._threads = ThreadPoolExecutor(1, "selection")
        self._selection: SelectionReader | None = None
        self._wanted = 0
        self.hotkeys: HotkeyBackend | None = None
        self.hotkey_problems: dict[str, str] = {}
        self.actions = Actions(
            read_selection=lambda: self._want("selection"),
            read_clipboard=lambda: self._want("clipboard"),
            stop=self.stop,
            quit=QApplication.quit,
            open_settings=self.open_settings,
            open_window=self.open_window,
            voices=self.voices,
            output_devices=lambda: tuple(device.name for device in output_devices()),
            hotkey_problems=lambda: dict(self.hotkey_problems),
            suspend_hotkeys=lambda: self.hotkeys.suspend() if self.hotkeys else None,
            resume_hotkeys=lambda: self.hotkeys.resume() if self.hotkeys else None,
            preview=self.preview,
            mine=VoiceActions(
                store=self.voice_store,
                presets=InstructPresets(),
                reader=self.reader,
                listen=self.listen,
                instruct_obstacle=self.my_voices.instruct_obstacle,
                maker=self.voice_maker,
                qwen=self.qwen,
                unload_models=lambda: self.reader.reload(self.qwen),
            ),
        )
        self.tray = TrayIcon(self.reader, self.settings, self.actions)
        self.window = ControlWindow(self.reader, self.settings, self.actions)
        self._settings_window: SettingsWindow | None = None
        self.server = ControlServer(
            RemoteControl(self.reader, self.catalog, self.settings, self.actions, self._want, self.problems), self
        )
        self._key.connect(self._on_key, Qt.ConnectionType.QueuedConnection)
        self._found.connect(self._on_found, Qt.ConnectionType.QueuedConnection)
        self._loading.connect(self._on_loading, Qt.ConnectionType.QueuedConnection)
        self.reader.notice.connect(self.tray.notify)
        self.tray.noticed.connect(self.window.show_notice)
        self.tray.no_host.connect(self.window.stand_in_for_tray)
        self.tray.host_came.connect(self.window.tray_came)
        self.settings.on_change(self._apply)
        self._applied = self.settings.current

    def start(self) -> bool:
        """False when another instance has the control socket."""
        if not self.server.listen():
            return False
        self.tray.start()
        try:
            self.hotkeys = pick_backend(self._hotkey_pressed)
            self.hotkeys.start()
            self._set_hotkeys()
        except DesktopTTSError as error:
            self.hotkey_problems = {"": str(error)}
        for problem in self.problems():
            self.tray.notify(problem)
        self.reader.warm_up(self.catalog.engines[0])
        self._warm_up_chosen()
        log.info("ready")
        return True

    def shut_down(self) -> None:
        if self.hotkeys:
            self.hotkeys.stop()
        self.server.close()
        self.actions.mine.jobs.close()
        self.reader.shut_down()
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self._selection:
            self._selection.close()

    # ------------------------------------------------------------ what the parts ask for

    def _make_player(self, on_event: Callable[[PlayerEvent], None]) -> Player:
        now = self.settings.current
        return Player(now.audio.device, speed=now.reading.speed, volume=now.reading.volume, on_event=on_event)

    def _options(self) -> TextOptions:
        reading = self.settings.current.reading
        return TextOptions(emoji=reading.emoji, code=reading.code)

    def _prepare(self, text: str) -> Any:
        return prepare(text, self._options())

    def _prepare_stream(self, pieces: Any) -> Any:
        return prepare_stream(iter(pieces), self._options())

    def _on_loading(self, progress: LoadProgress) -> None:
        self.reader.show_progress("" if progress.fraction == 1.0 else progress.message)
        if progress.warning:
            self.tray.notify(progress.warning)

    def _manner(self) -> Manner:
        return Manner.from_settings(self.settings.current)

    def _manner_in(self, voice: str) -> Manner:
        """The voice of this id or name for all that it speaks. Raises NotInstalled. Any thread, for it may list the
        voices."""
        return Manner.from_settings(in_voice(self.settings.current, self.catalog.voice(voice)))

    def _second_manner(self) -> Manner | None:
        voice = self.settings.current.voices.second
        try:
            return self._manner_in(voice) if voice else None
        except NotInstalled:  # the reading tells it, and goes on
            return replace(self._manner(), voice=voice)

    def problems(self) -> tuple[str, ...]:
        """What the user should know about, as sentences."""
        return (*self.settings.problems, *self.hotkey_problems.values())

    def stop(self) -> None:
        """Stop reading, and what is still being looked for."""
        self._wanted += 1
        self.reader.stop()

    def voices(self) -> tuple[Voice, ...]:
        return self.catalog.voices()

    # ------------------------------------------------------------ keys and selections

    def _hotkey_pressed(self, name: str) -> None:
        self._key.emit(name, time.perf_counter())

    def _on_key(self, name: str, at: float) -> None:
        match name:
            case "read_selection":
                self._want("selection", at)
            case "read_in_second_voice":
                self._want("selection", at, manner=self._second_manner)
            case "read_clipboard":
                self._want("clipboard", at)
            case "pause":
                self.reader.toggle()
            case "stop":
                self.stop()

    def _want(
        self,
        what: str,
        at: float | None = None,
        client: Client | None = None,
        voice: str = "",
        *,
        manner: Callable[[], Manner | None] = lambda: None,
    ) -> None:
        """Read the selection or clipboard in its own thread: the program that owns it may be slow or hang. ``manner``
        is called there; a ``voice`` is one to read in."""
        self._wanted += 1
        wanted = Wanted(what, at or time.perf_counter(), self._wanted, client)
        job = self._threads.submit(self._look, what, (lambda: self._manner_in(voice)) if voice else manner)
        job.add_done_callback(lambda done: self._found.emit(wanted, _outcome(done)))

    def _look(self, what: str, manner: Callable[[], Manner | None]) -> Look:
        if self._selection is None:
            self._selection = pick_reader(lambda: self.settings.current.reading.simulate_copy, self._qt_clipboard)
        found = self._selection.read_selection() if what == "selection" else self._selection.read_clipboard()
        return found, manner()

    def _qt_clipboard(self) -> str:
        """The clipboard through Qt, for systems where it needs no waiting; asked on the main thread."""
        return on_main_thread(lambda: QGuiApplication.clipboard().text())

    def _on_found(self, wanted: Wanted, found: Look | DesktopTTSError) -> None:
        if wanted.number != self._wanted:  # the user pressed again, or stop, meanwhile
            if wanted.client:
                wanted.client.answer({"ok": True})
            return
        if isinstance(found, DesktopTTSError):
            if wanted.client:
                code = NOTHING_TO_READ if isinstance(found, SelectionError) else FAILED
                wanted.client.answer({"ok": False, "error": str(found), "code": code})
            else:
                self.tray.notify(str(found))
            return
        append = self.settings.current.reading.when_busy == "append"
        selected, manner = found
        self.reader.read(selected.text, wanted.what, append=append, requested=wanted.at, manner=manner)
        if wanted.client:
            wanted.client.answer({"ok": True})

    # ------------------------------------------------------------ settings

    def _warm_up_chosen(self) -> None:
        """Load the model of the voice that reads, if it has one, so that it starts at once."""
        chosen = self.settings.current.voices.default
        for engine in (self.qwen, self.my_voices):
            if engine.id == chosen.partition(":")[0]:
                self.reader.warm_up(engine, chosen)

    def _apply(self, now: Settings) -> None:
        before, self._applied = self._applied, now
        if now.reading.speed != before.reading.speed:
            self.reader.set_speed(now.reading.speed)
        if now.reading.volume != before.reading.volume:
            self.reader.player.set_volume(now.reading.volume)
        if now.audio.device != before.audio.device:
            self.reader.player.set_device(now.audio.device)
        if now.hotkeys != before.hotkeys:
            self._set_hotkeys()
        if now.models != before.models:
            self.reader.reload(self.qwen)
        if now.voices.default != before.voices.default:
            self._warm_up_chosen()
        if now.general.autostart != before.general.autostart:
            try:
                autostart.set_enabled(now.general.autostart, autostart_command())
            except OSError as error:
                self.tray.notify(f"Autostart can't be changed: {error.strerror}.")

    def _set_hotkeys(self) -> None:
        if self.hotkeys is None:
            return
        keys = self.settings.current.hotkeys
        self.hotkey_problems = self.hotkeys.set_hotkeys({name: key for name, key in asdict(keys).items() if key})

    def open_settings(self, page: str = "") -> None:
        if self._settings_window is None:
            self._settings_window = SettingsWindow(self.settings, self.actions)
        self._settings_window.open_page(page)
        present(self._settings_window)

    def open_window(self) -> None:
        present(self.window)

    def preview(self, voice: str) -> None:
        self.listen(voice)

    def listen(self, voice_id: str, sentence: str = "", instruct: str = "", language: str = "") -> None:
        """Speak a sentence with a voice, which may be one that is still being made, instead of what is being read."""
        manner = replace(self._manner(), voice=voice_id, by_language=(), instruct=instruct, language=language)
        self.reader.read(sentence or PREVIEW, "command", manner=manner)


def _outcome(done: Future[Look]) -> Look | DesktopTTSError:
    error = done.exception()
    if error is None:
        return done.result()
    if isinstance(error, DesktopTTSError):
        return error
    log.error("reading the selection failed with an unexpected %s", type(error).__name__)
    return SelectionError("The selected text can't be had.", "Copy it and press the clipboard hotkey instead.")


def present(window: Any) -> None:
    """Show a window in front."""
    window.show()
    window.raise_()
    window.activateWindow()


def autostart_command() -> list[str]:
    return [sys.executable, "-m", "desktop_tts"]
