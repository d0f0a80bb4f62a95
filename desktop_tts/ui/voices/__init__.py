"""Dialogs and parts of the Voices page."""
