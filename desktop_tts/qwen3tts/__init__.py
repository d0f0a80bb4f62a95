"""Qwen3-TTS, the 12 Hz family, in plain PyTorch: sound streams out frame by frame, text streams in.

    model = Qwen3TTSModel.from_pretrained("Qwen/Qwen3-TTS-12Hz-0.6B-CustomVoice")
    for chunk in model.stream_custom_voice("Hello.", speaker="Ryan"):
        play(chunk)

Where to start reading: ``model`` (the interface), ``prompt`` (what the model is shown), ``generate`` (the loop),
``talker`` and ``code_predictor`` (the networks), ``codec`` (codes to sound).
"""

from desktop_tts.qwen3tts.errors import CheckpointError
from desktop_tts.qwen3tts.generate import Ending
from desktop_tts.qwen3tts.model import Qwen3TTSModel
from desktop_tts.qwen3tts.voice_prompt import VoiceClonePromptItem

__all__ = ["CheckpointError", "Ending", "Qwen3TTSModel", "VoiceClonePromptItem"]
