"""Frames in fixed memory, as a graph records them: the same codes and sound as frame by frame, alone or in company,
with the end seen one frame late. On a CPU the step runs unrecorded, by the same loop."""

import threading
import time

import numpy as np
import pytest
import torch

from desktop_tts.qwen3tts import slots as slots_module
from desktop_tts.qwen3tts.conductor import Conductor, Conductors
from desktop_tts.qwen3tts.generate import FrameMaker
from desktop_tts.qwen3tts.graphs import FrameGraphs
from desktop_tts.qwen3tts.model import Qwen3TTSModel
from desktop_tts.qwen3tts.sampling import Choice, Sampling
from desktop_tts.qwen3tts.slots import Slots
from desktop_tts.qwen3tts.synthesis import Synthesizer
from support import golden

FRAMES = 24
GREEDY = Sampling(Choice(do_sample=False), Choice(do_sample=False))
TEXT = "People who cannot read a screen for long rely on it every day."


@pytest.fixture(scope="module")
def networks():
    return Qwen3TTSModel.from_pretrained(golden.checkpoint("custom_voice")).networks


def in_slots(kind="custom_voice"):
    """A model that makes frames in slots."""
    model = Qwen3TTSModel.from_pretrained(golden.checkpoint(kind))
    model._synthesizer = Synthesizer(model.networks, slots=True)
    return model


def plain(kind="custom_voice"):
    return Qwen3TTSModel.from_pretrained(golden.checkpoint(kind))


def heard(speech):
    chunks = list(speech)
    return np.concatenate(chunks) if chunks else np.zeros(0, np.float32)


# ---------------------------------------------------------------- the step


@pytest.mark.parametrize("sampling", [Sampling(), Sampling(Choice(top_p=0.8), Choice(top_k=5), 1.2), GREEDY])
@torch.inference_mode()
def test_two_slots_make_what_each_makes_alone(networks, sampling):
    talker, width, vocabulary = networks.talker, networks.talker.config.hidden_size, networks.talker.config.vocab_size
    generator = torch.Generator().manual_seed(4)
    prompts = [torch.randn(rows, width, generator=generator) for rows in (7, 12)]
    noise = torch.empty(2, FRAMES, 16, vocabulary).exponential_(generator=generator)
    pad, most = networks.config.tts_pad_token_id, networks.predictor.shape.vocab_size - 1
    ids = [5, 6, 7, pad]

    slots = Slots(networks, 3, 64)
    for slot, prompt in enumerate(prompts):
        slots.admit(slot, talker.start([prompt], 0), talker.text_rows(ids), networks.decoder.new_state(1))
    made = []
    for frame in range(FRAMES):
        slots.memory.noise[:2] = noise[:, frame]
        slots.step(2, 64, sampling)
        made.append((slots.memory.codes[:2].clone(), slots.memory.pcm[:2].clone()))

    for slot, prompt in enumerate(prompts):
        draws = iter(noise[slot].flatten(0, 1))
        maker = FrameMaker(
            talker,
            networks.predictor,
            [prompt],
            sampling,
            lambda p, draws=draws: (p / next(draws)[: p.shape[1]]).argmax(-1, keepdim=True),
            FRAMES,
        )
        state = networks.decoder.new_state(1)
        for frame in range(FRAMES):
            codes = maker.finish(maker.first_code(frame))
            assert torch.equal(made[frame][0][slot], codes[0])
            pcm = networks.decoder.decode_frames(codes.clamp(max=most)[:, None], state)
            torch.testing.assert_close(made[frame][1][slot], pcm[0], rtol=0, atol=1e-4)
            maker.advance(codes, [ids[min(frame, 3)]], pad)


def test_a_step_reads_nothing_back_and_keeps_its_memory(networks):
    """What a graph can't record: a tensor that becomes a Python number, a shape that depends on one, memory that
    moves."""
    forbidden = {"item", "tolist", "nonzero", "__bool__", "__int__", "__float__", "__index__", "cpu", "numpy"}
    seen = set()

    class Watch(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            name = getattr(function, "__name__", "")
            assert name not in forbidden, function
            seen.add(name)
            return function(*args, **(kwargs or {}))

    slots = Slots(networks, 2, 32)
    memory = slots.memory
    tensors = [*memory.changing(), memory.cache.keys, memory.cache.values, memory.codes, memory.pcm, memory.noise]
    places = [tensor.data_ptr() for tensor in tensors]
    with Watch():
        for _ in range(3):
            slots.step(2, 32, Sampling())
    assert "rms_norm" in seen, "the watch saw nothing"
    assert [tensor.data_ptr() for tensor in tensors] == places


def test_a_free_slot_never_runs_out_of_its_memory(networks):
    slots = Slots(networks, 1, 16)
    for _ in range(40):
        slots.step(1, 16, Sampling())
    assert int(slots.memory.position[0]) == 15
    assert torch.isfinite(slots.memory.pcm).all()


def test_sizes_are_powers_of_two(networks, monkeypatch):
    steps = []
    monkeypatch.setattr(Slots, "step", lambda self, size, seen, sampling: steps.append((size, seen)))
    graphs = FrameGraphs(Slots(networks, 6, 1000))
    for slots, rows in ((1, 3), (2, 255), (3, 256), (5, 600), (6, 999)):
        graphs.launch(slots, rows, GREEDY)
    assert steps == [(1, 256), (2, 256), (4, 512), (6, 1000), (6, 1000)]


# ---------------------------------------------------------------- whole utterances


@pytest.mark.parametrize("whole", [True, False])
def test_a_stream_sounds_as_without_slots(whole):
    options = {"do_sample": False, "subtalker_dosample": False, "max_new_tokens": 40}
    sounds = [
        heard(model.stream_custom_voice(TEXT, "ryan", "English", None, whole, **options))
        for model in (plain(), in_slots())
    ]
    assert len(sounds[0]) == len(sounds[1]) > 0
    np.testing.assert_allclose(sounds[1], sounds[0], atol=1e-4)


def test_a_text_that_is_still_being_written_sounds_the_same():
    options = {"do_sample": False, "subtalker_dosample": False, "max_new_tokens": 40}

    def pieces():
        for word in TEXT.split():
            time.sleep(0.002)
            yield word + " "

    sounds = [heard(m.stream_custom_voice(pieces(), "ryan", "English", **options)) for m in (plain(), in_slots())]
    assert len(sounds[0]) == len(sounds[1]) > 0
    np.testing.assert_allclose(sounds[1], sounds[0], atol=1e-4)


def test_a_clone_sounds_as_without_slots():
    options = {"do_sample": False, "subtalker_dosample": False, "max_new_tokens": 12}
    sounds = [
        heard(m.stream_voice_clone(TEXT, "English", voice_clone_prompt=[m.blank_voice()], **options))
        for m in (plain("base"), in_slots("base"))
    ]
    np.testing.assert_allclose(sounds[1], sounds[0], atol=1e-4)


def test_many_at_once_sound_as_each_alone_and_a_seed_repeats():
    model = in_slots()
    texts = [TEXT[: 12 + 7 * number] for number in range(7)]  # more than there are slots

    def say(number):
        return heard(model.stream_custom_voice(texts[number], "ryan", seed=number, max_new_tokens=10 + 3 * number))

    alone = [say(number) for number in range(7)]
    found = {}
    threads = [threading.Thread(target=lambda n=n: found.update({n: say(n)})) for n in range(7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for number, sound in enumerate(alone):
        np.testing.assert_allclose(found[number], sound, atol=1e-4)


def test_a_batch_sounds_as_each_alone():
    model = in_slots()
    texts = [TEXT, TEXT[:20], TEXT[:33]]
    together, _ = model.generate_custom_voice(texts, "ryan", seed=[1, 2, 3], max_new_tokens=14)
    for number, sound in enumerate(together):
        (alone,), _ = model.generate_custom_voice(texts[number], "ryan", seed=number + 1, max_new_tokens=14)
        np.testing.assert_allclose(sound, alone, atol=1e-4)


def test_other_sampling_waits_for_its_turn():
    model = in_slots()
    found = {}

    def say(temperature):
        found[temperature] = heard(
            model.stream_custom_voice(TEXT, "ryan", seed=1, temperature=temperature, max_new_tokens=12)
        )

    threads = [threading.Thread(target=say, args=(t,)) for t in (0.5, 1.5, 0.5001)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(found) == 3
    assert not np.array_equal(found[0.5], found[1.5])


def test_cancel_and_closing_free_the_slot():
    model = in_slots()
    cancel = threading.Event()
    speech = model.stream_custom_voice(TEXT, "ryan", seed=1, cancel=cancel, max_new_tokens=500)
    next(speech)
    cancel.set()
    assert len(list(speech)) < 200
    for _ in range(12):  # more than there are slots
        speech = model.stream_custom_voice(TEXT, "ryan", seed=1, max_new_tokens=500)
        next(speech)
        speech.close()
    shared = model._synthesizer._conductors.shared()
    deadline = time.monotonic() + 20
    while any(part is not None for part in shared._parts) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(shared._parts)
    assert len(heard(model.stream_custom_voice("Still there.", "ryan", seed=1, max_new_tokens=5)))


def test_what_has_no_room_is_made_without_slots(networks):
    model = in_slots()
    model._synthesizer._conductors = Conductors(model.networks, 2, 40)
    sound = heard(model.stream_custom_voice(TEXT, "ryan", seed=1, max_new_tokens=60))
    np.testing.assert_allclose(
        sound, heard(plain().stream_custom_voice(TEXT, "ryan", seed=1, max_new_tokens=60)), atol=1e-4
    )


def test_a_fault_is_raised_where_the_sound_is_waited_for_and_the_next_is_unharmed(monkeypatch):
    model = in_slots()
    step = Slots.step
    failing = [True]

    def broken(self, *arguments):
        if failing[0]:
            raise RuntimeError("the device is gone")
        step(self, *arguments)

    monkeypatch.setattr(slots_module.Slots, "step", broken)
    with pytest.raises(RuntimeError, match="device is gone"):
        heard(model.stream_custom_voice(TEXT, "ryan", seed=1, max_new_tokens=5))
    failing[0] = False
    assert len(heard(model.stream_custom_voice(TEXT, "ryan", seed=1, max_new_tokens=5)))


def test_the_thread_ends(networks):
    conductor = Conductor(networks, 1, 64)
    conductor.close()
    conductor._thread.start()
    conductor._thread.join(10)
    assert not conductor._thread.is_alive()
