"""The pages of the settings window, one a file."""
