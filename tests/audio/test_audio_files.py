"""Audio files: what was written is read back, whole or not at all."""

import os
import subprocess
import sys
import time

import numpy as np
import pytest
import soundfile
from listening import noise, tone

from desktop_tts.audio.files import FORMATS, read_audio, write_audio
from desktop_tts.errors import AudioError, EngineFault
from desktop_tts.speech import AudioChunk
from support.sound import RATE, alignment


def chunks(pcm, piece=5000, rate=RATE):
    return [AudioChunk(pcm[at : at + piece], rate) for at in range(0, len(pcm), piece)]


def voice(seconds=2.0):
    """A sound that lossy formats keep well."""
    return tone(seconds) * np.linspace(0.2, 1, int(seconds * RATE), dtype=np.float32) + tone(seconds, 700) * 0.3


@pytest.mark.parametrize("ending", sorted(FORMATS))
def test_what_is_written_is_read_back(tmp_path, ending):
    pcm = voice()
    file = tmp_path / f"sound{ending.upper()}"
    assert write_audio(file, chunks(pcm)) == 2.0
    found, rate = read_audio(file)
    assert rate == RATE
    assert found.dtype == np.float32
    assert len(found) == len(pcm)
    assert alignment(found, pcm[1000:-1000])[1] > 0.99
    if ending in (".wav", ".flac"):
        assert np.abs(found - pcm).max() < 1e-4
    assert os.listdir(tmp_path) == [file.name]


@pytest.mark.parametrize("ending", sorted(FORMATS))
def test_equal_sound_gives_equal_bytes(tmp_path, ending):
    for name in ("a", "b"):
        write_audio(tmp_path / (name + ending), chunks(voice(1.0)))
        time.sleep(1.1 if name == "a" and ending in (".mp3", ".opus") else 0)  # perhaps a time goes into it
    assert (tmp_path / f"a{ending}").read_bytes() == (tmp_path / f"b{ending}").read_bytes()


def test_rates_are_mixed_and_pairs_are_taken(tmp_path):
    file = tmp_path / "sound.wav"
    seconds = write_audio(file, [(tone(0.5, rate=22_050), 22_050), (tone(0.5, rate=48_000), 48_000), (tone(0.5), RATE)])
    assert seconds == pytest.approx(1.5, abs=0.001)
    found, _ = read_audio(file)
    assert np.abs(np.diff(found)).max() < 0.03


def test_another_rate_of_the_file(tmp_path):
    file = tmp_path / "sound.flac"
    assert write_audio(file, chunks(tone(1.0)), sample_rate=48_000) == pytest.approx(1.0, abs=0.001)
    assert soundfile.info(file).samplerate == 48_000


@pytest.mark.parametrize("speed", [0.5, 1.5, 2.0])
def test_speed_changes_the_length_and_not_the_pitch(tmp_path, speed):
    file = tmp_path / "sound.wav"
    assert write_audio(file, chunks(tone(2.0)), speed=speed) == pytest.approx(2.0 / speed, abs=0.03)
    found, _ = read_audio(file)
    spectrum = np.abs(np.fft.rfft(found * np.hanning(len(found))))
    assert np.argmax(spectrum) * RATE / len(found) == pytest.approx(220, abs=3)


def test_too_loud_sound_is_cut_and_does_not_wrap(tmp_path):
    write_audio(tmp_path / "sound.wav", chunks(tone(0.5) * 10))
    found, _ = read_audio(tmp_path / "sound.wav")
    assert np.abs(np.diff(found)).max() < 0.3


def test_an_unknown_ending_lists_the_known_ones(tmp_path):
    for name in ("sound.m4a", "sound"):
        with pytest.raises(AudioError, match=r"\.wav, \.flac, \.mp3, \.opus or \.ogg"):
            write_audio(tmp_path / name, chunks(tone(0.1)))
    assert os.listdir(tmp_path) == []


def test_places_that_cannot_be_written_are_told(tmp_path):
    (tmp_path / "folder.wav").mkdir()
    (tmp_path / "file").touch()
    places = {
        "folder.wav": "is a folder",
        "none/sound.wav": "No such file or directory",
        "file/sound.wav": "Not a directory",
        "x" * 300 + ".wav": "File name too long",
    }
    for name, reason in places.items():
        with pytest.raises(AudioError, match=reason):
            write_audio(tmp_path / name, chunks(tone(0.1)))
    assert sorted(os.listdir(tmp_path)) == ["file", "folder.wav"]


def test_no_sound_makes_no_file(tmp_path):
    with pytest.raises(AudioError, match="no sound"):
        write_audio(tmp_path / "sound.flac", [])
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("error", [EngineFault("It broke."), KeyboardInterrupt(), OSError("a pipe")])
def test_what_fails_halfway_leaves_what_was_there(tmp_path, error):
    file = tmp_path / "sound.mp3"
    file.write_bytes(b"before")

    def failing():
        yield from chunks(tone(0.5))
        raise error

    with pytest.raises(type(error)) as caught:
        write_audio(file, failing())
    assert caught.value is error
    assert os.listdir(tmp_path) == ["sound.mp3"]
    assert file.read_bytes() == b"before"


@pytest.mark.skipif(sys.platform == "win32", reason="limits are POSIX")
@pytest.mark.parametrize("ending", sorted(FORMATS))
def test_a_disk_that_takes_no_more_is_told_and_leaves_nothing(tmp_path, ending):
    """A limit on the size of files stands in for a full disk. Even one too small for what is held back to the end."""
    code = """
import resource, sys, pathlib, signal, numpy
from desktop_tts.audio.files import write_audio
from desktop_tts.errors import AudioError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
file = pathlib.Path(sys.argv[1])
rng = numpy.random.default_rng(1)
sound = [(rng.uniform(-0.5, 0.5, 24000).astype(numpy.float32), 24000) for _ in range(4)]
write_audio(file, sound)
size = file.stat().st_size
file.unlink()
for missing in (1, 100, 2000, size // 2, size - 100):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size - missing, resource.RLIM_INFINITY))
    try:
        write_audio(file, sound)
    except AudioError as error:
        print(error)
"""
    file = tmp_path / f"sound{ending}"
    done = subprocess.run([sys.executable, "-c", code, file], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("can't be written") == 5
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(sys.platform == "win32", reason="modes are POSIX")
def test_the_file_gets_the_user_s_usual_mode(tmp_path):
    (tmp_path / "usual").touch()
    write_audio(tmp_path / "sound.wav", chunks(tone(0.1)))
    assert (tmp_path / "sound.wav").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_channels_are_averaged_and_the_length_may_be_bounded(tmp_path):
    left, right = noise(1.0, 1), noise(1.0, 2)
    soundfile.write(tmp_path / "stereo.wav", np.stack([left, right], 1), 44_100, subtype="FLOAT")
    found, rate = read_audio(tmp_path / "stereo.wav", max_s=0.25)
    assert rate == 44_100
    assert len(found) == 11_025
    np.testing.assert_allclose(found, (left + right)[:11_025] / 2, atol=1e-6)


def test_numbers_that_are_none_are_not_read(tmp_path):
    soundfile.write(tmp_path / "odd.wav", np.array([0.5, np.nan, np.inf], np.float32), RATE, subtype="FLOAT")
    assert read_audio(tmp_path / "odd.wav")[0].tolist() == [0.5, 0.0, 1.0]


def test_what_cannot_be_read_is_told(tmp_path):
    (tmp_path / "text.wav").write_text("This is no sound.")
    (tmp_path / "empty.mp3").touch()
    for name in ("text.wav", "empty.mp3"):
        with pytest.raises(AudioError, match="can't be read as audio"):
            read_audio(tmp_path / name)
    for place in (tmp_path / "none.wav", tmp_path):
        with pytest.raises(AudioError, match="There is no file"):
            read_audio(place)
