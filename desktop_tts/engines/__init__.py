"""Speech engines: text in, audio chunks out, behind one interface (``base``)."""
