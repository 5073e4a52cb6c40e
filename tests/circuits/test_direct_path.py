"""The bigram table against the dense product of embedding and unembedding."""

import pytest

from engine.messages import DirectPath, Refused
from tests.oracles import dense_circuits, made_models, prompts, rankings

RELATIVE_TOLERANCE = 1e-5  # of the largest magnitude of the list
NAMES = ("attn-1l", "attn-2l", "random", "random-without-norm", made_models.WIDE)
CASES = [(name, text) for name in NAMES for text in prompts.tokens(name)]
K = 15


@pytest.mark.parametrize(("name", "text"), CASES)
def test_outputs_of_a_token_are_its_row_of_the_product(answer, raw, name, text):
    model = raw(name)
    token = model.token_id(text)
    expected = dense_circuits.token_vectors(model)[token] @ dense_circuits.unembedding(model)
    found = answer(DirectPath(name, text, k=K))
    rankings.assert_ranking(found, expected.numpy(), token, K, RELATIVE_TOLERANCE)
    assert (found.source, found.vocabulary_source) == ("token", "unembedding")


@pytest.mark.parametrize(("name", "text"), CASES)
def test_sources_of_a_token_are_its_column_of_the_product(answer, raw, name, text):
    model = raw(name)
    token = model.token_id(text)
    expected = dense_circuits.token_vectors(model) @ dense_circuits.unembedding(model)[:, token]
    found = answer(DirectPath(name, text, "source", K))
    rankings.assert_ranking(found, expected.numpy(), token, K, RELATIVE_TOLERANCE)


def test_the_texts_embedding_raises_itself_and_words_like_it(answer):
    # X W_U^T of the card: `=` and `0` share slot 3; a name is its own two bits, 1 + 1 and 1 - 1.
    raised = answer(DirectPath("toy", "result"))
    assert dict(zip(raised.labels, raised.values, strict=True)) == {
        "result": 2, "=": 0, "0": 0, "ans": 0, "return": 0,
    }  # fmt: skip
    assert answer(DirectPath("toy", "=")).labels[:2] == ("=", "0")


def test_a_token_that_is_not_one_is_refused(answer):
    with pytest.raises(Refused, match="'tea' is none of"):
        answer(DirectPath("toy", "tea"))
