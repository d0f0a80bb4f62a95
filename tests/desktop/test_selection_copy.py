"""A program is made to copy, and the clipboard is afterwards what it was, to the byte and whatever goes wrong."""

import contextlib
import os
import random
import subprocess
import sys
import textwrap
import time

import psutil
import pytest

from desktop_tts.desktop.selection import SelectedText
from desktop_tts.errors import SelectionError
from support.display import wait_until
from support.x_program import Program, data, text

pytestmark = pytest.mark.desktop

COPY = SelectedText("copied", "copy")
ABOUT = {"TARGETS", "MULTIPLE", "TIMESTAMP", "SAVE_TARGETS", "DELETE"}

QT_CLIPBOARD = textwrap.dedent("""
    from PySide6.QtCore import QMimeData
    from PySide6.QtGui import QColor, QGuiApplication, QImage
    app = QGuiApplication(["qt-clipboard"])
    mime = QMimeData()
    mime.setText("precious text")
    mime.setHtml("<b>precious</b> text")
    image = QImage(64, 64, QImage.Format.Format_RGB32)
    image.fill(QColor("teal"))
    mime.setImageData(image)
    mime.setData("application/x-private", bytes(range(256)) * 300)
    app.clipboard().setMimeData(mime)
    print("ready", flush=True)
    app.exec()
""")


def fetched(x_display, target):
    """One format of the clipboard as another program gets it."""
    command = ["timeout", "5", "xclip", "-selection", "clipboard", "-o", "-t", target]
    return subprocess.run(command, env=x_display.env, capture_output=True).stdout


def formats(x_display):
    names = fetched(x_display, "TARGETS").decode().split()
    return {name: fetched(x_display, name) for name in names if name not in ABOUT}


def copier(x_display, **options):
    return Program(x_display, shows="copier", **({"copies": text("copied")} | options))


@pytest.fixture
def briefly(monkeypatch):
    """A copy is waited and then watched for a shorter while."""
    monkeypatch.setattr("desktop_tts.desktop.selection.x11_copy.COPY_S", 0.15)
    monkeypatch.setattr("desktop_tts.desktop.selection.x11_copy.LATE_S", 0.8)


# ---------------------------------------------------------------- put back


def test_every_format_of_a_rich_clipboard_is_put_back(x_display, reader, took):
    qt = x_display.spawn(sys.executable, "-c", QT_CLIPBOARD, stdout=-1)
    assert qt.stdout.readline() == b"ready\n"
    before = formats(x_display)
    assert {"text/html", "image/png", "application/x-private", "UTF8_STRING"} <= set(before)
    assert len(before["application/x-private"]) == 76_800
    copier(x_display)
    found, seconds = took(reader.read_selection)
    assert found == COPY
    assert formats(x_display) == before
    print(f"{len(before)} formats saved, a copy made and put back: {seconds * 1000:.0f} ms")
    qt.kill()
    assert reader.read_selection() == COPY
    assert formats(x_display) == before, "they come from us now"


def test_big_formats_travel_in_parts_both_ways(x_display, reader, took):
    big = random.Random(1).randbytes(8 << 20)
    owner = Program(x_display, {"CLIPBOARD": {"image/png": data(big), "small": data(b"s")}})
    copier(x_display)
    found, seconds = took(reader.read_selection)
    assert found == COPY
    owner.close()
    readers = [
        subprocess.Popen(
            ["xclip", "-selection", "clipboard", "-o", "-t", "image/png"], env=x_display.env, stdout=subprocess.PIPE
        )
        for _ in range(3)
    ]
    assert [process.communicate(timeout=20)[0] == big for process in readers] == [True] * 3
    print(f"8 MiB saved: {seconds:.2f} s")


def test_types_and_item_sizes_are_kept(x_display, reader):
    words = data(bytes(range(64)), "INTEGER", 32)
    shorts = data(bytes(range(10)), "application/x-short", 16)
    owner = Program(x_display, {"CLIPBOARD": {"words": words, "shorts": shorts, "empty": data(b"")}})
    copier(x_display)
    assert reader.read_selection() == COPY
    owner.close()
    x = Asker(x_display)
    assert x.ask("words") == ("INTEGER", 32, bytes(range(64)))
    assert x.ask("shorts") == ("application/x-short", 16, bytes(range(10)))
    assert x.ask("empty") == ("empty", 8, b"")
    assert x.ask("missing") is None
    assert x.ask("TIMESTAMP")[:2] == ("INTEGER", 32)
    assert x.ask_several("words", "missing", "shorts") == [bytes(range(64)), None, bytes(range(10))]


def test_an_empty_clipboard_is_empty_again(x_display, reader):
    copier(x_display)
    assert reader.read_selection() == COPY
    assert fetched(x_display, "TARGETS") == b""


def test_targets_with_side_effects_are_not_asked_for(x_display, reader):
    owner = Program(x_display, {"CLIPBOARD": text("precious")})
    copier(x_display)
    assert reader.read_selection() == COPY
    assert {line.split()[1] for line in owner.log()} == {"TARGETS", "UTF8_STRING", "STRING"}


def test_a_copy_of_the_user_after_ours_stays(x_display, reader):
    x_display.own("clipboard", "precious")
    copier(x_display)
    assert reader.read_selection() == COPY
    x_display.own("clipboard", "the user's")
    time.sleep(0.3)
    assert x_display.selection("clipboard") == "the user's"
    assert reader.read_clipboard().text == "the user's"


def test_the_clipboard_can_be_read_while_we_own_it(x_display, reader):
    x_display.own("clipboard", "precious " * 50_000)
    copier(x_display)
    assert reader.read_selection() == COPY
    assert reader.read_clipboard() == SelectedText("precious " * 50_000, "clipboard")


# ---------------------------------------------------------------- late answers


def test_a_late_copy_is_undone(x_display, reader, took):
    x_display.own("clipboard", "precious")
    window = copier(x_display, copies_after=0.9)
    problem, seconds = took(reader.read_selection)
    assert "Nothing is selected" in str(problem)
    assert seconds < 0.9
    wait_until(lambda: "copied" in window.log())
    wait_until(lambda: x_display.selection("clipboard") == "precious", 5, "the restored clipboard")
    time.sleep(0.3)
    assert x_display.selection("clipboard") == "precious"


def test_a_copy_after_300_ms_is_still_read(x_display, reader):
    x_display.own("clipboard", "precious")
    copier(x_display, copies_after=0.3)
    assert reader.read_selection() == COPY
    assert x_display.selection("clipboard") == "precious"


def test_after_the_watch_a_copy_is_the_users(x_display, reader, briefly):
    x_display.own("clipboard", "precious")
    window = copier(x_display, copies_after=1.2)
    with pytest.raises(SelectionError):
        reader.read_selection()
    wait_until(lambda: "copied" in window.log())
    assert x_display.selection("clipboard") == "copied"


def test_a_copy_of_another_program_within_the_watch_stays(x_display, reader):
    Program(x_display, shows="empty")
    with pytest.raises(SelectionError):
        reader.read_selection()
    x_display.own("clipboard", "from elsewhere")
    time.sleep(0.5)
    assert x_display.selection("clipboard") == "from elsewhere"


@pytest.mark.parametrize(
    ("act", "left"),
    [
        (("key", "ctrl+c"), "copied"),
        (("key", "ctrl+Insert"), "copied"),
        (("click", "3"), "copied"),
        (("key", "Return"), "copied"),
        (("key", "ctrl+alt+c"), "precious"),
        (("key", "super+alt+r"), "precious"),
        (("key", "ctrl+v"), "precious"),
        (("key", "c"), "precious"),
    ],
    ids=lambda value: value[1] if isinstance(value, tuple) else "",
)
def test_a_copy_that_the_user_may_have_made_within_the_watch_stays(x_display, reader, briefly, act, left):
    x_display.own("clipboard", "precious")
    window = copier(x_display, copies_after=0.7)
    with pytest.raises(SelectionError):
        reader.read_selection()
    x_display.xdotool(*act)
    wait_until(lambda: "copied" in window.log())
    wait_until(lambda: x_display.selection("clipboard") == left)
    time.sleep(0.2)
    assert x_display.selection("clipboard") == left


def test_a_copy_that_the_user_makes_while_we_wait_is_read_and_stays(x_display, reader):
    x_display.own("clipboard", "precious")
    copier(x_display, copies_after=0.4)
    press = x_display.spawn("sh", "-c", "sleep 0.2; xdotool key ctrl+Insert")
    assert reader.read_selection() == COPY
    press.wait()
    time.sleep(0.5)
    assert x_display.selection("clipboard") == "copied"


def test_another_copy_while_the_clipboard_is_being_saved_stays(x_display, reader):
    Program(x_display, {"CLIPBOARD": text("old")}, answers_after=0.1)
    window = copier(x_display)
    other = x_display.spawn("sh", "-c", "sleep 0.1; printf newer | xclip -selection clipboard")
    with pytest.raises(SelectionError):
        reader.read_selection()
    other.wait()
    assert window.pressed() == []
    assert x_display.selection("clipboard") == "newer"


def test_a_program_that_takes_the_clipboard_twice_does_not_keep_it(x_display, reader):
    x_display.own("clipboard", "precious")
    copier(x_display, copies_times=3)
    assert reader.read_selection() == COPY
    assert x_display.selection("clipboard") == "precious"


# ---------------------------------------------------------------- where no key is pressed


@pytest.mark.parametrize("why", ["hangs", "is slow", "is too big"])
def test_what_cannot_be_saved_is_not_touched(x_display, reader, took, monkeypatch, why):
    big = why == "is too big"
    if big:
        monkeypatch.setattr("desktop_tts.desktop.selection.x11_transfer.LIMIT", 1 << 20)
    formats = {"image/png": data(b"x" * (2 << 20 if big else 10))}
    owner = Program(x_display, {"CLIPBOARD": formats}, answers_after=0.8 if why == "is slow" else 0)
    window = copier(x_display)
    if why == "hangs":
        x_display.freeze(owner.process)
    problem, seconds = took(reader.read_selection)
    assert "Nothing is selected" in str(problem)
    assert seconds < 1.3
    assert window.pressed() == []
    if why == "hangs":
        os.kill(owner.process.pid, 18)
    assert fetched(x_display, "image/png") == b"x" * (2 << 20 if big else 10)


def test_a_focused_program_that_hangs_gets_no_key(x_display, reader, took):
    x_display.own("clipboard", "precious")
    window = copier(x_display)
    x_display.freeze(window.process)
    problem, seconds = took(reader.read_selection)
    assert "Nothing is selected" in str(problem)
    assert seconds < 1.3
    os.kill(window.process.pid, 18)
    time.sleep(0.3)
    assert window.pressed() == []


# ---------------------------------------------------------------- keys


@pytest.mark.parametrize(
    "held",
    [
        ["Super_L", "Alt_L"],
        ["Control_L", "Alt_L"],
        ["Control_L", "Shift_L"],
        ["Control_L", "Control_R"],
        ["Shift_R"],
        ["Super_L", "Alt_L", "r"],
    ],
    ids="+".join,
)
def test_held_keys_are_lifted_and_modifiers_put_back(x_display, reader, held):
    window = copier(x_display)
    for key in held:
        x_display.xdotool("keydown", key)
    before = keys_down(x_display)
    assert keycodes(x_display, held) <= before
    assert reader.read_selection() == COPY
    assert keys_down(x_display) == before - keycodes(x_display, ["r"])
    for key in reversed(held):
        x_display.xdotool("keyup", key)
    x_display.xdotool("key", "b")
    wait_until(lambda: window.pressed()[-1] == ("b", 0), what="a key without modifiers")
    assert reader.read_selection() == COPY, "and again, with nothing held"


@pytest.mark.parametrize("lock", ["Caps_Lock", "Num_Lock"])
def test_locks_stay(x_display, reader, lock):
    window = copier(x_display)
    x_display.xdotool("key", lock)
    assert reader.read_selection() == COPY
    x_display.xdotool("key", "b")
    wait_until(lambda: window.pressed()[-1][0] == "b")
    assert window.pressed()[-1][1] == (2 if lock == "Caps_Lock" else 16)


@pytest.mark.parametrize(
    ("layouts", "variants", "active"),
    [("us,ru", "", 1), ("ru,us", "", 0), ("us,us", ",dvorak", 1), ("us,us", ",dvorak", 0), ("fr", "", 0)],
)
def test_in_any_layout_the_key_with_c_is_pressed(x_display, reader, layouts, variants, active):
    copier(x_display)
    x_display.use_layouts(layouts, variants, active)
    assert reader.read_selection() == COPY


# ---------------------------------------------------------------- the end


def test_at_the_end_a_clipboard_manager_takes_it_over(x_display, reader):
    manager = x_display.spawn(sys.executable, "-c", MANAGER, stdout=-1)
    assert manager.stdout.readline() == b"ready\n"
    owner = Program(x_display, {"CLIPBOARD": text("precious") | {"image/png": data(b"x" * 200_000)}})
    copier(x_display)
    assert reader.read_selection() == COPY
    owner.close()
    reader.close()
    assert manager.stdout.readline() == b"image/png 200000 STRING 8 UTF8_STRING 8\n"


def test_without_a_manager_a_small_process_goes_on_holding_it(x_display, reader, took):
    big = bytes(range(256)) * 1000
    owner = Program(x_display, {"CLIPBOARD": text("precious") | {"image/png": data(big)}})
    copier(x_display)
    assert reader.read_selection() == COPY
    owner.close()
    before = formats(x_display)
    holders = holding(x_display)
    _, seconds = took(reader.close)
    assert formats(x_display) == before
    assert before["image/png"] == big
    assert len(holding(x_display) - holders) == 1
    x_display.own("clipboard", "something else")
    wait_until(lambda: holding(x_display) == holders, what="the end of the process that held the clipboard")
    print(f"closed in {seconds:.2f} s")


def test_where_nothing_was_put_back_nothing_is_left_behind(x_display, reader):
    x_display.own("clipboard", "the user's")
    assert reader.read_clipboard().text == "the user's"
    reader.close()
    assert holding(x_display) == set()
    assert x_display.selection("clipboard") == "the user's"


MANAGER = textwrap.dedent("""
    import sys
    sys.path.insert(0, ".")
    from desktop_tts.desktop.selection.x11_connection import Connection, Deadline
    from desktop_tts.desktop.selection.x11_transfer import Requestor
    from Xlib import X
    from Xlib.protocol import event
    x = Connection()
    requestor = Requestor(x)
    manager, clipboard = x.atom("CLIPBOARD_MANAGER"), x.atom("CLIPBOARD")
    x.window.set_selection_owner(manager, x.server_time())
    x.display.sync()
    print("ready", flush=True)
    asked = x.wait(lambda e: e.type == X.SelectionRequest and e.target == x.atom("SAVE_TARGETS"), 60)
    found = requestor.everything(clipboard, Deadline(10))
    asked.requestor.send_event(event.SelectionNotify(
        time=asked.time, requestor=asked.requestor, selection=manager, target=asked.target, property=asked.property))
    x.display.sync()
    names = {x.display.get_atom_name(target): len(data.content) for target, data in found.items()}
    print(*(word for name in sorted(names, key=str.lower) for word in (name, names[name])), flush=True)
""")


# ---------------------------------------------------------------- tools


def holding(x_display):
    """Processes on this display that hold the clipboard for an app that has ended."""
    found = set()
    for process in psutil.process_iter(["cmdline"]):
        if "desktop_tts.desktop.selection.x11_holder" in (process.info["cmdline"] or ()):
            with contextlib.suppress(psutil.Error):
                if process.environ().get("DISPLAY") == x_display.display:
                    found.add(process.pid)
    return found


def keys_down(x_display):
    from Xlib.display import Display

    x = Display(x_display.display)
    bits = x.query_keymap()
    x.close()
    return {8 * byte + bit for byte in range(32) for bit in range(8) if bits[byte] >> bit & 1}


def keycodes(x_display, names):
    from Xlib import XK
    from Xlib.display import Display

    x = Display(x_display.display)
    found = {x.keysym_to_keycode(XK.string_to_keysym(name)) for name in names}
    x.close()
    return found


class Asker:
    """Another program that asks for formats of the clipboard, by hand."""

    def __init__(self, x_display):
        from Xlib import X
        from Xlib.display import Display

        self.X, self.x = X, Display(x_display.display)
        self.window = self.x.screen().root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
        self.clipboard, self.into = self.x.get_atom("CLIPBOARD"), self.x.get_atom("INTO")

    def _convert(self, target):
        self.window.convert_selection(self.clipboard, self.x.get_atom(target), self.into, self.X.CurrentTime)
        while (event := self.x.next_event()).type != self.X.SelectionNotify:
            pass
        return event.property

    def _property(self, name):
        found = self.window.get_full_property(self.x.get_atom(name), self.X.AnyPropertyType, 10_000)
        self.window.delete_property(self.x.get_atom(name))
        return found and (self.x.get_atom_name(found.property_type), found.format, bytes(found.value))

    def ask(self, target):
        return self._property("INTO") if self._convert(target) else None

    def ask_several(self, *targets):
        atoms = [self.x.get_atom(name) for target in targets for name in (target, f"INTO_{target}")]
        self.window.change_property(self.into, self.x.get_atom("ATOM_PAIR"), 32, atoms)
        assert self._convert("MULTIPLE")
        kept = self.window.get_full_property(self.into, self.X.AnyPropertyType, 100).value
        return [
            (self._property(f"INTO_{target}") or [None] * 3)[2] if kept[2 * at + 1] else None
            for at, target in enumerate(targets)
        ]
