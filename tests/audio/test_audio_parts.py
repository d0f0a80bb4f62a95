"""The parts of the player by themselves: cut anywhere, the sound stays the same."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from listening import noise, tone

from desktop_tts.audio.chain import Chain
from desktop_tts.audio.gain import Gain
from desktop_tts.audio.ring import PlayMap, Ring
from desktop_tts.audio.source import RATE, Source
from desktop_tts.audio.stretch import Stretcher
from desktop_tts.audio.transport import Transport
from support.sound import alignment

cuts = st.lists(st.integers(0, 5000), max_size=30)
quickly = settings(max_examples=40, deadline=None)


def pieces(pcm, lengths):
    at = 0
    for length in lengths:
        yield pcm[at : at + length]
        at += length
    yield pcm[at:]


def read_all(source):
    found, at = [], 0
    while len(block := source.read(at, 480)):
        found.append(block)
        at += len(block)
    return np.concatenate(found)


@pytest.mark.parametrize("rate", [24_000, 22_050, 16_000, 48_000])
@given(lengths=cuts)
@quickly
def test_a_source_gives_the_same_samples_however_they_were_written(rate, lengths):
    pcm = noise(0.5)
    whole, cut = Source(), Source()
    whole.write(pcm, rate, "whole")
    for number, piece in enumerate(pieces(pcm, lengths)):
        cut.write(piece, rate, number)
    for source in (whole, cut):
        source.finish()
    assert cut.total == whole.total == pytest.approx(len(pcm) * RATE / rate, abs=1)
    np.testing.assert_allclose(read_all(cut), read_all(whole), atol=1e-6)


@given(lengths=cuts)
@quickly
def test_every_mark_is_found_where_it_was_written(lengths):
    source, at, marks = Source(), 0, []
    for number, piece in enumerate(pieces(noise(0.5), lengths)):
        source.write(piece, 22_050, number)
        if len(piece):
            marks.append((number, round(at * RATE / 22_050)))
        at += len(piece)
    for number, first in marks:
        assert source.find(0, lambda mark, number=number: mark == number) == first
        assert source.mark_at(first)[0] >= number
    assert source.find(0, lambda mark: mark == "none") is None


def test_a_source_copies_what_it_gets_and_takes_no_numbers_that_are_none():
    source, pcm = Source(), noise(0.1)
    kept = pcm.copy()
    source.write(pcm, RATE, 0)
    pcm[:] = 9.0
    np.testing.assert_array_equal(read_all(source), kept)
    source.clear()
    source.write(np.array([0.5, np.nan, np.inf], np.float32), RATE, 0)
    assert read_all(source).tolist() == [0.5, 0.0, 1.0]


def test_a_source_forgets_what_lies_far_behind():
    source = Source()
    for second in range(1000):
        source.write(np.zeros(RATE, np.float32), RATE, second)
        source.forget_before(source.total)
    assert len(source._pieces) < 10
    assert len(source._marks) < 10
    assert source.mark_at(source.total - 1)[0] == 999
    assert len(source.read(source.total - RATE, 480)) == 480


@given(steps=st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=60))
@quickly
def test_a_ring_gives_what_it_got_in_order(steps):
    ring, sent, got = Ring(100), 0, []
    for write, take in steps:
        count = min(write, 100 - ring.waiting)
        ring.write(np.arange(sent, sent + count, dtype=np.float32))
        sent += count
        out = np.full(take, -1, np.float32)
        taken = ring.take(out)
        got += out[:taken].tolist()
        assert (out[taken:] == -1).all()
    assert got == list(range(len(got)))
    assert ring.waiting == sent - len(got)


def test_a_map_leads_from_the_played_to_the_source_and_stays_small():
    played = PlayMap()
    assert played.source_of(3) is None
    for block in range(1000):
        played.add(block * 10, 10, block * 10.0, block * 10.0 + 10)
    assert len(played._parts) == 1
    played.add(10_000, 10, 10_000.0, 10_020.0)
    assert played.source_of(-5) == 0
    assert played.source_of(77.5) == 77.5
    assert played.source_of(10_005) == 10_010
    assert played.source_of(99_999) == 10_020
    played.forget_before(10_003)
    assert played.source_of(10_005) == 10_010


@pytest.mark.parametrize("rate", [24_000, 44_100, 48_000])
@pytest.mark.parametrize("speed", [0.5, 1.0, 1.25, 2.0, 3.0])
@given(lengths=cuts)
@settings(max_examples=8, deadline=None)
def test_a_chain_tells_for_all_it_gives_where_it_comes_from(rate, speed, lengths):
    pcm, chain = tone(1.0), Chain(100, speed, rate)
    parts = [part for piece in pieces(pcm, lengths) for part in chain.push(piece)]
    parts += chain.flush()
    assert not chain.holds
    assert parts[0].source_first == 100
    assert parts[-1].source_end == 100 + len(pcm)
    assert all(a.source_end == b.source_first for a, b in itertools.pairwise(parts))
    assert sum(len(part.pcm) for part in parts) / rate == pytest.approx(1.0 / speed, abs=0.03)


@pytest.mark.parametrize("rate", [24_000, 44_100, 48_000])
def test_a_chain_tells_the_place_of_a_click(rate):
    pcm, chain, played, out = np.zeros(RATE, np.float32), Chain(100, 1.0, rate), PlayMap(), []
    pcm[12_345] = 1.0
    for at in range(0, RATE, 480):
        for part in chain.push(pcm[at : at + 480]):
            played.add(sum(len(piece) for piece in out), len(part.pcm), part.source_first, part.source_end)
            out.append(part.pcm)
    assert played.source_of(np.argmax(np.concatenate(out))) == pytest.approx(12_445, abs=0.002 * RATE)


def test_a_chain_at_speed_one_and_its_own_rate_touches_nothing():
    pcm, chain = noise(0.5), Chain(0, 1.0, RATE)
    out = np.concatenate([part.pcm for piece in pieces(pcm, [100, 2000]) for part in chain.push(piece)])
    np.testing.assert_array_equal(out, pcm)


@pytest.mark.parametrize("speed", [0.5, 0.8, 1.3, 2.0, 3.0])
@pytest.mark.parametrize("at", [24_000, 31_200, 40_320])
def test_changes_of_speed_have_no_seam(speed, at):
    pcm, stretcher, out = tone(4.0), Stretcher(RATE, 1.0), []
    for first in range(0, len(pcm), 480):
        if first in (at, at + 30_000 // 480 * 480):
            stretcher.set_speed(speed if first == at else 1.0)
        out.append(stretcher.push(pcm[first : first + 480]))
    heard = np.concatenate(out)
    assert np.abs(np.diff(heard)).max() < 1.05 * np.abs(np.diff(pcm)).max()
    changed = 30_000 // 480 * 480
    assert len(heard) == pytest.approx(len(pcm) - changed + changed / speed, abs=0.06 * RATE)
    assert stretcher.held == 0
    np.testing.assert_array_equal(heard[-RATE // 2 :], pcm[-RATE // 2 :])


def test_the_place_does_not_run_away_in_a_long_text_at_high_speed():
    """Sonic's true speed is a little off."""
    stretcher = Stretcher(RATE, 3.0)
    pcm = tone(1.0)
    for _ in range(60):
        stretcher.push(pcm)
        assert 0 <= stretcher.held <= 0.05 * RATE


def test_impossible_speeds_and_volumes_become_possible_ones():
    for asked, given_ in ((0.0, 0.5), (-1.0, 0.5), (9.0, 3.0), (float("nan"), 1.0)):
        assert Stretcher(RATE, asked).speed == given_
    for asked, factor in ((-1.0, 0.0), (float("nan"), 1.0), (0.5, 0.5)):
        block = np.full(100, 0.5, np.float32)
        Gain(asked).apply(block)
        assert block == pytest.approx(0.5 * factor)


def test_stretching_keeps_the_words_in_order():
    first, second = noise(1.0, 1), noise(1.0, 2)
    stretcher = Stretcher(RATE, 1.0)
    out = np.concatenate([stretcher.push(first), stretcher.push(second), stretcher.flush()])
    assert alignment(out, first)[0] < alignment(out, second)[0]


def test_a_pause_ends_where_the_device_was_silenced_and_a_jump_where_it_led():
    transport = Transport("", 10, lambda: None)
    transport.write(noise(1.0), RATE, "x", None)
    transport.listen = lambda: 1000
    transport.go_on(None)
    assert transport.heard() == 1000
    transport.pause()
    assert transport.heard() == 1000
    transport.go_on(1500)
    assert transport.heard() == transport.fed == 1500
    assert not transport.live
    transport.resume()
    transport.go_on(None)
    transport.skip_until(lambda mark: True)
    assert transport.heard() == 1500
    transport.clear()
    transport.go_on(9000)
    assert transport.fed == 0
