"""The control socket: one app, only its user, any input."""

import json
import os
import socket
import stat
import threading
import time
from pathlib import Path

import pytest

from desktop_tts import paths
from desktop_tts.control.client import Connection, NotRunning, ask
from desktop_tts.control.server import ControlServer
from desktop_tts.errors import SettingsError
from desktop_tts.text.feed import TextFeed


@pytest.fixture
def served(qtbot, home):
    seen = []

    def handle(request, client):
        seen.append(request)
        match request.get("command"):
            case "fail":
                raise SettingsError("That can't be set.", "Try another.")
            case "later":
                threading.Timer(0, lambda: None).start()
                return None
            case "number":
                int(request["seed"])
            case "stream":
                client.feed = TextFeed(2)
        seen.append(client)
        return {"ok": True, "echo": request}

    server = ControlServer(handle)
    assert server.listen()
    yield seen
    server.close()


def call(qtbot, work):
    """Run a client in a thread while Qt serves."""
    result = []
    thread = threading.Thread(target=lambda: result.append(work()))
    thread.start()
    qtbot.waitUntil(lambda: not thread.is_alive(), timeout=10_000)
    return result[0]


def test_a_command_is_answered(qtbot, served):
    answer = call(qtbot, lambda: ask({"command": "speak", "text": "Grüße 北京"}))
    assert answer["echo"]["text"] == "Grüße 北京"


def test__nobody_there_is_said(home):
    with pytest.raises(NotRunning):
        ask({"command": "status"})


def test_only_the_user_can_connect(served):
    address = Path(paths.control_address())
    assert stat.S_IMODE(address.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(address.stat().st_mode) & 0o077 == 0


def test_a_second_server_gives_way_to_a_living_one(qtbot, served):
    assert not ControlServer(lambda request, client: None).listen()
    assert call(qtbot, lambda: ask({"command": "x"}))["ok"]


def test_a_dead_app_s_socket_is_taken_over(qtbot, home):
    address = Path(paths.control_address())
    address.parent.mkdir(parents=True)
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(address))
    left.close()
    server = ControlServer(lambda request, client: {"ok": True})
    assert server.listen()
    assert call(qtbot, lambda: ask({"command": "x"})) == {"ok": True}
    server.close()


@pytest.mark.parametrize("line", [b"nonsense", b"[]", b'"x"', b"\xff\xfe", b"[" * 50_000, b"{}"])
def test_any_line_gets_an_answer_and_the_app_lives(qtbot, served, line):
    def send():
        with socket.socket(socket.AF_UNIX) as raw:
            raw.connect(paths.control_address())
            raw.sendall(line + b"\n")
            return json.loads(raw.makefile().readline())

    assert "ok" in call(qtbot, send)
    assert call(qtbot, lambda: ask({"command": "x"}))["ok"]


def test_expected_errors_become_sentences(qtbot, served):
    answer = call(qtbot, lambda: ask({"command": "fail"}))
    assert answer == {"ok": False, "error": "That can't be set. Try another.", "code": 1}


def test_a_value_of_the_wrong_kind_is_an_answer(qtbot, served):
    assert call(qtbot, lambda: ask({"command": "number", "seed": "x"}))["code"] == 2


def test_a_long_text_arrives_whole(qtbot, served):
    text = "word " * 1_000_000
    assert call(qtbot, lambda: ask({"command": "speak", "text": text}))["echo"]["text"] == text


def test_a_streamed_text_arrives_whole_though_its_reader_is_slow(qtbot, served):
    pieces = [f"piece {n}. " for n in range(200)]

    def send():
        with Connection() as app:
            app.ask({"command": "stream"})
            for piece in pieces:
                app.send({"text": piece})
            app.send({"end": True})
            done.wait(10)
        return True

    done = threading.Event()
    got = []

    def slow_reader():
        while len(served) < 2:
            time.sleep(0.01)
        for piece in served[1].feed:
            got.append(piece)
            time.sleep(0.002)
        done.set()

    reader = threading.Thread(target=slow_reader)
    reader.start()
    call(qtbot, send)
    reader.join(10)
    assert got == pieces


def test_a_client_that_goes_away_is_noticed(qtbot, served):
    gone = threading.Event()
    left = threading.Event()

    def send():
        with Connection() as app:
            app.ask({"command": "x"})
            left.wait(5)

    thread = threading.Thread(target=send)
    thread.start()
    qtbot.waitUntil(lambda: len(served) == 2, timeout=5000)
    served[1].gone.connect(gone.set)
    assert not gone.is_set()
    left.set()
    qtbot.waitUntil(gone.is_set, timeout=5000)
    thread.join(5)


def test_the_client_needs_next_to_no_imports():
    import subprocess
    import sys

    code = """
import sys
import desktop_tts.__main__, desktop_tts.commands.quick, desktop_tts.control.client
print(*sys.modules)
"""
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    assert not {"numpy", "PySide6", "torch", "argparse", "platformdirs"} & set(loaded.stdout.split())
