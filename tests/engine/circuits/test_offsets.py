"""What depends on distance in a rotary model is asked with an offset and says which it is for."""

import typing
from dataclasses import fields

import numpy as np
import pytest
import torch

from engine.circuits import COMPUTATIONS, token_rankings
from engine.circuits.positions import outstanding
from engine.messages import (
    QUESTIONS,
    Composition,
    Direction,
    Eigenvalues,
    Head,
    QKTokens,
    Refused,
    SkipTrigrams,
    Spectrum,
    Table,
)
from tests.oracles import hugging_face
from tests.oracles.hugging_face import raw, turned

HEAD = Head(2, 3)
OF_QK = {
    "qk-tokens": lambda name, **more: QKTokens(name, HEAD, "w9", **more),
    "spectrum": lambda name, **more: Spectrum(name, HEAD, "qk", **more),
    "direction": lambda name, **more: Direction(name, HEAD, "qk", **more),
    "table": lambda name, **more: Table(name, HEAD, "qk", **more),
    "eigenvalues": lambda name, **more: Eigenvalues(name, HEAD, "qk", **more),
    "skip-trigrams": lambda name, **more: SkipTrigrams(name, HEAD, **more),
    "composition": lambda name, **more: Composition(name, "k", **more),
}
OF_OV = [
    lambda name: Spectrum(name, HEAD),
    lambda name: Table(name, HEAD),
    lambda name: Eigenvalues(name, HEAD),
    lambda name: Composition(name, "v"),
]


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(token_rankings, "SMALL_VOCABULARY", hugging_face.D_VOCAB)


def test_no_question_with_an_offset_is_forgotten_here():
    asked = {name for name, kind in QUESTIONS.items() if "offset" in {f.name for f in fields(kind)}}
    assert asked == set(OF_QK)


@pytest.mark.parametrize("question", OF_QK)
def test_every_answer_can_say_its_offset(question):
    answers = typing.get_type_hints(COMPUTATIONS[QUESTIONS[question]])["return"]
    said = [{f.name for f in fields(answer)} for answer in typing.get_args(answers) or (answers,)]
    assert any("offset" in names for names in said)


@pytest.mark.parametrize("question", OF_QK)
def test_a_rotary_model_says_which_offset_scores_are_for(opened, question):
    _, engine, name = opened("llama")
    assert engine.answer(OF_QK[question](name)).offset == 0
    assert engine.answer(OF_QK[question](name, offset=7)).offset == 7
    with pytest.raises(Refused, match="0 to 63, not 64"):
        engine.answer(OF_QK[question](name, offset=64))


@pytest.mark.parametrize("question", OF_QK)
def test_other_models_have_none_and_take_none(opened, question):
    _, engine, name = opened("gpt2")
    assert engine.answer(OF_QK[question](name)).offset is None
    with pytest.raises(Refused, match="leave offset at 0"):
        engine.answer(OF_QK[question](name, offset=1))


@pytest.mark.parametrize("question", OF_OV)
def test_what_a_head_writes_does_not_depend_on_distance(opened, question):
    _, engine, name = opened("llama")
    assert engine.answer(question(name)).offset is None


@pytest.mark.parametrize("offset", [0, 8])
@pytest.mark.parametrize("kind", ["q", "k"])
def test_composition_at_a_distance_is_that_of_the_dense_matrices(opened, kind, offset):
    model, engine, name = opened("llama")
    found = engine.answer(Composition(name, kind, offset=offset))
    earlier, later = raw(model, "llama", 0, 1), raw(model, "llama", 2, 3)
    A = (earlier["gain"][:, None] * earlier["W_V"]) @ earlier["W_O"]
    W_Q, W_K = (later["gain"][:, None] * later[f"W_{side}"] for side in "QK")
    B = turned(W_Q, offset, 10) @ W_K.T
    B = B if kind == "q" else B.T
    place = found.pairs.index((Head(0, 1), Head(2, 3)))
    assert found.scores[place] == pytest.approx(
        float((A @ B).norm() / (A.norm() * B.norm())), rel=1e-5
    )


def test_the_offset_that_stands_out_has_the_largest_mean():
    mean = torch.tensor([1.0, 5.0, 1.0, 1.0])
    assert outstanding(mean) == (1, pytest.approx(3 / 3**0.5))
    best, z = outstanding(torch.full((4,), 2.0))
    assert best == 0
    assert np.isnan(z)
