"""Qwen3-TTS, the 12 Hz family, in plain PyTorch."""
