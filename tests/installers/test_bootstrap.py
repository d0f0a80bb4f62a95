"""``bootstrap.py`` as it is started: arguments, old Pythons, two at once, the second start."""

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import bootstrap
import pytest
from desktop_setup import cli, guard, outcome, stamp
from desktop_setup.machine import this_machine
from desktop_setup.outcome import SetupError

INSTALLERS = Path(__file__).parents[2] / "installers"


def start(project, *arguments, folder=None):
    """Run the bootstrap.py of a project."""
    return subprocess.run(
        [sys.executable, str(project / "installers" / "bootstrap.py"), *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )


@pytest.fixture
def project(tmp_path):
    """A copy that is set up already: its environment holds an app that prints its arguments, and no pip at all."""
    root = tmp_path / "my projects" / "lies vor ü [2]"
    shutil.copytree(INSTALLERS, root / "installers", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(INSTALLERS.parent / "pyproject.toml", root)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(root / ".venv")], check=True)
    python = root / ".venv" / "bin" / "python"
    site = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    app = Path(site) / "desktop_tts"
    app.mkdir()
    (app / "__init__.py").touch()
    (app / "__main__.py").write_text(
        textwrap.dedent("""
            import os, sys
            print(sys.argv[1:], os.getcwd(), os.environ.get("PYTHONPATH"))
            sys.exit(7)
        """)
    )
    (Path(site) / "pytest.py").write_text("import os, sys\nprint('pytest', sys.argv[1:], os.getcwd())\nsys.exit(5)\n")
    stamp.write(
        root / ".venv", stamp.Stamp(stamp.inputs_of(root), str(root), os.path.realpath(python), ("dev", "test"))
    )
    return root


@pytest.mark.parametrize(
    ("given", "extras", "rest"),
    [
        ("run", set(), []),
        ("run speak -o a.wav Hello", set(), ["speak", "-o", "a.wav", "Hello"]),
        ("run --version", set(), ["--version"]),
        ("run -- --help", set(), ["--help"]),
        ("run --qwen --no-system-packages --debug", {"qwen"}, ["--debug"]),
        ("test", {"test"}, []),
        ("test -k sound --dev", {"test"}, ["-k", "sound", "--dev"]),
        ("test --dev -x", {"test", "dev"}, ["-x"]),
    ],
)
def test_our_options_come_first_and_the_rest_goes_on(given, extras, rest):
    options = cli.parse(given.split())
    assert cli.extras_of(options) == extras
    assert options.arguments == rest


def test_setup_takes_extras():
    assert cli.extras_of(cli.parse(["setup"])) == set()
    assert cli.extras_of(cli.parse(["setup", "--dev"])) == {"dev", "test"}
    assert cli.extras_of(cli.parse(["setup", "--test", "--qwen"])) == {"test", "qwen"}


@pytest.mark.parametrize("given", [[], ["walk"], ["setup", "more"]])
def test_mistyped_commands(given, capsys):
    with pytest.raises(SystemExit) as caught:
        cli.parse(given)
    assert caught.value.code == outcome.USAGE


def test_the_help_lists_every_exit_code(capsys):
    with pytest.raises(SystemExit) as caught:
        cli.parse(["--help"])
    assert caught.value.code == 0
    text = capsys.readouterr().out
    codes = [value for name, value in vars(outcome).items() if name.isupper() and isinstance(value, int)]
    assert len(codes) == len(outcome.MEANING) == 12
    for code in codes:
        assert f"\n  {code:3}  {outcome.MEANING[code]}" in text


def test_a_second_start_only_starts(project, tmp_path):
    done = start(project, "run", "speak", "--rate", "ü", folder=tmp_path)
    assert done.returncode == 7, done.stderr
    assert done.stdout == f"['speak', '--rate', 'ü'] {tmp_path} None\n"
    assert done.stderr == ""


def test_a_second_start_costs_little(project):
    python = project / ".venv" / "bin" / "python"

    def seconds(command):
        begin = time.perf_counter()
        subprocess.run(command, capture_output=True, check=False)
        return time.perf_counter() - begin

    direct = [str(python), "-P", "-m", "desktop_tts"]
    ours = [sys.executable, str(project / "installers" / "bootstrap.py"), "run"]
    seconds(ours)  # compiles our files
    added = min(seconds(ours) for _ in range(5)) - min(seconds(direct) for _ in range(5))
    assert added < 1.0, f"bootstrap.py adds {added:.2f} s to a start"


def test_a_user_without_write_permission_can_start_what_is_set_up(project):
    # Tests may run as root, who may write anywhere. So what is looked at is that no file was written.
    def files():
        return {
            path: path.stat().st_mtime_ns for path in project.rglob("*") if path.suffix != ".pyc" and path.is_file()
        }

    before = files()
    assert start(project, "run").returncode == 7
    assert files() == before


def test_test_ends_with_pytests_code_in_the_projects_folder(project, tmp_path):
    done = start(project, "test", "-x", "tests/text", folder=tmp_path)
    assert (done.returncode, done.stdout) == (5, f"pytest ['-x', 'tests/text'] {project}\n")


def test_a_folder_of_our_name_is_not_taken_for_the_app(project, tmp_path):
    (tmp_path / "desktop_tts").mkdir()
    (tmp_path / "desktop_tts" / "__main__.py").write_text("print('wrong one')")
    assert start(project, "run", folder=tmp_path).returncode == 7


def test_the_users_pythonpath_stays_outside(project, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "/opt/ros/python")
    assert start(project, "run").stdout.endswith("None\n")


def test_a_changed_pyproject_sets_up_anew(project, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    file = project / "pyproject.toml"
    file.write_text(file.read_text(encoding="utf-8").replace("numpy>=", "numpy>1."), encoding="utf-8")
    done = start(project, "run", "--no-system-packages")
    # There is no pip in this environment, so it is made anew; then pip finds no package to install here.
    assert "Making the Python environment" in done.stdout
    assert "it doesn't work" in done.stdout
    assert done.returncode == outcome.INSTALL_FAILED


def test_a_damaged_copy_says_so(project):
    (project / "installers" / "constraints.txt").unlink()
    done = start(project, "run")
    assert done.returncode == outcome.DAMAGED
    assert done.stderr.count("\n") == 1
    assert "constraints.txt" in done.stderr


def test_a_second_set_up_waits_for_the_first(tmp_path, capsys):
    file = tmp_path / "lock"
    order = []
    child = subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"import sys; sys.path.insert(0, {str(INSTALLERS)!r})\n"
            "from pathlib import Path; from desktop_setup import guard\n"
            f"with guard.only_one(Path({str(file)!r})): print('in', flush=True); sys.stdin.read()",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "in\n"
    with pytest.raises(SetupError) as caught, guard.only_one(file, patience_s=0.3):
        order.append("both")
    assert caught.value.code == outcome.BUSY
    assert "waiting for it" in capsys.readouterr().out
    child.kill()
    child.communicate()
    with guard.only_one(file, patience_s=5):
        order.append("after")
    assert order == ["after"]


def test_a_folder_that_cannot_be_written_to_is_told(tmp_path):
    with pytest.raises(SetupError, match="can't be written to") as caught, guard.only_one(tmp_path / "no" / "lock"):
        pass
    assert caught.value.code == outcome.NOT_WRITABLE


def test_being_told_to_end_ends_the_child_first(tmp_path):
    """SIGTERM while pip works: pip gets an interrupt, is waited for, and our exit code says interrupted."""
    mark = tmp_path / "child"
    child = textwrap.dedent(f"""
        import signal, sys, time, pathlib
        def end(*_):
            time.sleep(0.5)
            pathlib.Path({str(mark)!r}).write_text("ended")
            sys.exit(1)
        signal.signal(signal.SIGINT, end)
        print("working", flush=True)
        time.sleep(30)
    """)
    program = textwrap.dedent(f"""
        import sys; sys.path.insert(0, {str(INSTALLERS)!r})
        from pathlib import Path
        from desktop_setup import cli, guard, machine
        def run(options):
            with guard.only_one(Path({str(tmp_path / "lock")!r})):
                return machine.this_machine().call([sys.executable, "-c", {child!r}])
        cli._run = run
        sys.exit(cli.main(["setup"]))
    """)
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"working\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == outcome.INTERRUPTED
    assert mark.read_text() == "ended"


def test_a_quiet_command_is_heard_only_when_it_fails(capfd):
    call = this_machine().call
    assert call([sys.executable, "-c", "print('fine')"], quiet=True) == 0
    assert call([sys.executable, "-c", "print('why it failed'); exit(3)"], quiet=True) == 3
    assert call(["no-such-program"], quiet=True) == 127
    assert capfd.readouterr() == ("", "why it failed\n")


def fake_python(folder, name, code):
    """A program that ends with this code whatever it is asked."""
    file = folder / name
    file.write_text(f"#!/bin/sh\nexit {code}\n")
    file.chmod(0o755)
    return str(file)


def test_a_new_enough_python_is_found_by_trying(tmp_path):
    fake_python(tmp_path, "python3.13", 1)
    fake_python(tmp_path, "python3", 1)
    assert bootstrap.newer_python([str(tmp_path)]) == ""
    good = fake_python(tmp_path, "python3.12", 0)
    assert bootstrap.newer_python(["/no/such/folder", str(tmp_path)]) == good
    assert bootstrap.newer_python([str(Path(sys.executable).parent)])


def test_an_old_python_without_a_newer_one_gets_one_sentence(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(bootstrap, "MORE_FOLDERS", ())
    monkeypatch.setattr(bootstrap, "OLDEST", (99, 0))
    assert bootstrap.main() == bootstrap.NO_PYTHON == outcome.NO_PYTHON
    assert capsys.readouterr().err.count("\n") == 1


def test_the_entry_is_readable_for_old_pythons():
    import ast

    ast.parse((INSTALLERS / "bootstrap.py").read_text(encoding="utf-8"), feature_version=(3, 6))
