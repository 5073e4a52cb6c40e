"""Scores at each distance against dense float64 tables over all pairs of tokens."""

import numpy as np
import pytest
import torch

from engine.messages import Head, PositionQK, QKOffsets, QKTokens, Refused
from tests.oracles import positions
from tests.oracles.hugging_face import D_VOCAB, N_CTX, WORDS, qk, raw

RELATIVE_TOLERANCE = 1e-5  # of the largest magnitude in the table
OFFSETS = (0, 1, 8, 63)
WIDTHS = {"llama": 10, "gemma": 10, "qwen2": 12, "neox": 6}
"""How many entries of a query turn: in NeoX not all."""
HEAD = Head(2, 3)
QUERY, KEY = 9, 40


def assert_offsets(found, tables):
    tolerance = RELATIVE_TOLERANCE * max(float(table.abs().max()) for table in tables.values())
    for offset, table in tables.items():
        assert found.offsets[offset] == offset
        assert abs(found.scores[offset] - float(table[QUERY, KEY])) < tolerance
        assert abs(found.mean[offset] - float(table.mean())) < tolerance
        assert abs(found.deviation[offset] - float(table.std(correction=0))) < tolerance


@pytest.mark.parametrize("biases", [False, True], ids=["without biases", "with biases"])
@pytest.mark.parametrize("kind", WIDTHS)
def test_pair_mean_and_deviation_are_those_of_every_pair_multiplied_out(opened, kind, biases):
    model, engine, name = opened(kind)
    head = raw(model, kind, *HEAD)
    tables = {offset: qk(head, WIDTHS[kind], offset, biases) for offset in OFFSETS}
    asked = QKOffsets(name, HEAD, WORDS[QUERY], WORDS[KEY], biases=biases)
    found = engine.answer(asked)
    assert_offsets(found, tables)
    assert len(found.mean) == N_CTX
    assert found.divisor == pytest.approx(head["d_head"] ** 0.5)
    assert (found.query_label, found.key_label) == (WORDS[QUERY], WORDS[KEY])


def test_every_token_may_be_read_after_the_first_mlp(opened):
    model, engine, name = opened("llama")
    read = positions.after_first_mlp(model, torch.arange(D_VOCAB))
    head = raw(model, "llama", *HEAD) | {"W_E": read}
    asked = QKOffsets(name, HEAD, WORDS[QUERY], WORDS[KEY], "token+mlp0")
    assert_offsets(engine.answer(asked), {o: qk(head, 10, o, False) for o in OFFSETS})


@pytest.mark.parametrize("kind", ["llama-biased-scaled", "phi"])
def test_a_pair_has_the_score_that_qk_tokens_gives_it(opened, kind):
    _, engine, name = opened(kind)
    found = engine.answer(QKOffsets(name, HEAD, "w9", "w40", biases=True))
    for offset in OFFSETS:
        ranked = engine.answer(QKTokens(name, HEAD, "w9", k=D_VOCAB, offset=offset, biases=True))
        (place,) = np.flatnonzero(ranked.ids == KEY)
        largest = np.abs(ranked.values).max()
        assert abs(found.scores[offset] - ranked.values[place]) < RELATIVE_TOLERANCE * largest


def test_the_offset_that_stands_out_is_named(opened):
    _, engine, name = opened("llama")
    found = engine.answer(QKOffsets(name, HEAD, "w9", "w40"))
    assert found.best_offset == int(np.argmax(found.mean))
    best_z = (found.mean.max() - found.mean.mean()) / found.mean.std()
    assert found.best_z == pytest.approx(best_z)


def test_what_was_asked_before_changes_nothing(opened):
    _, engine, name = opened("llama")
    first = engine.answer(QKOffsets(name, HEAD, "w9", "w40", largest_offset=3))
    engine.answer(QKOffsets(name, HEAD, "w9", "w40", "token+mlp0"))
    engine.answer(QKOffsets(name, HEAD, "w9", "w40", biases=True))
    engine.answer(QKOffsets(name, Head(1, 0), "w9", "w40"))
    again = engine.answer(QKOffsets(name, HEAD, "w9", "w7", largest_offset=5))
    assert again.mean[:4].tolist() == first.mean.tolist()
    assert again.deviation[:4].tolist() == first.deviation.tolist()
    assert len(first.mean) == 4


@pytest.mark.parametrize(
    ("kind", "changes", "sentence"),
    [
        ("llama", {"largest_offset": 64}, "must be 0 to 63 in .*llama, not 64"),
        ("llama", {"largest_offset": -1}, "must be 0 to 63 in .*llama, not -1"),
        ("llama", {"key": "green"}, "'green' is none of"),
        ("llama", {"head": Head(3, 0)}, "llama has heads"),
        ("gpt2", {}, "gpt2 has learned positions, .*: ask position-qk"),
        ("qwen3", {}, "scores of .*qwen3 do not follow from its weights alone"),
    ],
)
def test_what_cannot_be_answered_is_refused_in_one_sentence(opened, kind, changes, sentence):
    _, engine, name = opened(kind)
    fields = {"head": Head(0, 0), "query": "w9", "key": "w40"} | changes
    with pytest.raises(Refused, match=sentence) as refusal:
        engine.answer(QKOffsets(name, **fields))
    assert "\n" not in str(refusal.value)


def test_a_rotary_model_has_no_map_of_positions(opened):
    _, engine, name = opened("llama")
    with pytest.raises(Refused, match=r"llama has rotary positions, .*: ask qk-offsets"):
        engine.answer(PositionQK(name, Head(0, 0)))


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        (QKOffsets("toy", Head(0, 0), "ans", "0"), "toy has no positions, .*: ask qk-tokens"),
        (QKOffsets("attn-2l", Head(0, 0), " tea", " so"), "attn-2l has learned .* ask position-qk"),
    ],
)
def test_models_that_come_with_it_have_no_turn(answer, question, sentence):
    with pytest.raises(Refused, match=sentence):
        answer(question)
