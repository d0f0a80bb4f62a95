"""Programs that speak: whatever they do, sound comes as it is made and nothing is left behind."""

import io
import signal
import stat
import subprocess
import sys
import threading
import time
import wave

import numpy as np
import psutil
import pytest

from desktop_tts.engines.programs import WavReader, iso_language, plain, say
from desktop_tts.errors import EngineFault, NotInstalled, Unsupported

PRELUDE = f"""#!{sys.executable}
import os, signal, struct, sys, time
out = sys.stdout.buffer
def header(size=0x7FFFF000):
    out.write(b"RIFF" + struct.pack("<I", size) + b"WAVEfmt ")
    out.write(struct.pack("<IHHIIHH", 16, 1, 1, 8000, 16000, 2, 16))
    out.write(b"data" + struct.pack("<I", size))
    out.flush()
def sound(n=800):
    out.write(struct.pack("<h", 8192) * n)
    out.flush()
"""


@pytest.fixture
def program(tmp_path):
    """A program that does what the given lines say."""

    def make(lines):
        file = tmp_path / "speaker"
        file.write_text(PRELUDE + lines)
        file.chmod(file.stat().st_mode | stat.S_IXUSR)
        return [str(file)]

    return make


@pytest.fixture(autouse=True)
def nothing_left():
    threads, children = threading.active_count(), psutil.Process().children()
    yield
    assert psutil.Process().children() == children, "a process was left, or not waited for"
    assert threading.active_count() == threads


def spoken(command, text=b"hello", cancel=None, **options):
    return list(say(command, text, cancel or threading.Event(), "The speaker", **options))


def test_sound_comes_while_the_program_still_speaks(program):
    command = program("header()\nsound()\ntime.sleep(30)")
    stream = say(command, b"", threading.Event(), "The speaker")
    pcm, rate = next(stream)
    assert rate == 8000
    assert len(pcm) == 800
    assert pcm[0] == pytest.approx(0.25)
    stream.close()


def test_the_text_goes_in_whole(program):
    command = program("n = len(sys.stdin.buffer.read())\nheader()\nsound(n)")
    assert sum(len(pcm) for pcm, _ in spoken(command, b"x" * 300_000)) == 300_000


def test_a_program_that_does_not_read_is_no_error(program):
    assert sum(len(pcm) for pcm, _ in spoken(program("header()\nsound()"), b"x" * 300_000)) == 800


def test_cancel_ends_it_at_once(program):
    cancel = threading.Event()
    stream = say(program("header()\nsound()\ntime.sleep(30)"), b"", cancel, "The speaker")
    next(stream)
    threading.Timer(0.1, cancel.set).start()
    began = time.monotonic()
    assert list(stream) == []
    assert time.monotonic() - began < 5


def test_a_listener_that_stops_ends_a_program_that_still_writes(program):
    stream = say(program("header()\nwhile True: sound(8000)"), b"", threading.Event(), "The speaker")
    for _ in range(3):
        next(stream)
    stream.close()


@pytest.mark.parametrize("end", ["os.kill(os.getpid(), signal.SIGKILL)", "sys.exit(3)", "raise RuntimeError"])
def test_a_crash_is_told_after_the_sound_that_came(program, end):
    stream = say(program(f"header()\nsound()\n{end}"), b"", threading.Event(), "The speaker")
    assert len(next(stream)[0]) == 800
    with pytest.raises(EngineFault, match="The speaker failed"):
        next(stream)


def test_a_program_that_hangs_is_ended(program):
    with pytest.raises(EngineFault, match="stopped answering"):
        spoken(program("header()\ntime.sleep(60)"), silence_s=0.5)


@pytest.mark.parametrize("junk", ["no sound here, sorry", "RIFF....AVI LIST", "RIFF....WAVEdata...."])
def test_junk_is_told_and_never_played(program, junk):
    with pytest.raises(EngineFault, match="did not give sound"):
        spoken(program(f"out.write({junk.encode()!r})"))


@pytest.mark.parametrize("lines", ["", "header()", "header(0)"])
def test_a_program_that_says_nothing_is_no_silence(program, lines):
    with pytest.raises(Unsupported, match="nothing"):
        spoken(program(lines))


def test_a_missing_program_is_named():
    with pytest.raises(NotInstalled, match="The speaker is not installed"):
        spoken(["/nowhere/speaker"])


def test_a_file_that_is_no_program_is_named(tmp_path):
    file = tmp_path / "speaker"
    file.write_text("not executable")
    with pytest.raises(EngineFault, match="can't be started"):
        spoken([str(file)])


def test_the_program_goes_when_the_app_is_killed(program, tmp_path):
    command = program(
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\nheader()\nwhile True: sound(8000)"
    )
    script = (
        "import sys, threading, time\nfrom desktop_tts.engines.programs import say\n"
        "stream = say(sys.argv[1:], b'', threading.Event(), 'x')\nnext(stream)\n"
        "print('speaking', flush=True)\ntime.sleep(60)"
    )
    app = subprocess.Popen([sys.executable, "-c", script, *command], stdout=subprocess.PIPE)
    assert app.stdout.readline() == b"speaking\n"
    speaker = psutil.Process(int((tmp_path / "pid").read_text()))
    app.send_signal(signal.SIGKILL)
    app.wait()
    app.stdout.close()
    try:
        speaker.wait(10)
    except psutil.TimeoutExpired:
        speaker.kill()
        raise


def wav(samples, channels=1):
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(channels)
        out.setsampwidth(2)
        out.setframerate(22_050)
        out.writeframes(np.asarray(samples, "<i2").tobytes())
    return file.getvalue()


@pytest.mark.parametrize("size", [1, 3, 7, 44, 10_000])
def test_a_file_in_pieces_reads_as_one_in_whole(size):
    samples = np.arange(-3000, 3000, 7)
    data = wav(samples)
    reader = WavReader()
    pcm = np.concatenate([reader.feed(data[at : at + size]) for at in range(0, len(data), size)])
    assert np.array_equal(pcm, samples.astype(np.float32) / 32768)
    assert pcm.dtype == np.float32
    assert reader.rate == 22_050


def test_channels_are_mixed_and_other_chunks_skipped():
    data = wav([1000, 3000, -1000, -3000], channels=2)
    padded = data[:12] + b"JUNK" + (5).to_bytes(4, "little") + b"hello\0" + data[12:] + b"LIST\x04\0\0\0abcd"
    assert np.allclose(WavReader().feed(padded), np.array([2000, -2000]) / 32768)


@pytest.mark.parametrize(
    ("tag", "code"),
    [("de", "de"), ("pt-BR", "pt"), ("nb_NO", "no"), ("cmn-latn-pinyin", "zh"), ("grc", ""), ("zh_CN", "zh"), ("", "")],
)
def test_language_tags(tag, code):
    assert iso_language(tag) == code


def test_plain_text_holds_no_commands():
    assert plain("a\x01b [[h@l'oU]] \ud800c\n") == "a b [ [h@l'oU]]  c "
