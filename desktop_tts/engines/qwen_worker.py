"""The process that holds a Qwen3-TTS model: ``python -m desktop_tts.engines.qwen_worker``, started by ``engines.qwen``.

A process of its own, because importing torch and building a model keep Python's lock for up to 0.3 s, which would be
heard as a gap in what plays; because its memory goes back whole when it ends; and because running out of memory must
not end the app.

It reads one JSON object a line from standard input and answers on standard output with one a line, each followed by as
many bytes of float32 PCM, or of a cloned voice's file, as its ``pcm`` says. It ends when its input does.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from desktop_tts.errors import DesktopTTSError
from desktop_tts.text.feed import TextFeed

if TYPE_CHECKING:
    from desktop_tts.qwen3tts.model import Qwen3TTSModel

WARM_UP_FRAMES = 12


class Worker:
    """Speaks one request after another; a second thread takes in cancels and more text meanwhile."""

    def __init__(self, requests: IO[bytes], answers: IO[bytes]) -> None:
        self._requests, self._answers = requests, answers
        self._model: Qwen3TTSModel | None = None
        self._cancel: dict[int, threading.Event] = {}
        self._feeds: dict[int, TextFeed] = {}
        self._work: TextFeed = TextFeed(1024)

    def run(self) -> None:
        threading.Thread(target=self._take_in, daemon=True).start()
        for line in self._work:
            request = json.loads(line)
            try:
                match request["op"]:
                    case "load":
                        self._load(request)
                    case "clone":
                        self._clone(request)
                    case _:
                        self._speak(request)
            except DesktopTTSError as error:
                self._fail(request, "refused", str(error))
            except ValueError as error:
                self._fail(request, "refused", str(error))
            except MemoryError:
                self._fail(request, "memory", "")
            except Exception as error:  # noqa: BLE001 - the top of a process: whatever it is, the app is told
                # Torch tells of full memory in words only, on every kind of device.
                out = "out of memory" in str(error).lower() or "can't allocate" in str(error).lower()
                self._fail(request, "memory" if out else "fault", "" if out else type(error).__name__)

    def _take_in(self) -> None:
        for line in self._requests:
            request = json.loads(line)
            number = int(request.get("id", 0))
            match request["op"]:
                case "cancel":
                    if event := self._cancel.get(number):
                        event.set()
                    if feed := self._feeds.get(number):
                        feed.close()
                case "text":
                    if feed := self._feeds.get(number):
                        feed.put(request["text"])
                case "end":
                    if feed := self._feeds.get(number):
                        feed.end()
                case "speak" | "clone":
                    self._cancel[number] = threading.Event()
                    if request["op"] == "speak" and request["text"] is None:
                        self._feeds[number] = TextFeed()
                    self._work.put(line.decode())
                case _:
                    self._work.put(line.decode())
        os._exit(0)  # the app is gone: no clean-up is worth waiting for

    def _say(self, message: dict[str, Any], pcm: bytes = b"") -> None:
        self._answers.write(json.dumps(message | ({"pcm": len(pcm)} if pcm else {})).encode() + b"\n" + pcm)
        self._answers.flush()

    def _fail(self, request: dict[str, Any], kind: str, sentence: str) -> None:
        self._forget(request)
        self._say({"id": request.get("id", 0), "op": request["op"], "failed": kind, "error": sentence})

    def _forget(self, request: dict[str, Any]) -> None:
        self._cancel.pop(int(request.get("id", 0)), None)
        self._feeds.pop(int(request.get("id", 0)), None)

    def _load(self, request: dict[str, Any]) -> None:
        self._say({"op": "progress", "message": "Starting PyTorch"})
        import torch

        from desktop_tts.qwen3tts.model import Qwen3TTSModel

        device = request["device"]
        if device == "auto":
            device = "cuda:0" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
        dtype = request["dtype"]
        if dtype == "auto":
            dtype = _good_dtype(device)
        self._model = None
        self._say({"op": "progress", "message": "Reading the model"})
        cache = Path(request["cache"]) if request.get("cache") else None
        self._model = Qwen3TTSModel.from_pretrained(
            request["path"], device_map=device, dtype=dtype, threads=request.get("threads"), weight_cache=cache
        )
        self._say({"op": "progress", "message": "Warming up"})
        self._warm_up()
        self._say({"op": "load", "done": True, "device": device, "dtype": dtype, "frame_s": self._model.frame_s})

    def _warm_up(self) -> None:
        """Some frames, so that the first request pays for no first use of anything, and the time of a frame is known
        with every number of threads."""
        model = self._model
        assert model is not None
        model.warm_up()
        text = "Hello, this is how I sound."
        most: dict[str, Any] = {"seed": 0, "max_new_tokens": WARM_UP_FRAMES}
        match model.config.tts_model_type:
            case "custom_voice":
                speech = model.stream_custom_voice(text, model.get_supported_speakers()[0], **most)
            case "voice_design":
                speech = model.stream_voice_design(text, "a calm voice", **most)
            case _:
                speech = model.stream_voice_clone(text, voice_clone_prompt=[model.blank_voice()], **most)
        for _ in speech:
            pass

    def _speak(self, request: dict[str, Any]) -> None:
        number = int(request["id"])
        cancel = self._cancel[number]
        if self._model is None:
            raise ValueError("No model is loaded.")
        for pcm in self._speech(request, cancel):
            self._say({"id": number}, pcm.tobytes())
            if cancel.is_set():
                break
        self._forget(request)
        self._say({"id": number, "done": True})

    def _clone(self, request: dict[str, Any]) -> None:
        """The voice's file goes to the app, which may have given up meanwhile and then drops it."""
        from desktop_tts.qwen3tts.voice_prompt import packed_prompt

        number = int(request["id"])
        if self._model is None:
            raise ValueError("No model is loaded.")
        prompt = b""
        if not self._cancel[number].is_set():
            only = request["x_vector_only"]
            (item,) = self._model.create_voice_clone_prompt(
                Path(request["reference"]), request["transcript"] or None, only
            )
            prompt = packed_prompt(item, self._model.identity)
        self._forget(request)
        self._say({"id": number, "done": True}, prompt)

    def _speech(self, request: dict[str, Any], cancel: threading.Event) -> Iterator[Any]:
        model = self._model
        assert model is not None
        text: Any = request["text"] if request["text"] is not None else self._feeds[int(request["id"])]
        options = {name: value for name, value in request["sampling"].items() if value is not None}
        common = {"seed": request["seed"], "cancel": cancel} | options
        language = request["language"]
        match request["mode"]:
            case "custom_voice":
                instruct = request["instruct"] or None
                return model.stream_custom_voice(text, request["speaker"], language, instruct, **common)
            case "voice_design":
                return model.stream_voice_design(text, request["instruct"], language, **common)
            case _:
                from desktop_tts.qwen3tts.voice_prompt import load_prompt

                prompt = load_prompt(Path(request["prompt"]), model.identity)
                return model.stream_voice_clone(text, language, voice_clone_prompt=[prompt], **common)


def _good_dtype(device: str) -> str:
    """The fastest that this device is good at: what costs is reading the weights."""
    import torch

    from desktop_tts.qwen3tts.packing import has_bfloat16_kernels, int8_obstacle

    if device.startswith("cuda"):
        return "bfloat16" if torch.cuda.is_bf16_supported() else "float16"
    if device == "cpu" and not int8_obstacle():
        return "int8"
    return "bfloat16" if device == "cpu" and has_bfloat16_kernels() else "float32"


def main() -> None:
    # What libraries print must not get between the answers.
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    Worker(sys.stdin.buffer, answers).run()


if __name__ == "__main__":
    main()
