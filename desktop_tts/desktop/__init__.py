"""What the desktop gives: hotkeys, selections, autostart. No Qt but in files named ``qt_*``."""
