"""Downloads, checks and removals in the background: from a local server that is slow and cuts connections."""

import threading
from dataclasses import replace

import pytest

from desktop_tts.errors import DesktopTTSError
from desktop_tts.models import download as transfer
from desktop_tts.models import store
from desktop_tts.models.jobs import ModelJobs, Phase, Task
from support.display import wait_until
from support.hub import CONTENT, TINY

OTHER = replace(TINY, key="other", repository="Qwen/Other")


@pytest.fixture
def jobs(hub, monkeypatch):
    monkeypatch.setattr(transfer, "TELL_S", 0.0)
    made = ModelJobs()
    yield made
    made.close()
    wait_until(lambda: not made.busy, 30, "the end of all jobs")


def ended(jobs, model=TINY):
    wait_until(lambda: not jobs.job(model.key).busy, 30, "the end of the job")
    return jobs.job(model.key)


def running(jobs, model=TINY, least=1):
    def far_enough():
        job = jobs.job(model.key)
        return job.phase is Phase.RUNNING and job.progress.done >= least

    wait_until(far_enough, 30, "bytes to come")


def test_a_model_comes_and_its_listener_hears_of_it(jobs):
    seen = []
    stop = jobs.on_change(lambda key: seen.append((key, jobs.job(key))))
    jobs.download(TINY)
    job = ended(jobs)
    assert (job.task, job.problems) == (Task.DOWNLOAD, ())
    assert store.installed(TINY)
    wait_until(lambda: seen[-1][1].phase is Phase.ENDED, 5, "the last word")
    assert {key for key, _ in seen} == {"tiny"}
    assert max(job.progress.done for _, job in seen) == TINY.size
    stop()
    before = len(seen)
    jobs.verify(TINY)
    assert ended(jobs).problems == ()
    assert len(seen) == before


def test_paused_and_resumed_also_by_the_next_start_of_the_program(jobs, hub):
    hub.pace_s = 0.02
    jobs.download(TINY)
    running(jobs, least=400_000)
    jobs.stop(TINY.key)
    assert ended(jobs).problems == ()
    came = store.came(TINY)
    assert 400_000 <= came < TINY.size
    hub.requests.clear()
    hub.pace_s = 0.0
    next_start = ModelJobs()
    next_start.download(TINY)
    assert next_start.job(TINY.key).progress.done >= came
    assert ended(next_start).problems == ()
    assert len(hub.requests) == 1
    assert hub.requests[0][1].startswith("bytes=")
    assert (store.folder(TINY) / "model.safetensors").read_bytes() == CONTENT["model.safetensors"]


def test_one_at_a_time_and_the_second_follows(jobs, hub):
    hub.pace_s = 0.02
    jobs.download(TINY)
    running(jobs)
    jobs.download(OTHER)
    assert jobs.job(OTHER.key).phase is Phase.WAITING
    hub.pace_s = 0.0
    ended(jobs, OTHER)
    assert store.installed(TINY)
    assert store.installed(OTHER)
    asked = [path.split("/")[2] for path, _ in hub.requests]
    assert asked == ["Tiny"] * 3 + ["Other"] * 3


def test_one_that_waits_can_be_paused_and_given_up(jobs, hub):
    hub.pace_s = 0.02
    jobs.download(TINY)
    running(jobs)
    jobs.download(OTHER)
    jobs.stop(OTHER.key)
    assert ended(jobs, OTHER).problems == ()
    jobs.download(OTHER)
    jobs.cancel(OTHER)
    ended(jobs, OTHER)
    assert jobs.job(TINY.key).busy
    hub.pace_s = 0.0
    ended(jobs)
    assert not any("Other" in path for path, _ in hub.requests)


@pytest.mark.parametrize("paused", [True, False])
def test_given_up_leaves_nothing(jobs, hub, paused):
    hub.pace_s = 0.02
    jobs.download(TINY)
    running(jobs, least=400_000)
    if paused:
        jobs.stop(TINY.key)
        ended(jobs)
        assert store.came(TINY)
    jobs.cancel(TINY)
    assert ended(jobs).problems == ()
    assert store.came(TINY) == 0
    assert not store.staging(TINY).exists()
    assert store.installed(TINY) is None


def test_what_went_wrong_is_one_sentence_and_what_came_is_kept(jobs, hub):
    hub.cut_after = lambda path: 0 if path == "model.safetensors" else None
    jobs.download(TINY, "huggingface")
    (problem,) = ended(jobs).problems
    assert "brought nothing" in problem
    assert "start it again" in problem
    assert store.came(TINY) > 300_000
    hub.cut_after = lambda path: None
    jobs.download(TINY)
    assert ended(jobs).problems == ()


def test_a_check_finds_damage_and_can_be_stopped(jobs, hub, monkeypatch):
    jobs.download(TINY)
    ended(jobs)
    with (store.folder(TINY) / "model.safetensors").open("r+b") as file:
        file.write(b"X")
    jobs.verify(TINY)
    assert ended(jobs).problems == ("model.safetensors is damaged.",)
    go = threading.Event()
    monkeypatch.setattr(store, "BLOCK", 1000)
    told = threading.Event()

    def slow(key):
        if jobs.job(key).progress.done:
            told.set()
            go.wait(10)

    jobs.on_change(slow)
    jobs.verify(TINY)
    assert told.wait(10)
    threading.Thread(target=jobs.stop, args=(TINY.key,)).start()
    wait_until(lambda: jobs.job(TINY.key).phase is Phase.STOPPING, 5, "the stop")
    go.set()
    assert ended(jobs).problems == ("The check was stopped.",)


def test_removing_waits_for_who_uses_it(jobs):
    jobs.download(TINY)
    ended(jobs)

    def used():
        raise DesktopTTSError("It is reading aloud.", "Stop that first.")

    jobs.remove(TINY, used)
    assert ended(jobs).problems == ("It is reading aloud. Stop that first.",)
    assert store.installed(TINY)
    jobs.remove(TINY)
    assert ended(jobs).problems == ()
    assert store.installed(TINY) is None


def test_a_second_task_for_the_same_model_is_left_undone(jobs, hub):
    hub.pace_s = 0.02
    jobs.download(TINY)
    running(jobs)
    jobs.verify(TINY)
    jobs.remove(TINY)
    jobs.download(TINY)
    assert jobs.job(TINY.key).task is Task.DOWNLOAD
    hub.pace_s = 0.0
    assert ended(jobs).problems == ()
    assert store.installed(TINY)


def test_what_another_program_is_downloading_is_not_deleted(jobs, hub):
    hub.pace_s = 0.02
    jobs.download(TINY)
    running(jobs)
    another_program = ModelJobs()
    another_program.cancel(TINY)
    assert "already" in ended(another_program).problems[0]
    hub.pace_s = 0.0
    assert ended(jobs).problems == ()
    assert store.installed(TINY)
