"""What is selected in real programs of several toolkits is read, and a program that hangs holds nobody up."""

import sys
import textwrap
import time

import pytest

from desktop_tts.desktop.selection import SelectedText, pick_reader
from desktop_tts.desktop.selection.fallback import CopiedTextReader
from desktop_tts.desktop.selection.x11 import X11SelectionReader
from desktop_tts.errors import SelectionError
from support.display import wait_until
from support.x_program import Program, data, text

pytestmark = pytest.mark.desktop

SCRIPTS = "Grüße, «Привет», 你好, שלום, नमस्ते 👩‍👩‍👧\n\tsecond line"

QT_WINDOW = textwrap.dedent("""
    import sys
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication, QTextEdit
    app = QApplication(["qt-window"])
    edit = QTextEdit()
    edit.setHtml(sys.argv[1])
    edit.show()
    edit.activateWindow()
    timer = QTimer(interval=20)
    timer.timeout.connect(lambda: edit.hasFocus() and (timer.stop(), print("ready", flush=True)))
    timer.start()
    app.exec()
""")


@pytest.fixture
def qt_window(x_display):
    def start(html):
        window = x_display.spawn(sys.executable, "-c", QT_WINDOW, html, stdout=-1)
        assert window.stdout.readline() == b"ready\n"
        x_display.xdotool("key", "ctrl+a")
        wait_until(lambda: x_display.selection("primary"), what="Qt's selection")
        return window

    return start


def test_tk(x_display, reader, took):
    x_display.window_with_selection(SCRIPTS)
    first, first_s = took(reader.read_selection)
    again, again_s = took(reader.read_selection)
    assert first == again == SelectedText(SCRIPTS, "primary")
    print(f"Tk: {first_s * 1000:.1f} ms, again {again_s * 1000:.1f} ms")


def test_qt(qt_window, reader, took):
    qt_window("<b>Grüße</b> aus Qt, «Привет» 👩‍👩‍👧")
    found, seconds = took(reader.read_selection)
    assert found == SelectedText("Grüße aus Qt, «Привет» 👩‍👩‍👧", "primary")
    print(f"Qt: {seconds * 1000:.1f} ms")


def test_xclip_says_no_time_and_is_read(x_display, reader, took):
    x_display.own("primary", SCRIPTS)
    found, seconds = took(reader.read_selection)
    assert found == SelectedText(SCRIPTS, "primary")
    print(f"xclip: {seconds * 1000:.1f} ms")


def test_a_terminal_is_selected_in_with_the_mouse(x_display, reader, tmp_path):
    _, window = x_display.terminal("alpha beta gamma", tmp_path / "log")
    x_display.xdotool("mousemove", "--window", window, "15", "10", "click", "--repeat", "2", "--delay", "60", "1")
    wait_until(lambda: x_display.selection("primary"), what="a selection in the terminal")
    assert reader.read_selection() == SelectedText("alpha", "primary")


def test_five_megabytes_from_tk_and_from_a_program_that_sends_in_parts(x_display, reader, took):
    big = "Größe zählt, auch auf vielen Zeilen.\n" * 130_000
    window = x_display.window_with_selection(big)
    found, seconds = took(reader.read_selection, 2.0)
    assert found.text == big
    print(f"5 MB from Tk: {seconds:.2f} s")
    window.close()
    Program(x_display, {"PRIMARY": text(big)})
    found, seconds = took(reader.read_selection)
    assert found.text == big
    print(f"5 MB in parts of 64 KiB: {seconds:.2f} s")


def test_every_way_to_write_text_is_understood(x_display, reader):
    for formats, expected in [
        ({"STRING": data("naïve café".encode("latin-1"))}, "naïve café"),
        ({"STRING": data("naïve café".encode())}, "naïve café"),
        ({"text/plain;charset=utf-8": data("Größe".encode())}, "Größe"),
        ({"text/plain": data(b"plain")}, "plain"),
        ({"UTF8_STRING": data(b"a\xffb\0")}, "a\N{REPLACEMENT CHARACTER}b"),
        ({"image/png": data(b"\x89PNG"), "UTF8_STRING": data(b"beside a picture")}, "beside a picture"),
    ]:
        Program(x_display, {"PRIMARY": formats})
        assert reader.read_selection().text == expected


def test_a_program_that_does_not_list_its_formats_is_read(x_display, reader):
    Program(x_display, {"PRIMARY": text("unlisted")}, hides_targets=True, hides_time=True)
    assert reader.read_selection().text == "unlisted"


def test_nothing_selected_is_one_sentence(x_display, reader):
    for owns in ({}, {"PRIMARY": text("  \n")}, {"PRIMARY": {"image/png": data(b"\x89PNG")}}):
        Program(x_display, owns)
        with pytest.raises(SelectionError, match=r"^Nothing is selected\. Select some text"):
            reader.read_selection()


def test_a_program_that_hangs_takes_no_more_than_a_second(x_display, reader, took):
    window = x_display.window_with_selection("frozen")
    x_display.freeze(window.process)
    problem, seconds = took(reader.read_selection)
    assert "doesn't answer" in str(problem)
    assert 0.9 < seconds < 1.3
    problem, seconds = took(reader.read_selection, 0.3)
    assert "doesn't answer" in str(problem)
    assert seconds < 0.6


def test_a_slow_program_is_waited_for(x_display, reader, took):
    Program(x_display, {"PRIMARY": text("at last")}, answers_after=0.2)
    found, seconds = took(reader.read_selection)
    assert found.text == "at last"
    print(f"three answers after 0.2 s each: {seconds:.2f} s")


def test_a_program_that_stops_in_the_middle_is_given_up(x_display, reader, took):
    Program(x_display, {"PRIMARY": text("x" * 1_000_000)}, stops_after=300_000)
    problem, seconds = took(reader.read_selection)
    assert "doesn't answer" in str(problem)
    assert seconds < 1.8


def test_a_late_answer_is_not_taken_for_the_next_one(x_display, reader):
    slow = Program(x_display, {"PRIMARY": text("old")}, answers_after=0.5)
    with pytest.raises(SelectionError):
        reader.read_selection(0.3)
    slow.close()
    Program(x_display, {"PRIMARY": text("new")}, answers_after=0.1)
    time.sleep(0.6)
    assert reader.read_selection().text == "new"


def test_what_is_too_big_is_one_sentence(x_display, reader, monkeypatch):
    monkeypatch.setattr("desktop_tts.desktop.selection.x11_transfer.LIMIT", 1 << 20)
    Program(x_display, {"PRIMARY": text("x" * (2 << 20))})
    with pytest.raises(SelectionError, match="too big"):
        reader.read_selection()


def test_an_x_server_that_goes_away_is_one_sentence(x_display, reader, took):
    x_display.own("primary", "text")
    assert reader.read_selection().text == "text"
    x_display._server.kill()
    x_display._server.wait()
    for _ in range(2):
        problem, seconds = took(reader.read_selection)
        assert "no X display" in str(problem)
        assert seconds < 1


def test_closed_it_can_be_used_again(x_display, reader):
    x_display.own("primary", "text")
    assert reader.read_selection().text == "text"
    reader.close()
    reader.close()
    assert reader.read_selection().text == "text"


def test_it_waits_without_work(x_display, reader):
    x_display.own("primary", "text")
    reader.read_selection()
    before = time.process_time()
    time.sleep(1.0)
    assert time.process_time() - before < 0.1


def test_the_reader_is_picked_by_the_session(monkeypatch):
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("DISPLAY", ":1")
    assert isinstance(pick_reader(lambda: True), X11SelectionReader)
    monkeypatch.delenv("DISPLAY")
    with pytest.raises(SelectionError, match="no X display"):
        pick_reader(lambda: True)
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert isinstance(pick_reader(lambda: True, lambda: ""), CopiedTextReader)


def test_without_a_route_to_the_selection_what_was_copied_is_read():
    reader = CopiedTextReader(lambda: "copied")
    assert reader.read_selection() == reader.read_clipboard() == SelectedText("copied", "clipboard")
    with pytest.raises(SelectionError, match="Copy the text, then press"):
        CopiedTextReader(lambda: " ").read_selection()
    with pytest.raises(SelectionError, match="no text in the clipboard"):
        CopiedTextReader(lambda: " ").read_clipboard()
