"""OV lists against rows and columns of the dense float64 product."""

import pytest
import torch

from engine.messages import Head, OVTokens, Refused, RunPrompt
from tests.oracles import dense_circuits, made_models, plain_transformer, prompts, rankings

RELATIVE_TOLERANCE = 1e-5  # of the largest magnitude in the row
HEADS = [("attn-1l", Head(0, 0)), ("attn-1l", Head(0, 5)), ("attn-2l", Head(0, 2))]
HEADS += [("attn-2l", Head(1, 0)), ("attn-2l", Head(1, 7))]
HEADS += [("random", Head(0, 1)), ("random", Head(1, 2)), ("random-without-norm", Head(1, 0))]
HEADS += [(made_models.WIDE, Head(0, 1))]
TOKENS = [(name, head, text) for name, head in HEADS for text in prompts.tokens(name)]
K = 15


def _assert_ranking(answer, expected, token):
    rankings.assert_ranking(answer, expected.numpy(), token, K, RELATIVE_TOLERANCE)


@pytest.mark.parametrize(("name", "head", "text"), TOKENS)
def test_outputs_of_a_token_are_its_row_of_the_dense_circuit(answer, raw, name, head, text):
    model = raw(name)
    token = model.token_id(text)
    vector = dense_circuits.token_vectors(model)[token][None]
    expected = dense_circuits.ov_of(model, *head, vector)[0]
    _assert_ranking(answer(OVTokens(name, head, token=text, k=K)), expected, token)


@pytest.mark.parametrize(("name", "head", "text"), TOKENS)
def test_sources_of_a_token_are_its_column_of_the_dense_circuit(answer, raw, name, head, text):
    model = raw(name)
    token = model.token_id(text)
    expected = dense_circuits.ov_onto(model, *head, token)
    question = OVTokens(name, head, token=text, direction="source", k=K)
    _assert_ranking(answer(question), expected, token)


@pytest.mark.parametrize("position", [0, 4, -1])
@pytest.mark.parametrize(("name", "head"), HEADS)
def test_at_a_position_the_stream_really_read_there_is_the_source(
    answer, raw, name, head, position
):
    model = raw(name)
    text = prompts.of(name)[0]
    ids = model.encode(text)
    read = plain_transformer.run(model, ids).reads[head.layer][position][None]
    expected = dense_circuits.ov_of(model, *head, read)[0]
    run = RunPrompt(name, text)
    question = OVTokens(name, head, source="position", run=run, position=position, k=K)
    _assert_ranking(answer(question), expected, ids[position])


def test_a_token_is_named_by_its_text_or_its_id_alike(answer, raw):
    token = raw("attn-1l").token_id(" tea")
    by_text, by_id = (
        answer(OVTokens("attn-1l", Head(0, 3), token=named)) for named in (" tea", token)
    )
    assert by_text.ids.tolist() == by_id.ids.tolist()
    assert by_text.token_id == by_id.token_id == token


def test_listed_outputs_are_what_the_head_adds_to_the_logits_of_a_lone_token(answer, raw):
    """Alone at position 0 a head attends to itself with 1, so its whole output is one OV column."""
    model, head = raw("attn-2l"), Head(1, 3)
    ids = model.encode(" coffee", bos=False)
    seen = plain_transformer.run(model, ids)
    bias = model.of_head(*head, "b_V") @ model.of_head(*head, "W_O")
    moved = seen.head_outputs[head.layer][head.number][0] - bias
    logits = moved @ dense_circuits.off_ones(model) @ dense_circuits.unembedding(model)
    run = RunPrompt("attn-2l", " coffee", prepend_bos=False)
    question = OVTokens("attn-2l", head, source="position", run=run, position=0, k=K)
    _assert_ranking(answer(question), logits, ids[0])


REFUSED = [
    OVTokens("attn-1l", Head(0, 8), token=" tea"),
    OVTokens("attn-1l", Head(1, 0), token=" tea"),
    OVTokens("attn-1l", Head(0, 0), token="no single token"),
    OVTokens("attn-1l", Head(0, 0), token=8192),
    OVTokens("attn-1l", Head(0, 0)),
    OVTokens("attn-1l", Head(0, 0), token=" tea", source="token+mlp0"),
    OVTokens("attn-1l", Head(0, 0), source="position"),
    OVTokens(
        "attn-1l",
        Head(0, 0),
        source="position",
        run=RunPrompt("attn-1l", "return"),
        position=2,
    ),
]


@pytest.mark.parametrize("question", REFUSED)
def test_a_question_that_means_nothing_is_refused_in_one_sentence(answer, question):
    with pytest.raises(Refused) as refusal:
        answer(question)
    assert "\n" not in str(refusal.value)


def test_top_of_a_column_is_the_top_of_the_whole_dense_product_for_the_first_tokens(answer, raw):
    """Rows of the product [d_vocab, d_vocab] at once, not one vector at a time."""
    model, head = raw("attn-1l"), Head(0, 4)
    whole = dense_circuits.ov_of(model, *head, dense_circuits.token_vectors(model)[:300])
    best = torch.argmax(whole, 1).tolist()
    for token in range(1, 300, 75):
        found = answer(OVTokens("attn-1l", head, token=token, k=1))
        assert found.ids.tolist() == [best[token]]
