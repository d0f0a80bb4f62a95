"""A voice in the making: from a recording to a draft in the store, which is kept, or leaves nothing behind."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from desktop_tts.audio.clip import RATE, Clip, prepared
from desktop_tts.audio.files import write_audio
from desktop_tts.errors import DesktopTTSError
from desktop_tts.voices.files import disk
from desktop_tts.voices.profile import REFERENCE, Consent, Kind, Profile
from desktop_tts.voices.store import VoiceStore

BASE_ENGINE = "qwen"


class ModelChoice(Protocol):
    """A model that can clone."""

    @property
    def key(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def installed(self) -> bool: ...


class Cloner(Protocol):
    """The part of the voice maker that is used here. Both calls block."""

    def clone_models(self) -> Sequence[ModelChoice]: ...

    def clone(self, draft_id: str, model: str, transcript: str, x_vector_only: bool, cancel: threading.Event) -> bool:
        """False when cancelled."""


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """All that was chosen."""

    clip: Clip
    start_s: float
    end_s: float
    language: str
    transcript: str
    """Empty for a voice of the x-vector alone."""
    model: str
    consent: str
    """The sentence that was ticked."""


class GivenUp(DesktopTTSError):
    """The user doesn't want it any more."""


class Making:
    """One draft. ``run``, ``keep`` and ``give_up`` block for a while and may be called from any thread."""

    def __init__(self, store: VoiceStore, maker: Cloner, order: Order) -> None:
        self._store, self._maker, self._order = store, maker, order
        self._cancel = threading.Event()
        self._lock = threading.Lock()
        """Held while the draft is finished, kept or discarded."""
        self._draft: Profile | None = None
        """Once it is finished."""

    def run(self) -> Profile:
        """Make the draft; it can be spoken with then. Raises DesktopTTSError, and leaves nothing behind in that
        case: GivenUp after ``give_up``."""
        order = self._order
        now = datetime.now(UTC).isoformat(timespec="seconds")
        wanted = Profile(
            id="",
            name="",
            kind=Kind.CLONED,
            base=f"{BASE_ENGINE}:{order.model}",
            language=order.language,
            transcript=order.transcript,
            consent=Consent(order.consent, now),
        )
        draft = self._store.new_draft(wanted)
        try:
            recording = self._store.folder(draft.id) / REFERENCE
            write_audio(recording, [(prepared(order.clip, order.start_s, order.end_s), RATE)], sample_rate=RATE)
            with disk("The recording can't be kept"):
                os.chmod(recording, 0o600)
            x_vector_only = not order.transcript
            made = self._maker.clone(draft.id, order.model, order.transcript, x_vector_only, self._cancel)
            with self._lock:
                if not made or self._cancel.is_set():
                    raise GivenUp("Making the voice was given up.")
                self._draft = self._store.get(draft.id) or draft
                return self._draft
        except BaseException:
            self._store.discard(draft.id)
            raise

    def keep(self, name: str) -> Profile:
        """Make the finished draft a voice. Raises VoiceError, and the draft stays then."""
        with self._lock:
            if self._draft is None:
                raise GivenUp("This voice isn't there any more.", "Make it again.")
            kept = self._store.keep(self._draft.id, name)
            self._draft = None
            return kept

    def give_up(self) -> None:
        """Stop making it, and remove it if it is finished and wasn't kept. ``cancel`` is enough to stop it."""
        self.cancel()
        with self._lock:
            if self._draft is not None:
                self._store.discard(self._draft.id)
                self._draft = None

    def cancel(self) -> None:
        """Returns at once."""
        self._cancel.set()
