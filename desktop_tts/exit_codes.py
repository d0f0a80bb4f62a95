"""Exit codes of the command line. They are documented in the README and in ``desktop-tts --help``."""

OK = 0
FAILED = 1
USAGE = 2
NOT_RUNNING = 3
NOTHING_TO_READ = 4
NO_VOICE = 5
NO_AUDIO = 6
INTERRUPTED = 130

MEANING = {
    OK: "done",
    FAILED: "something failed; the message says what",
    USAGE: "the command was mistyped",
    NOT_RUNNING: "the app isn't running",
    NOTHING_TO_READ: "nothing is selected or copied, or the text has nothing to read",
    NO_VOICE: "no installed voice speaks this language",
    NO_AUDIO: "there is no way to play sound",
    INTERRUPTED: "you pressed Ctrl+C",
}
