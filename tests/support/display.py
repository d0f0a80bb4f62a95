"""A private X server with a window manager, a tray host and windows that hold a selection."""
