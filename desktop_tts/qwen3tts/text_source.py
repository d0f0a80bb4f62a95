"""Where the next text id comes from while speech is being made: a known text, or one that is still being written.

A text that runs dry is waited for. PAD never stands for text that is to come: the model reads it as the end.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Sequence

from desktop_tts.qwen3tts.text_stream import IncrementalEncoder
from desktop_tts.qwen3tts.tokenizer import TextTokenizer

_LOOK_S = 0.02
"""How often a waiting reader looks whether it is cancelled."""


class StreamedText:
    """Ids of a text that comes in pieces, from an iterable that may block.

    From the first wait on, a thread reads the iterable, so that the text grows while frames are made and a reader can
    be cancelled.
    ``close`` ends the thread as soon as the iterable gives its next piece, and closes the iterable if it can be.
    """

    def __init__(self, pieces: Iterable[str], tokenizer: TextTokenizer, eos: int, pad: int) -> None:
        self._encoder = IncrementalEncoder(tokenizer)
        self._eos, self._pad = eos, pad
        self._ids: list[int] = []
        self._taken = 0
        self._ended = False
        self._closed = threading.Event()
        self._queue: queue.Queue[str | BaseException | None] = queue.Queue(256)
        self._thread = threading.Thread(target=self._pump, args=(pieces,), name="text-source", daemon=True)

    @property
    def ids(self) -> list[int]:
        """All ids so far, those taken too, without the closing EOS."""
        return list(self._ids)

    @property
    def ended(self) -> bool:
        """Whether ``ids`` is the whole text."""
        return self._ended

    def wait_for(self, count: int, cancel: threading.Event) -> bool:
        """Wait until there are ``count`` ids or the text has ended; False if cancelled meanwhile.

        Raises what the iterable raises.
        """
        if self._thread.ident is None:
            self._thread.start()
        while len(self._ids) < count and not self._ended:
            if cancel.is_set():
                return False
            try:
                piece = self._queue.get(timeout=_LOOK_S)
            except queue.Empty:
                continue
            if isinstance(piece, BaseException):
                raise piece
            self._ended = piece is None
            self._ids += self._encoder.finish() if piece is None else self._encoder.feed(piece)
        return not cancel.is_set()

    def skip_known(self) -> None:
        """Leave out the ids that are there, because they are fed by other means."""
        self._taken = len(self._ids)

    def take(self, cancel: threading.Event) -> int | None:
        """The next id; after the last EOS once, then PAD. Waits if it must; None if cancelled meanwhile."""
        if not self.wait_for(self._taken + 1, cancel):
            return None
        place = self._taken
        self._taken += 1
        if place < len(self._ids):
            return self._ids[place]
        return self._eos if place == len(self._ids) else self._pad

    def close(self) -> None:
        """No more text is wanted. Does nothing if closed."""
        self._closed.set()

    def _pump(self, pieces: Iterable[str]) -> None:
        end: BaseException | None = None
        try:
            for piece in pieces:
                if not isinstance(piece, str):
                    raise TypeError(f"A text must be made of str, not {type(piece).__name__}.")
                if not self._put(piece):
                    break
        except BaseException as error:  # noqa: BLE001 - it is raised where the text is read
            end = error
        finally:
            close = getattr(pieces, "close", None)
            if self._closed.is_set() and close is not None:
                close()
        self._put(end)

    def _put(self, piece: str | BaseException | None) -> bool:
        while not self._closed.is_set():
            try:
                self._queue.put(piece, timeout=_LOOK_S)
            except queue.Full:
                continue
            return True
        return False


class FedText:
    """What is fed to the talker with each frame: some ids, then the rest of a streamed text if any, then PAD."""

    def __init__(self, ids: Sequence[int], pad: int, rest: StreamedText | None = None, length: int = 0) -> None:
        self._ids = iter(ids)
        self._pad = pad
        self._rest = rest
        self._length = length

    def take(self, cancel: threading.Event) -> int | None:
        """The next id. Waits for a streamed text; None if cancelled meanwhile."""
        if cancel.is_set():
            return None
        number = next(self._ids, None)
        if number is None:
            return self._rest.take(cancel) if self._rest else self._pad
        return number

    @property
    def known(self) -> bool:
        """Whether all of it was known from the start."""
        return self._rest is None

    def take_known(self, pad: int) -> list[int] | None:
        """All that is left of a known text, and PAD; None if it is still being written."""
        return None if self._rest else [*self._ids, pad]

    def length(self) -> int | None:
        """Ids of the whole text to be spoken, or None while it isn't known."""
        if self._rest is None:
            return self._length
        return len(self._rest.ids) if self._rest.ended else None
