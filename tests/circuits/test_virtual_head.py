"""Two heads in a row against the plain pass in float64."""

import numpy as np
import pytest
import torch

from engine.messages import Head, Refused, RunPrompt, VirtualHead
from tests.oracles import dense_circuits, plain_transformer, prompts, rankings, toy_head

CASES = [
    ("attn-2l", Head(0, 4), Head(1, 3)),
    ("random", Head(0, 2), Head(1, 1)),
    ("random-without-norm", Head(0, 0), Head(1, 2)),
]
K = 12
RELATIVE_TOLERANCE = 1e-5


def _asked(answer, raw, name, earlier, later):
    model, text = raw(name), prompts.of(name)[0]
    ids = model.encode(text)
    folded = dense_circuits.folded(model)
    seen = plain_transformer.run(folded, ids)
    question = VirtualHead(RunPrompt(name, text), earlier, later, ids[2], K)
    return model, ids, seen, answer(question)


@pytest.mark.parametrize(("name", "earlier", "later"), CASES)
def test_patterns_are_the_product_and_the_exact_one(answer, raw, name, earlier, later):
    model, _, seen, found = _asked(answer, raw, name, earlier, later)
    first = seen.patterns[earlier.layer][earlier.number]
    second = seen.patterns[later.layer][later.number]
    np.testing.assert_allclose(found.product, second @ first, atol=2e-6)
    np.testing.assert_allclose(found.product.sum(1), 1, atol=1e-5)
    if not model.norm:
        assert found.exact is None
        return
    stream = seen.streams[later.layer]
    scale = (stream.square().mean(-1) + model.eps).sqrt()
    exact = second @ torch.diag(1 / scale) @ first
    np.testing.assert_allclose(found.exact, exact, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("name", "earlier", "later"), CASES)
def test_lists_eigenvalues_and_virtual_weight_are_those_of_the_product_ov(
    answer, raw, name, earlier, later
):
    model, ids, _, found = _asked(answer, raw, name, earlier, later)
    matrices = [dense_circuits.ov_matrix(model, *head) for head in (earlier, later)]
    vectors, unembed = dense_circuits.token_vectors(model), dense_circuits.unembedding(model)
    values = (vectors[ids[2]] @ matrices[0] @ matrices[1] @ unembed).numpy()
    tolerance = RELATIVE_TOLERANCE * np.abs(values).max()
    rankings.assert_list(found.ids, found.values, values, K, tolerance)
    rankings.assert_list(found.bottom_ids, -found.bottom_values, -values, K, tolerance)
    rankings.assert_rank(found.rank, values, ids[2], tolerance)
    assert found.value == pytest.approx(values[ids[2]], abs=tolerance)
    eigen = torch.linalg.eigvals(matrices[0] @ matrices[1] @ unembed @ vectors)
    copying = float(eigen.real.sum() / eigen.abs().sum())
    assert found.eigenvalue_copying == pytest.approx(copying, abs=1e-4)
    project = dense_circuits.off_ones(model)
    virtual = model.of_head(*earlier, "W_O") @ project @ model.of_head(*later, "W_V")
    expected = torch.linalg.svdvals(virtual)
    np.testing.assert_allclose(found.singular_values, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("name", "earlier", "later"), CASES)
def test_shares_of_all_that_the_later_head_gives_sum_to_one(answer, raw, name, earlier, later):
    model, ids, _, found = _asked(answer, raw, name, earlier, later)
    seen, off_ones = plain_transformer.run(model, ids), dense_circuits.off_ones(model)
    second = seen.patterns[later.layer][later.number]
    stream = seen.streams[later.layer] @ off_ones
    norm = (stream.square().mean(-1, keepdim=True) + model.eps).sqrt() if model.norm else 1.0
    W_V, b_V = model.of_head(*later, "W_V"), model.of_head(*later, "b_V")
    W_O = model.of_head(*later, "W_O") @ off_ones
    gives = {
        Head(0, head): second @ (seen.head_outputs[0][head] @ off_ones / norm) @ W_V @ W_O
        for head in range(model.n_heads)
    }
    entering = (seen.streams[0] + model["blocks.0.attn.b_O"]) @ off_ones
    gives["rest"] = second @ (entering / norm) @ W_V @ W_O
    gives["b_V"] = (b_V @ W_O).expand_as(stream)
    whole = seen.head_outputs[later.layer][later.number] @ off_ones
    shares = {
        part: float((given * whole).sum() / whole.square().sum()) for part, given in gives.items()
    }
    assert sum(shares.values()) == pytest.approx(1)
    assert found.share == pytest.approx(shares[earlier], abs=1e-5)
    at = (gives[earlier] * whole).sum(-1) / whole.square().sum(-1)
    np.testing.assert_allclose(found.shares, at, rtol=1e-4, atol=1e-5)


def test_section_7_s_row_moves_every_weight_one_earlier(answer):
    run = RunPrompt("toy-2l", toy_head.TEXT)
    found = answer(VirtualHead(run, Head(0, 0), Head(1, 0), "result", 5))
    np.testing.assert_allclose(found.product[4], toy_head.VIRTUAL_AT_RETURN, atol=1e-3)
    expected = np.array(toy_head.PATTERN) @ toy_head.PREVIOUS
    np.testing.assert_allclose(found.product, expected, atol=5e-4)
    assert dict(zip(found.labels, found.values, strict=True)) == pytest.approx(
        dict.fromkeys(toy_head.TOKENS, 0) | {"result": 2}
    )
    assert found.exact is None
    np.testing.assert_allclose(found.singular_values, (1, 1), atol=1e-6)
    assert found.eigenvalue_copying == pytest.approx(1)


@pytest.mark.parametrize(
    ("earlier", "later", "token", "sentence"),
    [
        (Head(1, 0), Head(0, 0), "ans", "head 0.0 is not in a later layer than 1.0"),
        (Head(0, 0), Head(0, 0), "ans", "not in a later layer"),
        (Head(0, 0), Head(2, 0), "ans", "toy-2l has heads 0.0 to 1.0"),
        (Head(0, 0), Head(1, 0), "tea", "'tea' is none of"),
    ],
)
def test_heads_that_do_not_follow_each_other_are_refused(answer, earlier, later, token, sentence):
    with pytest.raises(Refused, match=sentence):
        answer(VirtualHead(RunPrompt("toy-2l", "ans"), earlier, later, token))
