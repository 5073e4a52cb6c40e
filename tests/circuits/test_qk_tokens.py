"""QK lists against rows and columns of the dense float64 product."""

import pytest

from engine.messages import Head, QKTokens, Refused, RunPrompt
from tests.oracles import dense_circuits, made_models, plain_transformer, prompts, rankings

RELATIVE_TOLERANCE = 1e-5  # of the largest magnitude in the row
HEADS = [("attn-1l", Head(0, 1)), ("attn-1l", Head(0, 6)), ("attn-2l", Head(0, 3))]
HEADS += [("attn-2l", Head(1, 0)), ("attn-2l", Head(1, 4))]
HEADS += [("random", Head(0, 1)), ("random", Head(1, 2)), ("random-without-norm", Head(1, 0))]
HEADS += [(made_models.WIDE, Head(0, 1))]
TOKENS = [(name, head, text) for name, head in HEADS for text in prompts.tokens(name)]
K = 15


def _assert_scores(ranking, expected, token, model):
    rankings.assert_ranking(ranking, expected, token, K, RELATIVE_TOLERANCE)
    assert ranking.divisor == pytest.approx(model.d_head**0.5)


def _dense(model, head, vector, side, biases):
    """Return the scores [d_vocab] of one vector, as query or as key, against every token."""
    every = dense_circuits.token_vectors(model)
    queries, keys = (vector[None], every) if side == "query" else (every, vector[None])
    table = dense_circuits.scores_between(model, *head, queries, keys, biases=biases)
    return table.flatten().numpy()


@pytest.mark.parametrize("biases", [False, True], ids=["without biases", "with biases"])
@pytest.mark.parametrize("side", ["query", "key"])
@pytest.mark.parametrize(("name", "head", "text"), TOKENS)
def test_a_tokens_scores_are_its_row_or_column_of_the_dense_circuit(
    answer, raw, name, head, text, side, biases
):
    model = raw(name)
    token = model.token_id(text)
    expected = _dense(model, head, dense_circuits.token_vectors(model)[token], side, biases)
    question = QKTokens(name, head, token=text, side=side, biases=biases, k=K)
    _assert_scores(answer(question), expected, token, model)


@pytest.mark.parametrize("side", ["query", "key"])
@pytest.mark.parametrize("position", [4, -1])
@pytest.mark.parametrize(("name", "head"), HEADS)
def test_at_a_position_the_stream_really_read_there_stands_for_the_token(
    answer, raw, name, head, position, side
):
    model = raw(name)
    text = prompts.of(name)[0]
    ids = model.encode(text)
    read = plain_transformer.run(model, ids).reads[head.layer][position]
    expected = _dense(model, head, read, side, False)
    question = QKTokens(
        name,
        head,
        side=side,
        source="position",
        run=RunPrompt(name, text),
        position=position,
        k=K,
    )
    _assert_scores(answer(question), expected, ids[position], model)


def test_biases_change_the_scores_by_what_they_say(answer, raw):
    model, head = raw("random"), Head(1, 0)
    token = model.token_id("w20")
    without, with_biases = (
        answer(QKTokens("random", head, token="w20", biases=biases)) for biases in (False, True)
    )
    vector = dense_circuits.token_vectors(model)[token]
    q = vector @ model.of_head(*head, "W_Q")
    k = vector @ model.of_head(*head, "W_K")
    b_q, b_k = model.of_head(*head, "b_Q"), model.of_head(*head, "b_K")
    added = float(q @ b_k + b_q @ k + b_q @ b_k) / model.d_head**0.5
    assert with_biases.value - without.value == pytest.approx(added, abs=1e-4)


REFUSED = [
    QKTokens("attn-1l", Head(0, 9), token=" in"),
    QKTokens("attn-1l", Head(0, 0)),
    QKTokens("attn-1l", Head(0, 0), token="not one token"),
    QKTokens("attn-1l", Head(0, 0), token=" in", source="token+mlp0"),
    QKTokens("attn-1l", Head(0, 0), source="position", position=0),
]


@pytest.mark.parametrize("question", REFUSED)
def test_a_question_that_means_nothing_is_refused_in_one_sentence(answer, question):
    with pytest.raises(Refused) as refusal:
        answer(question)
    assert "\n" not in str(refusal.value)
