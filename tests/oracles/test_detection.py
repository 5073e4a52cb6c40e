"""The measures on patterns whose scores are known."""

import pytest
import torch

from tests.oracles import detection

LENGTH = 3  # BOS a b c a b c


def _looks_at(keys: list[int]) -> torch.Tensor:
    return torch.nn.functional.one_hot(torch.tensor(keys), len(keys)).double()[None]


def test_perfect_induction_head_scores_one_and_one_off_scores_zero():
    perfect = _looks_at([0, 0, 0, 0, 2, 3, 4])
    assert detection.induction(perfect, 1, LENGTH).item() == 1
    assert detection.induction(_looks_at([0, 0, 0, 0, 1, 2, 3]), 1, LENGTH).item() == 0
    assert detection.induction(_looks_at([0, 0, 0, 0, 3, 4, 5]), 1, LENGTH).item() == 0


def test_perfect_previous_and_first_token_heads_score_one():
    assert detection.previous_token(_looks_at([0, 0, 1, 2, 3, 4, 5])).item() == 1
    assert detection.first_token(_looks_at([0] * 7)).item() == 1


def test_perfect_duplicate_token_head_scores_one():
    perfect = _looks_at([0, 0, 0, 0, 1, 2, 3])
    assert detection.duplicate_token(perfect, 1, LENGTH).item() == 1
    assert detection.duplicate_token(_looks_at([0, 0, 0, 0, 2, 3, 4]), 1, LENGTH).item() == 0


def test_entropy_and_distance_of_sharp_and_uniform_heads():
    back = _looks_at([0, 0, 1, 2])
    assert (detection.entropy(back).item(), detection.distance(back).item()) == (0, 1)
    uniform = torch.ones(3, 3).tril().double()
    uniform = (uniform / uniform.sum(-1, keepdim=True))[None]
    nats = torch.tensor([2.0, 3.0]).double().log().mean()
    assert detection.entropy(uniform).item() == pytest.approx(float(nats))
    assert detection.distance(uniform).item() == pytest.approx((1 / 2 + 1) / 2)


def test_on_tokens_that_repeat_once_they_are_those_of_the_two_copies():
    pattern = torch.rand(2, 7, 7, generator=torch.Generator().manual_seed(0)).double().tril()
    pattern = pattern / pattern.sum(-1, keepdim=True)
    found = detection.on_ids(pattern, [9, 1, 2, 3, 1, 2, 3])
    torch.testing.assert_close(found["induction"], detection.induction(pattern, 1, LENGTH))
    torch.testing.assert_close(
        found["duplicate_token"], detection.duplicate_token(pattern, 1, LENGTH)
    )


def test_uniform_head_scores_the_mean_of_one_over_what_it_may_see():
    uniform = torch.ones(7, 7).tril().double()
    uniform = (uniform / uniform.sum(-1, keepdim=True))[None]
    assert detection.induction(uniform, 1, LENGTH).item() == pytest.approx(
        (1 / 5 + 1 / 6 + 1 / 7) / 3
    )
    share = sum(1 / q for q in range(2, 8)) / 6
    assert detection.previous_token(uniform).item() == pytest.approx(share)
    assert detection.first_token(uniform).item() == pytest.approx(share)
