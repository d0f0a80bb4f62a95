"""Runs the published implementation and listens in at its modules. Needs ``qwen-tts`` 0.1.1, see README.md."""

import importlib.machinery
import sys
import types
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import torch


def _stand_in_for_torchaudio() -> None:
    """The package imports torchaudio at start-up for its unpublished 25 Hz models only; an empty one will do."""
    for name in ("torchaudio", "torchaudio.compliance", "torchaudio.compliance.kaldi"):
        module = types.ModuleType(name)
        module.__spec__ = importlib.machinery.ModuleSpec(name, loader=None, is_package=True)
        module.__path__ = []
        sys.modules[name] = module
    sys.modules["torchaudio.compliance"].kaldi = sys.modules["torchaudio.compliance.kaldi"]


_stand_in_for_torchaudio()
from qwen_tts import Qwen3TTSModel  # noqa: E402
from qwen_tts.core.models import modeling_qwen3_tts  # noqa: E402


def load(path: Path) -> Any:
    """The model in float32 with eager attention; every tensor of the files must have found its place."""
    from safetensors.torch import load_file

    model = Qwen3TTSModel.from_pretrained(str(path), dtype=torch.float32, attn_implementation="eager")
    for module, file in ((model.model, path), (model.model.speech_tokenizer.model, path / "speech_tokenizer")):
        ours, theirs = load_file(file / "model.safetensors"), module.state_dict()
        assert ours.keys() == theirs.keys(), sorted(ours.keys() ^ theirs.keys())
        assert all(torch.equal(tensor.float(), theirs[name]) for name, tensor in ours.items())
    return model


def listen(wrapper: Any, made: Any, stack: ExitStack) -> None:
    """Fill ``made`` (a ``make_golden.Recording``) while ``wrapper`` generates, until ``stack`` is closed."""
    model = wrapper.model
    talker, predictor = model.talker, model.talker.code_predictor
    tokenize, generate = wrapper._tokenize_texts, model.generate
    talker_generate, predictor_generate = talker.generate, predictor.generate

    def note_tokens(texts: list[str]) -> Any:
        ids = tokenize(texts)
        made.text_ids += [row[0].tolist() for row in ids]
        return ids

    def note_codes(*args: Any, **kwargs: Any) -> Any:
        codes, hidden = generate(*args, **kwargs)
        made.codes = list(codes)
        return codes, hidden

    def note_prompt(*args: Any, **kwargs: Any) -> Any:
        made.rows, made.mask = kwargs["inputs_embeds"], kwargs["attention_mask"]
        made.trailing, made.pad = kwargs["trailing_text_hidden"], kwargs["tts_pad_embed"][0, 0]
        return _with_margin(made, talker_generate, *args, greedy=not kwargs["do_sample"], **kwargs)

    def note_predictor(*args: Any, **kwargs: Any) -> Any:
        return _with_margin(made, predictor_generate, *args, greedy=not kwargs["do_sample"], **kwargs)

    stack.enter_context(mock.patch.object(wrapper, "_tokenize_texts", note_tokens))
    stack.enter_context(mock.patch.object(model, "generate", note_codes))
    stack.enter_context(mock.patch.object(talker, "generate", note_prompt))
    stack.enter_context(mock.patch.object(predictor, "generate", note_predictor))
    heads = [(talker.codec_head, made.logits), *((head, made.predictor_logits) for head in predictor.lm_head)]
    for head, notes in heads:
        hook = head.register_forward_hook(lambda _m, _i, out, notes=notes: notes.append(out[:, -1].detach().clone()))
        stack.callback(hook.remove)


def _with_margin(made: Any, generate: Any, *args: Any, greedy: bool, **kwargs: Any) -> Any:
    """Call ``generate`` and note how far the best score stood from the second best, at the closest."""
    result = generate(*args, output_scores=True, **kwargs)
    for scores in result.scores if greedy else ():
        best, second = scores.topk(2).values.unbind(-1)
        made.margin = min(made.margin, float((best - second).min()))
    return result


def decode(wrapper: Any, codes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """``[B, F, 16]`` codes to ``[B, F * 1920]`` samples and the transformer's output ``[B, F, latent]``."""
    codec, latent = wrapper.model.speech_tokenizer.model, []
    hook = codec.decoder.pre_transformer.register_forward_hook(lambda _m, _i, out: latent.append(out.last_hidden_state))
    with torch.no_grad():
        pcm = torch.stack(list(codec.decode(codes).audio_values))
    hook.remove()
    return pcm, latent[0]


def encode(wrapper: Any, sound: np.ndarray, rate: int) -> dict[str, Any]:
    """Codes ``[F, 16]``, latents ``[F, hidden]`` before the quantizer, mel rows, x-vector, and the codes' margin."""
    encoder = wrapper.model.speech_tokenizer.model.encoder
    latent, mels, margins = [], [], []
    mel_spectrogram = modeling_qwen3_tts.mel_spectrogram

    def note_mel(*args: Any, **kwargs: Any) -> torch.Tensor:
        mels.append(mel_spectrogram(*args, **kwargs))
        return mels[-1]

    def note_margin(book: Any, args: Any, _out: Any) -> None:
        distances = torch.cdist(args[0].reshape(1, -1, book.embed.shape[1]), book.embed[None])[0]
        nearest, next_one = distances.topk(2, largest=False).values.unbind(-1)
        margins.append(float((next_one - nearest).min()))

    hooks = [encoder.downsample.register_forward_hook(lambda _m, _i, out: latent.append(out))]
    acoustic = encoder.quantizer.acoustic_residual_vector_quantizer.layers[:15]
    for layer in [*encoder.quantizer.semantic_residual_vector_quantizer.layers, *acoustic]:
        encode_with, book = layer.codebook.encode, layer.codebook
        layer.codebook.encode = lambda x, e=encode_with, b=book: (note_margin(b, (x,), None), e(x))[1]
    with mock.patch.object(modeling_qwen3_tts, "mel_spectrogram", note_mel):
        (item,) = wrapper.create_voice_clone_prompt((sound, rate), ref_text="x")
    for hook in hooks:
        hook.remove()
    return {
        "codes": item.ref_code.to(torch.int16), "x_vector": item.ref_spk_embedding, "mel": mels[0][0].T,
        "latent": latent[0][0].T, "margin": min(margins),
    }  # fmt: skip


def mel_filters() -> torch.Tensor:
    """The filters of the speaker encoder's spectrogram, ``[128, 513]``."""
    import librosa

    return torch.from_numpy(librosa.filters.mel(sr=24000, n_fft=1024, n_mels=128, fmin=0, fmax=12000)).float()
