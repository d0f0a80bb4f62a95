"""Recordings to clone from: any file is read, speech is found, and what is wrong with a recording is noticed."""

import sys
import threading
import wave

import numpy as np
import pyloudnorm
import pytest
import soundfile
import soxr

from desktop_tts.audio import clip_file
from desktop_tts.audio.clip import LONGEST_S, RATE, Clip, prepared, speech_edges, suggested_part
from desktop_tts.audio.clip_check import Quality, Trouble, check
from desktop_tts.audio.clip_file import Cancelled, read_clip
from desktop_tts.audio.loudness import CEILING, SILENCE_DB, loudness, normalised
from desktop_tts.errors import AudioError
from support.microphone import speech_like
from support.sound import alignment

GOOD = speech_like(8.0)


def silence(seconds):
    return np.zeros(round(seconds * RATE), np.float32)


# ---------------------------------------------------------------- files


@pytest.mark.parametrize(
    ("name", "form", "subtype", "likeness"),
    [
        ("a.wav", "WAV", "PCM_16", 0.9999),
        ("a.wav", "WAV", "FLOAT", 0.9999),
        ("a.flac", "FLAC", "PCM_24", 0.9999),
        ("a.mp3", "MP3", "MPEG_LAYER_III", 0.97),
        ("a.ogg", "OGG", "VORBIS", 0.97),
        ("a.opus", "OGG", "OPUS", 0.95),
        ("a.aiff", "AIFF", "PCM_16", 0.9999),
        ("without-ending", "FLAC", "PCM_16", 0.9999),
    ],
)
@pytest.mark.parametrize("rate", [16_000, 48_000])
def test_files_of_all_kinds_are_read(tmp_path, name, form, subtype, likeness, rate):
    at_rate = soxr.resample(GOOD, RATE, rate)
    soundfile.write(tmp_path / name, at_rate, rate, format=form, subtype=subtype)
    clip = read_clip(tmp_path / name)
    assert clip.pcm.dtype == np.float32
    assert clip.duration_s == pytest.approx(8.0, abs=0.15)
    assert not clip.cut_short
    wanted = soxr.resample(at_rate, rate, RATE)
    assert alignment(clip.pcm, wanted[RATE : 5 * RATE])[1] > likeness


def test_channels_are_averaged(tmp_path):
    soundfile.write(tmp_path / "a.wav", np.stack([GOOD, np.zeros_like(GOOD)], axis=1), RATE, subtype="FLOAT")
    np.testing.assert_allclose(read_clip(tmp_path / "a.wav").pcm[: len(GOOD)], GOOD / 2, atol=1e-4)


def test_a_long_file_is_read_to_the_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(clip_file, "LIMIT_S", 2.0)
    soundfile.write(tmp_path / "a.wav", GOOD, RATE)
    clip = read_clip(tmp_path / "a.wav")
    assert clip.duration_s == pytest.approx(2.0, abs=0.001)
    assert clip.cut_short


def test_values_that_are_no_numbers_become_silence(tmp_path):
    pcm = GOOD.copy()
    pcm[1000:1010] = np.nan
    pcm[2000] = np.inf
    soundfile.write(tmp_path / "a.wav", pcm, 2 * RATE, subtype="FLOAT")
    assert np.isfinite(read_clip(tmp_path / "a.wav").pcm).all()


@pytest.mark.parametrize("content", [b"", b"no sound at all", b"RIFF\xff\xff\xff\xffWAVEfmt ", b"\x00" * 5000, b"ID3"])
def test_what_isnt_sound_is_one_sentence(tmp_path, monkeypatch, content):
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "a.wav").write_bytes(content)
    with pytest.raises(AudioError, match=r"a\.wav can't be read as sound\. Use a WAV"):
        read_clip(tmp_path / "a.wav")


def test_a_sound_file_without_sound_is_told(tmp_path):
    with wave.open(str(tmp_path / "a.wav"), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
    with pytest.raises(AudioError, match="no sound in"):
        read_clip(tmp_path / "a.wav")


def test_folders_and_missing_files_are_told(tmp_path):
    with pytest.raises(AudioError, match="folder"):
        read_clip(tmp_path)
    with pytest.raises(AudioError, match="no file"):
        read_clip(tmp_path / "a.wav")
    with pytest.raises(AudioError, match="no file"):
        read_clip(tmp_path / ("a" * 5000))


def test_reading_can_be_given_up(tmp_path):
    soundfile.write(tmp_path / "a.wav", GOOD, RATE)
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        read_clip(tmp_path / "a.wav", cancel)


# ---------------------------------------------------------------- m4a

FFMPEG = f"""#!{sys.executable}
# Does with the libraries of ffmpeg what its program would do with the same arguments.
import sys, time
arguments = sys.argv[1:]
open(sys.argv[0] + ".said", "w").write(repr(arguments))
if "slow" in arguments[arguments.index("-i") + 1]:
    time.sleep(60)
import av
with av.open(arguments[arguments.index("-i") + 1].removeprefix("file:")) as file:
    to = av.AudioResampler("flt", "mono", int(arguments[arguments.index("-ar") + 1]))
    for frame in file.decode(audio=0):
        for out in to.resample(frame):
            sys.stdout.buffer.write(bytes(out.planes[0])[: out.samples * 4])
"""


@pytest.fixture
def m4a(tmp_path):
    import av

    path = tmp_path / "it's mine; $(rm).m4a"
    with av.open(str(path), "w", format="ipod") as file:
        stream = file.add_stream("aac", rate=RATE, layout="mono")
        frame = av.AudioFrame.from_ndarray(GOOD[None, :], format="fltp", layout="mono")
        frame.sample_rate = RATE
        file.mux(stream.encode(frame))
        file.mux(stream.encode(None))
    return path


@pytest.fixture
def ffmpeg(tmp_path, monkeypatch):
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "ffmpeg"
    program.write_text(FFMPEG)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    return program


def test_m4a_without_ffmpeg_says_what_to_do(m4a, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(AudioError) as caught:
        read_clip(m4a)
    assert str(caught.value) == (
        "M4A files can't be read here. Convert it to WAV, FLAC, MP3 or OGG, or install ffmpeg and try again."
    )


def test_m4a_is_read_through_ffmpeg(m4a, ffmpeg):
    clip = read_clip(m4a)
    assert alignment(clip.pcm, GOOD[RATE : 4 * RATE])[1] > 0.95
    assert repr(f"file:{m4a}") in (ffmpeg.parent / "ffmpeg.said").read_text()


def test_broken_m4a_is_told(ffmpeg, tmp_path):
    (tmp_path / "a.m4a").write_bytes(b"\x00\x00\x00\x20ftypM4A nothing follows")
    with pytest.raises(AudioError, match="can't be read as sound"):
        read_clip(tmp_path / "a.m4a")


def test_ffmpeg_is_not_waited_for(ffmpeg, tmp_path, monkeypatch):
    (tmp_path / "slow.m4a").write_bytes(b"nothing")
    monkeypatch.setattr(clip_file, "PATIENCE_S", 0.5)
    with pytest.raises(AudioError, match="can't be read as sound"):
        read_clip(tmp_path / "slow.m4a")
    monkeypatch.undo()
    monkeypatch.setenv("PATH", str(ffmpeg.parent))
    cancel = threading.Event()
    threading.Timer(0.5, cancel.set).start()
    with pytest.raises(Cancelled):
        read_clip(tmp_path / "slow.m4a", cancel)


# ---------------------------------------------------------------- finding speech


def test_edges_of_speech_are_found_in_noise():
    noise = (0.002 * np.random.default_rng(3).standard_normal(13 * RATE)).astype(np.float32)
    pcm = noise + np.concatenate([silence(2.0), GOOD, silence(3.0)])
    start, end = speech_edges(Clip(pcm))
    assert start == pytest.approx(2.0, abs=0.25)
    assert end == pytest.approx(10.0, abs=0.6)


def test_a_click_is_not_speech():
    pcm = np.concatenate([silence(3.0), GOOD, silence(3.0)])
    pcm[RATE : RATE + 200] = 0.9
    assert speech_edges(Clip(pcm))[0] == pytest.approx(3.0, abs=0.25)


@pytest.mark.parametrize("pcm", [silence(0), silence(2), silence(0.001)])
def test_silence_has_no_edges(pcm):
    assert speech_edges(Clip(pcm)) == (0.0, len(pcm) / RATE)
    suggested_part(Clip(pcm))


def test_a_long_recording_is_cut_in_a_pause():
    pcm = speech_like(60.0, seed=4)
    start, end = suggested_part(Clip(pcm))
    assert 8 < end - start <= 20.0
    around = pcm[round((end - 0.05) * RATE) : round((end + 0.05) * RATE)]
    assert np.abs(around).max() < 0.01


def test_a_short_one_is_not_cut_below_what_a_model_needs():
    pcm = np.concatenate([silence(1.0), GOOD[: 2 * RATE], silence(1.0)])
    start, end = suggested_part(Clip(pcm))
    assert end - start == pytest.approx(3.0)
    assert 0 <= start < end <= 4.0


# ---------------------------------------------------------------- checks


def report(pcm, start=0.0, end=None):
    clip = Clip(np.asarray(pcm, np.float32))
    return check(clip, start, clip.duration_s if end is None else end)


def test_a_good_recording_has_no_troubles():
    found = report(GOOD)
    assert found.troubles == ()
    assert found.quality is Quality.GOOD
    assert found.duration_s == pytest.approx(8.0)
    assert found.snr_db > 25


def test_length_is_checked():
    assert report(GOOD, 1.0, 3.5).troubles == (Trouble.TOO_SHORT,)
    assert report(speech_like(31.0)).troubles == (Trouble.TOO_LONG,)
    assert report(GOOD, 1.0, 4.0).troubles == ()
    assert report(speech_like(40.0), 0.0, LONGEST_S).troubles == ()
    assert report(GOOD, 1.0, 3.5).quality is Quality.UNUSABLE


@pytest.mark.parametrize("pcm", [silence(5), 0.0005 * np.random.default_rng(1).standard_normal(5 * RATE), silence(0)])
def test_silence_is_noticed(pcm):
    found = report(pcm)
    assert found.troubles[0] is Trouble.SILENT
    assert found.quality is Quality.UNUSABLE


@pytest.mark.parametrize("rate", [16_000, 24_000, 48_000])
def test_clipping_is_noticed_after_a_change_of_rate_too(tmp_path, rate):
    at_rate = soxr.resample(GOOD, RATE, rate)
    soundfile.write(tmp_path / "a.wav", np.clip(at_rate * 12, -1, 1), rate)
    assert Trouble.CLIPPED in report(read_clip(tmp_path / "a.wav").pcm).troubles
    soundfile.write(tmp_path / "b.wav", at_rate / np.abs(at_rate).max(), rate)
    assert report(read_clip(tmp_path / "b.wav").pcm).troubles == ()


@pytest.mark.parametrize(("noise", "trouble"), [(0.012, Trouble.NOISY), (0.06, Trouble.VERY_NOISY)])
def test_noise_is_noticed(noise, trouble):
    found = report(speech_like(8.0, noise=noise))
    assert found.troubles == (trouble,)
    assert found.quality is (Quality.USABLE if trouble is Trouble.NOISY else Quality.POOR)


def test_noise_is_noticed_beside_muted_parts():
    noisy = speech_like(8.0, noise=0.012)
    assert Trouble.NOISY in report(np.concatenate([silence(1), noisy, silence(1)])).troubles


def test_a_quiet_recording_is_noticed():
    assert report(GOOD * 0.05).troubles == (Trouble.QUIET,)


def test_much_silence_between_is_noticed():
    pcm = np.concatenate([GOOD[: 2 * RATE], silence(6), GOOD[: 2 * RATE]])
    pcm += 1e-4 * np.random.default_rng(1).standard_normal(len(pcm))
    assert report(pcm).troubles == (Trouble.PAUSES,)


# ---------------------------------------------------------------- loudness


@pytest.mark.parametrize("rate", [16_000, 24_000, 48_000])
def test_loudness_is_what_the_standard_measures(rate):
    pcm = np.concatenate([soxr.resample(GOOD, RATE, rate), np.zeros(5 * rate, np.float32)])
    published = pyloudnorm.Meter(rate, filter_class="DeMan").integrated_loudness(pcm)
    assert loudness(pcm, rate) == pytest.approx(published, abs=0.01)


@pytest.mark.parametrize("factor", [0.05, 0.3, 1.0, 2.0])
def test_recordings_are_brought_to_one_loudness(factor):
    made = prepared(Clip((GOOD * factor).astype(np.float32)), 0.0, 8.0)
    assert loudness(made, RATE) == pytest.approx(-20.0, abs=0.3)
    assert np.abs(made).max() <= CEILING + 1e-6


def test_peaks_limit_the_loudness():
    pcm = GOOD.copy()
    pcm[5000] = 1.0
    assert np.abs(normalised(pcm * 0.1, RATE)).max() == pytest.approx(CEILING, abs=1e-4)


def test_silence_stays_silence():
    assert loudness(silence(1), RATE) == SILENCE_DB
    assert loudness(silence(0), RATE) == SILENCE_DB
    np.testing.assert_array_equal(normalised(silence(1), RATE), silence(1))
    assert len(prepared(Clip(silence(0)), 0.0, 1.0)) == 0


def test_the_part_is_the_part_without_offset_and_clicks():
    made = prepared(Clip(GOOD + np.float32(0.1)), 2.0, 5.5)
    assert len(made) == 3.5 * RATE
    assert alignment(GOOD, made)[0] == 2 * RATE
    assert abs(made.mean()) < 1e-3
    assert made[0] == made[-1] == 0.0
