"""What is said of norms after heads, caps and slopes, and the checks of a head of each kind.

The numbers are held against a float64 pass in test_residuals.py.
"""

import pytest

from engine.messages import (
    Attention,
    Head,
    LoadModel,
    QKTokens,
    Receipts,
    Refused,
    RunPrompt,
    Spectrum,
)
from tests.oracles.hugging_face import TEXT, TRAITS

NORMED_AFTER = ("gemma2", "gemma3", "glm4")
NORMED_QUERIES = ("gemma3",)


@pytest.mark.parametrize("kind", NORMED_AFTER)
def test_what_is_left_out_of_weights_before_a_norm_is_said(opened, kind):
    _, engine, name = opened(kind)
    assert any("norm after the heads" in said for said in engine.answer(LoadModel(name)).folded)


def test_caps_are_said(opened):
    _, engine, name = opened("gemma2")
    run = RunPrompt(name, TEXT)
    assert engine.answer(Attention(run, 0, "scores")).cap == 3.0
    assert engine.answer(QKTokens(name, Head(0, 0), "w9")).cap == 3.0
    _, other, uncapped = opened("glm4")
    assert other.answer(Attention(RunPrompt(uncapped, TEXT), 0, "scores")).cap is None
    said = " ".join(engine.answer(LoadModel(name)).folded)
    assert "before the model caps them" in said
    assert "before the model caps it" in said


@pytest.mark.parametrize("kind", ["bloom", "mpt"])
def test_an_offset_changes_no_matrix_of_a_model_with_slopes(opened, kind):
    _, engine, name = opened(kind)
    with pytest.raises(Refused, match="changes no matrix"):
        engine.answer(Spectrum(name, Head(0, 0), "qk", offset=1))
    with pytest.raises(Refused, match="0 to "):
        engine.answer(QKTokens(name, Head(0, 0), "w9", offset=-1))


@pytest.mark.parametrize("kind", TRAITS)
def test_folded_weights_make_the_models_pass_wherever_its_scores_follow(opened, kind):
    _, engine, name = opened(kind)
    run = RunPrompt(name, TEXT, prepend_bos=True)
    receipts = engine.answer(Receipts(run, Head(1, 2))).receipts
    assert [receipt.name for receipt in receipts if receipt.passed is False] == []
    folded = next(it for it in receipts if it.name.startswith("folded and unfolded"))
    assert folded.passed is (None if kind in NORMED_QUERIES else True)
