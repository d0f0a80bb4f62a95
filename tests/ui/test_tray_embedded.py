"""The tray icon in a panel of the older kind (XEmbed), on a private X server: what is on the screen counts."""

import subprocess
import time

import pytest
from tray_client import TrayClient

from support.display import wait_until

pytestmark = pytest.mark.desktop

COLOURED = 30
"""Difference between the largest and the least of red, green and blue in a pixel that isn't grey, as panels are."""


@pytest.fixture
def program(x_display, tmp_path):
    x_display.start_tray()
    with TrayClient(x_display, tmp_path) as program:
        yield program


def corner(display, folder):
    """Coloured pixels in the upper right corner of the screen, where the tray is."""
    shot = folder / "screen.png"
    display.screenshot(shot)
    command = ["convert", str(shot), "-gravity", "NorthEast", "-crop", "200x30+0+0", "-depth", "8", "rgb:-"]
    data = subprocess.run(command, capture_output=True, check=True).stdout
    pixels = [data[at : at + 3] for at in range(0, len(data), 3)]
    return [bytes(pixel) for pixel in pixels if max(pixel) - min(pixel) > COLOURED]


def settled_place(program):
    """Where the icon is, when the tray has finished to make room for it."""
    places = [program.do("geometry")]

    def settled():
        time.sleep(0.3)
        places.append(program.do("geometry"))
        return places[-1]["width"] > 10 and places[-1] == places[-2]

    wait_until(settled, what="the icon's place")
    return places[-1]


def test_icon_is_on_the_screen_and_changes_with_the_state(program, x_display, tmp_path):
    wait_until(lambda: len(corner(x_display, tmp_path)) > 100, what="the icon")
    bluish = corner(x_display, tmp_path)
    assert sum(pixel[2] > pixel[1] for pixel in bluish) > len(bluish) / 2
    program.do("status", state="speaking", text="Hello.")

    def green():
        now = corner(x_display, tmp_path)
        return now and sum(pixel[1] > pixel[2] for pixel in now) > len(now) / 2

    wait_until(green, what="the icon of speaking")


def test_clicks_and_menu(program, x_display):
    place = settled_place(program)
    x_display.xdotool("mousemove", str(place["x"]), str(place["y"]), "click", "1")
    program.wait_for(called="read_selection")
    program.do("status", state="speaking", text="Hello.")
    x_display.xdotool("sleep", "0.6", "click", "1")  # sooner, it's a double click, which counts as one
    program.wait_for(called="pause")
    x_display.xdotool("click", "2")
    program.wait_for(called="stop")
    x_display.xdotool("click", "3")
    x_display.xdotool("search", "--sync", "--onlyvisible", "--pid", str(program.pid))
    x_display.xdotool("key", "--delay", "150", "Down", "Down", "Return")
    program.wait_for(called="read_clipboard")


def test_notice_is_drawn_beside_the_icon(program, x_display):
    settled_place(program)
    before = _windows(x_display, program)
    program.do("notify", text="Nothing is selected.")
    wait_until(lambda: len(_windows(x_display, program)) > len(before), what="the notice")


def _windows(display, program):
    command = ["xdotool", "search", "--onlyvisible", "--pid", str(program.pid)]
    return subprocess.run(command, env=display.env, capture_output=True, text=True).stdout.split()


def test_tray_that_comes_late_goes_and_returns(x_display, tmp_path):
    with TrayClient(x_display, tmp_path, patience_ms=300) as program:
        program.wait_for(event="no host")
        assert program.do("window")["visible"]
        tray = x_display.start_tray()
        program.wait_for(event="host came")
        assert program.do("window")["banner"] == ""
        wait_until(lambda: corner(x_display, tmp_path), what="the icon")
        tray.kill()
        tray.wait()
        wait_until(lambda: not corner(x_display, tmp_path), what="the end of the tray")
        x_display.start_tray()
        wait_until(lambda: corner(x_display, tmp_path), what="the icon again")
