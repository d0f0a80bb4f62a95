"""How codes are drawn: the published order, ties, and seeds."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop_tts.qwen3tts.sampling import Choice, Sampling, SeededDraw, penalize, pick_code


def kept(scores, choice):
    """Which candidates are left to draw from."""
    seen = []

    def draw(probabilities):
        seen.append(probabilities)
        return probabilities.argmax(-1, keepdim=True)

    pick_code(torch.tensor([scores]), choice, draw)
    return (seen[0][0] > 0).nonzero().flatten().tolist()


def test_greedy_takes_the_best():
    scores = torch.tensor([[1.0, 3.0, 2.0], [5.0, 4.0, 4.5]])
    codes = pick_code(scores, Choice(do_sample=False, temperature=0.0), SeededDraw([0, 0]))
    assert codes.tolist() == [[1], [0]]


def test_top_k_keeps_ties_with_the_last():
    assert kept([5.0, 4.0, 3.0, 3.0, 2.0], Choice(top_k=3)) == [0, 1, 2, 3]
    assert kept([5.0, 4.0, 3.0, 2.0], Choice(top_k=0)) == [0, 1, 2, 3]
    assert kept([5.0, 4.0], Choice(top_k=50)) == [0, 1]


def test_top_p_keeps_the_fewest_that_hold_enough():
    even = [0.0, 0.0, 0.0, 0.0]
    assert len(kept(even, Choice(top_p=0.6))) == 3
    assert kept([9.0, 0.0, 0.0], Choice(top_p=0.01)) == [0]
    assert kept([3.0, 2.9, -5.0], Choice(top_p=0.99)) == [0, 1]


def test_temperature_comes_before_top_p():
    scores = [2.0, 1.0, 0.0]
    assert kept(scores, Choice(top_p=0.8, temperature=0.2)) == [0]
    assert kept(scores, Choice(top_p=0.8, temperature=5.0)) == [0, 1, 2]


def test_penalty_moves_each_chosen_code_once():
    scores = torch.tensor([[2.0, -2.0, 1.0, -1.0]])
    chosen = torch.tensor([[True, True, False, False]])
    assert penalize(scores, chosen, 2.0).tolist() == [[1.0, -4.0, 1.0, -1.0]]
    assert penalize(scores, chosen, 1.0) is scores


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**63 - 1), st.integers(2, 300))
def test_a_seed_draws_as_torch_does(seed, size):
    probabilities = torch.randn(20, size, generator=torch.Generator().manual_seed(1)).softmax(-1)
    draw, generator = SeededDraw([seed]), torch.Generator().manual_seed(seed)
    for row in probabilities:
        assert torch.equal(draw(row[None]), torch.multinomial(row[None], 1, generator=generator))


def test_draws_follow_the_probabilities():
    probabilities = torch.tensor([[0.1, 0.2, 0.7, 0.0]])
    draw = SeededDraw([7])
    counts = torch.bincount(torch.cat([draw(probabilities)[0] for _ in range(4000)]), minlength=4) / 4000
    assert torch.allclose(counts, probabilities[0], atol=0.04)
    assert counts[3] == 0


def test_a_row_draws_as_it_would_alone():
    probabilities = torch.rand(3, 40, generator=torch.Generator().manual_seed(2)).softmax(-1)
    together, alone = SeededDraw([5, 6, 7]), SeededDraw([6])
    for _ in range(10):
        assert together(probabilities)[1].item() == alone(probabilities[1:2]).item()


@pytest.mark.parametrize("wrong", [{"top_k": -1}, {"top_p": 0.0}, {"top_p": 1.1}, {"temperature": 0.0}])
def test_wrong_settings_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Choice(**wrong)


def test_a_penalty_must_be_positive():
    with pytest.raises(ValueError, match="repetition_penalty"):
        Sampling(repetition_penalty=0)
