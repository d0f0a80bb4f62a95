"""Measurements of this machine, for ``desktop-tts bench``. Each prints one JSON object."""
