"""How hotkeys are written, and what pynput calls them."""

import sys
import types
from typing import ClassVar

import pytest

from desktop_tts.desktop.hotkeys import pick_backend
from desktop_tts.desktop.hotkeys.base import Hotkey
from desktop_tts.desktop.hotkeys.pynput_backend import PynputHotkeys, pynput_name
from desktop_tts.errors import HotkeyError
from desktop_tts.settings import Hotkeys, Settings


@pytest.mark.parametrize(
    ("text", "modifiers", "key"),
    [
        ("Meta+Alt+R", {"Meta", "Alt"}, "R"),
        ("ctrl+shift+f9", {"Ctrl", "Shift"}, "F9"),
        ("Ctrl+Alt+Space", {"Ctrl", "Alt"}, "Space"),
        ("Ctrl++", {"Ctrl"}, "+"),
        ("F12", set(), "F12"),
        ("Pause", set(), "Pause"),
        ("Media Play", set(), "Media Play"),
        ("alt+META+к", {"Meta", "Alt"}, "К"),
    ],
)
def test_hotkeys_are_understood(text, modifiers, key):
    found = Hotkey.parse(text)
    assert found.modifiers == modifiers
    assert found.key == key


@pytest.mark.parametrize(
    "text", ["", "R", "Shift+R", "Hyper+R", "Ctrl+", "Ctrl+Nonsense", "Ctrl+Alt", "+", "Ctrl+R+T", "Space"]
)
def test_what_is_no_hotkey_is_refused_with_a_sentence(text):
    with pytest.raises(HotkeyError) as caught:
        Hotkey.parse(text)
    assert str(caught.value).endswith(".")


def test_the_order_of_the_modifiers_does_not_matter():
    assert Hotkey.parse("Alt+Shift+Meta+R") == Hotkey.parse("Meta+Alt+Shift+r")
    assert str(Hotkey.parse("shift+alt+ctrl+meta+pgup")) == "Meta+Ctrl+Alt+Shift+PgUp"


def test_the_default_hotkeys_are_hotkeys_and_all_different():
    defaults = Settings().hotkeys
    written = [getattr(defaults, name) for name in Hotkeys.__dataclass_fields__ if name != "read_in_second_voice"]
    found = [Hotkey.parse(text) for text in written]
    assert defaults.read_in_second_voice == ""  # until a second voice is chosen
    assert len(set(found)) == len(found)


@pytest.mark.parametrize(
    ("text", "mac", "name"),
    [
        ("Ctrl+Alt+Shift+R", False, "<ctrl>+<alt>+<shift>+r"),
        ("Meta+F9", False, "<cmd>+<f9>"),
        ("Ctrl+R", True, "<cmd>+r"),
        ("Meta+PgUp", True, "<ctrl>+<page_up>"),
    ],
)
def test_pynput_names(text, mac, name):
    assert pynput_name(Hotkey.parse(text), mac=mac) == name


class Listener:
    """As much of pynput as is used."""

    made: ClassVar = []

    def __init__(self, keys):
        self.keys, self.running = keys, False
        self.made.append(self)

    def start(self):
        self.running = True

    def stop(self):
        self.running = False


class HotKey:
    @staticmethod
    def parse(key):
        if "media_stop" in key:
            raise ValueError(key)


@pytest.fixture
def pynput(monkeypatch):
    keyboard = types.ModuleType("pynput.keyboard")
    keyboard.GlobalHotKeys, keyboard.HotKey = Listener, HotKey
    monkeypatch.setattr(Listener, "made", [])
    monkeypatch.setitem(sys.modules, "pynput", types.ModuleType("pynput"))
    monkeypatch.setitem(sys.modules, "pynput.keyboard", keyboard)
    pressed = []
    backend = PynputHotkeys(pressed.append, mac=False)
    backend.pressed = pressed
    backend.start()
    return backend


def test_pynput_reports_each_problem_by_name_and_the_others_work(pynput):
    hotkeys = {"read": "Ctrl+Alt+R", "pause_reading": "Alt+Ctrl+R", "stop": "nothing", "next": "Media Stop"}
    problems = pynput.set_hotkeys(hotkeys)
    assert problems["pause_reading"] == "Ctrl+Alt+R is the hotkey of read already; choose another."
    assert problems["next"] == "This system has no key Media Stop; choose another hotkey."
    assert set(problems) == {"pause_reading", "stop", "next"}
    Listener.made[-1].keys["<ctrl>+<alt>+r"]()
    assert pynput.pressed == ["read"]


def test_pynput_listens_only_while_it_should(pynput):
    pynput.set_hotkeys({"read": "Ctrl+Alt+R"})
    first = Listener.made[-1]
    assert first.running
    pynput.suspend()
    assert not first.running
    pynput.resume()
    second = Listener.made[-1]
    assert second.running
    pynput.set_hotkeys({})
    assert not second.running
    assert len(Listener.made) == 2
    pynput.stop()


def test_wayland_says_what_to_do(monkeypatch):
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    with pytest.raises(HotkeyError, match="desktop-tts read-selection"):
        pick_backend(lambda name: None)
