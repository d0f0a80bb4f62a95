"""Sound: the player, the devices it plays on, and audio files."""
