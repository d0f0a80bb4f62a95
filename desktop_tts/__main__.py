"""``python -m desktop_tts`` and the ``desktop-tts`` command."""

import sys


def main() -> None:
    """Run the command line. Plain commands to a running app take a short cut that imports next to nothing."""
    from desktop_tts.commands import quick

    code = quick.run(sys.argv[1:])
    if code is None:
        from desktop_tts import cli

        code = cli.main(sys.argv[1:])
    sys.exit(code)


if __name__ == "__main__":
    main()
