"""Next-token guesses and losses against the plain float64 pass."""

import numpy as np
import pytest

from engine.messages import LoadModel, RunPrompt
from tests.oracles import checkpoint, made_models, plain_transformer, prompts, rankings

TOLERANCE = 1e-4  # nat

CASES = [
    (name, prompt)
    for name in (*checkpoint.TRAINED, *made_models.RANDOM)
    for prompt in prompts.of(name)
]


@pytest.mark.parametrize(("name", "prompt"), CASES)
def test_guesses_and_losses_equal_the_plain_pass(answer, raw, name, prompt):
    model = raw(name)
    text = prompts.text(model, prompt)
    ids = model.encode(text)
    logits = plain_transformer.run(model, ids).logits
    run = answer(RunPrompt(name, text, k=12))
    assert run.prepended_bos
    assert run.ids.tolist() == ids
    assert len(run.labels) == len(ids)
    log_probs = logits[-1].log_softmax(-1).numpy()
    rankings.assert_list(run.next_ids, run.next_log_probs, log_probs, 12, TOLERANCE)
    np.testing.assert_allclose(
        run.loss, plain_transformer.losses(logits, ids), rtol=0, atol=TOLERANCE
    )


@pytest.mark.parametrize("name", checkpoint.TRAINED)
def test_one_token_alone_is_a_prompt_without_losses(answer, raw, name):
    model = raw(name)
    ids = model.encode("return", bos=False)
    assert len(ids) == 1
    run = answer(RunPrompt(name, "return", prepend_bos=False))
    log_probs = plain_transformer.run(model, ids).logits[-1].log_softmax(-1).numpy()
    rankings.assert_list(run.next_ids, run.next_log_probs, log_probs, 10, TOLERANCE)
    assert run.loss.shape == (0,)


@pytest.mark.parametrize("name", [*checkpoint.TRAINED, *checkpoint.TOYS, *made_models.RANDOM])
def test_a_model_is_described_by_its_own_sizes(answer, raw, name):
    model, facts = raw(name), answer(LoadModel(name))
    for size in ("n_layers", "n_heads", "d_model", "d_head", "d_vocab", "n_ctx"):
        assert getattr(facts, size) == getattr(model, size)
    assert facts.n_kv_heads == model.n_heads
    assert facts.d_mlp == 0
    assert facts.positions == ("learned" if "pos_embed.W_pos" in model.tensors else "none")
    assert facts.divisor == pytest.approx(model.d_head**0.5)
    assert facts.prepend_bos == facts.has_bos == (model.bos_id is not None)


@pytest.mark.parametrize(("name", "within"), [("attn-2l", 1), ("attn-1l", 20)])
def test_tea_follows_the_second_green(answer, name, within):
    assert "·tea" in answer(RunPrompt(name, prompts.TEA, k=within)).next_labels
