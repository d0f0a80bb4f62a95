"""The speech models that can be downloaded: which there are, where they lie, how they come and how they're checked."""
