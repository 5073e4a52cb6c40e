"""The folded dense circuits: folding changes no prediction, and circuits rebuild the pass."""

import pytest
import torch
from transformer_lens import FactoredMatrix

from tests.oracles import checkpoint, dense_circuits, plain_transformer

IDS = [3, 0, 17, 36, 3, 5, 5, 21]


@pytest.fixture(params=[True, False], ids=["norm", "no norm"])
def model(request, tmp_path):
    return checkpoint.read(checkpoint.write_random(tmp_path / "random", norm=request.param))


def test_folding_leaves_the_log_probabilities_and_patterns_alone(model):
    raw = plain_transformer.run(model, IDS)
    folded = plain_transformer.run(dense_circuits.folded(model), IDS)
    torch.testing.assert_close(folded.logits.log_softmax(-1), raw.logits.log_softmax(-1))
    torch.testing.assert_close(torch.stack(folded.patterns), torch.stack(raw.patterns))


def test_scores_from_one_product_with_biases_folded_in_are_those_of_the_pass(model):
    seen = plain_transformer.run(model, IDS)
    allowed = torch.ones(len(IDS), len(IDS)).tril().bool()
    for layer, read in enumerate(seen.reads):
        for head in range(model.n_heads):
            scores = dense_circuits.scores_between(model, layer, head, read, read, biases=True)
            torch.testing.assert_close(scores[allowed], seen.scores[layer][head][allowed])


def test_pattern_times_ov_is_what_the_head_wrote_up_to_bias_and_mean(model):
    seen = plain_transformer.run(model, IDS)
    project = dense_circuits.off_ones(model)
    for layer, read in enumerate(seen.reads):
        for head in range(model.n_heads):
            bias = model.of_head(layer, head, "b_V") @ model.of_head(layer, head, "W_O")
            wrote = (seen.head_outputs[layer][head] - bias) @ project
            ov = dense_circuits.ov_matrix(model, layer, head)
            torch.testing.assert_close(seen.patterns[layer][head] @ read @ ov, wrote)


def test_unembedding_is_centred_over_the_vocabulary_only_where_there_is_a_norm(model):
    centred = dense_circuits.unembedding(model).mean(1).abs().max() < 1e-12
    assert bool(centred) == model.norm


def test_directions_rebuild_the_matrix_and_agree_with_factored_matrix(model):
    project = dense_circuits.off_ones(model)
    matrix = dense_circuits.ov_matrix(model, 1, 2)
    thin = FactoredMatrix(
        project @ model.of_head(1, 2, "W_V"), model.of_head(1, 2, "W_O") @ project
    )
    reads, values, writes = dense_circuits.directions(matrix)
    torch.testing.assert_close(reads.T @ torch.diag(values) @ writes, matrix)
    assert (writes.gather(1, writes.abs().argmax(1, keepdim=True)) > 0).all()
    torch.testing.assert_close(values[: model.d_head], thin.S)
    same_lines = (thin.U.T @ reads[: model.d_head].T).abs()
    torch.testing.assert_close(same_lines, torch.eye(model.d_head).double(), atol=1e-9, rtol=0)


@pytest.mark.parametrize(
    ("values", "groups"),
    [
        ([2, 2, 1], [(0, 1), (2, 2)]),
        ([1, 8e-3, 2e-4], [(0, 0), (1, 1), (2, 2)]),
        ([1, 0.995, 0.991, 0.985], [(0, 2), (3, 3)]),  # by the run's first, never by chaining
        ([1, 1e-8, 1e-8], [(0, 0), (1, 1), (2, 2)]),  # noise is no subspace
    ],
)
def test_near_equal_values_are_grouped_by_the_designs_rule(values, groups):
    assert dense_circuits.near_equal_groups(values) == groups


def test_overlap_of_random_subspaces_is_their_share_of_the_space():
    chance = torch.Generator().manual_seed(0)
    found = []
    for _ in range(40):
        a, b = (torch.randn(60, 9, generator=chance).double() for _ in range(2))
        share, r = dense_circuits.overlap(a @ b.T)
        assert r == 9
        found.append(share)
    assert sum(found) / len(found) == pytest.approx(9 / 60, abs=0.01)
    assert dense_circuits.overlap(a @ a.T)[0] == pytest.approx(1)
