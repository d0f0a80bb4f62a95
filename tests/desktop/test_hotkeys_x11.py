"""Hotkeys on a real X server: other programs have the focus and must not see the key."""

import subprocess
import threading
import time

import pytest
from Xlib import display

from desktop_tts.desktop.hotkeys.x11 import X11Hotkeys
from desktop_tts.desktop.hotkeys.x11_keyboard import Keyboard
from support.display import wait_until

pytestmark = pytest.mark.desktop


@pytest.fixture
def hotkeys(x_display, monkeypatch):
    monkeypatch.setenv("DISPLAY", x_display.display)
    made = []

    def make(**keys):
        pressed = []
        backend = X11Hotkeys(pressed.append)
        backend.pressed = pressed
        backend.start()
        backend.problems = backend.set_hotkeys(keys)
        made.append(backend)
        return backend

    yield make
    for backend in made:
        backend.stop()


def test_a_key_is_told_and_the_focused_program_does_not_see_it(x_display, hotkeys):
    window = x_display.window_with_selection("some text")
    backend = hotkeys(read_selection="Meta+Alt+R", stop="Ctrl+Shift+F9")
    assert backend.problems == {}
    x_display.press("super+alt+r")
    x_display.press("ctrl+shift+F9")
    wait_until(lambda: backend.pressed == ["read_selection", "stop"])
    x_display.press("x")
    wait_until(lambda: "x" in window.received())
    assert not {"r", "R", "F9"} & set(window.received())


@pytest.mark.parametrize("locks", [["Caps_Lock"], ["Num_Lock"], ["Caps_Lock", "Num_Lock"]], ids="+".join)
def test_locks_do_not_matter(x_display, hotkeys, locks):
    backend = hotkeys(read="Meta+Alt+R")
    x_display.xdotool("key", *locks)
    x_display.press("super+alt+r")
    wait_until(lambda: backend.pressed == ["read"])


def test_another_layout_does_not_matter(x_display, hotkeys):
    subprocess.run(["setxkbmap", "us,ru"], env=x_display.env, check=True)
    backend = hotkeys(read="Meta+Alt+R")
    subprocess.run(["setxkbmap", "ru,us"], env=x_display.env, check=True)
    time.sleep(0.5)
    code = "27"  # the key with R on it
    x_display.xdotool("keydown", "Super_L", "keydown", "Alt_L", "key", code, "keyup", "Alt_L", "keyup", "Super_L")
    wait_until(lambda: backend.pressed == ["read"])


def test_the_second_layout_does_not_matter(x_display, hotkeys):
    x_display.use_layouts("us,ru", active=1)
    backend = hotkeys(read="Meta+Alt+R", stop="Ctrl+Alt+К")
    assert backend.problems == {}, "К is on the key with R"
    x_display.xdotool("keydown", "133", "keydown", "64", "key", "27", "keyup", "64", "keyup", "133")
    wait_until(lambda: backend.pressed == ["read"])
    x_display.xdotool("keydown", "37", "keydown", "64", "key", "27", "keyup", "64", "keyup", "37")
    wait_until(lambda: backend.pressed == ["read", "stop"])


def test_letters_of_other_keyboards_are_found(x_display):
    for layout, key, code in [("ru", "Ж", 47), ("gr", "Ρ", 27), ("cz", "Ř", 14), ("fr", "A", 24), ("de", "Ü", 34)]:
        subprocess.run(["setxkbmap", layout], env=x_display.env, check=True)
        x = display.Display(x_display.display)
        assert Keyboard(x).keycode(key) == code, layout
        x.close()


@pytest.mark.parametrize(
    "released", [["Super_L", "Alt_L", "r"], ["r", "Super_L", "Alt_L"], ["Alt_L", "r", "Super_L"]], ids="+".join
)
def test_keys_may_be_let_go_in_any_order(x_display, hotkeys, released):
    backend = hotkeys(read="Meta+Alt+R")
    for times in (1, 2):
        x_display.xdotool("keydown", "Alt_L", "keydown", "Super_L", "keydown", "r")
        x_display.xdotool(*(word for key in released for word in ("keyup", key)))
        wait_until(lambda times=times: backend.pressed == ["read"] * times)


def test_more_or_fewer_modifiers_are_other_keys(x_display, hotkeys):
    backend = hotkeys(read="Meta+Alt+R", stop="Meta+Alt+Shift+R")
    for keys in ("alt+r", "super+r", "ctrl+super+alt+r", "super+alt+shift+r"):
        x_display.press(keys)
    x_display.press("super+alt+r")
    wait_until(lambda: "read" in backend.pressed)
    assert backend.pressed == ["stop", "read"]


def test_a_mapping_that_changes_nothing_leaves_the_grabs_alone(x_display, hotkeys, monkeypatch):
    backend = hotkeys(read="Meta+Alt+R")
    again = []
    monkeypatch.setattr(backend, "_grab_all", again.append)
    subprocess.run(["setxkbmap", "us"], env=x_display.env, check=True)
    time.sleep(0.3)
    assert again == []


def test_a_press_that_fails_does_not_end_the_others(x_display, monkeypatch, caplog):
    monkeypatch.setenv("DISPLAY", x_display.display)
    pressed = []

    def on_pressed(name):
        pressed.append(name)
        raise RuntimeError("failed")

    backend = X11Hotkeys(on_pressed)
    backend.start()
    backend.set_hotkeys({"read": "Meta+Alt+R"})
    x_display.press("super+alt+r")
    x_display.press("super+alt+r")
    wait_until(lambda: pressed == ["read", "read"])
    assert "the hotkey read failed" in caplog.text
    backend.stop()


def test_a_key_that_moved_is_found_again(x_display, hotkeys):
    backend = hotkeys(read="Meta+Alt+R")
    subprocess.run(["setxkbmap", "us", "-variant", "dvorak"], env=x_display.env, check=True)
    time.sleep(0.5)
    where = "32"  # the key that had O on it
    x_display.xdotool("keydown", "Super_L", "keydown", "Alt_L", "key", where, "keyup", "Alt_L", "keyup", "Super_L")
    wait_until(lambda: backend.pressed == ["read"])


def test_a_held_key_is_one_press(x_display, hotkeys):
    backend = hotkeys(read="Meta+Alt+R")
    x_display.xdotool("keydown", "Super_L", "keydown", "Alt_L", "keydown", "r")
    time.sleep(1.2)
    x_display.xdotool("keyup", "r", "keyup", "Alt_L", "keyup", "Super_L")
    time.sleep(0.2)
    assert backend.pressed == ["read"]
    x_display.press("super+alt+r")
    wait_until(lambda: backend.pressed == ["read", "read"])


def test_quick_presses_all_count(x_display, hotkeys):
    backend = hotkeys(read="Meta+Alt+R")
    for _ in range(5):
        x_display.press("super+alt+r")
    wait_until(lambda: len(backend.pressed) == 5)


def test_a_conflict_is_told_and_the_others_work(x_display, hotkeys):
    first = hotkeys(read="Meta+Alt+R")
    second = hotkeys(read="Meta+Alt+R", stop="Meta+Alt+X", pause="Meta+Alt+X")
    assert second.problems["read"] == "Meta+Alt+R is taken by another program; choose another hotkey."
    assert "already" in second.problems["pause"]
    assert "stop" not in second.problems
    x_display.press("super+alt+x")
    wait_until(lambda: second.pressed == ["stop"])
    first.stop()
    assert second.set_hotkeys({"read": "Meta+Alt+R"}) == {}
    x_display.press("super+alt+r")
    wait_until(lambda: second.pressed == ["stop", "read"])


def test_suspended_hotkeys_reach_the_program(x_display, hotkeys):
    backend = hotkeys(read="Ctrl+Alt+R")
    window = x_display.window_with_selection("text")
    backend.suspend()
    x_display.press("ctrl+alt+r")
    wait_until(lambda: "r" in window.received())
    assert backend.pressed == []
    backend.resume()
    x_display.press("ctrl+alt+r")
    wait_until(lambda: backend.pressed == ["read"])


def test_a_wrong_hotkey_is_told_by_name(hotkeys):
    backend = hotkeys(read="R", stop="Hyper+X")
    assert set(backend.problems) == {"read", "stop"}


def test_an_x_server_that_goes_away_ends_the_thread_quietly(x_display, hotkeys):
    backend = hotkeys(read="Meta+Alt+R")
    x_display._server.terminate()
    backend._thread.join(5)
    assert not backend._thread.is_alive()
    assert "read" in backend.set_hotkeys({"read": "Meta+Alt+R"})


def test_no_display_is_one_sentence(monkeypatch):
    from desktop_tts.errors import HotkeyError

    monkeypatch.setenv("DISPLAY", ":9999")
    with pytest.raises(HotkeyError, match="X display"):
        X11Hotkeys(lambda name: None).start()


def test_it_waits_without_work(hotkeys):
    backend = hotkeys(read="Meta+Alt+R")
    before = time.process_time()
    time.sleep(1.0)
    assert time.process_time() - before < 0.1
    assert isinstance(backend._thread, threading.Thread)
