"""Getting a model: from a local server that cuts connections, lies about sizes and runs out of data."""

import hashlib
import itertools
import os
import shutil
import subprocess
import sys
import threading
from dataclasses import replace

import pytest

from desktop_tts.errors import SettingsError
from desktop_tts.models import catalog, store
from desktop_tts.models import download as transfer
from desktop_tts.models.catalog import Model, ModelFile
from desktop_tts.models.download import Cancelled, DownloadError, DownloadProgress, Unreachable, download
from support.hub import CONTENT, TEMPLATE, TINY


def content(folder):
    return {path: (folder / path).read_bytes() for path in CONTENT}


def test_a_model_comes_whole_and_checked(hub):
    seen = []
    folder = download(TINY, on_progress=seen.append)
    assert content(folder) == CONTENT
    assert folder == store.folder(TINY)
    assert store.installed(TINY) == store.Installed(folder, shared=False)
    assert store.verify(TINY, folder) == ()
    assert not store.staging(TINY).exists()
    assert all(path.startswith(f"/Qwen/Tiny/resolve/{'a' * 40}/") for path, _ in hub.requests)
    assert seen[-1].done == TINY.size
    assert [p.done for p in seen] == sorted(p.done for p in seen)
    before = len(hub.requests)
    assert download(TINY) == folder
    assert len(hub.requests) == before


def test_cuts_are_survived_and_nothing_comes_twice(hub):
    hub.cut_after = lambda path: 700_000
    folder = download(TINY)
    assert content(folder) == CONTENT
    ranges = [wanted for path, wanted in hub.requests if path.endswith("/model.safetensors") and "speech" not in path]
    starts = [int(wanted[6:-1]) if wanted else 0 for wanted in ranges]
    assert starts == sorted(set(starts))
    assert len(starts) == 5
    assert all(b - a <= 700_000 for a, b in itertools.pairwise(starts))


def test_a_new_process_goes_on_where_the_old_one_stopped(hub, monkeypatch):
    cancel = threading.Event()

    def stop(progress: DownloadProgress):
        if progress.done > 1_000_000:
            cancel.set()

    monkeypatch.setattr(transfer, "TELL_S", 0)
    hub.cut_after = lambda path: 900_000
    with pytest.raises(Cancelled, match="kept"):
        download(TINY, on_progress=stop, cancel=cancel)
    hub.cut_after = lambda path: None
    hub.requests.clear()
    assert content(download(TINY)) == CONTENT
    assert len(hub.requests) == 1
    assert hub.requests[0][1] is not None


def test_a_server_that_can_not_go_on_in_the_middle_starts_again(hub):
    cuts = iter([500_000])
    hub.ranges = False
    hub.cut_after = lambda path: next(cuts, None) if path == "model.safetensors" else None
    assert content(download(TINY)) == CONTENT


def test_a_server_that_brings_nothing_more_is_told_and_what_came_is_kept(hub):
    hub.cut_after = lambda path: 0 if path == "model.safetensors" else None
    with pytest.raises(DownloadError, match="new tries brought nothing"):
        download(TINY, "huggingface")
    assert (store.staging(TINY) / "speech_tokenizer/model.safetensors").exists()
    assert store.installed(TINY) is None


def test_a_lie_about_the_size_is_refused_at_once(hub):
    hub.promise = lambda path, size: size + 1
    with pytest.raises(DownloadError, match="another config.json"):
        download(TINY)


@pytest.mark.parametrize("promised", [True, False])
def test_a_file_that_is_too_short_never_counts_as_whole(hub, promised):
    hub.content = lambda path: CONTENT[path][:-10]
    hub.promise = lambda path, size: size + 10 if promised else None
    with pytest.raises(DownloadError):
        download(TINY, "huggingface")
    assert store.installed(TINY) is None


def test_a_file_that_is_too_long_is_cut_off_and_checked(hub):
    hub.content = lambda path: CONTENT[path] + b"more"
    hub.promise = lambda path, size: None
    assert content(download(TINY)) == CONTENT


def test_damage_on_the_way_is_fetched_again_once(hub):
    damaged = iter([True])

    def flip(path):
        data = CONTENT[path]
        return b"X" + data[1:] if path == "model.safetensors" and next(damaged, False) else data

    hub.content = flip
    assert content(download(TINY)) == CONTENT


def test_lasting_damage_is_thrown_away_and_told(hub):
    hub.content = lambda path: b"X" + CONTENT[path][1:]
    with pytest.raises(DownloadError, match="damaged twice"):
        download(TINY)
    assert not list(store.staging(TINY).rglob("config.json*"))


def test_the_second_source_is_taken_when_the_first_can_not_be_reached(hub, monkeypatch):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", "http://127.0.0.1:9" + TEMPLATE)
    monkeypatch.setenv("MODELSCOPE_ENDPOINT", hub.url)
    assert content(download(TINY)) == CONTENT
    assert all(path.startswith("/models/Qwen/Tiny/resolve/master/") for path, _ in hub.requests)


def test_no_source_at_all_is_one_sentence(hub, monkeypatch):
    hub.status = lambda path: 503
    with pytest.raises(Unreachable, match="HTTP 503|Connection refused"):
        download(TINY)


def test_a_refusal_names_the_file_and_the_remedy(hub):
    hub.status = lambda path: 404
    with pytest.raises(DownloadError, match=r"refuses config.json \(HTTP 404\). Try another source."):
        download(TINY, "huggingface")


def test_offline_mode_is_respected(hub, monkeypatch):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(DownloadError, match="HF_HUB_OFFLINE"):
        download(TINY)
    assert hub.requests == []


def test_space_is_looked_for_first(hub, monkeypatch):
    usage = shutil.disk_usage("/")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1_000_000))
    with pytest.raises(DownloadError, match="GB are free"):
        download(TINY)
    assert hub.requests == []


FULL_DISK = """
import sys
sys.path.insert(0, sys.argv[1])
import test_models
from huggingface_hub import constants
from desktop_tts.models import download, store
constants.HUGGINGFACE_CO_URL_TEMPLATE = sys.argv[2] + test_models.TEMPLATE
download._need_space = lambda *_: None
model = test_models.describe_model(sys.argv[3])
try:
    download.download(model, "huggingface")
except download.DownloadError as error:
    print(error)
(kept,) = store.staging(model).glob("model.safetensors.incomplete")
print(kept.stat().st_size)
"""


def test_a_full_disk_is_told_and_what_came_is_kept(hub, home):
    """A real full disk: a file system of two megabytes, mounted for this one process."""
    place = store.staging(TINY).parent
    place.mkdir(parents=True)
    inside = f'mount -t tmpfs -o size=2m tmpfs "{place}" && exec "$@"'
    program = [sys.executable, "-c", FULL_DISK, os.path.dirname(__file__), hub.url, repr(TINY)]
    # Containers often forbid user namespaces, which root doesn't need.
    namespace = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--mount"]
    done = subprocess.run([*namespace, "sh", "-c", inside, "sh", *program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said, kept = done.stdout.splitlines()
    assert said == "The disk is full. Make room and start it again to go on."
    assert int(kept) > 1_000_000


def describe_model(text):
    """The model that ``repr`` wrote, with the names of this module alone."""
    return eval(text, {"Model": Model, "ModelFile": ModelFile})


def test_the_hub_s_own_variable_chooses_the_server():
    code = """
from desktop_tts.models import catalog, download
print(download._url(catalog.MODELS[0], catalog.MODELS[0].files[0], 'huggingface'))
"""
    env = os.environ | {"HF_ENDPOINT": "http://127.0.0.1:4321"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("http://127.0.0.1:4321/Qwen/Qwen3-TTS-12Hz-0.6B-CustomVoice/resolve/85e237c1")


def test_an_existing_hub_cache_is_used_in_place(hub, home):
    snapshot = home / "hub" / "models--Qwen--Tiny" / "snapshots" / ("a" * 40)
    for path, data in CONTENT.items():
        (snapshot / path).parent.mkdir(parents=True, exist_ok=True)
        (snapshot / path).write_bytes(data)
    assert download(TINY) == snapshot
    assert store.installed(TINY).shared
    assert hub.requests == []
    assert store.remove(TINY) == 0
    assert content(snapshot) == CONTENT


def test_verify_finds_one_wrong_byte_and_a_missing_file(hub):
    folder = download(TINY)
    with (folder / "model.safetensors").open("r+b") as file:
        file.write(b"X")
    (folder / "config.json").unlink()
    assert store.verify(TINY, folder) == ("config.json is missing.", "model.safetensors is damaged.")
    assert store.installed(TINY) is None


def test_remove_gives_the_space_back(hub):
    download(TINY)
    assert TINY.size <= store.remove(TINY) < TINY.size + 1000  # and the note of its origin
    assert store.installed(TINY) is None


def test_an_older_revision_is_used_until_the_new_one_is_whole(hub):
    """The pin moves with the app; what is here goes on speaking, and nothing of it gets mixed into the new one."""
    old = download(TINY)
    news = CONTENT["config.json"].replace(b"qwen3", b"qwen4")
    files = (ModelFile("config.json", len(news), hashlib.sha256(news).hexdigest()), *TINY.files[1:])
    newer = replace(TINY, revision="b" * 40, files=files)
    assert store.installed(newer) == store.Installed(old, shared=False, outdated=True)
    assert store.verify(newer, old) == ()
    hub.content = lambda path: news if path == "config.json" else CONTENT[path]
    hub.cut_after = lambda path: 1_000 if path == "model.safetensors" else None
    hub.status = lambda path: 404 if path == "model.safetensors" else 200
    with pytest.raises(DownloadError):
        download(newer, "huggingface")
    assert store.installed(newer).outdated
    assert content(old) == CONTENT
    hub.cut_after, hub.status = (lambda path: None), (lambda path: 200)
    assert download(newer) == old
    assert store.installed(newer) == store.Installed(old, shared=False)
    assert (old / "config.json").read_bytes() == news


def test_what_an_older_revision_left_unfinished_is_not_gone_on_with(hub):
    cancel = threading.Event()
    with pytest.raises(Cancelled):
        download(TINY, on_progress=lambda _: cancel.set(), cancel=cancel)
    newer = replace(TINY, revision="b" * 40)
    assert store.came(TINY) > 0
    assert store.came(newer) == 0
    assert store.discard(newer) > 0
    assert store.came(TINY) == 0


def test_two_downloads_of_the_same_model_do_not_mix(hub):
    inside = []

    def second(progress):
        if not inside:
            inside.append(True)
            with pytest.raises(DownloadError, match="already"):
                download(TINY)

    assert content(download(TINY, on_progress=second)) == CONTENT


def test_the_catalogue_is_what_was_published():
    assert [m.key for m in catalog.MODELS] == [
        "0.6b-custom-voice",
        "1.7b-custom-voice",
        "1.7b-voice-design",
        "0.6b-base",
        "1.7b-base",
    ]
    for known in catalog.MODELS:
        assert len(known.files) == 11
        assert len({file.path for file in known.files}) == 11
        assert all(len(file.sha256) == 64 and file.size > 0 for file in known.files)
        assert len(known.revision) == 40
        assert catalog.model(known.repository) is known
        assert catalog.model(known.key.upper()) is known
    with pytest.raises(SettingsError, match="0.6b-base"):
        catalog.model("2b")


def test_the_command_line(home):
    def run(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "desktop_tts", "models", *arguments], capture_output=True, text=True
        )

    listed = run("list")
    assert listed.returncode == 0
    assert "0.6b-base" in listed.stdout
    missing = run("path", "0.6b-base")
    assert missing.returncode == 1
    assert missing.stderr == "0.6b-base isn't installed. Bring it with: desktop-tts models download 0.6b-base\n"
    assert run("verify", "nonsense").returncode == 1


def test_progress_says_speed_and_time_left():
    from desktop_tts.commands.models import describe

    progress = DownloadProgress(1_200_000_000, 2_500_000_000, 8_000_000.0)
    assert describe(progress) == "1.20 of 2.50 GB, 8.0 MB/s, 2 min 42 s left"
    assert describe(replace(progress, stage="check")) == "1.20 of 2.50 GB, checking"
