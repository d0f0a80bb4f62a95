"""The virtual environment: where things are, when it is made anew, what pip is told."""

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest
from desktop_setup import environment, stamp, steps
from desktop_setup.outcome import INSTALL_FAILED, NO_ENVIRONMENT, SetupError


@pytest.fixture
def root(tmp_path):
    """A project folder whose name is as bad as names get."""
    folder = tmp_path / "mein Ordner ü [1]"
    folder.mkdir()
    return folder


@pytest.fixture
def venv(root):
    """Something that looks like a working environment in it."""
    folder = root / ".venv"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").symlink_to(sys.executable)
    (folder / "pyvenv.cfg").write_text("home = /usr/bin\n")
    return folder


def stamp_for(folder, venv, **changes):
    """The stamp that a set-up would leave there."""
    return replace(stamp.Stamp("hash", str(folder), os.path.realpath(venv / "bin" / "python"), ("test",)), **changes)


def test_layout_of_windows_and_of_the_others():
    assert environment.python_of(Path("x"), "win32") == Path("x/Scripts/python.exe")
    assert (
        environment.python_of(Path("x"), "linux") == environment.python_of(Path("x"), "darwin") == Path("x/bin/python")
    )


def test_a_stamp_comes_back_as_it_was_written(root, venv):
    written = stamp_for(root, venv)
    stamp.write(venv, written)
    assert stamp.read(venv) == written


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"inputs": 1}', '{"extras": 3}', '"text"', "null"])
def test_a_damaged_stamp_is_no_stamp(venv, text):
    (venv / stamp.NAME).write_text(text)
    assert stamp.read(venv) is None


def test_what_fits_and_what_does_not(root, venv):
    python = venv / "bin" / "python"
    good = stamp_for(root, venv)
    assert stamp.fits(good, "hash", root, python, frozenset())
    assert stamp.fits(good, "hash", root, python, {"test"})
    assert not stamp.fits(None, "hash", root, python, frozenset())
    assert not stamp.fits(good, "other", root, python, frozenset())
    assert not stamp.fits(good, "hash", root.parent, python, frozenset())
    assert not stamp.fits(good, "hash", root, python, {"test", "qwen"})
    assert not stamp.fits(replace(good, interpreter="/usr/bin/python3.9"), "hash", root, python, frozenset())
    python.unlink()  # or in a folder of somebody else's, such as root's
    assert not stamp.fits(good, "hash", root, python, frozenset())


def test_whatever_decides_the_installation_changes_the_hash(root):
    for name in stamp.OTHER_INPUTS:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("1")
    (root / "pyproject.toml").write_text("[project]\ndependencies = ['a']\n")
    hashes = [stamp.inputs_of(root)]
    for name in stamp.OTHER_INPUTS:
        (root / name).write_text("2")
        hashes.append(stamp.inputs_of(root))
    (root / "pyproject.toml").write_text("[project]\ndependencies = ['b']\n")
    hashes.append(stamp.inputs_of(root))
    (root / "pyproject.toml").write_text("[project]\ndependencies = ['b']\n[tool.setuptools]\npy-modules = []\n")
    hashes.append(stamp.inputs_of(root))
    assert len(set(hashes)) == 5
    with (root / "pyproject.toml").open("a") as file:
        file.write("[tool.ruff]\nline-length = 9\n")
    assert stamp.inputs_of(root) == hashes[-1]


def test_a_working_environment_is_kept(root, venv, machine):
    assert environment.needs_making(venv, root, machine) == ""
    stamp.write(venv, stamp_for(root, venv))
    assert environment.needs_making(venv, root, machine) == ""


def test_reasons_to_make_it_anew(root, venv, machine):
    assert environment.needs_making(root / "none", root, machine) == "there is none yet"
    stamp.write(venv, stamp_for(root, venv, root="/elsewhere"))
    assert environment.needs_making(venv, root, machine) == "the folder was moved"
    stamp.write(venv, stamp_for(root, venv, interpreter="/usr/bin/python3.10"))
    assert environment.needs_making(venv, root, machine) == "the system's Python was replaced"
    stamp.mark_unfinished(venv)
    assert stamp.read(venv) is None
    assert environment.needs_making(venv, root, machine) == "the last set-up was interrupted"
    stamp.mark_whole(venv)
    broken = replace(machine, ask=lambda command: (1, "No module named pip"))
    assert environment.needs_making(venv, root, broken) == "it doesn't work"


def test_an_old_environment_is_replaced(venv, machine, commands):
    environment.make(venv, machine)
    assert not venv.exists()
    assert commands.seen == [[sys.executable, "-m", "venv", str(venv)]]


def test_an_environment_interrupted_before_its_first_file_is_replaced(root, machine):
    (root / ".venv" / "lib").mkdir(parents=True)
    environment.make(root / ".venv", machine)
    assert not (root / ".venv").exists()


def test_nothing_else_is_ever_deleted(root, machine):
    folder = root / ".venv"
    (folder / "photos").mkdir(parents=True)
    (folder / "photos" / "one.jpg").touch()
    with pytest.raises(SetupError, match="holds something else") as caught:
        environment.make(folder, machine)
    assert caught.value.code == NO_ENVIRONMENT
    assert (folder / "photos" / "one.jpg").exists()


def test_a_link_is_not_followed(root, venv, machine):
    link = root / "link"
    link.symlink_to(venv)
    with pytest.raises(SetupError, match="not a folder of ours"):
        environment.make(link, machine)
    assert (venv / "pyvenv.cfg").exists()


def test_venv_failing_is_told(root, machine, commands):
    commands.answer(sys.executable, code=1)
    with pytest.raises(SetupError) as caught:
        environment.make(root / ".venv", machine)
    assert caught.value.code == NO_ENVIRONMENT


def test_pip_gets_our_versions_and_the_users_sources(root):
    constraints = root / "constraints.txt"
    given = {
        "PIP_CONSTRAINT": "/home/ana/old.txt",
        "PIP_INDEX_URL": "https://mirror.example/simple",
        "PIP_TARGET": "/elsewhere",
        "PIP_USER": "1",
        "PYTHONPATH": "/opt/ros",
        "https_proxy": "http://proxy:8080",
    }
    made = environment.for_pip(given, constraints)
    assert made["PIP_INDEX_URL"] == given["PIP_INDEX_URL"]
    assert made["https_proxy"] == given["https_proxy"]
    assert made["PIP_USER"] == "0"
    assert not {"PIP_TARGET", "PYTHONPATH"} & made.keys()
    assert len(made["PIP_CONSTRAINT"].split()) == 1, "pip splits the variable at spaces"
    assert unquote(urlparse(made["PIP_CONSTRAINT"]).path) == constraints.as_posix()


def test_pip_is_run_in_the_folder_with_the_extras(root, venv, machine, commands):
    environment.install(root, venv, ["dev", "test"], root / "constraints.txt", machine, quiet=True)
    (command,) = commands.seen
    assert command[:4] == [str(venv / "bin" / "python"), "-P", "-m", "pip"]
    assert ".[dev,test]" in command
    assert commands.folders == [root]
    assert not stamp.is_unfinished(venv)


def test_a_failing_pip_leaves_the_environment_usable_but_unstamped(root, venv, machine):
    stamp.write(venv, stamp_for(root, venv))
    with pytest.raises(SetupError, match="Is there a network") as caught:
        environment.install(root, venv, [], root / "c.txt", replace(machine, call=lambda *args: 1), quiet=True)
    assert caught.value.code == INSTALL_FAILED
    assert stamp.read(venv) is None
    assert not stamp.is_unfinished(venv)


def test_an_interrupted_or_killed_pip_leaves_a_mark(root, venv, machine):
    def interrupted(*args):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        environment.install(root, venv, [], root / "c.txt", replace(machine, call=interrupted), quiet=True)
    assert environment.needs_making(venv, root, machine) == "the last set-up was interrupted"
    stamp.mark_whole(venv)
    with pytest.raises(SetupError):
        environment.install(root, venv, [], root / "c.txt", replace(machine, call=lambda *args: -9), quiet=True)
    assert stamp.is_unfinished(venv)


def test_room_on_the_disk_is_checked_before_the_first_set_up_only(root):
    steps.check_room(root, frozenset(), 1_000_000_000)
    with pytest.raises(SetupError, match=r"0\.1 GB are free"):
        steps.check_room(root, frozenset(), 100_000_000)
    with pytest.raises(SetupError, match=r"4\.0 GB are needed"):
        steps.check_room(root, frozenset({"test"}), 1_000_000_000)
    (root / ".venv").mkdir()
    steps.check_room(root, frozenset(), 0)


def test_a_library_that_does_not_load_is_named(machine):
    broken = replace(machine, ask=lambda command: (1, "libEGL.so.1: cannot open shared object file\n"))
    with pytest.raises(SetupError, match=r"libEGL\.so\.1"):
        steps.check_libraries(broken, Path("python"))


def test_the_real_libraries_load(machine):
    from desktop_setup.machine import this_machine

    steps.check_libraries(this_machine(), Path(sys.executable))


def test_the_stamp_is_plain_json(root, venv):
    stamp.write(venv, stamp_for(root, venv))
    assert json.loads((venv / stamp.NAME).read_text())["extras"] == ["test"]
