"""The codec decoder against the published one, and against itself however a stream is split."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop_tts.qwen3tts.checkpoint import open_checkpoint
from desktop_tts.qwen3tts.codec.decoder import MAX_BLOCK, CodecDecoder
from desktop_tts.qwen3tts.codec.state import CodecState, stack_states
from support import golden


def load() -> CodecDecoder:
    checkpoint = open_checkpoint(golden.checkpoint("base"))
    tensors = checkpoint.codec_tensors()
    decoder = CodecDecoder(checkpoint.codec.decoder, tensors)
    tensors.ignore("encoder.*")
    tensors.finish()  # every decoder tensor was used
    return decoder


@pytest.fixture(scope="module")
def decoder() -> CodecDecoder:
    return load().pack()


def frames(count: int, batch: int = 1, seed: int = 0) -> torch.Tensor:
    return torch.randint(0, 128, (batch, count, 16), generator=torch.Generator().manual_seed(seed))


def whole(decoder: CodecDecoder, codes: torch.Tensor, block: int = 1) -> torch.Tensor:
    return decoder.decode_frames(codes, decoder.new_state(len(codes)), block=block)


def same(state: CodecState, other: CodecState, tolerance: float) -> bool:
    pairs = [(state.keys, other.keys), (state.values, other.values), *zip(state.memory, other.memory, strict=True)]
    return bool((state.position == other.position).all()) and all((a - b).abs().max() <= tolerance for a, b in pairs)


@pytest.mark.parametrize("block", [1, MAX_BLOCK])
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "packed"])
def test_sound_is_that_of_the_published_decoder(block, packed):
    decoder, published = load().pack() if packed else load(), golden.load("codec")
    pcm = whole(decoder, published["codes"].long(), block)
    assert pcm.shape == (1, 290 * 1920)
    golden.assert_close(pcm[:, : 3 * 1920], published["start"])
    golden.assert_close(pcm[:, -1920:], published["end"])
    golden.assert_close(pcm[:, :: golden.PCM_STRIDE], published["pcm"])


def test_transformer_output_is_that_of_the_published_decoder(decoder):
    published = golden.load("codec")
    codes, state = published["codes"].long(), decoder.new_state()
    with torch.inference_mode():
        latents = torch.cat([decoder._latents(some, state) for some in torch.split(codes, 5, 1)], 1)
    golden.assert_close(latents[:, ::7], published["latent"])


@pytest.mark.parametrize("case", golden.cases(), ids=lambda case: case.name)
def test_recorded_codes_sound_as_published(decoder, case):
    """Cloned voices go on from the state that their reference frames leave."""
    tensors = case.tensors()
    for row, samples in enumerate(case.samples):
        state = decoder.new_state()
        if case.ref_sound and not case.arguments.get("x_vector_only_mode"):
            reference = golden.load(f"reference-{case.checkpoint}-{case.ref_sound}")
            decoder.skip_frames(reference["codes"].long()[None], state)
        pcm = decoder.decode_frames(tensors[f"codes.{row}"].long()[None], state, block=MAX_BLOCK)[0]
        # The published code cuts the reference off at int(share * samples), which float rounding makes a sample early
        # now and then; ours is cut between frames.
        extra = samples - len(pcm)
        assert extra in (0, 1)
        start = (-extra) % golden.PCM_STRIDE
        golden.assert_close(pcm[start :: golden.PCM_STRIDE], tensors[f"pcm.{row}"][extra:])


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=8), st.integers(0, 99))
def test_any_split_gives_the_same_bits(decoder, sizes, seed):
    codes, state = frames(sum(sizes), seed=seed), None
    state = decoder.new_state()
    split = torch.cat([decoder.decode_frames(part, state) for part in torch.split(codes, sizes, 1)], 1)
    assert torch.equal(split, whole(decoder, codes))


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 30), st.integers(1, 20)), min_size=1, max_size=6))
def test_blocks_are_equal_but_for_rounding(decoder, parts):
    codes, state = frames(sum(size for size, _ in parts)), decoder.new_state()
    pieces = torch.split(codes, [size for size, _ in parts], 1)
    split = [decoder.decode_frames(p, state, block=block) for p, (_, block) in zip(pieces, parts, strict=True)]
    assert (torch.cat(split, 1) - whole(decoder, codes)).abs().max() < 1e-5


def test_long_stream_equals_blocks_and_memory_stays(decoder):
    codes, state = frames(800), decoder.new_state()  # 64 s
    addresses = [t.data_ptr() for t in (state.position, state.keys, state.values, *state.memory)]
    single = torch.cat([decoder.decode_frames(codes[:, i : i + 1], state) for i in range(800)], 1)
    assert (single - whole(decoder, codes, MAX_BLOCK)).abs().max() < 1e-5
    assert addresses == [t.data_ptr() for t in (state.position, state.keys, state.values, *state.memory)]
    assert int(state.position) == 800


def test_what_follows_changes_nothing_before(decoder):
    codes = frames(20)
    other = codes.clone()
    other[:, 11:] = (other[:, 11:] + 1) % 128
    a, b = whole(decoder, codes), whole(decoder, other)
    assert torch.equal(a[:, : 11 * 1920], b[:, : 11 * 1920])
    assert not torch.equal(a[:, 11 * 1920 : 12 * 1920], b[:, 11 * 1920 : 12 * 1920])


def test_window_is_in_use(decoder):
    """A frame hears through two layers of 12 frames, and about ten more through the convolutions; no further."""
    codes = frames(60)
    near, far = codes.clone(), codes.clone()
    near[:, 28] = (near[:, 28] + 1) % 128  # 31 before the last: beyond one window and the convolutions
    far[:, :20] = (far[:, :20] + 1) % 128
    last = whole(decoder, codes)[:, -1920:]
    assert (whole(decoder, near)[:, -1920:] - last).abs().max() > 1e-6
    assert (whole(decoder, far)[:, -1920:] - last).abs().max() == 0


def test_clone_is_independent(decoder):
    codes, state = frames(30), decoder.new_state()
    decoder.decode_frames(codes[:, :10], state)
    copy, kept = state.clone(), state.clone()
    first = decoder.decode_frames(codes[:, 10:20], state)
    assert same(copy, kept, 0)
    assert torch.equal(decoder.decode_frames(codes[:, 10:20], copy), first)
    assert same(copy, state, 0)


def test_reset_forgets_all(decoder):
    codes, state = frames(15), decoder.new_state()
    first = decoder.decode_frames(codes, state)
    state.reset()
    assert torch.equal(decoder.decode_frames(codes, state), first)


@pytest.mark.parametrize("count", [0, 1, 5, 12, 13, 90])
def test_skipped_frames_leave_the_same_state(decoder, count):
    codes, skipped, heard = frames(count + 6), decoder.new_state(), decoder.new_state()
    decoder.decode_frames(frames(3, seed=5), skipped)
    decoder.decode_frames(frames(3, seed=5), heard)
    assert decoder.skip_frames(codes[:, :count], skipped)
    decoder.decode_frames(codes[:, :count], heard)
    assert same(skipped, heard, 1e-4)
    a, b = (decoder.decode_frames(codes[:, count:], state) for state in (skipped, heard))
    assert (a - b).abs().max() < 1e-5


@pytest.mark.parametrize("after", range(7))
def test_skipping_can_be_stopped(decoder, after):
    asked = iter([False] * after + [True])
    assert not decoder.skip_frames(frames(40), decoder.new_state(), lambda: next(asked))


def test_rows_of_a_batch_equal_single_streams(decoder):
    """Also streams that joined at different positions, as cloned voices with different references do."""
    codes, lengths = frames(9, batch=3), (0, 7, 31)
    states = [decoder.new_state() for _ in lengths]
    for seed, (state, length) in enumerate(zip(states, lengths, strict=True)):
        decoder.decode_frames(frames(length, seed=seed), state)
    together = stack_states(states)
    assert together.batch == 3
    batch = decoder.decode_frames(codes, together)
    single = torch.cat([decoder.decode_frames(row[None], s) for row, s in zip(codes, states, strict=True)])
    assert (batch - single).abs().max() < 1e-5
    assert same(together.row(1), states[1], 1e-4)


def test_bf16_sounds_alike(decoder):
    half = load().to(torch.bfloat16).pack()
    pcm, exact = whole(half, frames(12)), whole(decoder, frames(12))
    assert pcm.dtype == torch.float32
    assert (pcm - exact).norm() < 0.15 * exact.norm()


def test_published_state_size():
    """5.2 MB for a stream of the published codec, whatever its length."""
    from desktop_tts.qwen3tts.random_weights import random_checkpoint

    checkpoint = random_checkpoint("0.6b", "custom_voice")
    decoder = CodecDecoder(checkpoint.codec.decoder, checkpoint.codec_tensors())
    state = decoder.new_state()
    pcm = decoder.decode_frames(torch.randint(0, 2048, (1, 3, 16)), state)
    assert pcm.shape == (1, 3 * 1920)
    assert pcm.std() > 0.01
    elements = sum(t.numel() for t in (state.keys, state.values, *state.memory))
    assert elements * 4 < 5.3e6
