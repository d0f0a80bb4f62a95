"""The system's voices, with stand-ins for the programs of macOS and Windows: what they are told, and what they answer.

That the real programs take it can only be seen on those systems.
"""

import stat
import sys
import threading

import numpy as np
import pytest

from desktop_tts.engines.system import SystemEngine, SystemVoice, say_voices, windows_voices
from desktop_tts.errors import EngineFault, NotInstalled, Unsupported
from desktop_tts.speech import SpeechRequest

LISTING = """Albert              en_US    # Hello! My name is Albert.
Anna                de_DE    # Hallo! Ich heiße Anna.
Grandma (German (Germany)) de_DE    # Hallo! Ich heiße Grandma.
Petra (Premium)     de_DE    # Hallo! Ich heiße Petra.
Eddy (Chinese (China mainland)) zh_CN    # 你好！
Nora                nb_NO    # Hei! Jeg heter Nora.
Majed               ar_001   # مرحبًا
"""
SPEAK = """
def wav(n):
    data = struct.pack("<h", 8192) * n
    form = struct.pack("<IHHIIHH", 16, 1, 1, 22050, 44100, 2, 16)
    return b"RIFF\\0\\0\\0\\0WAVEfmt " + form + b"data" + struct.pack("<I", len(data)) + data
"""
REGISTERED = [("Microsoft Hedda Desktop", "407"), ("Microsoft Zira Desktop", "409;9"), ("Odd", "fffff")]


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Put a program on an otherwise empty PATH."""
    monkeypatch.setenv("PATH", str(tmp_path))

    def add(name, lines):
        file = tmp_path / name
        file.write_text(f"#!{sys.executable}\nimport base64, os, struct, sys, time\n{SPEAK}{lines}")
        file.chmod(file.stat().st_mode | stat.S_IXUSR)

    return add


@pytest.fixture
def mac(install, tmp_path):
    (tmp_path / "listing").write_text(LISTING)
    install(
        "say",
        f"""
if sys.argv[1:] == ["-v", "?"]:
    print(open({str(tmp_path / "listing")!r}, encoding="utf-8").read())
    sys.exit()
assert sys.argv[1::2][:2] == ["-v", "-o"] and sys.argv[-2:] == ["-f", "-"], sys.argv
assert "--data-format=LEI16@22050" in sys.argv and "--file-format=WAVE" in sys.argv
text = sys.stdin.buffer.read().decode()
open({str(tmp_path / "told")!r}, "w").write(sys.argv[2] + "|" + text)
if text == "wait": time.sleep(60)
if text == "crash": sys.exit(1)
if text != "nothing": open(sys.argv[4], "wb").write(wav(22050))
""",
    )
    return SystemEngine("darwin")


@pytest.fixture
def windows(install, tmp_path):
    install(
        "powershell",
        f"""
assert sys.argv[1:4] == ["-NoProfile", "-NonInteractive", "-Command"] and "System.Speech" in sys.argv[4]
name, text = (base64.b64decode(line).decode() for line in sys.stdin)
open({str(tmp_path / "told")!r}, "w").write(name + "|" + text)
sys.stdout.buffer.write(wav(22050))
""",
    )
    return SystemEngine("win32", lambda: REGISTERED)


def test_on_linux_it_says_who_speaks_instead():
    engine = SystemEngine("linux")
    assert "espeak-ng" in engine.available()
    assert engine.voices() == ()
    with pytest.raises(NotInstalled):
        engine.load()


def test_voices_of_macos_come_best_first():
    assert say_voices(LISTING) == [
        SystemVoice("Petra (Premium)", "de"),
        SystemVoice("Albert", "en"),
        SystemVoice("Anna", "de"),
        SystemVoice("Nora", "no"),
        SystemVoice("Majed", "ar"),
        SystemVoice("Grandma (German (Germany))", "de"),
        SystemVoice("Eddy (Chinese (China mainland))", "zh"),
    ]


def test_macos_speaks(mac, speak, tmp_path):
    assert mac.available() == ""
    assert mac.capabilities().languages == {"ar", "de", "en", "no", "zh"}
    (chunk,) = speak(mac, "Über [[slnc 5000]] Äpfel", "de")
    assert chunk.sample_rate == 22_050
    assert len(chunk.pcm) == 22_050
    assert chunk.pcm.dtype == np.float32
    assert (tmp_path / "told").read_text() == "Petra (Premium)|Über [ [slnc 5000]] Äpfel"
    speak(mac, "Hallo", "de", voice="system:Anna")
    assert (tmp_path / "told").read_text() == "Anna|Hallo"


def test_windows_speaks(windows, speak, tmp_path):
    assert windows.available() == ""
    assert [(voice.id, voice.languages) for voice in windows.voices()] == [
        ("system:Microsoft Hedda Desktop", ("de",)),
        ("system:Microsoft Zira Desktop", ("en",)),
    ]
    chunks = speak(windows, "Grüße; Remove-Item 北京", "de")
    assert sum(len(chunk.pcm) for chunk in chunks) == 22_050
    assert (tmp_path / "told").read_text() == "Microsoft Hedda Desktop|Grüße; Remove-Item 北京"


def test_a_language_without_a_voice_is_named(windows, speak):
    with pytest.raises(Unsupported, match="French"):
        speak(windows, "Bonjour", "fr")


def test_a_failing_program_is_an_engine_fault(mac, speak):
    for text in ("crash", "nothing"):
        with pytest.raises(EngineFault, match="say"):
            speak(mac, text, "de")


def test_cancel_ends_it(mac):
    cancel = threading.Event()
    threading.Timer(0.3, cancel.set).start()
    assert list(mac.stream(SpeechRequest("wait", "de"), cancel)) == []


def test_without_voices_or_program_it_says_so(install):
    assert "missing" in SystemEngine("darwin").available()
    install("powershell", "")
    assert "no voices" in SystemEngine("win32", list).available()


def test_language_numbers():
    assert windows_voices([("A", "804"), ("B", "40c;c")]) == [SystemVoice("A", "zh"), SystemVoice("B", "fr")]
