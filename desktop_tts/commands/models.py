"""``desktop-tts models list|download|verify|remove|path``."""

from __future__ import annotations

import argparse
import sys

from desktop_tts.errors import DesktopTTSError
from desktop_tts.exit_codes import FAILED, OK
from desktop_tts.models import store
from desktop_tts.models.catalog import MODELS, Model, model
from desktop_tts.models.download import DownloadProgress, download


def run(options: argparse.Namespace) -> int:
    if options.action == "list":
        return _list()
    wanted = model(options.model)
    match options.action:
        case "download":
            return _download(wanted, options.source)
        case "verify":
            return _verify(wanted)
        case "remove":
            return _remove(wanted)
        case _:
            print(_here(wanted).folder)
            return OK


def _list() -> int:
    width = max(len(known.key) for known in MODELS)
    for known in MODELS:
        here = store.installed(known)
        state = "" if here is None else "outdated" if here.outdated else "installed"
        print(f"{known.key:{width}}  {known.size / 1e9:4.1f} GB  {state:9}  {known.summary}")
    return OK


def _here(wanted: Model) -> store.Installed:
    here = store.installed(wanted)
    if here is None:
        raise DesktopTTSError(
            f"{wanted.key} isn't installed.", f"Bring it with: desktop-tts models download {wanted.key}"
        )
    return here


def _download(wanted: Model, source: str) -> int:
    line = sys.stderr.isatty()

    def show(progress: DownloadProgress) -> None:
        if line:
            print(f"\r{describe(progress):60}", end="", file=sys.stderr, flush=True)

    folder = download(wanted, source or "", show)
    if line:
        print(file=sys.stderr)
    print(folder)
    return OK


def describe(progress: DownloadProgress) -> str:
    """``1.2 of 2.5 GB, 8.3 MB/s, 2 min 40 s left``."""
    text = f"{progress.done / 1e9:.2f} of {progress.total / 1e9:.2f} GB"
    if progress.stage == "check":
        return text + ", checking"
    if progress.bytes_per_s > 0:
        text += f", {progress.bytes_per_s / 1e6:.1f} MB/s"
    if progress.left_s is not None:
        minutes, seconds = divmod(round(progress.left_s), 60)
        text += f", {minutes} min {seconds} s left" if minutes else f", {seconds} s left"
    return text


def _verify(wanted: Model) -> int:
    problems = store.verify(wanted, _here(wanted).folder)
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        again = f"desktop-tts models remove {wanted.key} && desktop-tts models download {wanted.key}"
        print(f"Get it again with: {again}", file=sys.stderr)
        return FAILED
    print(f"{wanted.key} is complete and undamaged.")
    return OK


def _remove(wanted: Model) -> int:
    here = store.installed(wanted)
    freed = store.remove(wanted)
    if here and here.shared:
        print(
            f"{wanted.key} lies in a cache that other programs use too, so it was left: {here.folder}", file=sys.stderr
        )
        return FAILED
    print(f"{freed / 1e9:.2f} GB freed.")
    return OK
