"""Making a voice from a recording: the steps, one after the other, in one window."""
