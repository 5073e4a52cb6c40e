import pytest
import torch

from engine.job import Job
from engine.messages import Head, RunPrompt
from engine.model import Model
from engine.sources import bundled


@pytest.mark.parametrize("name", ["random", "plain"])
def test_a_layer_adds_the_sum_of_its_heads_folded_and_a_constant(folders, name):
    # Head h adds A (X W_V + b_V) W_O; b_O is the same at every position.
    model = Model(bundled.read_folder(folders / name))
    passed = model.run(RunPrompt(name, "I like green tea"), Job())
    added = passed.streams[1] - passed.streams[0]
    heads = torch.zeros_like(added)
    for number in range(model.n_heads):
        weights = model.head(Head(0, number))
        read = model.read(passed.streams[0])
        heads += passed.patterns[0][number] @ weights.values(read) @ weights.W_O
    if model.normalized:
        added = added - added.mean(-1, keepdim=True)
    rest = added - heads
    torch.testing.assert_close(rest, rest[:1].expand_as(rest), atol=1e-4, rtol=0)


def test_folded_matrices_neither_read_nor_write_the_all_ones_direction(model):
    weights = model.head(Head(1, 0))
    for matrix in (weights.W_Q, weights.W_K, weights.W_V, weights.W_O.mT):
        torch.testing.assert_close(matrix.mean(0), torch.zeros(6), atol=1e-6, rtol=0)


def test_folded_unembedding_sums_to_zero_over_the_vocabulary(model):
    columns = torch.stack([model.vocabulary.unembedding(token) for token in range(model.d_vocab)])
    torch.testing.assert_close(columns.mean(0), torch.zeros(20), atol=1e-5, rtol=0)


def test_a_model_without_norms_is_left_as_it_is(folders):
    checkpoint = bundled.read_folder(folders / "plain")
    model = Model(checkpoint)
    raw = checkpoint.tensors["blocks.1.attn.W_Q"][2]
    torch.testing.assert_close(model.head(Head(1, 2)).W_Q, torch.tensor(raw))
    column = torch.tensor(checkpoint.tensors["unembed.W_U"][:, 5].copy())
    torch.testing.assert_close(model.vocabulary.unembedding(5), column)
