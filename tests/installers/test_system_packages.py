"""Which system is this, which of its packages are missing, and how do they get there."""

import shlex
from dataclasses import replace

import pytest
from desktop_setup import apt, steps, system_packages
from desktop_setup.outcome import PACKAGES_FAILED, PACKAGES_MISSING, UNSUITABLE, SetupError
from desktop_setup.system_packages import ARCH, DEBIAN, FEDORA, FOR_RUN, FOR_TEST, SUSE, Need

TWO = (Need("libA.so.1", "liba1", "a", "a-arch", "liba-suse"), Need("prog", "prog-deb", "prog-rpm", "prog", "prog"))


@pytest.mark.parametrize(
    ("text", "family"),
    [
        ('NAME="Debian GNU/Linux"\nID=debian\n', DEBIAN),
        ('ID=ubuntu\nID_LIKE=debian\nVERSION_ID="24.04"\n', DEBIAN),
        ('ID=linuxmint\nID_LIKE="ubuntu debian"\n', DEBIAN),
        ("ID=pop\nID_LIKE='ubuntu debian'\n", DEBIAN),
        ("ID=fedora\n", FEDORA),
        ('ID="rocky"\nID_LIKE="rhel centos fedora"\n', FEDORA),
        ("ID=arch\n", ARCH),
        ("ID=manjaro\nID_LIKE=arch\n", ARCH),
        ('ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"\n', SUSE),
        ("ID=alpine\n", ""),
        ("", ""),
        ("nonsense\n=\n", ""),
    ],
)
def test_the_family_is_read_from_os_release(text, family):
    assert system_packages.family_of(text) == family


def test_debian_knows_what_is_installed_removed_provided_and_of_another_architecture(machine, commands):
    commands.answer("dpkg --print-architecture", output="amd64\n")
    commands.answer(
        "dpkg-query",
        output="installed\tamd64\tlibegl1\t\n"
        "config-files\tamd64\tlibgl1\t\n"
        "installed\ti386\tlibportaudio2\t\n"
        "installed\tall\tpython3-gi\t\n"
        "installed\tamd64\tlibglib2.0-0t64\tlibglib2.0-0 (= 2.80.0-6), libgio\n",
    )
    present = system_packages.debian_packages(machine)
    assert {"libegl1", "python3-gi", "libglib2.0-0", "libgio"} <= present
    assert not present & {"libgl1", "libportaudio2"}


def test_elsewhere_libraries_and_programs_are_looked_for(machine):
    assert system_packages.missing(TWO, FEDORA, machine, lambda name: name == "prog") == ("a",)
    assert system_packages.missing(TWO, ARCH, machine, lambda name: True) == ()
    assert system_packages.missing(TWO, "", machine, lambda name: False) == ("liba1", "prog-deb")


def test_the_probe_really_loads_libraries_and_finds_programs(machine):
    probe = system_packages.is_there(replace(machine, which=lambda name: None))
    assert probe("libc.so.6")
    assert not probe("libno-such-thing.so.7")
    assert not probe("Xvfb")


@pytest.mark.parametrize("family", [DEBIAN, FEDORA, ARCH, SUSE])
def test_a_line_to_paste_installs_every_package_of_a_family(family):
    line = system_packages.line_to_paste(family, system_packages.names((*FOR_RUN, *FOR_TEST), family), has_sudo=True)
    words = shlex.split(line)
    assert words[0] == "sudo"
    packages = words[words.index("install" if "install" in words else "-S") :]
    assert len(packages) == len(set(packages)) > 25


def test_without_sudo_the_line_uses_su():
    assert system_packages.line_to_paste(FEDORA, ["a"], has_sudo=False) == "su -c 'dnf install --assumeyes a'"


@pytest.fixture
def lists(tmp_path):
    """A folder of package lists as apt-get update leaves it."""
    (tmp_path / "deb.example_debian_Packages.lz4").touch()
    return tmp_path


def test_root_installs_at_once_and_is_asked_nothing(machine, commands, lists):
    apt.install(machine, ["liba1"], lists)
    (command,) = commands.seen
    assert command[:2] == ["env", "DEBIAN_FRONTEND=noninteractive"]
    assert command[-4:] == ["install", "--yes", "--no-install-recommends", "liba1"]
    assert commands.quiet == [True]


def test_empty_package_lists_are_fetched_first(machine, commands, tmp_path):
    apt.install(machine, ["liba1"], tmp_path)
    assert [line.split()[-1] for line in commands.lines()] == ["update", "liba1"]


def test_a_failure_is_tried_again_with_new_lists(machine, commands, lists, monkeypatch):
    codes = iter([100, 0, 0, 0])
    seen = []

    def call(command, quiet=False):
        seen.append(command[-1])
        return next(codes)

    apt.install(replace(machine, call=call), ["liba1"], lists)
    assert seen == ["liba1", "-a", "update", "liba1"]


def test_a_second_failure_is_told_with_the_line_to_try(machine, commands, lists):
    commands.answer("env", code=100)
    with pytest.raises(
        SetupError, match="sudo apt-get update; sudo apt-get install --yes --no-install-recommends liba1"
    ) as caught:
        apt.install(machine, ["liba1"], lists)
    assert caught.value.code == PACKAGES_FAILED


def test_sudo_without_a_password_is_used_and_proxies_go_through_it(machine, commands, lists):
    user = replace(machine, uid=1000, environment={"https_proxy": "http://proxy:8080", "HOME": "/home/ana"})
    apt.install(user, ["liba1"], lists)
    assert commands.lines()[0] == "sudo -n true"
    assert commands.seen[1][:3] == ["sudo", "-n", "env"]
    assert "https_proxy=http://proxy:8080" in commands.seen[1]
    assert "HOME=/home/ana" not in commands.seen[1]


def test_nobody_is_asked_for_a_password_without_a_terminal(machine, commands, lists):
    commands.answer("sudo -n", code=1)
    with pytest.raises(SetupError, match=r"sudo apt-get install .* liba1") as caught:
        apt.install(replace(machine, uid=1000), ["liba1"], lists)
    assert caught.value.code == PACKAGES_MISSING
    assert commands.lines() == ["sudo -n true"]


def test_at_a_terminal_sudo_may_ask(machine, commands, lists):
    commands.answer("sudo -n", code=1)
    apt.install(replace(machine, uid=1000, has_terminal=True), ["liba1"], lists)
    assert commands.lines()[:2] == ["sudo -n true", "sudo -v"]
    assert commands.seen[2][:2] == ["sudo", "env"]
    assert commands.quiet[-1] is False


def test_a_user_who_may_not_use_sudo_gets_a_line_without_it(machine, commands, lists):
    commands.answer("sudo", code=1)
    with pytest.raises(SetupError, match="su -c 'apt-get update; apt-get install"):
        apt.install(replace(machine, uid=1000, has_terminal=True), ["liba1"], lists)


def test_no_sudo_at_all(without, commands, lists):
    with pytest.raises(SetupError, match="su -c 'apt-get update; apt-get install") as caught:
        apt.install(without("sudo", uid=1000), ["liba1"], lists)
    assert caught.value.code == PACKAGES_MISSING
    assert commands.seen == []


def test_nothing_missing_runs_no_package_manager(machine, commands):
    commands.answer("dpkg --print-architecture", output="amd64\n")
    commands.answer("dpkg-query", output="installed\tamd64\tliba1\t\ninstalled\tall\tprog-deb\t\n")
    steps.provide_system_packages(machine, TWO, lambda name: False)
    assert not [line for line in commands.lines() if "apt-get" in line]


def test_packages_still_missing_after_a_good_end_are_an_error(machine, commands):
    with pytest.raises(SetupError, match="still missing: liba1 prog-deb") as caught:
        steps.provide_system_packages(machine, TWO, lambda name: False)
    assert caught.value.code == PACKAGES_FAILED


def test_other_systems_get_their_own_line_and_nothing_is_run(machine, commands):
    fedora = replace(machine, os_release="ID=fedora\n")
    with pytest.raises(SetupError, match="sudo dnf install --assumeyes a prog-rpm") as caught:
        steps.provide_system_packages(fedora, TWO, lambda name: False)
    assert caught.value.code == PACKAGES_MISSING
    assert "--no-system-packages" in str(caught.value)
    assert commands.seen == []


def test_an_unknown_system_gets_the_names(machine):
    with pytest.raises(SetupError, match=r"Debian's names.*\n    liba1 prog-deb"):
        steps.provide_system_packages(replace(machine, os_release="ID=nixos\n"), TWO, lambda name: False)


def test_debian_without_venv_gets_the_package_of_this_python(machine, commands, monkeypatch):
    monkeypatch.setattr(steps, "can_make_environments", lambda: False)
    with pytest.raises(SetupError, match=rf"still missing: .*{steps.venv_package().debian}"):
        steps.provide_system_packages(machine, TWO, lambda name: True)


@pytest.mark.parametrize(
    ("kind", "libc", "good"),
    [
        ("x86_64", "glibc 2.36", True),
        ("x86_64", "glibc 2.34", True),
        ("x86_64", "glibc 2.31", False),
        ("aarch64", "glibc 2.36", False),
        ("aarch64", "glibc 2.41", True),
        ("x86_64", "", False),
    ],
)
def test_systems_without_ready_made_packages_are_told_apart(machine, commands, kind, libc, good):
    commands.answer("getconf", output=libc + "\n")
    commands.answer("uname", output=kind + "\n")
    if good:
        steps.check_system(machine)
    else:
        with pytest.raises(SetupError, match="needs glibc 2") as caught:
            steps.check_system(machine)
        assert caught.value.code == UNSUITABLE


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_windows_and_macos_are_asked_nothing_about_glibc(machine, commands, platform):
    steps.check_system(replace(machine, platform=platform))
    assert commands.seen == []
