"""How hotkeys are written, and what pynput calls them."""

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
        ("Ctrl+ß", {"Ctrl"}, "SS"[:0] or "ß".upper()),
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


def test_the_default_hotkeys_are_hotkeys_and_all_different():
    defaults = Settings().hotkeys
    found = [Hotkey.parse(getattr(defaults, name)) for name in Hotkeys.__dataclass_fields__]
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


def test_pynput_reports_conflicts_of_our_own(monkeypatch):
    started = []

    class Listener:
        def __init__(self, keys):
            started.append(keys)

        def start(self):
            pass

        def stop(self):
            pass

    import sys
    import types

    fake = types.ModuleType("pynput.keyboard")
    fake.GlobalHotKeys = Listener
    monkeypatch.setitem(sys.modules, "pynput", types.ModuleType("pynput"))
    monkeypatch.setitem(sys.modules, "pynput.keyboard", fake)
    pressed = []
    backend = PynputHotkeys(pressed.append, mac=False)
    backend.start()
    problems = backend.set_hotkeys({"read": "Ctrl+Alt+R", "stop": "Ctrl+Alt+R", "pause": "nothing"})
    assert set(problems) == {"stop", "pause"}
    started[-1]["<ctrl>+<alt>+r"]()
    assert pressed == ["read"]


def test_wayland_says_what_to_do(monkeypatch):
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    with pytest.raises(HotkeyError, match="desktop-tts read-selection"):
        pick_backend(lambda name: None)
