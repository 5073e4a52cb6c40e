"""What the guided examples say is what the models do."""

import numpy as np
import pytest

from engine.messages import Attention, Composition, OVTokens, QKTokens, RunPrompt
from gui.shell.guided_examples import GUIDES

ONE_PAGE, BY_HAND, TRAINED = GUIDES


def run(step):
    return RunPrompt(step.shows.model, step.shows.text)


def row(engine, step, kind="pattern"):
    head = step.shows.head
    answer = engine.answer(Attention(run(step), head.layer, kind))
    return answer.values[head.number, step.shows.query]


def test_the_page_on_one_head_quotes_the_toys_numbers(engine):
    scores, weights, moved, said = ONE_PAGE.steps
    assert np.allclose(row(engine, scores, "scores"), [2.12, 0, 0, 0.71, 0], atol=5e-3)
    assert np.allclose(row(engine, weights)[[0, 3]], [0.62, 0.15], atol=5e-3)
    ov = engine.answer(OVTokens("toy", moved.shows.head, "result"))
    assert ov.labels[0] == "result"
    assert np.allclose(ov.values, [2, 0, 0, 0, 0])
    assert np.allclose(2 * row(engine, said)[[0, 3]], [1.25, 0.30], atol=5e-3)
    assert engine.answer(run(said)).next_labels[0] == "result"


@pytest.mark.parametrize("guide", [BY_HAND, TRAINED], ids=lambda guide: guide.name)
def test_the_tag_and_the_peak_are_where_the_guide_pins_them(engine, guide):
    tag, _, peak, _ = guide.steps
    for step in (tag, peak):
        weights = row(engine, step)
        others = np.delete(weights, [0, step.shows.source])  # BOS is a place to rest
        assert weights[step.shows.source] > 2 * others.max(), step.title
    assert row(engine, tag)[tag.shows.source] > 0.9


@pytest.mark.parametrize("guide", [BY_HAND, TRAINED], ids=lambda guide: guide.name)
def test_the_key_is_composed_from_the_tag(engine, guide):
    key = guide.steps[1].shows
    found = engine.answer(Composition(key.model, "k"))
    here = found.pairs.index(key.pair)
    to_later = [i for i, pair in enumerate(found.pairs) if pair.later == key.pair.later]
    assert max(to_later, key=lambda i: found.scores[i]) == here
    assert found.scores[here] > 1.5 * found.baseline


def test_bare_tokens_carry_no_tag(engine):
    key = BY_HAND.steps[1].shows
    ranking = engine.answer(QKTokens(key.model, key.head, "A"))
    assert np.allclose(ranking.values, 0)


@pytest.mark.parametrize(
    ("guide", "token", "least"), [(BY_HAND, "B", 0.99), (TRAINED, "·tea", 0.5)]
)
def test_the_copy_is_raised_and_said(engine, guide, token, least):
    step = guide.steps[3]
    shows = step.shows
    ov = engine.answer(
        OVTokens(shows.model, shows.head, source="position", run=run(step), position=shows.source)
    )
    assert ov.token_label == token
    assert ov.rank == 1
    said = engine.answer(run(step))
    assert said.next_labels[0] == token
    assert np.exp(said.next_log_probs[0]) > least
