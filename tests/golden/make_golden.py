"""Record what the published implementation computes from the tiny models. README.md in this folder has the commands.

Everything runs in float32 on one thread with eager attention. For each case the first text is taken with which every
choice is clear, so that differences in the order of summation can't turn a code.
"""

import json
import sys
import tempfile
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import published
import torch
from cases import TEXTS, Case, cases
from given_noise import given_noise
from reference_sounds import SOUNDS, reference_sound
from safetensors.torch import save_file
from tiny_model import SPECS, write

DATA = Path(__file__).parent / "data"
MARGIN = 3e-4
"""Least distance of the best from the second best score (their spread is about 2)."""
NOISE_MARGIN = 1e-5
PREDICTOR_FRAMES = 4
PCM_STRIDE = 61
CODEC_FRAMES = 290


@dataclass
class Recording:
    """What one call made the published model compute."""

    rows: torch.Tensor | None = None
    trailing: torch.Tensor | None = None
    pad: torch.Tensor | None = None
    mask: torch.Tensor | None = None
    logits: list[torch.Tensor] = field(default_factory=list)
    predictor_logits: list[torch.Tensor] = field(default_factory=list)
    codes: list[torch.Tensor] = field(default_factory=list)
    text_ids: list[list[int]] = field(default_factory=list)
    margin: float = 1e9


def record(model: Any, case: Case, text: str | list[str]) -> tuple[Recording, list[torch.Tensor]]:
    """Call ``case.method`` and listen in. Returns the recording and the audio of each row."""
    made = Recording()
    arguments = dict(case.arguments)
    if case.ref_sound:
        arguments["ref_audio"] = reference_sound(case.ref_sound)
    noise = given_noise(case.noise_seed) if case.noise_seed is not None else nullcontext()
    with ExitStack() as stack, noise as given:
        published.listen(model, made, stack)
        sound, rate = getattr(model, case.method)(
            text=text, max_new_tokens=case.max_new_tokens, **arguments, **case.sampling
        )
    assert rate == 24000
    if given is not None and given.closest < NOISE_MARGIN:
        made.margin = 0.0
    return made, [torch.from_numpy(s) for s in sound]


def texts(case: Case) -> list[str | list[str]]:
    """Texts to try in turn; pairs of them for a batch of two."""
    count = len(TEXTS)
    many = TEXTS + [f"{TEXTS[i % count]} {TEXTS[(i * 3 + 1) % count]}" for i in range(4 * count)]
    if any(isinstance(value, list) for value in case.arguments.values()):
        return [[text, many[(i + 7) % len(many)]] for i, text in enumerate(many)]
    return list(many)


def run(case: Case, model: Any) -> dict[str, Any]:
    """Find a clear text, write ``data/<case>.safetensors`` and return the case's entry in ``cases.json``."""
    for text in texts(case):
        made, sound = record(model, case, text)
        lengths = [len(codes) for codes in made.codes]
        ended = any(length < case.max_new_tokens - 1 for length in lengths)
        clear = made.margin > MARGIN if case.sampling.get("do_sample") is False else made.margin > 0
        if clear and ended == case.ends and (not case.ends or 5 < min(lengths) < 60):
            break
    else:
        sys.exit(f"{case.name}: no text gives a clear result; add texts or change the seed")
    eos = model.model.config.talker_config.codec_eos_token_id
    audio_codes = model.model.config.talker_config.code_predictor_config.vocab_size
    keep = [*range(audio_codes), eos]
    tensors = {
        "rows": made.rows, "row_mask": made.mask.bool(), "trailing": made.trailing, "pad": made.pad,
        "logits": torch.stack(made.logits)[..., keep],
        "predictor_logits": torch.stack(made.predictor_logits[: 15 * PREDICTOR_FRAMES]).unflatten(0, (-1, 15)),
    }  # fmt: skip
    for row, (codes, samples) in enumerate(zip(made.codes, sound, strict=True)):
        tensors[f"codes.{row}"] = codes.to(torch.int16)
        tensors[f"pcm.{row}"] = samples[::PCM_STRIDE]
    save(case.name, tensors)
    print(f"{case.name}: {lengths} frames, margin {made.margin:.1e}, peak {max(s.abs().max() for s in sound):.2f}")
    return vars(case) | {"text": text, "text_ids": made.text_ids, "samples": [len(s) for s in sound]}


def run_codec(model: Any) -> None:
    """Decode random frames in one pass of under 300, where the published chunking doesn't set in."""
    books = model.model.speech_tokenizer.model.config.decoder_config
    generator = torch.Generator().manual_seed(5)
    shape = (1, CODEC_FRAMES, books.num_quantizers)
    codes = torch.randint(0, books.codebook_size, shape, generator=generator)
    pcm, latent = published.decode(model, codes)
    assert pcm.abs().max() < 0.95, "clipped: lower GAIN in tiny_model.py"
    print(f"codec: rms {pcm.std():.3f}, peak {pcm.abs().max():.3f}")
    save("codec", {
        "codes": codes.to(torch.int16), "start": pcm[:, : 3 * 1920], "end": pcm[:, -1920:], "pcm": pcm[:, ::PCM_STRIDE],
        "latent": latent[:, ::7],
    })  # fmt: skip


def run_reference(model: Any, checkpoint: str, sound: str) -> None:
    """Encode a reference: mel rows, x-vector, latents before the quantizer, and codes."""
    made = published.encode(model, *reference_sound(sound))
    print(f"{checkpoint} {sound}: {len(made['codes'])} frames, margin {made.pop('margin'):.1e}")
    made["mel"] = made["mel"][::11]
    save(f"reference-{checkpoint}-{sound}", made)


def save(name: str, tensors: dict[str, torch.Tensor]) -> None:
    save_file(
        {key: value.detach().clone().contiguous() for key, value in tensors.items()}, DATA / f"{name}.safetensors"
    )


def main() -> None:
    torch.set_num_threads(1)
    for old in DATA.glob("*.safetensors"):
        old.unlink()
    entries = []
    with tempfile.TemporaryDirectory() as folder:
        for name, spec in SPECS.items():
            model = published.load(write(Path(folder) / name, spec))
            entries += [run(case, model) for case in cases() if case.checkpoint == name]
            if name == "base":
                run_codec(model)
                save("mel", {"filters": published.mel_filters()[::8]})
            if spec.kind == "base":
                for sound in SOUNDS:
                    run_reference(model, name, sound)
    (DATA / "cases.json").write_text(json.dumps(entries, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
