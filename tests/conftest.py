"""Fixtures that several parts share. Each starts what it needs and cleans it up."""

import os

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # without a screen Qt would abort the process
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # as in the app's own processes: threads that spin slow all others

pytest_plugins = ["support.sound", "support.display", "support.microphone", "support.hub"]


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A private home for settings, data, cache, logs and the control socket."""
    monkeypatch.setenv("DESKTOP_TTS_HOME", str(tmp_path / "home"))
    return tmp_path / "home"
