"""Which of two selections is read: that of the focused program, or one that was made elsewhere."""

import time

import pytest

from desktop_tts.desktop.selection import SelectedText
from desktop_tts.desktop.selection.x11_focus import NO_CTRL_C, focused, same_program
from desktop_tts.errors import SelectionError
from support.display import wait_until
from support.x_program import Program, text

pytestmark = pytest.mark.desktop

COPY = SelectedText("copied", "copy")
ELSEWHERE = SelectedText("elsewhere", "primary")


def a_window(x_display, **options):
    """A focused window with a selection that it doesn't offer as PRIMARY."""
    return Program(x_display, shows="copier", copies=text("copied"), **options)


def test_a_fresh_selection_elsewhere_is_read_once(x_display, reader):
    Program(x_display, {"PRIMARY": text("elsewhere")})
    window = a_window(x_display)
    assert reader.read_selection() == ELSEWHERE
    assert window.pressed() == []
    assert reader.read_selection() == COPY


def test_that_of_the_focused_program_is_read_again_and_again(x_display, reader):
    window = x_display.window_with_selection("mine")
    for _ in range(3):
        assert reader.read_selection() == SelectedText("mine", "primary")
    assert "c" not in window.received()


def test_a_new_selection_elsewhere_is_read(x_display, reader):
    first = Program(x_display, {"PRIMARY": text("elsewhere")})
    a_window(x_display)
    assert reader.read_selection() == ELSEWHERE
    assert reader.read_selection() == COPY
    Program(x_display, {"PRIMARY": text("another")})
    first.close()
    assert reader.read_selection() == SelectedText("another", "primary")
    assert reader.read_selection() == COPY


@pytest.mark.parametrize("say_nothing", [{}, {"hides_time": True}, {"hides_targets": True}])
def test_old_ones_are_told_from_new_ones_however_little_the_owner_says(x_display, reader, say_nothing):
    Program(x_display, {"PRIMARY": text("elsewhere")}, **say_nothing)
    a_window(x_display)
    assert [reader.read_selection() for _ in range(3)] == [ELSEWHERE, COPY, COPY]


def test_an_old_selection_elsewhere_comes_after_a_copy(x_display, reader, monkeypatch):
    monkeypatch.setattr("desktop_tts.desktop.selection.x11_session.FRESH_MS", 300)
    Program(x_display, {"PRIMARY": text("elsewhere")})
    a_window(x_display)
    time.sleep(0.5)
    assert reader.read_selection() == COPY


def test_an_old_selection_is_read_where_nothing_is_copied(x_display, reader, monkeypatch, took):
    monkeypatch.setattr("desktop_tts.desktop.selection.x11_session.FRESH_MS", 300)
    Program(x_display, {"PRIMARY": text("elsewhere")})
    window = Program(x_display, shows="empty")
    time.sleep(0.5)
    found, seconds = took(reader.read_selection)
    assert found == ELSEWHERE
    assert window.pressed() == [("Control_L", 0), ("c", 4)]
    assert seconds < 1.2
    print(f"nothing was copied: {seconds:.2f} s")


def test_where_copies_are_switched_off_no_key_is_pressed(x_display, reader, copying):
    copying.on = False
    Program(x_display, {"PRIMARY": text("elsewhere")})
    window = a_window(x_display)
    assert [reader.read_selection() for _ in range(2)] == [ELSEWHERE, ELSEWHERE]
    assert window.pressed() == []


def test_an_owner_that_hangs_elsewhere_does_not_prevent_a_copy(x_display, reader, took):
    elsewhere = Program(x_display, {"PRIMARY": text("elsewhere")})
    x_display.freeze(elsewhere.process)
    a_window(x_display)
    found, seconds = took(reader.read_selection)
    assert found == COPY
    assert seconds < 1.2


def test_a_second_connection_of_the_focused_program_is_that_program(x_display, monkeypatch):
    from desktop_tts.desktop.selection.x11_connection import Connection

    monkeypatch.setenv("DISPLAY", x_display.display)
    window = a_window(x_display)
    x, same_process = Connection(), Connection()
    focus = focused(x)
    assert focus.classes == ("copier", "copier")
    assert focus.window == window.window
    assert same_program(x, window.window, focus)
    assert not same_program(x, x.window.id, focus)
    x.window.map()
    x.display.sync()
    x.window.set_input_focus(0, 0)
    assert same_program(x, same_process.window.id, focused(x))
    x.close()
    same_process.close()


def test_terminals_never_get_ctrl_c(x_display, reader):
    x_display.own("clipboard", "precious")
    for name in ("xterm", "gnome-terminal-server", "konsole", "kitty", "Alacritty", "jetbrains-idea"):
        assert name.lower() in NO_CTRL_C
        window = Program(x_display, shows=name, copies=text("copied"))
        with pytest.raises(SelectionError, match="Nothing is selected"):
            reader.read_selection()
        assert window.pressed() == []
        window.close()
    assert x_display.selection("clipboard") == "precious"


def test_a_real_terminal_is_not_interrupted(x_display, reader, tmp_path):
    log = tmp_path / "log"
    Program(x_display, {"PRIMARY": text("elsewhere")})
    x_display.terminal("alpha", log)
    assert [reader.read_selection() for _ in range(3)] == [ELSEWHERE] * 3
    x_display.xdotool("type", "x\n")
    wait_until(log.exists, what="the typed line")
    assert log.read_text().split() == ["x"]
