"""What is written for the login of each system, and that Linux desktops' own parser reads it back."""

import plistlib
import subprocess
import sys

import pytest

from desktop_tts.desktop import autostart

SYSTEM_PYTHON = "/usr/bin/python3"  # has GLib

COMMANDS = [
    ["/usr/bin/python3", "-m", "desktop_tts"],
    ["/home/é ü/My Programs/py$thon", "-m", "desktop_tts"],
    ['/opt/we"ird\\path/`x`', "100%", "", "a;b & c", "tab\there", "~", "%f"],
]

READ_BY_GLIB = """
import sys
from gi.repository import Gio, GLib
file = GLib.KeyFile()
file.load_from_file(sys.argv[1], GLib.KeyFileFlags.NONE)
line = file.get_string("Desktop Entry", "Exec")
_, words = GLib.shell_parse_argv(line.replace("%%", "%"))
sys.stdout.write("\\0".join(words))
"""


@pytest.fixture
def entry(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config" / "autostart" / "desktop-tts.desktop"


@pytest.mark.parametrize("command", COMMANDS)
def test_a_linux_desktop_reads_the_same_command(entry, command):
    autostart.set_enabled(True, command)
    done = subprocess.run(
        [SYSTEM_PYTHON, "-c", READ_BY_GLIB, str(entry)], capture_output=True, text=True, check=True, timeout=30
    )
    assert done.stdout.split("\0") == command


def test_autostart_goes_on_and_off(entry):
    assert not autostart.is_enabled()
    autostart.set_enabled(False, ["x"])
    autostart.set_enabled(True, ["x"])
    assert autostart.is_enabled()
    assert oct(entry.stat().st_mode)[-3:] == "644"
    assert [file.name for file in entry.parent.iterdir()] == ["desktop-tts.desktop"]
    autostart.set_enabled(False, ["x"])
    assert not autostart.is_enabled()
    assert not entry.exists()


@pytest.mark.parametrize("line", ["Hidden=true", "X-GNOME-Autostart-enabled=false", "Hidden = True"])
def test_an_entry_that_the_desktop_switched_off_is_off(entry, line):
    autostart.set_enabled(True, ["x"])
    key = line.split("=")[0].strip()
    kept = [old for old in entry.read_text().splitlines() if not old.startswith(key)]
    entry.write_text("\n".join([*kept, line, ""]))
    assert not autostart.is_enabled()


def test_a_relative_config_folder_is_ignored(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    autostart.set_enabled(True, ["x"])
    assert (tmp_path / ".config" / "autostart" / "desktop-tts.desktop").exists()


def test_a_folder_that_cannot_be_written_is_an_os_error(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "file"))
    with pytest.raises(OSError, match="directory"):
        autostart.set_enabled(True, ["x"])


def test_the_windows_command_line_is_quoted():
    command = ["C:\\Program Files\\Python\\pythonw.exe", "-m", "desktop_tts", 'say "hi"']
    assert autostart.run_value(command) == '"C:\\Program Files\\Python\\pythonw.exe" -m desktop_tts "say \\"hi\\""'


def test_the_launch_agent_starts_at_login():
    agent = plistlib.loads(autostart.launch_agent(["/usr/bin/python3", "-m", "desktop_tts", "ü & <x>"]))
    assert agent["ProgramArguments"] == ["/usr/bin/python3", "-m", "desktop_tts", "ü & <x>"]
    assert agent["RunAtLoad"] is True


def test_a_mac_gets_its_file_in_its_own_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setenv("HOME", str(tmp_path))
    autostart.set_enabled(True, ["x"])
    assert autostart.is_enabled()
    assert (tmp_path / "Library" / "LaunchAgents" / f"{autostart.LABEL}.plist").exists()
    autostart.set_enabled(False, ["x"])
    assert not autostart.is_enabled()
