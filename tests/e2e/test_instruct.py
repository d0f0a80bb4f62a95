"""How to speak, told for one text: by words or by the name of a preset."""

import pytest
import soundfile

from desktop_tts.voices.instructs import InstructPresets
from support import golden

pytestmark = pytest.mark.desktop

TEXT = "The tide comes in."


def test_an_instruct_changes_the_sound_and_a_preset_stands_for_its_words(desktop_app, tmp_path):
    desktop_app.env["OMP_NUM_THREADS"] = "1"
    assert desktop_app.run("settings", "set", "models.folder", str(golden.checkpoint("custom_voice"))).returncode == 0

    def speak(name, *options):
        file = tmp_path / f"{name}.wav"
        done = desktop_app.run("speak", TEXT, "-o", str(file), "--voice", "qwen:own/ryan", "--seed", "7", *options)
        assert done.returncode == 0, done.stderr
        return soundfile.read(file)[0].tobytes(), done.stderr

    words = next(preset.text for preset in InstructPresets().list() if preset.name == "Whisper")
    plain = speak("plain")
    preset, spelled = speak("preset", "--instruct", "whisper"), speak("words", "--instruct", words)
    assert preset[0] != plain[0]
    assert preset[0] == spelled[0]
    assert "instruct" not in preset[1]


def test_a_voice_that_follows_no_instruct_says_so_and_speaks(desktop_app, tmp_path):
    file = tmp_path / "heart.wav"
    done = desktop_app.run("speak", TEXT, "-o", str(file), "--instruct", "Calmly.")
    assert done.returncode == 0
    assert "Only voices of Qwen3-TTS follow instructs." in done.stderr
    assert soundfile.info(file).duration > 0.5
