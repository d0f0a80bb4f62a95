"""The player's own thread: keeps the device fed with what the transport holds, and tells how playing goes."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Iterable

from desktop_tts.audio.chain import Chain, Part
from desktop_tts.audio.events import PlayerEvent, PlayerEventKind
from desktop_tts.audio.gain import Gain
from desktop_tts.audio.outlet import Outlet
from desktop_tts.audio.output import START_S, Output
from desktop_tts.audio.ring import PlayMap, Ring
from desktop_tts.audio.source import RATE
from desktop_tts.audio.transport import Transport

log = logging.getLogger(__name__)

BLOCK_S = 0.02
RING_AHEAD_S = 0.05
"""Kept in the ring ahead of the device; with the device's own latency it is how late a new speed is heard."""
ENOUGH_S = 0.2
ENOUGH_AFTER_S = 0.15
"""Playing begins, and goes on after the source ran dry, with so much sound or after so long a wait for it:
what an engine makes in small pieces must not be heard in pieces."""
LINGER_S = 0.3
"""Silence that is played after the last sound: a device may be a little later than it says."""


class Feeder:
    """``run`` is the thread's body; everything else, but for ``underruns``, is called by it."""

    def __init__(
        self,
        transport: Transport,
        gain: Gain,
        awake: threading.Event,
        notices: queue.SimpleQueue[PlayerEvent],
        on_event: Callable[[PlayerEvent], None],
    ) -> None:
        self._transport, self._awake, self._notices, self._on_event = transport, awake, notices, on_event
        self._ring = Ring(1 << 16)
        self._map = PlayMap()
        self._outlet = Outlet(transport.device, self._ring, gain, awake.set, self._tell)
        self._chain: Chain | None = None
        self._clears = 0
        self._flowing = False
        """The ring is kept filled; false while there isn't enough to begin with."""
        self._ready_since: float | None = None
        """When the first sound came that waits for more to begin with."""
        self._quiet_since: float | None = None
        """Since when all that came was heard."""
        self._rested_dry = False
        """The device was given up because the source had run dry."""
        transport.listen = self._listen

    @property
    def underruns(self) -> int:
        output = self._outlet.output
        return self._outlet.underruns + (output.underruns if output else 0)

    def run(self) -> None:
        self._outlet.warm_up()
        while not self._transport.closing:
            self._awake.clear()
            try:
                wait_s = self._step()
            except Exception:
                log.exception("the player's thread met something unexpected")
                self._keep_place()
                self._outlet.fault()
                wait_s = 1.0
            self._awake.wait(wait_s)
        self._outlet.stop()

    def _step(self) -> float | None:
        """One round; seconds until the next, None for when it is woken."""
        while not self._notices.empty():
            self._pass_on(self._notices.get())
        self._follow()
        output = self._outlet.output
        if output is None:
            return None if self._transport.paused else self._begin()
        if output.dead:
            self._keep_place()
            self._outlet.lost()
            return 0.0
        return self._play(output)

    def _tell(self, kind: PlayerEventKind, message: str = "", at: float = 0.0) -> None:
        self._pass_on(PlayerEvent(kind, message, at or time.perf_counter()))

    def _pass_on(self, event: PlayerEvent) -> None:
        try:
            self._on_event(event)
        except Exception:  # a listener's fault must not end the sound
            log.exception("a listener failed on %s", event.kind)

    # ------------------------------------------------------------ the place

    def _listen(self) -> int | None:
        """The sample of the source that is heard now, None when nothing plays. With the transport's lock."""
        output = self._outlet.output
        found = self._map.source_of(output.heard()) if output else None
        return None if found is None else round(found)

    def _follow(self) -> None:
        """Do what was asked for since: another device, another place, a new reading, silence."""
        transport = self._transport
        if transport.device != self._outlet.device:
            self._keep_place()
            self._outlet.choose(transport.device)
        if transport.live:
            return
        with transport.lock:
            ear = self._listen()
        if self._outlet.output is not None:
            self._outlet.stop()
            self._rested_dry = False
        with transport.lock:
            self._forget_played()
            transport.go_on(ear)
            new = transport.clears != self._clears
            self._clears = transport.clears
        if new:
            self._rested_dry = False
            self._outlet.new_reading()

    def _keep_place(self) -> None:
        """The output ends: go on from the ear when there is one again."""
        with self._transport.lock:
            if self._transport.live:
                self._transport.jump(self._transport.heard())

    def _forget_played(self) -> None:
        """Nothing plays, and what is in the ring is void. With the lock."""
        self._ring.drop()
        self._map.clear()
        self._chain = None
        self._flowing, self._ready_since, self._quiet_since = False, None, None

    # ------------------------------------------------------------ playing

    def _ready_s(self) -> float:
        """Seconds that wait to be fed, as they will be played."""
        transport = self._transport
        with transport.lock:
            return (transport.source.total - transport.fed) / RATE / transport.speed

    def _enough_in(self) -> float:
        """Seconds to wait before what is there is played."""
        if self._ready_since is None:
            self._ready_since = time.monotonic()
        if self._transport.source.finished or self._ready_s() >= ENOUGH_S:
            return 0.0
        return max(self._ready_since + ENOUGH_AFTER_S - time.monotonic(), 0.0)

    def _begin(self) -> float | None:
        """Play, if there is enough to play."""
        if self._ready_s() <= 0:
            self._end_reading(None)
            return None
        if (wait_s := self._enough_in()) > 0:
            return wait_s
        wait_s = self._outlet.play(self._prime)
        if (output := self._outlet.output) is None:
            self._keep_place()
        else:
            output.ran_dry, self._rested_dry = self._rested_dry, False
        return wait_s

    def _prime(self, output: Output) -> bool:
        self._feed(output, START_S + RING_AHEAD_S)
        return self._transport.live

    def _play(self, output: Output) -> float | None:
        wait_s = 0.05  # the device's thread wakes us before
        if self._flowing or (self._ready_s() > 0 and (wait_s := self._enough_in()) == 0):
            self._feed(output, RING_AHEAD_S)
            wait_s = 0.05
        self._tell_start(output)
        self._end_reading(output)
        if self._is_quiet(output):
            self._quiet_since = self._quiet_since or time.monotonic()
            if time.monotonic() - self._quiet_since > LINGER_S:
                self._rest(output)
                return 0.0
        else:
            self._quiet_since = None
            if self._outlet.watch(output):
                self._keep_place()
                self._outlet.look_again()
        return wait_s

    def _rest(self, output: Output) -> None:
        """Nothing is left to hear: let the device go."""
        self._rested_dry = output.ran_dry
        with self._transport.lock:
            if self._transport.live:
                self._transport.jump(self._transport.fed)
        self._outlet.stop()

    def _is_quiet(self, output: Output) -> bool:
        return self._ring.waiting == 0 and self._ready_s() <= 0 and output.heard() >= self._ring.taken

    def _feed(self, output: Output, ahead_s: float) -> None:
        transport = self._transport
        ahead, block = int(ahead_s * output.rate), int(BLOCK_S * RATE)
        while self._ring.waiting < ahead:
            with transport.lock:
                if not transport.live:
                    return
                if self._chain is None:
                    self._chain = Chain(transport.fed, transport.speed, output.rate)
                self._chain.set_speed(transport.speed)
                self._flowing, self._ready_since = True, None
                pcm = transport.source.read(transport.fed, block)
                transport.fed += len(pcm)
                if len(pcm):
                    self._put(self._chain.push(pcm))
                    transport.source.forget_before(transport.heard())
                    self._map.forget_before(output.heard() - output.rate)
                    transport.lock.notify_all()
                    output.expects_more = True
                    continue
                output.expects_more = not transport.source.finished
                if transport.source.finished or self._ring.waiting <= ahead // 2:  # else it would come after a gap
                    self._put(self._chain.flush())
                if self._ring.waiting == 0:
                    self._flowing = False
                return

    def _put(self, parts: Iterable[Part]) -> None:
        for part in parts:
            self._map.add(self._ring.written, len(part.pcm), part.source_first, part.source_end)
            self._ring.write(part.pcm)

    def _tell_start(self, output: Output) -> None:
        if not output.first_at:
            return
        self._outlet.works(output)
        with self._transport.lock:
            new = self._transport.live and not self._transport.started_told
            self._transport.started_told |= new
        if new:
            self._tell(PlayerEventKind.STARTED, at=output.first_at)

    def _end_reading(self, output: Output | None) -> None:
        """Tell when all was heard."""
        transport = self._transport
        with transport.lock:
            source = transport.source
            fed = transport.live and source.finished and transport.fed >= source.total
            held = self._ring.waiting > 0 or (self._chain is not None and self._chain.holds)
            if not fed or transport.drained.is_set() or held:
                return
            if output is not None:
                if output.heard() < self._ring.taken:
                    return
                output.expects_more, output.ran_dry, output.first_at = False, False, 0.0
            transport.end_reading()
            self._map.clear()
            self._chain, self._flowing, self._ready_since = None, False, None
        self._tell(PlayerEventKind.DRAINED)
