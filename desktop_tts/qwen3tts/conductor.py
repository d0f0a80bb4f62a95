"""Speaks many utterances at once: a thread that makes frame after frame of whatever is in the slots, while utterances
come and go, and hands each its sound.

The end of an utterance is seen one frame late, so that the device never waits for the host.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray

from desktop_tts.qwen3tts.codec.state import CodecState
from desktop_tts.qwen3tts.generate import Ending, Utterance
from desktop_tts.qwen3tts.graphs import FrameGraphs, Ticket
from desktop_tts.qwen3tts.networks import Networks
from desktop_tts.qwen3tts.sampling import Sampling
from desktop_tts.qwen3tts.slots import Slots

Pcm = NDArray[np.float32]
"""1,920 samples."""

_log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class Part:
    """One utterance on its way through a slot."""

    utterance: Utterance
    codec: CodecState
    seed: int
    sampling: Sampling
    cancel: threading.Event
    sound: queue.SimpleQueue[Pcm | BaseException | None] = field(default_factory=queue.SimpleQueue)
    """Its frames, then None, or what went wrong. Never longer than the utterance's limit."""
    noise: torch.Generator | None = None
    rows: int = 0
    """In the cache, as far as frames have been launched."""
    launched: int = 0
    heard: int = 0

    def end(self, ending: Ending) -> None:
        if self.utterance.ending is None:
            self.utterance.ending = ending
        self.sound.put(None)


class Conductor:
    """Any thread may ``speak``. Parts with other sampling than what is being made wait for their turn."""

    def __init__(self, networks: Networks, slots: int, capacity: int) -> None:
        """``capacity`` rows of prompt and frames for each of so many slots."""
        self.networks, self.capacity = networks, capacity
        self._slots = Slots(networks, slots, capacity)
        self._graphs = FrameGraphs(self._slots)
        self._parts: list[Part | None] = [None] * slots
        self._waiting: queue.SimpleQueue[Part | None] = queue.SimpleQueue()
        self._put_off: list[Part] = []
        self._end, self._pad = networks.talker.config.codec_eos_token_id, networks.config.tts_pad_token_id
        self._thread = threading.Thread(target=self._run, name="frames", daemon=True)
        self._starting = threading.Lock()

    def fits(self, utterance: Utterance) -> bool:
        """Whether a slot has room for all of it."""
        before = utterance.prefix.rows if utterance.prefix and utterance.prefix.keys is not None else 0
        return before + len(utterance.rows) + utterance.limit.of(utterance.text.length()) <= self.capacity

    def warm_up(self, sampling: Sampling) -> None:
        """Record the graphs that utterances will need, some seconds in all. Before the first ``speak``."""
        if self.networks.talker.device.type != "cuda":
            return
        size = 1
        while size <= len(self._parts):
            seen = 256
            while seen <= (self.capacity if size == 1 else 512):
                self._graphs.record(size, seen, sampling)
                seen *= 2
            size *= 2

    def speak(self, part: Part) -> Iterator[Pcm]:
        """The sound of a part frame by frame; its utterance has its ``ending`` afterwards. Closing the iterator
        cancels it."""
        self.begin(part)
        return self.sounds(part)

    def begin(self, part: Part) -> None:
        with self._starting:
            if self._thread.ident is None:
                self._thread.start()
        self._waiting.put(part)

    @staticmethod
    def sounds(part: Part) -> Iterator[Pcm]:
        """What ``begin`` has begun."""
        over = False
        try:
            while not over:
                found = part.sound.get()
                if isinstance(found, BaseException):
                    raise found
                over = found is None
                if found is not None:
                    yield found
        finally:
            if not over:
                part.utterance.ending = part.utterance.ending or Ending.CANCELLED

    def close(self) -> None:
        """End the thread when what is being spoken is over."""
        self._waiting.put(None)

    # ------------------------------------------------------------ the thread

    @torch.inference_mode()
    def _run(self) -> None:
        before: tuple[Ticket, list[tuple[int, Part]]] | None = None
        while True:
            try:
                if not self._let_in(idle=before is None):
                    return
                now = self._launch()
                if before is not None:
                    self._deliver(*before)
                before = now
            except Exception as error:  # noqa: BLE001 - it is raised where the sound is waited for
                _log.error("frames failed with %s", type(error).__name__)
                before = None
                for slot, part in self._active():
                    self._parts[slot] = None
                    part.sound.put(error)

    def _active(self) -> list[tuple[int, Part]]:
        return [(slot, part) for slot, part in enumerate(self._parts) if part is not None]

    def _let_in(self, *, idle: bool) -> bool:
        """Give free slots to who waits; with nothing to do wait for somebody. False when it's over."""
        waiting, self._put_off = self._put_off, []
        while True:
            try:
                busy = bool(self._active()) or not idle or bool(waiting)
                part = self._waiting.get(block=not busy)
            except queue.Empty:
                break
            if part is None:
                for other in waiting:
                    other.end(Ending.CANCELLED)
                return False
            waiting.append(part)
        for part in waiting:
            active = self._active()
            free = next((slot for slot, other in enumerate(self._parts) if other is None), None)
            if free is None or (active and active[0][1].sampling != part.sampling):
                self._put_off.append(part)
            else:
                self._admit(free, part)
        return True

    def _admit(self, slot: int, part: Part) -> None:
        utterance, talker = part.utterance, self.networks.talker
        try:
            state = talker.start([utterance.rows], 0, utterance.prefix)
            first = self._text_row(part)
            if first is None:
                part.end(Ending.CANCELLED)
                return
            self._slots.admit(slot, state, first, part.codec)
        except Exception as error:  # noqa: BLE001 - its own fault: the others go on
            part.sound.put(error)
            return
        part.noise = torch.Generator(talker.device).manual_seed(part.seed)
        part.rows = state.length
        self._parts[slot] = part

    def _text_row(self, part: Part) -> torch.Tensor | None:
        """The row for the next frame: all that is left of a known text, or one of a streamed text; None if cancelled.
        Waits for a streamed text."""
        ids = part.utterance.text.take_known(self._pad)
        if ids is None:
            number = part.utterance.text.take(part.cancel)
            ids = None if number is None else [number]
        return None if ids is None else self.networks.talker.text_rows(ids)

    def _launch(self) -> tuple[Ticket, list[tuple[int, Part]]] | None:
        for slot, part in self._active():
            if part.cancel.is_set() or part.utterance.ending is not None:
                part.end(Ending.CANCELLED)
                self._parts[slot] = None
            elif part.launched and not part.utterance.text.known:
                row = self._text_row(part)
                if row is None:
                    part.end(Ending.CANCELLED)
                    self._parts[slot] = None
                else:
                    self._slots.feed(slot, part.launched, row)
        active = self._active()
        if not active:
            return None
        for slot, part in active:
            assert part.noise is not None
            self._slots.draw_noise(slot, part.noise)
        rows = max(part.rows for _, part in active)
        ticket = self._graphs.launch(active[-1][0] + 1, rows, active[0][1].sampling)
        for _, part in active:
            part.rows += 1
            part.launched += 1
        return ticket, active

    def _deliver(self, ticket: Ticket, made: list[tuple[int, Part]]) -> None:
        codes, pcm = ticket.read()
        for slot, part in made:
            if self._parts[slot] is not part:
                continue  # it ended meanwhile
            if part.utterance.is_long(part.heard):
                part.end(Ending.LIMIT)
            elif codes[slot] == self._end:
                part.end(Ending.SPOKEN)
            else:
                part.heard += 1
                part.sound.put(pcm[slot])
                continue
            self._parts[slot] = None


class Conductors:
    """One conductor for all known texts, and one for each text that is still being written, since that may have to be
    waited for. They are made when first needed and used again."""

    def __init__(self, networks: Networks, slots: int | None = None, capacity: int = 2048) -> None:
        self._networks, self._capacity = networks, capacity
        self._count = slots or _slots_that_fit(networks.talker.device)
        self._shared: Conductor | None = None
        self._free: list[Conductor] = []
        self._lock = threading.Lock()

    def shared(self) -> Conductor:
        with self._lock:
            if self._shared is None:
                self._shared = Conductor(self._networks, self._count, self._capacity)
            return self._shared

    def alone(self) -> Conductor:
        """For one part; to be given back."""
        with self._lock:
            return self._free.pop() if self._free else Conductor(self._networks, 1, self._capacity)

    def give_back(self, conductor: Conductor) -> None:
        with self._lock:
            if conductor is not self._shared:
                self._free.append(conductor)


def _slots_that_fit(device: torch.device) -> int:
    """As many as a quarter gigabyte each leaves room for, besides what speaking needs anyway."""
    if device.type != "cuda":
        return 4
    free, _ = torch.cuda.mem_get_info(device)
    return max(1, min(16, int(free // (1 << 29))))
