"""Desktop TTS: hear any text on your desktop, at once, in a voice you love.

Importing this package costs nothing: no Qt, no torch, no audio.
"""

__version__ = "0.1.0"
