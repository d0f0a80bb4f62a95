"""The number of threads follows the machine: tried on a machine whose times are made up."""

import pytest
import torch

from desktop_tts.qwen3tts.model import Qwen3TTSModel
from desktop_tts.qwen3tts.threads import ThreadTuner
from support import golden

IDLE = {8: 30.0, 4: 40.0, 2: 60.0, 1: 95.0}
BUSY = {8: 400.0, 4: 200.0, 2: 110.0, 1: 97.0}


def speak(tuner, times, frames):
    """The numbers of threads that made each frame, on a machine with these times."""
    used = []
    for _ in range(frames):
        used.append(tuner.threads)
        tuner.learn(times[tuner.threads])
    return used


@pytest.fixture
def tuner():
    made = ThreadTuner(most=8)
    made.begin(1)
    return made


def test_each_number_is_tried_once_and_the_fastest_kept(tuner):
    used = speak(tuner, IDLE, 24)
    assert used[:4] == [8, 4, 2, 1]
    assert set(used[4:]) == {8}
    assert tuner.usual_s == 30.0


def test_a_machine_that_becomes_busy_is_noticed_within_a_few_frames(tuner):
    speak(tuner, IDLE, 20)
    used = speak(tuner, BUSY, 40)
    assert used[20:].count(1) >= 15, used


def test_and_one_that_becomes_idle_again(tuner):
    speak(tuner, IDLE, 20)
    speak(tuner, BUSY, 60)
    used = speak(tuner, IDLE, 400)
    assert used[-100:].count(8) >= 90, used


def test_looking_costs_little(tuner):
    used = speak(tuner, BUSY, 1000)
    spent = sum(BUSY[number] for number in used[20:]) / len(used[20:])
    assert spent < 1.1 * BUSY[1]


def test_one_slow_frame_changes_nothing_for_long(tuner):
    speak(tuner, IDLE, 20)
    tuner.learn(300.0)
    assert speak(tuner, IDLE, 40)[12:].count(8) >= 26


def test_another_batch_size_is_measured_anew(tuner):
    speak(tuner, IDLE, 20)
    tuner.begin(4)
    assert tuner.usual_s is None
    tuner.begin(4)
    assert speak(tuner, IDLE, 4) == [8, 4, 2, 1]


def test_a_fixed_number_stays():
    fixed = ThreadTuner(fixed=3)
    fixed.begin(1)
    for _ in range(5):
        with fixed.work():
            assert torch.get_num_threads() == 3
        fixed.frame_done()
    assert fixed.threads == 3
    assert fixed.usual_s > 0


def test_a_model_speaks_the_same_with_any_number():
    sounds = []
    for threads in (1, 2, None):
        model = Qwen3TTSModel.from_pretrained(golden.checkpoint("custom_voice"), threads=threads)
        (sound,), _ = model.generate_custom_voice("The same.", "vivian", seed=3, max_new_tokens=12)
        sounds.append(torch.from_numpy(sound))
        assert model.frame_s > 0
    for other in sounds[1:]:
        torch.testing.assert_close(other, sounds[0], rtol=0, atol=1e-4)
