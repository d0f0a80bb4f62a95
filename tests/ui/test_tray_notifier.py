"""The tray icon on the D-Bus tray of KDE, Xfce and others, on a private bus and X server."""

import pytest
from notifier_host import NotifierHost
from tray_client import TrayClient

from support.display import wait_until

pytestmark = pytest.mark.desktop


@pytest.fixture
def host(x_display):
    with NotifierHost(x_display.env["DBUS_SESSION_BUS_ADDRESS"]) as host:
        yield host


@pytest.fixture
def shown(host, x_display, tmp_path):
    """The host and a program whose icon is on it."""
    host.start()
    with TrayClient(x_display, tmp_path, LC_ALL="de_DE.UTF-8") as program:
        wait_until(lambda: host.watcher.items, what="the registration of the icon")
        wait_until(lambda: host.labels(), what="the menu")
        yield host, program


def test_menu_has_every_command_with_its_hotkey(shown):
    host, _ = shown
    assert host.labels() == [
        "Read selection (Super+Alt+R)",
        "Read clipboard (Super+Alt+C)",
        "Pause (Super+Alt+P)",
        "Stop (Super+Alt+X)",
        "Next sentence",
        "Previous sentence",
        "Voice: Heart",
        "Speed: 1×",
        "Show window",
        "Settings…",
        "Quit",
    ]


def test_entries_call_what_they_say(shown):
    host, program = shown
    program.do("status", state="speaking", text="Hello.")
    for words, call in (
        ("Read selection", "read_selection"),
        ("Read clipboard", "read_clipboard"),
        ("Next", "next"),
        ("Previous", "previous"),
        ("Show window", "open_window"),
        ("Settings", "open_settings"),
        ("Pause", "pause"),
        ("Resume", "resume"),
        ("Stop", "stop"),
        ("Quit", "quit"),
    ):
        host.choose(words)
        program.wait_for(called=call)


def test_entries_follow_the_state_without_being_opened(shown):
    host, program = shown
    moving = ("Pause", "Stop", "Next", "Previous")
    assert [host.entry(words)["enabled"] for words in moving] == [False] * 4
    program.do("status", state="speaking", text="Hello.")
    assert [host.entry(words)["enabled"] for words in moving] == [True] * 4
    program.do("status", state="paused", text="Hello.")
    assert host.entry("Resume")["enabled"]
    program.do("status", state="idle")
    assert not host.entry("Pause")["enabled"]


def test_speed_is_a_choice_of_one(shown):
    host, program = shown
    host.choose("Speed", "1.5×")
    wait_until(lambda: "Speed: 1.5×" in host.labels(), what="the new speed")
    speeds = host.entry("Speed")["children"]
    assert all(entry["radio"] for entry in speeds)
    assert [entry["label"] for entry in speeds if entry["checked"]] == ["1.5×"]
    program.do("set", key="reading.speed", value=1.35)
    assert "Speed: 1.35×" in host.labels()
    assert not any(entry["checked"] for entry in host.entry("Speed")["children"])


def test_voices_are_a_choice_of_one_and_lead_to_all(shown):
    """Offered are the chosen one and those of the user's language."""
    host, program = shown
    wait_until(lambda: len(host.entry("Voice")["children"]) > 2, what="the list of voices")
    labels = [entry["label"] for entry in host.entry("Voice")["children"]]
    assert labels == ["Heart", "German (espeak-ng)", "More voices…"]
    host.choose("Voice", "German")
    wait_until(lambda: "Voice: German (espeak-ng)" in host.labels(), what="the new voice")
    host.choose("Voice", "German")  # a second click on the chosen one changes nothing
    voices = host.entry("Voice")["children"]
    assert [entry["label"] for entry in voices if entry["checked"]] == ["German (espeak-ng)"]
    assert all(entry["radio"] for entry in voices[:-1])
    host.choose("Voice", "More voices")
    program.wait_for(called="open_settings voices")


def test_labels_follow_the_settings(shown):
    host, program = shown
    program.do("set", key="hotkeys.read_selection", value="Ctrl+F8")
    program.do("set", key="hotkeys.stop", value="")
    assert host.labels()[0] == "Read selection (Ctrl+F8)"
    assert host.entry("Stop")["label"] == "Stop"


def test_clicks_on_the_icon(shown):
    host, program = shown
    host.activate()
    program.wait_for(called="read_selection")
    program.do("status", state="speaking", text="Hello.")
    host.activate()
    program.wait_for(called="pause")
    host.activate()
    program.wait_for(called="resume")
    host.secondary_activate()
    program.wait_for(called="stop")


def test_icon_differs_in_every_state(shown):
    host, program = shown
    pictures = set()
    for state in ("idle", "preparing", "speaking", "paused", "error"):
        program.do("status", state=state)
        pictures.add(host.pixels())
    assert len(pictures) == 5
    assert all(any(picture) for picture in pictures)


def test_tooltip_tells_what_is_read_shortened(shown):
    host, program = shown
    assert host.tooltip() == "Desktop TTS"
    program.do("status", state="speaking", text="A short sentence.")
    assert host.tooltip() == "Desktop TTS: Reading\nA short sentence."
    program.do("status", state="speaking", text="word " * 400)
    assert len(host.tooltip()) < 140
    assert host.tooltip().endswith("word…")
    program.do("status", state="error", message="There is no device to play on.")
    assert host.tooltip() == "Desktop TTS: Could not read\nThere is no device to play on."


def test_notices_are_shown_once_and_only_if_wanted(shown):
    host, program = shown
    notice = "Nothing is selected."
    program.do("notify", text=notice)
    program.do("notify", text=notice)
    wait_until(lambda: host.notifications.shown, what="a notice")
    assert host.notifications.shown == [("Desktop TTS", notice)]
    program.do("set", key="general.notifications", value=False)
    program.do("notify", text="Another one.")
    program.do("set", key="general.notifications", value=True)
    program.do("notify", text="The last one.")
    wait_until(lambda: len(host.notifications.shown) > 1, what="another notice")
    assert host.notifications.shown[1:] == [("Desktop TTS", "The last one.")]


def test_tray_that_comes_late(host, x_display, tmp_path):
    """As at login, when the panel starts after the app: the window stands in, then the icon comes."""
    with TrayClient(x_display, tmp_path, patience_ms=300) as program:
        program.wait_for(event="no host")
        window = program.do("window")
        assert window["visible"]
        assert "no tray icon" in window["banner"]
        host.start()
        program.wait_for(event="host came")
        wait_until(lambda: host.watcher.items, what="the registration of the icon")
        assert host.labels()[0] == "Read selection (Super+Alt+R)"
        host.choose("Read selection")
        program.wait_for(called="read_selection")
        assert program.do("window") == {"visible": True, "banner": ""}
        program.do("status", state="speaking", text="Hello.")
        assert "Hello." in host.tooltip()


def test_panel_that_restarts_gets_the_icon_again(shown):
    host, program = shown
    host.stop()
    host.start()
    wait_until(lambda: host.watcher.items, what="the registration of the icon")
    host.activate()
    program.wait_for(called="read_selection")
    assert len(set(host.watcher.items)) == 1
