"""``desktop-tts doctor``."""

from __future__ import annotations

import json
from dataclasses import asdict

from desktop_tts.desktop.doctor import examine
from desktop_tts.exit_codes import FAILED, OK

ESSENTIAL = ("engine builtin", "sound", "settings")


def run(*, as_json: bool) -> int:
    """Print what was found; fails when something that reading aloud needs is wrong."""
    findings = examine()
    if as_json:
        print(json.dumps([asdict(finding) for finding in findings], ensure_ascii=False))
    else:
        for finding in findings:
            print(f"{'ok ' if finding.ok else '!! '} {finding.name}: {finding.detail}")
    return FAILED if any(not f.ok and f.name in ESSENTIAL for f in findings) else OK
