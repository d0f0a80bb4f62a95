"""A sound server and players on it."""

import threading

import pytest
from listening import ListeningPlayer

from desktop_tts.audio import devices
from support.sound import private_sound_server


@pytest.fixture(scope="module")
def sound():
    """A server that the tests of a module share; none may harm it."""
    with private_sound_server() as server, pytest.MonkeyPatch.context() as patch:
        for name in ("XDG_RUNTIME_DIR", "PULSE_SERVER", "PULSE_COOKIE"):
            patch.setenv(name, server.env[name])
        assert devices.restart(), "another test left a stream open"
        yield server
        devices.restart()


@pytest.fixture
def play():
    """Makes players on the server that a fixture named before this one has set up."""
    players = []

    def make(*arguments, **options):
        players.append(ListeningPlayer(*arguments, **options))
        return players[-1]

    yield make
    for player in players:
        player.close()
    assert "player" not in [thread.name for thread in threading.enumerate()]
