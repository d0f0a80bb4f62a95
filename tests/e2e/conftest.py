"""A private desktop with the app on it."""

import time

import pytest

from support.app import App


@pytest.fixture
def desktop_app(x_display, sound_server, home):
    """The app, not started yet."""
    app = App(x_display, sound_server, home)
    yield app
    said = app.stop()
    assert "Traceback" not in said, said
    assert "QObject" not in said, said


@pytest.fixture
def app(desktop_app, x_display):
    """The app in a tray, its voice loaded."""
    x_display.start_tray()
    desktop_app.start()
    time.sleep(1.5)
    return desktop_app
