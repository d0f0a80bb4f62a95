"""A private sound server whose output can be recorded."""
