"""A reader of selections on the private display."""

import time

import pytest

from desktop_tts.desktop.selection.x11 import X11SelectionReader


class Switch:
    """Whether the settings allow a simulated copy."""

    on = True


@pytest.fixture
def copying():
    return Switch()


@pytest.fixture
def reader(x_display, monkeypatch, copying):
    monkeypatch.setenv("DISPLAY", x_display.display)
    made = X11SelectionReader(lambda: copying.on)
    yield made
    made.close()


@pytest.fixture
def took():
    """A call's answer or error, and the seconds that it took."""

    def measure(call, *arguments, **options):
        start = time.perf_counter()
        try:
            answer = call(*arguments, **options)
        except Exception as error:
            answer = error
        return answer, time.perf_counter() - start

    return measure
