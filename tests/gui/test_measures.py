"""Which heads are the best at something."""

import numpy as np

from engine.messages import Head
from gui.measures import best


def test_heads_within_a_hair_of_the_best_are_named_with_it_best_first():
    scores = np.array([[0.1, 0.95], [0.94, 0.9]])
    assert best(scores) == (Head(0, 1), Head(1, 0))
    assert best(np.array([[0.1, 0.5], [0.5, 0.2]])) == (Head(0, 1), Head(1, 0))


def test_no_head_is_called_the_best_at_what_none_does():
    assert best(np.array([[0.01, 0.02], [0.0, 0.03]])) == ()
