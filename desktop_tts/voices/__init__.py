"""The user's own voices: speakers with a manner, designed and cloned voices, each in a folder of its own."""
