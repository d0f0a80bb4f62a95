"""What lies in the package beside the code gets into the wheel, and the lock knows every dependency."""

import re
import tomllib
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_every_data_file_is_named_for_the_wheel():
    patterns = [pattern for group in PROJECT["tool"]["setuptools"]["package-data"].values() for pattern in group]
    files = [
        path for path in (ROOT / "desktop_tts").rglob("*") if path.is_file() and path.suffix not in {".py", ".pyc"}
    ]
    assert files
    forgotten = [str(path) for path in files if not any(fnmatch(path.name, pattern) for pattern in patterns)]
    assert not forgotten


def test_the_lock_has_an_exact_version_of_every_dependency():
    """Fails when pyproject.toml was changed and ``bootstrap.py lock`` was forgotten."""
    project = PROJECT["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(line for name in ("qwen", "test", "dev") for line in extras[name])]
    names = {re.split(r"[^A-Za-z0-9._-]", line)[0].lower().replace("_", "-") for line in wanted} - {"desktop-tts"}
    locked = {}
    for line in (ROOT / "installers" / "constraints.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            requirement = line.partition(";")[0].strip()
            assert re.fullmatch(r"[a-z0-9.-]+==[0-9][A-Za-z0-9.]*", requirement), line
            name, _, version = requirement.partition("==")
            locked[name] = version
    assert names <= locked.keys()
    assert locked["torch"] == "2.13.0", "one release of torch, of which the CPU build also satisfies the pin"
