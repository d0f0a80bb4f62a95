"""What ``installers/bootstrap.py`` does, a subject per file. Standard library only."""
