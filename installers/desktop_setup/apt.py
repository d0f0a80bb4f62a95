"""Installing Debian and Ubuntu packages without ever stopping at a question."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from desktop_setup.machine import Machine
from desktop_setup.outcome import PACKAGES_FAILED, PACKAGES_MISSING, SetupError
from desktop_setup.system_packages import DEBIAN, line_to_paste

LISTS = Path("/var/lib/apt/lists")
PATIENT = ("-o", "DPkg::Lock::Timeout=300")  # another package manager may be at work
SHOWN = ("-o", "Dpkg::Progress-Fancy=1")
NOT_SHOWN = ("-o", "Dpkg::Use-Pty=0")
PROXIES = ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")


def as_root(machine: Machine, packages: Sequence[str]) -> tuple[str, ...]:
    """What to put before a command so that it runs as root. Raises with the line to paste where that can't be had."""
    if machine.uid == 0:
        return ()
    has_sudo = machine.which("sudo") is not None
    if has_sudo and machine.ask(["sudo", "-n", "true"])[0] == 0:
        return ("sudo", "-n")
    if has_sudo and machine.has_terminal:
        print("sudo may ask for your password now, to install the system packages.", flush=True)
        if machine.call(["sudo", "-v"]) == 0:
            return ("sudo",)
        has_sudo = False  # this user may not use it
    raise SetupError(
        PACKAGES_MISSING,
        "System packages are missing. Paste this line, then run this again:\n"
        f"    {line_to_paste(DEBIAN, packages, has_sudo)}",
    )


def install(machine: Machine, packages: Sequence[str], lists: Path = LISTS) -> None:
    """Install these packages, with new package lists where there are none or where the old ones don't do."""
    prefix = as_root(machine, packages)
    print(f"Installing system packages: {' '.join(packages)}", flush=True)
    # Through env, since sudo passes no variables on. needrestart would ask about services on Ubuntu.
    settings = ["DEBIAN_FRONTEND=noninteractive", "NEEDRESTART_SUSPEND=1"]
    settings += [f"{name}={machine.environment[name]}" for name in PROXIES if name in machine.environment]
    quiet = not machine.has_terminal
    root = [*prefix, "env", *settings]
    apt = [*root, "apt-get", *PATIENT, *(NOT_SHOWN if quiet else SHOWN)]
    command = [*apt, "install", "--yes", "--no-install-recommends", *packages]
    have_lists = any(lists.glob("*_Packages*"))
    if have_lists and machine.call(command, quiet=quiet) == 0:
        return
    if have_lists:
        print("That failed; trying again with new package lists.", flush=True)
        # For what an interrupted installation has left.
        machine.call([*root, "dpkg", "--configure", "-a"], quiet=quiet)
    # Its failure is no end: one unreachable source of several is enough for it.
    machine.call([*apt, "update"], quiet=quiet)
    if machine.call(command, quiet=quiet) != 0:
        raise SetupError(
            PACKAGES_FAILED,
            "apt-get could not install the system packages; its messages above say why. You can try it yourself:\n"
            f"    {line_to_paste(DEBIAN, packages, machine.which('sudo') is not None)}",
        )
