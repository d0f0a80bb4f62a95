"""A hub on this machine that serves a tiny model, with faults that a test switches on."""

import hashlib
import http.server
import os
import socket
import threading
import time

import pytest

from desktop_tts.models import download as transfer
from desktop_tts.models.catalog import Model, ModelFile

CONTENT = {
    "config.json": b'{"model_type": "qwen3_tts"}',
    "speech_tokenizer/model.safetensors": os.urandom(300_000),
    "model.safetensors": os.urandom(3_000_000),
}
TINY = Model(
    "tiny",
    "Qwen/Tiny",
    "a" * 40,
    "base",
    "",
    tuple(ModelFile(path, len(data), hashlib.sha256(data).hexdigest()) for path, data in CONTENT.items()),
)


TEMPLATE = "/{repo_id}/resolve/{revision}/{filename}"


class Hub:
    """A server with faults that a test switches on: each is asked for every request."""

    def __init__(self):
        self.requests = []
        self.cut_after = lambda path: None
        self.status = lambda path: 200
        self.content = lambda path: CONTENT[path]
        self.promise = lambda path, size: size
        self.ranges = True
        self.pace_s = 0.0
        """Seconds between blocks of 64 KiB."""
        hub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *args):
                pass

            def do_GET(self):
                path = self.path.split("/resolve/")[1].split("/", 1)[1]
                wanted = self.headers.get("Range")
                hub.requests.append((self.path, wanted))
                status = hub.status(path)
                if status != 200:
                    self.send_error(status)
                    return
                data = hub.content(path)
                start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and hub.ranges else 0
                body = data[start:]
                self.send_response(206 if start else 200)
                promised = hub.promise(path, len(body))
                if promised is not None:
                    self.send_header("Content-Length", str(promised))
                self.end_headers()
                cut = hub.cut_after(path)
                try:
                    hub.send(self.wfile, body if cut is None else body[:cut])
                    if cut is not None:
                        self.wfile.flush()
                        self.connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def send(self, out, body):
        step = 65536 if self.pace_s else len(body) or 1
        for start in range(0, len(body), step):
            out.write(body[start : start + step])
            time.sleep(self.pace_s)


@pytest.fixture
def hub(home, monkeypatch):
    from huggingface_hub import constants

    hub = Hub()
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", hub.url + TEMPLATE)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(home / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setenv("MODELSCOPE_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(transfer, "WAIT_S", 0.01)
    yield hub
    hub.server.shutdown()
