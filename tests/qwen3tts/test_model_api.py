"""The interface: the published names, arguments and defaults, and refusals that say what is allowed."""

import inspect
import logging
import os
import subprocess
import sys

import numpy as np
import pytest
import torch

from desktop_tts.qwen3tts import CheckpointError, Qwen3TTSModel, VoiceClonePromptItem, plans
from desktop_tts.qwen3tts.arguments import settings
from desktop_tts.qwen3tts.generate import Limit
from desktop_tts.qwen3tts.voice_prompt import load_prompt, save_prompt
from support import golden

SHORT = {"max_new_tokens": 6, "do_sample": False, "subtalker_dosample": False}


@pytest.fixture(scope="module")
def custom() -> Qwen3TTSModel:
    return Qwen3TTSModel.from_pretrained(golden.checkpoint("custom_voice"))


@pytest.fixture(scope="module")
def design() -> Qwen3TTSModel:
    return Qwen3TTSModel.from_pretrained(golden.checkpoint("voice_design"))


@pytest.fixture(scope="module")
def base() -> Qwen3TTSModel:
    return Qwen3TTSModel.from_pretrained(golden.checkpoint("base"))


PUBLISHED = {
    "generate_custom_voice": {
        "text": ..., "speaker": ..., "language": None, "instruct": None, "non_streaming_mode": True,
    },
    "generate_voice_design": {"text": ..., "instruct": ..., "language": None, "non_streaming_mode": True},
    "generate_voice_clone": {
        "text": ..., "language": None, "ref_audio": None, "ref_text": None, "x_vector_only_mode": False,
        "voice_clone_prompt": None, "non_streaming_mode": False,
    },
    "create_voice_clone_prompt": {"ref_audio": ..., "ref_text": None, "x_vector_only_mode": False},
    "get_supported_speakers": {},
    "get_supported_languages": {},
}  # fmt: skip


@pytest.mark.parametrize("method", PUBLISHED)
def test_arguments_have_the_published_order_and_defaults(method):
    parameters = list(inspect.signature(getattr(Qwen3TTSModel, method)).parameters.values())[1:]
    found = {
        p.name: ... if p.default is p.empty else p.default for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD
    }
    assert list(found.items()) == list(PUBLISHED[method].items())
    if method.startswith("generate"):
        twin = inspect.signature(getattr(Qwen3TTSModel, method.replace("generate", "stream"))).parameters
        assert [name for name in twin if name in found] == list(found)


def test_supported_names(custom, base):
    assert custom.get_supported_speakers() == [
        "aiden", "dylan", "eric", "ono_anna", "ryan", "serena", "sohee", "uncle_fu", "vivian",
    ]  # fmt: skip
    assert custom.get_supported_languages() == base.get_supported_languages() == [
        "auto", "chinese", "english", "french", "german", "italian", "japanese", "korean", "portuguese", "russian",
        "spanish",
    ]  # fmt: skip
    assert base.get_supported_speakers() == []


def test_names_are_read_in_any_case(custom):
    (a,), _ = custom.generate_custom_voice("Ships.", "RYAN", "EnGlish", **SHORT)
    (b,), _ = custom.generate_custom_voice("Ships.", "ryan", "english", **SHORT)
    assert np.array_equal(a, b)


@pytest.mark.parametrize("call", ["generate_custom_voice", "stream_custom_voice"])
def test_unknown_names_are_all_listed_with_the_allowed(custom, call):
    with pytest.raises(ValueError, match=r"Unsupported speakers: \['bob'\]. Supported: \['aiden', 'dylan'"):
        getattr(custom, call)("Hello.", "bob")
    with pytest.raises(ValueError, match=r"Unsupported languages: \['Klingon'\]. Supported: \['auto', 'chinese'"):
        getattr(custom, call)("Hello.", "ryan", "Klingon")
    with pytest.raises(ValueError, match="Unsupported languages"):
        getattr(custom, call)("Hello.", "eric", "sichuan_dialect")
    with pytest.raises(ValueError, match=r"\['bob', 'eve'\]"):
        custom.generate_custom_voice(["a", "b", "c"], ["bob", "ryan", "eve"])


def test_batch_sizes_must_agree(custom, base, design):
    for arguments in (
        {"speaker": ["ryan", "eric"]}, {"speaker": "ryan", "language": ["English", "German"]},
        {"speaker": "ryan", "instruct": ["a", "b"]}, {"speaker": "ryan", "seed": [1, 2]},
    ):  # fmt: skip
        with pytest.raises(ValueError, match="Batch size mismatch: text=3"):
            custom.generate_custom_voice(["a", "b", "c"], **arguments)
    with pytest.raises(ValueError, match="Batch size mismatch"):
        design.generate_voice_design(["a", "b", "c"], ["x", "y"])
    prompt = base.create_voice_clone_prompt(golden.reference_sound("short"), x_vector_only_mode=True)
    with pytest.raises(ValueError, match="Batch size mismatch: text=3, prompt=2"):
        base.generate_voice_clone(["a", "b", "c"], voice_clone_prompt=prompt * 2)
    with pytest.raises(ValueError, match="list of texts is empty"):
        custom.generate_custom_voice([], "ryan")


def test_each_method_names_the_model_it_needs(custom, design, base):
    for model, call in (
        (base, lambda: base.generate_custom_voice("a", "ryan")), (base, lambda: base.stream_custom_voice("a", "ryan")),
        (custom, lambda: custom.generate_voice_design("a", "b")), (custom, lambda: custom.stream_voice_clone("a")),
        (design, lambda: design.generate_voice_clone("a")), (design, lambda: design.create_voice_clone_prompt("x.wav")),
        (custom, lambda: custom.identity),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=rf"needs a \w+ model; this is a {model.config.tts_model_type} model"):
            call()


def test_a_clone_needs_a_reference_and_its_words(base):
    with pytest.raises(ValueError, match="voice_clone_prompt or ref_audio"):
        base.generate_voice_clone("Hello.")
    for words in (None, "", " "):
        with pytest.raises(ValueError, match="ref_text is required .* index=0"):
            base.generate_voice_clone("Hello.", ref_audio=golden.reference_sound("short"), ref_text=words)
    with pytest.raises(ValueError, match="Batch size mismatch: text=2, ref_text=3"):
        base.create_voice_clone_prompt([golden.reference_sound("short")] * 2, ["a", "b", "c"])
    with pytest.raises(ValueError, match="sample rate"):
        base.create_voice_clone_prompt(golden.reference_sound("short")[0], "a")
    with pytest.raises(TypeError):
        base.create_voice_clone_prompt(7, "a")


def test_prompts_in_every_published_form_sound_alike(base):
    items = base.create_voice_clone_prompt(golden.reference_sound("short"), "The ships.")
    as_dict = {
        "ref_code": [items[0].ref_code], "ref_spk_embedding": [items[0].ref_spk_embedding],
        "x_vector_only_mode": [False], "icl_mode": [True], "ref_text": ["The ships."],
    }  # fmt: skip
    sounds = [
        base.generate_voice_clone("Music.", voice_clone_prompt=prompt, **SHORT)[0][0]
        for prompt in (items, items[0], as_dict)
    ]
    direct = base.generate_voice_clone(
        "Music.", ref_audio=golden.reference_sound("short"), ref_text="The ships.", **SHORT
    )[0][0]
    assert all(np.array_equal(sound, direct) for sound in sounds)
    with pytest.raises(ValueError, match="ref_text"):
        base.generate_voice_clone("Music.", voice_clone_prompt=as_dict | {"ref_text": None}, **SHORT)


def test_a_saved_voice_sounds_as_it_did(base, tmp_path):
    (item,) = base.create_voice_clone_prompt(golden.reference_sound("short"), "The ships.")
    save_prompt(tmp_path / "voice.safetensors", item, base.identity)
    loaded = load_prompt(tmp_path / "voice.safetensors", base.identity)
    (a,), _ = base.generate_voice_clone("Music.", voice_clone_prompt=item, **SHORT)
    (b,), _ = base.generate_voice_clone("Music.", voice_clone_prompt=[loaded], **SHORT)
    assert np.array_equal(a, b)


def test_a_voice_of_another_size_is_refused(base):
    other = VoiceClonePromptItem(None, torch.zeros(7), True, False)
    with pytest.raises(ValueError, match="another size"):
        base.generate_voice_clone("Music.", voice_clone_prompt=other)


def test_the_small_model_leaves_instructs_out_and_says_so_once(caplog):
    model = Qwen3TTSModel.from_pretrained(golden.checkpoint("custom_voice_0b6"))
    plans._warn_of_instruct.cache_clear()
    with caplog.at_level(logging.WARNING):
        (a,), _ = model.generate_custom_voice("Ships.", "ryan", instruct="whisper", **SHORT)
        (b,), _ = model.generate_custom_voice("Ships.", "ryan", instruct="shout", **SHORT)
    (c,), _ = model.generate_custom_voice("Ships.", "ryan", **SHORT)
    assert np.array_equal(a, c)
    assert np.array_equal(b, c)
    assert caplog.text.count("instruct") == 1
    assert "whisper" not in caplog.text


def test_unknown_and_wrong_options_are_refused(custom):
    with pytest.raises(TypeError, match=r"Unknown arguments: top_q. Sampling takes do_sample, top_k"):
        custom.generate_custom_voice("a", "ryan", top_q=3)
    for wrong in (
        {"temperature": 0.0},
        {"top_p": 2.0},
        {"top_k": -1},
        {"repetition_penalty": 0.0},
        {"max_new_tokens": 0},
    ):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            custom.stream_custom_voice("a", "ryan", **wrong)
    with pytest.raises(ValueError, match="frames_per_chunk"):
        custom.stream_custom_voice("a", "ryan", frames_per_chunk=0)


def test_a_stream_speaks_one_text(custom):
    with pytest.raises(ValueError, match="one text"):
        custom.stream_custom_voice(["a", "b"], "ryan")
    with pytest.raises(ValueError, match="non_streaming_mode"):
        custom.stream_custom_voice(iter("ab"), "ryan", non_streaming_mode=True)


def test_generating_collects_a_streamed_text(custom):
    (a,), _ = custom.generate_custom_voice(iter(["Sh", "ips."]), "ryan", **SHORT)
    (b,), _ = custom.generate_custom_voice("Ships.", "ryan", **SHORT)
    assert np.array_equal(a, b)


def test_settings_come_from_the_call_then_the_model_then_the_published_defaults():
    how = settings({}, {})
    assert (how.sampling.talker.top_k, how.sampling.talker.temperature, how.sampling.repetition_penalty) == (
        50,
        0.9,
        1.05,
    )
    assert how.limit == Limit(2047, 15.0)
    assert how.retry
    how = settings(
        {"top_k": None, "temperature": 1.0}, {"top_k": 7, "temperature": 0.5, "max_new_tokens": 8192, "x": 1}
    )
    assert (how.sampling.talker.top_k, how.sampling.talker.temperature) == (7, 1.0)
    assert how.sampling.predictor.top_k == 50
    assert how.limit == Limit(8191, 15.0)
    how = settings({"max_new_tokens": 100, "subtalker_top_p": 0.5, "do_sample": False}, {"max_new_tokens": 8192})
    assert how.limit == Limit(99, None)
    assert not how.retry
    assert not how.sampling.talker.do_sample
    assert how.sampling.predictor.do_sample
    assert how.sampling.predictor.top_p == 0.5


def test_the_limit_leaves_room_for_slow_speech_and_digits():
    limit = settings({}, {"max_new_tokens": 8192}).limit
    assert limit.of(1) >= 75  # 6 s for one word
    assert limit.of(40) >= 40 * 15
    assert limit.of(None) == limit.of(100000) == 8191


def test_wrong_ways_of_loading_are_refused():
    with pytest.raises(ValueError, match="sdpa, eager or flash_attention_2"):
        Qwen3TTSModel.from_pretrained(golden.checkpoint("base"), attn_implementation="magic")
    for dtype in ("int4", "nonsense", torch.float64):
        with pytest.raises(ValueError, match="float32, bfloat16, float16 or int8"):
            Qwen3TTSModel.from_pretrained(golden.checkpoint("base"), dtype=dtype)


def test_flash_attention_falls_back_with_one_line(caplog):
    with caplog.at_level(logging.INFO):
        Qwen3TTSModel.from_pretrained(golden.checkpoint("base"), attn_implementation="flash_attention_2")
    assert caplog.text.count("FlashAttention 2 isn't used because") == 1


def test_a_model_that_is_nowhere_is_one_sentence(tmp_path):
    with pytest.raises(CheckpointError, match="There is no model in"):
        Qwen3TTSModel.from_pretrained(tmp_path / "nothing")
    command = [
        sys.executable, "-c",
        "from desktop_tts.qwen3tts import *\n"
        "try: Qwen3TTSModel.from_pretrained('Qwen/No-Such-Model')\n"
        "except CheckpointError as error: print(error)",
    ]  # fmt: skip
    offline = {"HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"}
    said = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | offline).stdout
    assert said.startswith("There's no folder Qwen/No-Such-Model here")


def test_the_package_needs_neither_qt_nor_transformers():
    command = [
        sys.executable, "-c",
        "import sys, desktop_tts.qwen3tts\n"
        "unwanted = {'PySide6', 'transformers', 'qwen_tts', 'huggingface_hub'}\n"
        "print(sorted({m.split('.')[0] for m in sys.modules} & unwanted))",
    ]  # fmt: skip
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "[]\n"
