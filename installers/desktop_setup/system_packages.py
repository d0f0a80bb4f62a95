"""Which packages of the operating system are needed, what they are called, and which are missing."""

from __future__ import annotations

import ctypes
import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from desktop_setup.machine import Machine

DEBIAN, FEDORA, ARCH, SUSE = "debian", "fedora", "arch", "suse"


@dataclass(frozen=True, slots=True)
class Need:
    """A system package under its names. ``probe`` is a file of it: a library to load, or a program on PATH."""

    probe: str
    debian: str
    fedora: str
    arch: str
    suse: str


def _needs(table: str) -> tuple[Need, ...]:
    return tuple(Need(*line.split()) for line in table.strip().splitlines())


# Found with ldd over the wheels in a bare Debian: what QtCore to QtWidgets, QtNetwork, QtDBus, QtSvg and the xcb and
# wayland platforms load, and what PortAudio needs to see a PulseAudio or PipeWire server.
FOR_RUN = _needs("""
    libEGL.so.1               libegl1              libglvnd-egl             libglvnd           Mesa-libEGL1
    libGL.so.1                libgl1               libglvnd-glx             libglvnd           Mesa-libGL1
    libgthread-2.0.so.0       libglib2.0-0         glib2                    glib2              libgthread-2_0-0
    libbrotlidec.so.1         libbrotli1           libbrotli                brotli             libbrotlidec1
    libgssapi_krb5.so.2       libgssapi-krb5-2     krb5-libs                krb5               krb5
    libdbus-1.so.3            libdbus-1-3          dbus-libs                dbus               libdbus-1-3
    libfontconfig.so.1        libfontconfig1       fontconfig               fontconfig         libfontconfig1
    libxkbcommon.so.0         libxkbcommon0        libxkbcommon             libxkbcommon       libxkbcommon0
    libxkbcommon-x11.so.0     libxkbcommon-x11-0   libxkbcommon-x11         libxkbcommon-x11   libxkbcommon-x11-0
    libX11-xcb.so.1           libx11-xcb1          libX11-xcb               libx11             libX11-xcb1
    libxcb-cursor.so.0        libxcb-cursor0       xcb-util-cursor          xcb-util-cursor    libxcb-cursor0
    libxcb-icccm.so.4         libxcb-icccm4        xcb-util-wm              xcb-util-wm        libxcb-icccm4
    libxcb-image.so.0         libxcb-image0        xcb-util-image           xcb-util-image     libxcb-image0
    libxcb-keysyms.so.1       libxcb-keysyms1      xcb-util-keysyms         xcb-util-keysyms   libxcb-keysyms1
    libxcb-randr.so.0         libxcb-randr0        libxcb                   libxcb             libxcb-randr0
    libxcb-render-util.so.0   libxcb-render-util0  xcb-util-renderutil      xcb-util-renderutil libxcb-render-util0
    libxcb-shape.so.0         libxcb-shape0        libxcb                   libxcb             libxcb-shape0
    libxcb-sync.so.1          libxcb-sync1         libxcb                   libxcb             libxcb-sync1
    libxcb-xfixes.so.0        libxcb-xfixes0       libxcb                   libxcb             libxcb-xfixes0
    libxcb-xkb.so.1           libxcb-xkb1          libxcb                   libxcb             libxcb-xkb1
    libwayland-client.so.0    libwayland-client0   libwayland-client        wayland            libwayland-client0
    libwayland-cursor.so.0    libwayland-cursor0   libwayland-cursor        wayland            libwayland-cursor0
    libwayland-egl.so.1       libwayland-egl1      libwayland-egl           wayland            libwayland-egl1
    libportaudio.so.2         libportaudio2        portaudio                portaudio          libportaudio2
    -                         libasound2-plugins   alsa-plugins-pulseaudio  alsa-plugins       alsa-plugins-pulse
""")

FOR_TEST = _needs("""
    Xvfb                      xvfb                 xorg-x11-server-Xvfb     xorg-server-xvfb   xorg-x11-server-Xvfb
    openbox                   openbox              openbox                  openbox            openbox
    trayer                    trayer               trayer                   trayer             trayer
    xdotool                   xdotool              xdotool                  xdotool            xdotool
    xclip                     xclip                xclip                    xclip              xclip
    xterm                     xterm                xterm                    xterm              xterm
    scrot                     scrot                scrot                    scrot              scrot
    import                    imagemagick          ImageMagick              imagemagick        ImageMagick
    xprop                     x11-utils            xprop                    xorg-xprop         xprop
    setxkbmap                 x11-xkb-utils        setxkbmap                xorg-setxkbmap     setxkbmap
    dbus-daemon               dbus                 dbus-daemon              dbus               dbus-1
    pulseaudio                pulseaudio           pulseaudio               pulseaudio         pulseaudio
    pactl                     pulseaudio-utils     pulseaudio-utils         libpulse           pulseaudio-utils
    -                         at-spi2-core         at-spi2-core             at-spi2-core       at-spi2-core
    -                         python3-gi           python3-gobject          python-gobject     python3-gobject
    -                         gir1.2-atspi-2.0     at-spi2-core             at-spi2-core       typelib-1_0-Atspi-2_0
    -                         python3-tk           python3-tkinter          tk                 python3-tk
    espeak-ng                 espeak-ng            espeak-ng                espeak-ng          espeak-ng
""")


def family_of(os_release: str) -> str:
    """``debian``, ``fedora``, ``arch`` or ``suse`` by the text of /etc/os-release; empty for another system."""
    fields = {}
    for line in os_release.splitlines():
        name, _, value = line.partition("=")
        fields[name.strip()] = value.strip().strip("\"'").lower()
    for name in [fields.get("ID", ""), *fields.get("ID_LIKE", "").split()]:
        if name in {"debian", "ubuntu"}:
            return DEBIAN
        if name in {"fedora", "rhel", "centos"}:
            return FEDORA
        if name in {"arch", "archlinux"}:
            return ARCH
        if name == "suse" or name.startswith(("opensuse", "sles")):
            return SUSE
    return ""


def names(needs: Iterable[Need], family: str) -> tuple[str, ...]:
    """Package names in this family of systems, each once; Debian's for an unknown one."""
    return tuple(dict.fromkeys(getattr(need, family or DEBIAN) for need in needs))


def missing(needs: Iterable[Need], family: str, machine: Machine, probe: Callable[[str], bool]) -> tuple[str, ...]:
    """Packages that aren't there: by the package database on Debian, elsewhere by their libraries and programs."""
    if family == DEBIAN:
        present = debian_packages(machine)
        return tuple(name for name in names(needs, DEBIAN) if name not in present)
    return names((need for need in needs if need.probe != "-" and not probe(need.probe)), family)


def debian_packages(machine: Machine) -> frozenset[str]:
    """Installed packages and what they provide: newer releases have renamed some, such as libglib2.0-0 with a t64."""
    _, architecture = machine.ask(["dpkg", "--print-architecture"])
    code, listing = machine.ask(
        ["dpkg-query", "-W", "-f", r"${db:Status-Status}\t${Architecture}\t${Package}\t${Provides}\n"]
    )
    if code != 0:
        return frozenset()
    present = set()
    for line in listing.splitlines():
        status, kind, package, provides = [*line.split("\t"), "", "", ""][:4]
        if status == "installed" and kind in {architecture.strip(), "all"}:
            present.add(package)
            present.update(part.split()[0].partition(":")[0] for part in provides.split(",") if part.strip())
    return frozenset(present)


def is_there(machine: Machine) -> Callable[[str], bool]:
    """A probe of this machine for libraries (by loading them) and programs."""

    def probe(name: str) -> bool:
        if ".so" not in name:
            return machine.which(name) is not None
        try:
            ctypes.CDLL(name)
        except OSError:
            return False
        return True

    return probe


def command_for(family: str, packages: Iterable[str]) -> tuple[str, ...]:
    """The command that installs packages in this family of systems, as root. Empty for an unknown system."""
    start = {
        DEBIAN: ("apt-get", "install", "--yes", "--no-install-recommends"),
        FEDORA: ("dnf", "install", "--assumeyes"),
        ARCH: ("pacman", "-S", "--needed", "--noconfirm"),
        SUSE: ("zypper", "--non-interactive", "install"),
    }.get(family)
    return (*start, *packages) if start else ()


def line_to_paste(family: str, packages: Iterable[str], has_sudo: bool) -> str:
    """What a person types into a terminal to install these packages."""
    commands = [shlex.join(command_for(family, packages))]
    if family == DEBIAN:
        commands.insert(0, "apt-get update")
    return (
        "; ".join(f"sudo {command}" for command in commands)
        if has_sudo
        else f"su -c {shlex.quote('; '.join(commands))}"
    )
