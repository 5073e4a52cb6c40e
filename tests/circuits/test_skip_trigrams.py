"""Skip-trigrams against every triple multiplied out, and against both circuits' own tables."""

import numpy as np
import pytest

from engine.messages import Head, OVTokens, QKTokens, Refused, SkipTrigrams
from tests.oracles import toy_head, trigrams

K = 12
RELATIVE = 1e-5  # of the strongest
SMALL = ("random", "random-without-norm", "toy", "toy-sharp")


def _assert_strongest(found, values, ids):
    """Assert that these are the strongest, equal ones and rounded ones in any order."""
    room = RELATIVE * values[0]
    assert len(found.values) == len(values)
    np.testing.assert_allclose(found.values, values, rtol=0, atol=room)
    listed = np.stack([found.source_ids, found.query_ids, found.out_ids], axis=1)
    sure = values > values[-1] + 2 * room
    assert {tuple(row) for row in ids[sure]} <= {tuple(row) for row in listed}
    assert len({tuple(row) for row in listed}) == len(listed)


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("k", [1, K, 1000])
def test_they_are_the_strongest_of_all_triples(answer, raw, name, k):
    model = raw(name)
    for place in np.ndindex(model.n_layers, model.n_heads):
        found = answer(SkipTrigrams(name, Head(*place), k))
        _assert_strongest(found, *trigrams.strongest(model, *place, k, list(range(model.d_vocab))))


@pytest.mark.parametrize(("name", "head"), [("attn-1l", Head(0, 3)), ("attn-2l", Head(1, 5))])
def test_in_a_trained_model_they_are_the_strongest_of_the_filtered_sources(answer, raw, name, head):
    model = raw(name)
    texts = [model.tokenizer.decode([token]) for token in range(model.d_vocab)]
    sources = [token for token, text in enumerate(texts) if "tea" in text]
    assert 1 <= len(sources) < 30
    found = answer(SkipTrigrams(name, head, K, filter="tea"))
    _assert_strongest(found, *trigrams.strongest(model, *head, K, sources))


@pytest.mark.parametrize(("name", "head"), [("attn-1l", Head(0, 3)), ("attn-2l", Head(1, 5))])
def test_no_source_of_a_trained_model_is_stronger(answer, raw, name, head):
    found = answer(SkipTrigrams(name, head, K))
    least, others = trigrams.best_of_each_source(raw(name), *head), set(found.source_ids.tolist())
    tolerance = 1e-4 * float(found.values[0])
    left_out = [value for token, value in enumerate(least) if token not in others]
    assert max(left_out) <= found.values[-1] + tolerance
    for source in others:
        mine = found.values[found.source_ids == source]
        assert mine.max() == pytest.approx(least[source], abs=tolerance)


def test_the_texts_head_encodes_its_two_trigrams(answer):
    found = answer(SkipTrigrams("toy", Head(0, 0), 2))
    triples = zip(found.source_labels, found.query_labels, found.out_labels, strict=True)
    assert list(triples) == [("result", "return", "result"), ("ans", "return", "ans")]
    np.testing.assert_allclose(found.qk * found.divisor, (3, 1), atol=1e-5)
    np.testing.assert_allclose(found.ov, (2, 2), atol=1e-5)
    assert found.divisor == pytest.approx(toy_head.D_HEAD**0.5)


def test_both_factors_are_those_of_the_circuits_tables(answer):
    head = Head(1, 5)
    found = answer(SkipTrigrams("attn-2l", head, 3))
    for place in range(3):
        source, query, out = (
            int(ids[place]) for ids in (found.source_ids, found.query_ids, found.out_ids)
        )
        every = {"k": 5000}
        qk = answer(QKTokens("attn-2l", head, source, "key", **every))
        ov = answer(OVTokens("attn-2l", head, source, **every))
        score = dict(zip(qk.ids.tolist(), qk.values.tolist(), strict=True))[query]
        assert found.qk[place] == pytest.approx(score, rel=1e-5)
        raised = dict(zip(ov.ids.tolist(), ov.values.tolist(), strict=True))[out]
        assert found.ov[place] == pytest.approx(raised, rel=1e-5)
    assert "both positive" in found.rule


def test_what_a_filter_keeps_are_the_same_trigrams(answer):
    whole = answer(SkipTrigrams("random", Head(0, 1), 1000))
    some = answer(SkipTrigrams("random", Head(0, 1), 5, filter="w1"))
    fits = ["w1" in label for label in whole.source_labels]
    np.testing.assert_array_equal(some.values, whole.values[fits][:5])
    assert all("w1" in label for label in some.source_labels)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        (SkipTrigrams("toy", Head(0, 0), 0), "must be 1 to 1,000, not 0"),
        (SkipTrigrams("toy", Head(0, 0), 1001), "must be 1 to 1,000, not 1001"),
        (SkipTrigrams("toy", Head(0, 1)), r"only head 0\.0"),
        (SkipTrigrams("toy", Head(0, 0), offset=1), "leave offset at 0"),
        (SkipTrigrams("toy", Head(0, 0), filter="tea"), "no token of toy contains 'tea'"),
    ],
)
def test_what_cannot_be_listed_is_refused_in_one_sentence(answer, question, sentence):
    with pytest.raises(Refused, match=sentence) as refusal:
        answer(question)
    assert "\n" not in str(refusal.value)
