"""What a head seems to do, and where its measures disagree."""

import numpy as np
import pytest

from engine.messages import Head
from gui.charts import measures

HEADS = (Head(0, 0), Head(0, 1))
QUIET = {
    "induction": 0.0,
    "previous_token": 0.0,
    "duplicate_token": 0.0,
    "first_token": 0.0,
    "entropy": 3.0,
    "distance": 20.0,
}


def scores(**first):
    """Return measures of two heads; the second does nothing in particular."""
    second = {name: value for name, value in QUIET.items()}
    both = {name: np.array([value, value]) for name, value in second.items()}
    for name, value in first.items():
        other = both.get(name, np.array([0.0, 0.0]))[1]
        both[name] = np.array([value, other])
    return both


def seems(place=0, **first):
    return measures.seems(HEADS, scores(**first), place)


def test_what_a_head_does_comes_with_its_number_its_rank_and_what_it_does_here():
    assert seems(induction=0.98, prompt_induction=0.46) == (
        "L0H0 looks at what followed this token last time: induction 0.98 on random tokens, "
        "rank 1 of 2; on this prompt 0.46."
    )


def test_the_rank_is_that_of_the_head_told_about():
    both = scores(previous_token=0.9)
    both["previous_token"][1] = 0.6
    assert "previous 0.60 on random tokens, rank 2 of 2" in measures.seems(HEADS, both, 1)


def test_a_measure_that_no_token_of_the_prompt_has_is_said_to_be_so():
    assert "on this prompt no token has it" in seems(induction=0.9, prompt_induction=np.nan)


def test_a_single_head_has_no_rank():
    alone = {name: values[:1] for name, values in scores(previous_token=1.0).items()}
    assert "rank" not in measures.seems(HEADS[:1], alone, 0)


@pytest.mark.parametrize(
    ("first", "told"),
    [
        ({"first_token": 0.3}, "in part rests on the first token: first 0.30"),
        ({"entropy": np.log(28)}, "spreads its attention: entropy 3.33 nat, as over 28 tokens"),
        ({"entropy": 0.5, "distance": 9.0}, "looks at few tokens, of no kind measured"),
        (
            {"entropy": 0.1, "distance": 0.5, "previous_token": 0.1},
            "rests on the token itself: at least 0.70",
        ),
    ],
)
def test_what_else_a_head_may_do(first, told):
    assert told in seems(**first)


@pytest.mark.parametrize("seed", range(20))
def test_the_share_on_itself_is_never_more_than_it_is(seed):
    row = np.random.default_rng(seed).dirichlet(np.full(8, 0.3))  # attention by how far back
    both = scores(previous_token=row[1], distance=float(row @ np.arange(8)))
    assert measures.at_least_on_itself(both, 0) <= row[0] + 1e-12


@pytest.mark.parametrize(
    ("share", "copying", "told"),
    [
        (0.9, 1.0, "It copies what it reads: copying share 0.90, rank 1 of 2"),
        (0.01, 0.8, "On the whole it raises the tokens that it reads: OV copying +0.80"),
        (0.0, -0.8, "On the whole it lowers the tokens that it reads: OV copying −0.80"),
        (0.0, 0.2, "By its weights it copies little: OV copying +0.20"),
        (0.0, np.nan, "OV copying not defined"),
    ],
)
def test_whether_a_head_copies_is_told_once_its_weights_are_known(share, copying, told):
    assert told in seems(copying_share=share, ov_eigenvalue_copying=copying)
    assert "cop" not in seems()


def disagree(tokens=10, read=None, **first):
    return measures.disagreements(scores(**first), 0, tokens, read)


def test_random_tokens_and_prompt_disagree_where_a_head_does_not_do_here_what_it_does_there():
    told = disagree(induction=0.98, prompt_induction=0.02)
    assert told == (
        "Random tokens and prompt disagree: induction 0.98 on random tokens, 0.02 on this prompt.",
    )
    assert not disagree(induction=0.98, prompt_induction=0.1)
    assert not disagree(induction=0.49, prompt_induction=0.02)


def test_what_is_not_defined_here_disagrees_with_nothing():
    assert not disagree(induction=0.98, prompt_induction=np.nan)
    assert not disagree(induction=0.98)


def test_much_on_a_short_prompt_is_chance_for_the_first_token_but_not_for_induction():
    assert disagree(8, first_token=0.05, prompt_first_token=0.6)
    assert not disagree(7, first_token=0.05, prompt_first_token=0.6)
    assert disagree(5, induction=0.05, prompt_induction=0.6)


def read(rank):
    return measures.Read("·tea", 4, rank, 100)


@pytest.mark.parametrize(
    ("share", "copying", "rank", "disagrees"),
    [
        (0.9, 1.0, 1, False),
        (0.9, 1.0, 2, True),
        (0.1, 0.8, 50, False),
        (0.1, 0.8, 51, True),
        (0.1, -0.8, 51, False),
        (0.1, -0.8, 50, True),
        (0.1, np.nan, 99, False),
    ],
)
def test_weights_and_prompt_disagree_where_the_token_read_is_not_written_as_weights_say(
    share, copying, rank, disagrees
):
    told = disagree(read=read(rank), copying_share=share, ov_eigenvalue_copying=copying)
    assert bool(told) == disagrees
    for line in told:
        assert line.startswith("Weights and prompt disagree")
        assert f"reading ·tea at position 4, that token has rank {rank} of 100" in line


def test_the_rules_name_every_threshold():
    for number in (measures.MUCH, measures.PART, measures.HARDLY, measures.LEAST_PROMPT):
        assert f"{number}" in measures.RULES
