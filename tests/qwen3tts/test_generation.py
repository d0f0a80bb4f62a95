"""The loop: seeds repeat, rows don't disturb each other, streamed is whole text, and stopping leaves nothing behind."""

import gc
import logging
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop_tts.qwen3tts import Ending, Qwen3TTSModel, arguments
from desktop_tts.qwen3tts.generate import FrameMaker, Limit
from desktop_tts.qwen3tts.talker import Talker
from support import golden

GREEDY = {"do_sample": False, "subtalker_dosample": False}
TEXT = "The lighthouse keeper counted 12 ships at dawn; it's 天气很好 today. "


@pytest.fixture(scope="module")
def custom() -> Qwen3TTSModel:
    return Qwen3TTSModel.from_pretrained(golden.checkpoint("custom_voice"))


@pytest.fixture(scope="module")
def base() -> Qwen3TTSModel:
    return Qwen3TTSModel.from_pretrained(golden.checkpoint("base"))


@pytest.fixture(scope="module")
def prompt(base):
    return base.create_voice_clone_prompt(golden.reference_sound("short"), "The ships.")


def drain(speech) -> tuple[np.ndarray, Ending]:
    chunks = []
    while True:
        try:
            chunks.append(next(speech))
        except StopIteration as stop:
            return np.concatenate(chunks) if chunks else np.zeros(0, np.float32), stop.value


def say(model, text=TEXT, **options):
    options = {"speaker": "ryan", "language": "English", "seed": 1, "max_new_tokens": 30} | options
    return drain(model.stream_custom_voice(text, **options))[0]


def without_end(monkeypatch):
    """The model never finds the end of its speech."""
    favour(monkeypatch, lambda config: config.codec_eos_token_id, -1e9)


def favour(monkeypatch, which, score=1e9):
    """Scores of codebook 0 that are always ``score``."""
    scores = Talker.scores

    def changed(talker, state):
        result = scores(talker, state).clone()
        result[:, which(talker.config)] = score
        return result

    monkeypatch.setattr(Talker, "scores", changed)


def test_a_seed_repeats_and_another_differs(custom):
    assert np.array_equal(say(custom), say(custom))
    assert not np.array_equal(say(custom), say(custom, seed=2))
    assert not np.array_equal(say(custom, seed=None), say(custom, seed=None))


def test_another_thread_or_generator_does_not_disturb_a_seed(custom):
    expected = say(custom)
    torch.manual_seed(123)
    found = {}
    threads = [threading.Thread(target=lambda n=n: found.update({n: say(custom)})) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(sound, expected) for sound in found.values())
    assert len(found) == 3


def test_streams_can_take_turns(custom):
    streams = [custom.stream_custom_voice(TEXT, "ryan", seed=n, max_new_tokens=12) for n in range(3)]
    turns = [np.concatenate(chunks) for chunks in zip(*zip(*streams, strict=True), strict=True)]
    for seed, sound in enumerate(turns):
        assert np.array_equal(sound, say(custom, seed=seed, language=None, max_new_tokens=12))


def test_generating_gives_what_streaming_gives(custom, base, prompt):
    (whole,), rate = custom.generate_custom_voice(TEXT, "ryan", "English", seed=1, max_new_tokens=30)
    assert np.array_equal(whole, say(custom))
    assert rate == 24000
    assert whole.dtype == np.float32
    options = {"voice_clone_prompt": prompt, "seed": 4, "max_new_tokens": 20}
    (whole,), _ = base.generate_voice_clone(TEXT, **options)
    assert np.array_equal(whole, drain(base.stream_voice_clone(TEXT, **options))[0])


@pytest.mark.parametrize("frames_per_chunk", [1, 3, 29, 100])
def test_chunks_are_whole_frames(custom, frames_per_chunk):
    chunks = list(custom.stream_custom_voice(TEXT, "ryan", "English", seed=1, max_new_tokens=30,
                                             frames_per_chunk=frames_per_chunk))  # fmt: skip
    assert {len(chunk) for chunk in chunks[:-1]} <= {1920 * frames_per_chunk}
    assert all(len(chunk) % 1920 == 0 for chunk in chunks)
    assert np.array_equal(np.concatenate(chunks), say(custom))


def test_the_first_chunk_comes_before_the_second_frame_is_made(custom, monkeypatch):
    made = []
    finish = FrameMaker.finish
    monkeypatch.setattr(FrameMaker, "finish", lambda maker, code: (made.append(code), finish(maker, code))[1])
    advanced = []
    advance = Talker.advance
    monkeypatch.setattr(Talker, "advance", lambda t, row, state: (advanced.append(row), advance(t, row, state))[1])
    speech = custom.stream_custom_voice(TEXT, "ryan", seed=1, max_new_tokens=30)
    next(speech)
    assert len(made) == 1
    assert not advanced


@pytest.mark.parametrize("whole", [True, False])
def test_rows_of_a_batch_are_what_each_is_alone(custom, whole):
    texts = [TEXT, "It's slow.", "Ships! Ships! Ships!"]
    voices = {"speaker": ["ryan", "eric", ""], "language": ["English", "Auto", "French"], "instruct": ["", "slow", ""]}
    options = {"max_new_tokens": 40, "non_streaming_mode": whole, **GREEDY}
    together, _ = custom.generate_custom_voice(texts, **voices, **options)
    for row, text in enumerate(texts):
        own = {name: values[row] for name, values in voices.items()}
        (alone,), _ = custom.generate_custom_voice(text, **own, **options)
        assert len(together[row]) == len(alone)
        assert np.abs(together[row] - alone).max() < 1e-3


def test_sampled_rows_have_seeds_of_their_own(custom):
    options = {"speaker": "ryan", "max_new_tokens": 15}
    together, _ = custom.generate_custom_voice([TEXT, "Ships.", TEXT], seed=[5, 9, 6], **options)
    for sound, text, seed in zip(together, [TEXT, "Ships.", TEXT], [5, 9, 6], strict=True):
        (alone,), _ = custom.generate_custom_voice(text, seed=seed, **options)
        assert np.abs(sound - alone).max() < 1e-3
    counted, _ = custom.generate_custom_voice([TEXT, TEXT], seed=5, **options)
    assert np.abs(counted[1] - together[2]).max() < 1e-3


def test_references_of_several_lengths_in_one_batch(base):
    prompts = [
        *base.create_voice_clone_prompt(golden.reference_sound("short"), "The ships."),
        *base.create_voice_clone_prompt(golden.reference_sound("long"), "The lighthouse keeper."),
        *base.create_voice_clone_prompt(golden.reference_sound("wide"), x_vector_only_mode=True),
    ]
    texts = ["It's slow.", TEXT, "Music."]
    together, _ = base.generate_voice_clone(texts, voice_clone_prompt=prompts, max_new_tokens=25, **GREEDY)
    for sound, text, own in zip(together, texts, prompts, strict=True):
        (alone,), _ = base.generate_voice_clone(text, voice_clone_prompt=own, max_new_tokens=25, **GREEDY)
        assert len(sound) == len(alone)
        assert np.abs(sound - alone).max() < 1e-3


@settings(max_examples=6, deadline=None)
@given(st.lists(st.integers(0, 9), max_size=20), st.integers(0, 1000))
def test_a_streamed_text_sounds_as_the_whole_text(custom, lengths, seed):
    pieces, at = [], 0
    for length in lengths:
        pieces.append(TEXT[at : at + length])
        at += length
    streamed = say(custom, iter([*pieces, TEXT[at:]]), seed=seed, max_new_tokens=35)
    assert np.array_equal(streamed, say(custom, seed=seed, max_new_tokens=35, non_streaming_mode=False))


@pytest.mark.parametrize(
    "ref_text", ["The ships.", "The lighthouse keeper counted the ships at dawn, and nobody knew."]
)
def test_a_streamed_text_after_a_reference_sounds_as_the_whole_text(base, ref_text):
    """With fewer and with more ids in the reference's text than it has frames."""
    own = base.create_voice_clone_prompt(golden.reference_sound("short"), ref_text)
    for text in ("Ships.", TEXT * 3):
        options = {"voice_clone_prompt": own, "seed": 3, "max_new_tokens": 70}
        streamed, _ = drain(base.stream_voice_clone(iter(text), **options))
        assert np.array_equal(streamed, drain(base.stream_voice_clone(text, **options))[0])


def test_a_streamed_text_with_an_x_vector_and_without(base):
    own = base.create_voice_clone_prompt(golden.reference_sound("short"), x_vector_only_mode=True)
    options = {"voice_clone_prompt": own, "seed": 3, "max_new_tokens": 30}
    streamed, _ = drain(base.stream_voice_clone(iter(TEXT), **options))
    assert np.array_equal(streamed, drain(base.stream_voice_clone(TEXT, **options))[0])


class Dictation:
    """A text that comes when the test says so."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.ended = False
        self.asked = threading.Event()
        self.closed = threading.Event()
        self.changed = threading.Condition()

    def give(self, *pieces: str, end: bool = False) -> None:
        with self.changed:
            self.pieces += pieces
            self.ended = self.ended or end
            self.changed.notify_all()

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        with self.changed:
            self.asked.set()
            self.changed.wait_for(lambda: self.pieces or self.ended)
            if self.pieces:
                return self.pieces.pop(0)
            raise StopIteration

    def close(self) -> None:
        self.closed.set()


def test_speech_waits_for_text_and_never_pads(custom):
    dictation = Dictation()
    sounds, done = [], threading.Event()

    def listen():
        sounds.extend(custom.stream_custom_voice(dictation, "ryan", "English", seed=1, max_new_tokens=45))
        done.set()

    thread = threading.Thread(target=listen)
    thread.start()
    dictation.give(TEXT[:20])
    deadline = time.monotonic() + 30
    while not sounds and time.monotonic() < deadline:
        time.sleep(0.01)
    known = len(custom.networks.tokenizer.encode(TEXT[:20]))
    time.sleep(0.3)
    assert 0 < len(sounds) <= known
    assert not done.is_set()
    dictation.give(*TEXT[20:], end=True)
    thread.join(60)
    assert np.array_equal(np.concatenate(sounds), say(custom, max_new_tokens=45, non_streaming_mode=False))


def test_a_waiting_stream_can_be_cancelled(custom):
    dictation, cancel = Dictation(), threading.Event()
    dictation.give("The")
    threading.Timer(0.2, cancel.set).start()
    sound, ending = drain(custom.stream_custom_voice(dictation, "ryan", cancel=cancel))
    assert ending is Ending.CANCELLED
    assert len(sound) == 0
    dictation.give("x")
    assert dictation.closed.wait(5)


def test_closing_a_stream_ends_its_text(custom):
    dictation = Dictation()
    dictation.give(TEXT, TEXT)
    speech = custom.stream_custom_voice(dictation, "ryan", max_new_tokens=30)
    next(speech)
    speech.close()
    dictation.give("x", "y")
    assert dictation.closed.wait(5)
    assert [t for t in threading.enumerate() if t.name == "text-source" and t.is_alive()] == []


def test_a_stream_that_is_never_started_starts_nothing(custom):
    dictation = Dictation()
    speech = custom.stream_custom_voice(dictation, "ryan")
    speech.close()
    assert not dictation.asked.is_set()


def test_what_a_text_source_raises_is_raised(custom):
    def source():
        yield "The ships "
        raise ConnectionError("gone")

    with pytest.raises(ConnectionError, match="gone"):
        drain(custom.stream_custom_voice(source(), "ryan", max_new_tokens=60))
    with pytest.raises(TypeError, match="str, not int"):
        drain(custom.stream_custom_voice(iter([1]), "ryan"))


@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_text_is_refused(custom, text):
    with pytest.raises(ValueError, match="empty"):
        custom.generate_custom_voice(text, "ryan")
    with pytest.raises(ValueError, match="empty"):
        custom.stream_custom_voice(text, "ryan")
    with pytest.raises(ValueError, match="empty"):
        drain(custom.stream_custom_voice(iter(text), "ryan"))


def test_cancelling_at_any_frame_leaves_nothing_behind(custom):
    expected = say(custom, max_new_tokens=12)
    for frames in range(11):
        cancel, chunks = threading.Event(), []
        if not frames:
            cancel.set()
        for chunk in custom.stream_custom_voice(TEXT, "ryan", "English", seed=1, max_new_tokens=12, cancel=cancel):
            chunks.append(chunk)
            if len(chunks) == frames:
                cancel.set()
        assert len(chunks) == frames
        assert np.array_equal(np.concatenate([*chunks, np.zeros(0, np.float32)]), expected[: frames * 1920])
        assert np.array_equal(say(custom, max_new_tokens=12), expected)


def test_cancel_ends_a_batch(custom):
    cancel = threading.Event()
    cancel.set()
    sounds, _ = custom.generate_custom_voice([TEXT, TEXT], "ryan", cancel=cancel)
    assert [len(sound) for sound in sounds] == [0, 0]


def test_memory_goes_back(custom):
    def tensors():
        gc.collect()
        return sum(type(thing) is torch.Tensor for thing in gc.get_objects())

    say(custom)
    before = tensors()
    for _ in range(3):
        speech = custom.stream_custom_voice(TEXT, "ryan", max_new_tokens=30)
        next(speech)
        speech.close()
        say(custom, max_new_tokens=5)
    del speech
    assert tensors() <= before


def test_the_cache_grows_without_a_change(custom, monkeypatch):
    expected = say(custom, max_new_tokens=40)
    monkeypatch.setattr("desktop_tts.qwen3tts.generate._ROOM", 3)
    assert np.array_equal(say(custom, max_new_tokens=40), expected)
    texts = {"speaker": "ryan", "max_new_tokens": 30, **GREEDY}
    small, _ = custom.generate_custom_voice([TEXT, "Ships."], **texts)
    monkeypatch.undo()
    large, _ = custom.generate_custom_voice([TEXT, "Ships."], **texts)
    assert all(np.abs(a - b).max() < 1e-3 for a, b in zip(small, large, strict=True))


@pytest.mark.parametrize("options", [GREEDY, {}])
def test_the_end_comes_after_two_codes_at_the_earliest(custom, monkeypatch, options):
    favour(monkeypatch, lambda config: slice(config.codec_eos_token_id, config.codec_eos_token_id + 1))
    sound, ending = drain(custom.stream_custom_voice(TEXT, "ryan", seed=1, **options))
    assert len(sound) == 2 * 1920
    assert ending is Ending.SPOKEN


def test_control_ids_are_never_chosen(custom, monkeypatch):
    favour(monkeypatch, lambda config: slice(config.vocab_size - 1024, None))
    chosen = []
    first = FrameMaker.first_code
    monkeypatch.setattr(FrameMaker, "first_code", lambda m, n: (chosen.append(first(m, n)), chosen[-1])[1])
    drain(custom.stream_custom_voice(TEXT, "ryan", seed=1, max_new_tokens=20))
    config = custom.config.talker
    allowed = {*range(config.code_predictor.vocab_size), config.codec_eos_token_id}
    assert {code.item() for code in chosen} <= allowed


def test_the_limit_is_as_published_when_it_is_given(custom, monkeypatch):
    without_end(monkeypatch)
    for most in (1, 2, 17):
        sound, ending = drain(custom.stream_custom_voice(TEXT, "ryan", max_new_tokens=most))
        assert len(sound) == (most - 1) * 1920
        assert ending is Ending.LIMIT


def test_the_text_limits_the_speech(custom, monkeypatch, caplog):
    without_end(monkeypatch)
    networks = custom.networks
    monkeypatch.setitem(networks.generation, "max_new_tokens", 8192)
    monkeypatch.setattr(arguments, "_FRAMES_PER_ID", 1.5)
    ids = len(networks.tokenizer.encode("Ships."))
    with caplog.at_level(logging.WARNING):
        for text in ("Ships.", iter("Ships.")):
            sound, ending = drain(custom.stream_custom_voice(text, "ryan", seed=1))
            assert len(sound) == Limit(8191, 1.5).of(ids) * 1920
            assert ending is Ending.LIMIT
    assert "didn't end by itself" in caplog.text
    assert "Ships" not in caplog.text


def test_silence_without_end_is_tried_once_more(custom, monkeypatch):
    """From another seed, which is the same for the same seed."""
    without_end(monkeypatch)
    monkeypatch.setattr(arguments, "_FRAMES_PER_ID", 0.5)
    decode = type(custom.networks.decoder).decode_frames
    limit = Limit(8191, 0.5).of(len(custom.networks.tokenizer.encode("Ships.")))
    quiet = {"frames": limit}

    def silent_at_first(decoder, codes, state):
        quiet["frames"] -= 1
        return decode(decoder, codes, state) * (1e-4 if quiet["frames"] >= 0 else 1)

    monkeypatch.setattr(type(custom.networks.decoder), "decode_frames", silent_at_first)
    sounds = []
    for _ in range(2):
        quiet["frames"] = limit
        sounds.append(drain(custom.stream_custom_voice("Ships.", "ryan", seed=1))[0])
        assert len(sounds[-1]) == 2 * limit * 1920
    assert np.array_equal(*sounds)


def test_a_batch_tries_once_more_only_those_that_never_end(custom, monkeypatch):
    calls = []
    start = Talker.start
    monkeypatch.setattr(Talker, "start", lambda t, rows, *rest: (calls.append(len(rows)), start(t, rows, *rest))[1])
    scores, eos = Talker.scores, custom.config.talker.codec_eos_token_id

    def second_is_endless(talker, state):
        result = scores(talker, state).clone()
        result[:, eos] = -1e9
        if state.length > 30:  # at first only the first row ends
            result[: 1 if len(calls) == 1 else None, eos] = 1e9
        return result

    monkeypatch.setattr(Talker, "scores", second_is_endless)
    monkeypatch.setattr(arguments, "_FRAMES_PER_ID", 0.5)
    sounds, _ = custom.generate_custom_voice([TEXT, TEXT], "ryan", seed=1, non_streaming_mode=False)
    assert calls == [2, 1]
    assert [len(sound) // 1920 for sound in sounds] == [22, 22]


def test_greedy_speech_is_not_tried_again(custom, monkeypatch):
    without_end(monkeypatch)
    monkeypatch.setattr(arguments, "_FRAMES_PER_ID", 0.5)
    calls = []
    start = Talker.start
    monkeypatch.setattr(Talker, "start", lambda t, rows, *rest: (calls.append(len(rows)), start(t, rows, *rest))[1])
    custom.generate_custom_voice("Ships.", "ryan", **GREEDY)
    assert calls == [1]


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_speaks(dtype):
    model = Qwen3TTSModel.from_pretrained(golden.checkpoint("custom_voice"), dtype=dtype)
    sound = say(model)
    assert len(sound) == 29 * 1920
    assert np.isfinite(sound).all()
    expected = torch.float32 if dtype == "float16" else torch.bfloat16
    assert model.networks.talker.codec_head.weight.dtype is expected
    assert all(head.weight.dtype is expected for head in model.networks.predictor.lm_head)


def test_no_step_of_a_frame_reads_back_to_the_host(custom, monkeypatch):
    """What a graph can't record: any tensor that becomes a Python number, or a shape that depends on one."""
    forbidden = {"item", "tolist", "nonzero", "__bool__", "__int__", "__float__", "__index__", "cpu", "numpy"}

    class Watch(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            assert getattr(function, "__name__", "") not in forbidden, function
            return function(*args, **(kwargs or {}))

    for name in ("first_code", "finish"):
        step = getattr(FrameMaker, name)

        def watched(maker, argument, step=step):
            with Watch():
                return step(maker, argument)

        monkeypatch.setattr(FrameMaker, name, watched)
    forward = Talker.advance

    def watched_advance(talker, row, state):
        with Watch():
            forward(talker, row, state)

    monkeypatch.setattr(Talker, "advance", watched_advance)
    say(custom, max_new_tokens=6)
