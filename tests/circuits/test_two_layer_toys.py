"""The two-layer toys do what sections 7 and 8 of "Attention in tensor notation" say."""

import itertools

import numpy as np
import pytest

from engine.messages import (
    Attention,
    Composition,
    Head,
    HeadScores,
    LogitAttribution,
    RunPrompt,
    Table,
)
from tests.oracles import toy_head

FIRST, SECOND = Head(0, 0), Head(1, 0)
PAIR_RUN = RunPrompt("toy-2l", toy_head.TEXT)
LETTERS = "ABCDEFGH"


def test_the_first_head_of_the_pair_puts_all_weight_one_back(answer):
    pattern = answer(Attention(PAIR_RUN, 0)).values[0]
    np.testing.assert_allclose(pattern, toy_head.PREVIOUS, rtol=0, atol=1e-9)


def test_one_back_holds_to_the_end_of_the_context(answer):
    text = " ".join(itertools.islice(itertools.cycle(toy_head.TOKENS), 64))
    pattern = answer(Attention(RunPrompt("toy-2l", text), 0)).values[0]
    assert pattern[0, 0] == 1
    np.testing.assert_allclose(pattern.diagonal(-1), 1, rtol=0, atol=1e-6)


def test_the_second_head_of_the_pair_keeps_section_1_s_pattern(answer):
    pattern = answer(Attention(PAIR_RUN, 1)).values[0]
    np.testing.assert_allclose(pattern, toy_head.PATTERN, atol=5e-4)


def test_the_second_heads_own_table_is_section_6_s(answer):
    table = answer(Table("toy-2l", SECOND, "ov")).values
    np.testing.assert_allclose(table, toy_head.table(toy_head.M_OV_ENTRIES), atol=1e-6)
    scores = answer(Table("toy-2l", SECOND, "qk"))
    np.testing.assert_allclose(
        scores.divisor * scores.values, toy_head.table(toy_head.QK_ENTRIES), atol=1e-6
    )


def test_the_first_head_writes_where_nothing_is_unembedded(answer):
    np.testing.assert_array_equal(answer(Table("toy-2l", FIRST, "ov")).values, 0)


@pytest.mark.parametrize("filler", ["", "C", "C D E", "H H H H", "B C"])
@pytest.mark.parametrize(("a", "b"), list(itertools.permutations("ABGH", 2)))
def test_after_a_b_and_a_again_the_made_induction_says_b(answer, a, b, filler):
    between = [letter for letter in filler.split() if letter != a]
    run = answer(RunPrompt("toy-induction", " ".join([a, b, *between, a])))
    assert run.prepended_bos
    assert run.next_labels[0] == b
    assert np.exp(run.next_log_probs[0]) > 0.95


def test_every_pair_of_different_tokens_is_completed(answer):
    for a, b in itertools.permutations(LETTERS, 2):
        run = answer(RunPrompt("toy-induction", f"{a} {b} {a}", k=1))
        assert run.next_labels == (b,)
        assert np.exp(run.next_log_probs[0]) > 0.95


def test_a_prompt_that_fills_the_context_is_completed(answer):
    filler = " ".join(itertools.islice(itertools.cycle("CDEFGH"), 60))
    run = answer(RunPrompt("toy-induction", f"A B {filler} A"))
    assert len(run.ids) == 64
    assert run.next_labels[0] == "B"
    assert np.exp(run.next_log_probs[0]) > 0.95


def test_followers_of_a_token_met_more_often_share_the_guess_as_the_card_says(answer):
    run = answer(RunPrompt("toy-induction", "A B A C D A"))
    assert set(run.next_labels[:2]) == {"B", "C"}
    np.testing.assert_allclose(np.exp(run.next_log_probs[:2]), 0.5, atol=0.01)


def test_layer_1_tags_and_layer_2_matches_and_copies(answer):
    scores = answer(HeadScores("toy-induction"))
    np.testing.assert_allclose(scores.grid("previous_token")[0, 0], 1, atol=1e-5)
    np.testing.assert_allclose(scores.grid("induction")[:, 0], (0, 1), atol=1e-5)
    run = RunPrompt("toy-induction", "A B C D A")
    assert answer(Attention(run, 1)).values[0, -1].argmax() == 2  # BOS, A, then B
    parts = answer(LogitAttribution(run, target="B"))
    by_head = dict(zip(parts.heads, parts.values, strict=True))
    assert by_head[SECOND] == pytest.approx(12, abs=1e-3)
    assert by_head[FIRST] == 0


def test_the_made_induction_composes_by_keys_alone(answer):
    composed = {kind: answer(Composition("toy-induction", kind)) for kind in "qkv"}
    assert composed["k"].scores[0] > composed["k"].baseline
    assert composed["k"].z[0] > 5
    assert composed["q"].scores[0] == 0
    assert composed["v"].scores[0] == 0
