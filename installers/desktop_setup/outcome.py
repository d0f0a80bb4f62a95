"""How a set-up can end."""

OK = 0
USAGE = 2
NO_PYTHON = 10
PACKAGES_MISSING = 11
PACKAGES_FAILED = 12
NO_ENVIRONMENT = 13
INSTALL_FAILED = 14
BUSY = 15
NOT_WRITABLE = 16
UNSUITABLE = 17
DAMAGED = 18
INTERRUPTED = 130

MEANING = {
    OK: "done; run and test end with the exit code of the app and of pytest, all below 10",
    USAGE: "the command was mistyped",
    NO_PYTHON: "no Python 3.11 or newer was found",
    PACKAGES_MISSING: "system packages are missing and may not be installed from here; the line to paste is shown",
    PACKAGES_FAILED: "the system's package manager failed",
    NO_ENVIRONMENT: "the folder .venv could not be made, or holds something else",
    INSTALL_FAILED: "the Python packages could not be installed",
    BUSY: "another set-up of this folder is running and didn't end in time",
    NOT_WRITABLE: "this folder can't be written to",
    UNSUITABLE: "this system is too old or of a kind for which there are no packages",
    DAMAGED: "a file of Desktop TTS itself is missing or damaged",
    INTERRUPTED: "you pressed Ctrl+C; the next run cleans up",
}


class ToldToEnd(KeyboardInterrupt):
    """Another program wants us to end; unlike after Ctrl+C, our children don't know it yet."""


class SetupError(Exception):
    """The set-up can't go on. The text is a sentence for the user; ``code`` is one of those above."""

    def __init__(self, code: int, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
