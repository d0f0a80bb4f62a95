"""What a person sees: the tray icon, the control window, the settings window and notices. Qt Widgets, main thread."""
