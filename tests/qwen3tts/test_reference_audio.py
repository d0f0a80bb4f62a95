"""Reference audio as people have it: files, arrays, base64, addresses, and what can be wrong with it."""

import base64
import functools
import http.server
import io
import threading

import numpy as np
import pytest
import soundfile

from desktop_tts.errors import DesktopTTSError
from desktop_tts.qwen3tts.reference_audio import ReferenceAudioError, load_reference
from support import golden


def voice(seconds: float = 4.0, rate: int = 24000) -> np.ndarray:
    samples, made = golden.reference_sound("long")
    assert made == 24000
    at = np.arange(round(seconds * rate)) * 24000 / rate
    return np.interp(at % len(samples), np.arange(len(samples)), samples).astype(np.float32)


def wav(samples: np.ndarray, rate: int = 24000) -> bytes:
    file = io.BytesIO()
    soundfile.write(file, samples, rate, format="WAV", subtype="FLOAT")
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "rate", "channels", "options"),
    [
        ("a.wav", 24000, 1, {}), ("a.wav", 8000, 2, {}), ("a.wav", 48000, 1, {"subtype": "PCM_24"}),
        ("a.wav", 192000, 2, {"subtype": "FLOAT"}), ("a.flac", 44100, 2, {}), ("a.ogg", 22050, 1, {}),
        ("a.opus", 48000, 2, {"format": "OGG", "subtype": "OPUS"}), ("a.mp3", 44100, 2, {}), ("a.aiff", 32000, 6, {}),
    ],
)  # fmt: skip
def test_files_of_many_kinds(tmp_path, name, rate, channels, options):
    samples = voice(3.0, rate)
    soundfile.write(tmp_path / name, np.repeat(samples[:, None], channels, 1), rate, **options)
    for source in (tmp_path / name, str(tmp_path / name)):
        audio = load_reference(source)
        assert audio.samples.dtype == np.float32
        assert abs(audio.duration_s - 3.0) < 0.1  # MP3 pads
        assert 0.05 < np.sqrt(np.mean(audio.samples**2)) < 0.4


def test_stereo_is_mixed_down_before_resampling():
    left, right = voice(2.0), -0.5 * voice(2.0)
    mono = load_reference(((left + right) / 2, 24000)).samples
    for stereo in (np.stack((left, right), 1), np.stack((left, right))):
        np.testing.assert_allclose(load_reference((stereo, 24000)).samples, mono, atol=1e-6)


@pytest.mark.parametrize(
    ("kind", "scale", "middle"), [(np.int16, 32768, 0), (np.int32, 2**31, 0), (np.uint8, 128, 128)]
)
def test_whole_numbers_are_scaled(kind, scale, middle):
    exact = voice(2.0)
    samples = np.round(exact.astype(np.float64) * scale + middle).clip(np.iinfo(kind).min, np.iinfo(kind).max)
    np.testing.assert_allclose(load_reference((samples.astype(kind), 24000)).samples, exact, atol=1 / min(scale, 30000))


def test_base64(tmp_path):
    data, exact = wav(voice(1.5)), load_reference((voice(1.5), 24000)).samples
    text = base64.b64encode(data).decode()
    for source in (text, f"data:audio/wav;base64,{text}", "\n".join(text[i : i + 76] for i in range(0, len(text), 76))):
        np.testing.assert_array_equal(load_reference(source).samples, exact)
    with pytest.raises(ReferenceAudioError, match="can't be read"):
        load_reference("data:audio/wav;base64,AAAA")


@pytest.fixture
def server(tmp_path):
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_address(tmp_path, server):
    (tmp_path / "a.wav").write_bytes(wav(voice(1.5)))
    np.testing.assert_array_equal(load_reference(f"{server}/a.wav").samples, voice(1.5))
    with pytest.raises(ReferenceAudioError, match="can't be downloaded"):
        load_reference(f"{server}/b.wav")


def test_resampling_is_soxr_high_quality():
    audio = load_reference((voice(2.0, 16000), 16000))
    assert len(audio.samples) == 48000
    # The float quotient's last digit makes librosa round 24000 up, and the codes must match.
    assert len(load_reference((voice(1.0, 44100), 44100)).samples) == 24001
    steady = load_reference((np.sin(2 * np.pi * 440 * np.arange(32000) / 16000).astype(np.float32) / 2, 16000)).samples
    exact = np.sin(2 * np.pi * 440 * np.arange(48000) / 24000) / 2
    assert np.abs(steady - exact)[2000:-2000].max() < 1e-5


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ((voice(0.9), 24000), "only 0.9 seconds"),
        ((voice(301.0, 8000), 8000), "longer than five minutes"),
        ((np.zeros(48000, np.float32), 24000), "silent"),
        ((np.full(48000, np.nan, np.float32), 24000), "invalid samples"),
        ((np.zeros((2, 2, 2)), 24000), "one channel"),
        ((voice(2.0), 0), "tuple must be"),
        ((np.zeros(0), 24000), "one channel"),
        (voice(2.0), "needs its sample rate"),
        ("/nowhere/a.wav", "There is no reference audio at /nowhere/a.wav"),
        ("A" * 5000, "can't be read"),
        ("nowhere/" * 1000 + ".wav", "There is no reference audio"),
    ],
    ids=["short", "long", "silent", "nan", "axes", "rate", "empty", "array", "missing", "not-audio", "long-name"],
)
def test_what_cannot_be_used(source, message):
    with pytest.raises(ReferenceAudioError, match=message) as caught:
        load_reference(source)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, DesktopTTSError)


def test_long_file_is_refused_before_it_is_read(tmp_path, monkeypatch):
    soundfile.write(tmp_path / "a.wav", np.zeros(8000 * 301, np.int16), 8000)
    monkeypatch.setattr(soundfile.SoundFile, "read", lambda *_a, **_k: pytest.fail("read"))
    with pytest.raises(ReferenceAudioError, match="five minutes"):
        load_reference(tmp_path / "a.wav")


def test_text_file_is_refused(tmp_path):
    (tmp_path / "a.wav").write_text("RIFF no audio")
    with pytest.raises(ReferenceAudioError, match="can't be read"):
        load_reference(tmp_path / "a.wav")


def test_other_types_are_type_errors():
    with pytest.raises(TypeError):
        load_reference(17)


@pytest.mark.parametrize(
    ("samples", "advice"),
    [
        (voice(), ()),
        ((voice() * 20).clip(-1, 1), ("distorted",)),
        (voice() * 0.01, ("quiet",)),
        (np.concatenate((np.zeros(36000), voice())), ("cut it off",)),
        (np.concatenate((voice(), np.zeros(36000))), ("cut it off",)),
        (np.concatenate((voice(2.0), np.zeros(100000), voice(2.0))), ("More than half",)),
        (voice(2.0), ("short",)),
        (voice(31.0), ("long",)),
    ],
    ids=["good", "clipped", "quiet", "late", "early", "gap", "short", "long"],
)
def test_advice(samples, advice):
    given = load_reference((samples, 24000)).advice
    assert len(given) == len(advice), given
    assert all(word in sentence for word, sentence in zip(advice, given, strict=True))


def test_silence_after_the_reference():
    audio = load_reference((voice(2.0), 24000))
    longer = audio.with_silence()
    assert len(longer) == 60000
    np.testing.assert_array_equal(longer[:48000], audio.samples)
    assert not longer[48000:].any()
