"""Which heads are the best at something."""

import numpy as np

from engine.messages import MEASURES, Head
from gui.charts.measures import GROUPS, best, full_name, meaning, rank, scale


def test_heads_within_a_hair_of_the_best_are_named_with_it_best_first():
    scores = np.array([[0.1, 0.95], [0.94, 0.9]])
    assert best(scores) == (Head(0, 1), Head(1, 0))
    assert best(np.array([[0.1, 0.5], [0.5, 0.2]])) == (Head(0, 1), Head(1, 0))


def test_no_head_is_called_the_best_at_what_none_does():
    assert best(np.array([[0.01, 0.02], [0.0, 0.03]])) == ()


def test_every_measure_stands_in_one_group_and_has_a_name_of_its_own():
    fields = [field for group in GROUPS for field in group.fields]
    assert sorted(fields) == sorted(MEASURES)
    assert len({full_name(field) for field in fields}) == len(fields)
    assert "on the prompt" not in meaning("prompt_induction")
    assert "on this prompt" in meaning("prompt_induction")


def test_a_rank_counts_what_is_larger_and_what_is_no_number_has_none():
    values = np.array([0.2, 0.9, np.nan, 0.2])
    assert [rank(values, place) for place in range(4)] == [2, 1, None, 2]


def test_shares_have_the_same_colours_in_every_model_and_norms_end_at_the_largest():
    values = np.array([0.1, 0.4])
    assert scale("prompt_induction", values) == (0, 1)
    assert scale("ov_eigenvalue_copying", values) == (-1, 1)
    assert scale("ov_norm", values) == (0, 0.4)
    assert scale("prompt_entropy", np.array([np.nan, np.nan])) == (0, 1)
