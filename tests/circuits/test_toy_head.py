"""Every number of "Attention in tensor notation" that a question can be asked about.

The displayed equations are missing from the text as given; the numbers are those of its prose, of
the comments in its code card, and of what follows from them (said beside each in the oracle).
"""

import numpy as np
import pytest

from engine.messages import (
    Attention,
    Direction,
    Head,
    HeadScores,
    OVTokens,
    QKTokens,
    RunPrompt,
    Spectrum,
    Table,
)
from tests.oracles import checkpoint, plain_transformer, toy_head

HEAD = Head(0, 0)
RUN = RunPrompt("toy", toy_head.TEXT)
SHARP_RUN = RunPrompt("toy-sharp", toy_head.TEXT)
AT_ANS, AT_RETURN = 3, 4
ROOT_2 = 2**0.5


def test_the_five_tokens_are_the_whole_prompt_without_bos(answer):
    run = answer(RUN)
    assert run.labels == toy_head.TOKENS
    assert run.ids.tolist() == [0, 1, 2, 3, 4]
    assert not run.prepended_bos


def test_scores_are_three_and_one_at_return_and_zero_elsewhere(answer):
    scores = answer(Attention(RUN, 0, "scores"))
    assert scores.divisor == pytest.approx(ROOT_2)
    expected = np.zeros((5, 5))
    expected[AT_RETURN] = toy_head.SCORES_AT_RETURN
    allowed = np.tril(np.ones((5, 5), bool))
    assert (scores.mask == allowed).all()
    np.testing.assert_allclose(
        scores.divisor * scores.values[0][allowed], expected[allowed], atol=1e-6
    )
    assert np.isnan(scores.values[0][~allowed]).all()


def test_pattern_is_the_printed_matrix(answer):
    pattern = answer(Attention(RUN, 0)).values
    assert pattern.shape == (1, 5, 5)
    np.testing.assert_allclose(pattern[0], toy_head.PATTERN, atol=5e-4)
    np.testing.assert_allclose(pattern[0, AT_ANS], (0.25, 0.25, 0.25, 0.25, 0), atol=1e-6)


def test_value_weighted_pattern_weighs_the_notepad_that_each_position_offers(answer):
    weighted = answer(Attention(RUN, 0, "value-weighted")).values[0]
    lengths = np.linalg.norm(toy_head.MOVED, axis=1)  # sqrt(2) for a name, 0 for the rest
    np.testing.assert_allclose(weighted, toy_head.PATTERN * lengths, atol=1e-3)


def test_ov_table_has_a_two_at_each_name(answer):
    table = answer(Table("toy", HEAD, "ov"))
    assert table.labels == toy_head.TOKENS
    np.testing.assert_allclose(table.values, toy_head.table(toy_head.M_OV_ENTRIES), atol=1e-6)


def test_qk_table_has_three_and_one_over_root_two_in_the_row_of_return(answer):
    table = answer(Table("toy", HEAD, "qk"))
    assert table.divisor == pytest.approx(ROOT_2)
    np.testing.assert_allclose(
        table.divisor * table.values, toy_head.table(toy_head.QK_ENTRIES), atol=1e-6
    )


@pytest.mark.parametrize("name", ["result", "ans"])
@pytest.mark.parametrize("direction", ["output", "source"])
def test_attending_to_a_name_raises_that_name_by_two_and_nothing_else(answer, name, direction):
    ranking = answer(OVTokens("toy", HEAD, token=name, direction=direction))
    by_label = dict(zip(ranking.labels, ranking.values, strict=True))
    assert ranking.labels[0] == name
    assert by_label == pytest.approx(dict.fromkeys(toy_head.TOKENS, 0) | {name: 2}, abs=1e-6)
    assert (ranking.rank, ranking.value) == (1, pytest.approx(2))
    assert ranking.median == pytest.approx(0, abs=1e-6)
    assert ranking.d_vocab == 5


def test_attending_to_anything_else_adds_nothing_and_ranks_nothing_first(answer):
    ranking = answer(OVTokens("toy", HEAD, token="="))
    np.testing.assert_allclose(ranking.values, 0, atol=1e-6)
    assert ranking.rank == 5
    assert ranking.constant
    assert not answer(OVTokens("toy", HEAD, token="ans")).constant
    assert [toy_head.TOKENS[row] for row in answer(Table("toy", HEAD)).constant] == [
        token for token in toy_head.TOKENS if token not in ("result", "ans")
    ]


def test_query_return_looks_for_result_then_ans(answer):
    ranking = answer(QKTokens("toy", HEAD, token="return", side="query"))
    assert ranking.labels[:2] == ("result", "ans")
    np.testing.assert_allclose(ranking.values, np.array([3, 1, 0, 0, 0]) / ROOT_2, atol=1e-6)
    assert ranking.divisor == pytest.approx(ROOT_2)
    assert (ranking.rank, ranking.value) == (5, pytest.approx(0))


@pytest.mark.parametrize(("name", "score"), [("result", 3), ("ans", 1)])
def test_key_of_a_name_is_looked_for_by_return_alone(answer, name, score):
    ranking = answer(QKTokens("toy", HEAD, token=name, side="key"))
    assert ranking.labels[0] == "return"
    np.testing.assert_allclose(ranking.values, np.array([score, 0, 0, 0, 0]) / ROOT_2, atol=1e-6)


def test_pattern_times_ov_table_gives_the_printed_increments(answer):
    pattern = answer(Attention(RUN, 0)).values[0]
    increments = pattern @ answer(Table("toy", HEAD, "ov")).values
    np.testing.assert_allclose(increments[AT_RETURN], toy_head.LOGITS_AT_RETURN, atol=5e-4)
    np.testing.assert_allclose(increments[AT_ANS], toy_head.LOGITS_AT_ANS, atol=1e-6)
    np.testing.assert_allclose(increments[AT_RETURN][[0, 3]], 2 * pattern[AT_RETURN][[0, 3]])


def test_increments_arrive_in_the_models_own_prediction(answer):
    # The printed increments, the direct path X W_U of `return` (1 on itself), and softmax.
    logits = np.array(toy_head.LOGITS_AT_RETURN) + toy_head.X[AT_RETURN] @ toy_head.W_U.T
    log_probs = logits - np.log(np.exp(logits).sum())
    run = answer(RUN)
    assert run.next_labels[:2] == ("result", "return")
    np.testing.assert_allclose(run.next_log_probs, log_probs[run.next_ids], atol=1e-3)


def test_losses_of_the_toy_are_those_of_the_plain_pass(answer, raw):
    toy = raw("toy")
    ids = toy.encode(toy_head.TEXT)
    expected = plain_transformer.losses(plain_transformer.run(toy, ids).logits, ids)
    np.testing.assert_allclose(answer(RUN).loss, expected, atol=1e-5)


def test_second_layer_over_a_previous_token_head_moves_every_weight_one_earlier(answer):
    virtual = answer(Attention(RUN, 0)).values[0] @ toy_head.PREVIOUS
    np.testing.assert_allclose(virtual[AT_RETURN], toy_head.VIRTUAL_AT_RETURN, atol=1e-3)
    np.testing.assert_allclose(virtual.sum(1), 1, atol=1e-6)


def test_tripled_query_gives_one_sharp_peak(answer):
    pattern = answer(Attention(SHARP_RUN, 0)).values[0]
    np.testing.assert_allclose(pattern[AT_RETURN], toy_head.SHARP_PATTERN_AT_RETURN, atol=5e-4)
    increments = pattern[AT_RETURN] @ answer(Table("toy-sharp", HEAD, "ov")).values
    np.testing.assert_allclose(increments, toy_head.SHARP_LOGITS_AT_RETURN, atol=6e-3)
    np.testing.assert_allclose(pattern[:AT_RETURN], toy_head.PATTERN[:AT_RETURN], atol=1e-6)


def test_copy_matrix_has_two_equal_singular_values_that_form_one_subspace(answer):
    spectrum = answer(Spectrum("toy", HEAD, "ov", dense=True))
    np.testing.assert_allclose(spectrum.singular_values, (1, 1), atol=1e-6)
    np.testing.assert_allclose(spectrum.dense_singular_values, (1, 1, 0, 0), atol=1e-12)
    assert [tuple(group) for group in spectrum.groups] == [(0, 1)]
    assert spectrum.read_write_overlap == pytest.approx(1)  # reads and writes the same two slots
    assert spectrum.random_overlap == pytest.approx(2 / 4)


def test_qk_matrix_has_rank_one(answer):
    spectrum = answer(Spectrum("toy", HEAD, "qk", dense=True))
    np.testing.assert_allclose(spectrum.singular_values, (5**0.5, 0), atol=1e-6)
    assert spectrum.rank == 1
    assert tuple(spectrum.groups[0]) == (0, 0)
    assert spectrum.read_write_overlap == pytest.approx(0, abs=1e-9)  # slot 4 meets slots 1, 2
    assert spectrum.random_overlap == pytest.approx(1 / 4)


def test_qk_direction_reads_return_against_twice_name_plus_which_name(answer):
    found = answer(Direction("toy", HEAD, "qk", index=0, k=5))
    assert found.singular_value == pytest.approx(5**0.5)
    query = dict(zip(found.query_labels, found.query_values, strict=True))
    key = dict(zip(found.key_labels, found.key_values, strict=True))
    nothing = dict.fromkeys(toy_head.TOKENS, 0)
    assert query == pytest.approx(nothing | {"return": 1}, abs=1e-6)
    assert key == pytest.approx(nothing | {"result": 3 / 5**0.5, "ans": 1 / 5**0.5}, abs=1e-6)


@pytest.mark.parametrize("index", [0, 1])
def test_ov_directions_of_the_copy_matrix_read_what_they_write(answer, index):
    # Which two directions span the subspace is not defined; that read and write agree is.
    found = answer(Direction("toy", HEAD, "ov", index=index, k=5))
    assert found.singular_value == pytest.approx(1)
    assert tuple(found.group) == (0, 1)
    read = dict(zip(found.read_labels, found.read_values, strict=True))
    assert read == pytest.approx(
        dict(zip(found.write_labels, found.write_values, strict=True)), abs=1e-6
    )
    assert read["result"] ** 2 + read["ans"] ** 2 == pytest.approx(2)


def test_toy_head_hardly_finds_what_followed_since_one_layer_cannot(answer):
    scores = answer(HeadScores("toy"))
    assert scores.heads == (HEAD,)
    assert scores.scores["induction"][0] < 0.2
    assert checkpoint.toy().n_ctx >= 2 * scores.length
