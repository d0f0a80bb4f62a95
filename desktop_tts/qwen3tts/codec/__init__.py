"""The 12.5 Hz speech codec: frames of 16 codes to 1,920 samples each, and reference audio to codes."""
