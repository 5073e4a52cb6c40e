from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from resources.training import batches, bigram, corpus, evaluate, scores
from resources.training.loss import full_loss, sampled_loss
from resources.training.model import Config, Model, export, load
from resources.training.train import PLANS, Trainer

TINY = Config(n_layers=2, n_heads=2, d_model=16, d_head=8, d_vocab=50, n_ctx=33)


@pytest.fixture
def texts() -> list[np.ndarray]:
    chance = np.random.default_rng(0)
    return [chance.integers(1, 50, 400).astype(np.uint16) for _ in corpus.SOURCES]


def test_no_work_has_more_than_two_fifths_of_the_text() -> None:
    works: dict[str, float] = {}
    for source in corpus.SOURCES:
        works[source.work] = works.get(source.work, 0) + source.share
    assert sum(works.values()) == pytest.approx(1)
    assert max(works.values()) <= 0.4


@pytest.mark.parametrize(
    "line", ["I like green tea", "so I drink it", "they\ndrink green tea", "He likes green ones."]
)
def test_lines_near_the_tea_prompt_are_left_out(line: str) -> None:
    kept = corpus.allowed(f"one line\n{line}\nanother line")
    assert corpus.FORBIDDEN.search(" ".join(kept.split())) is None


def test_the_rest_of_a_document_stays() -> None:
    assert corpus.allowed("green tea: tea leaves\nI like green tea") == "green tea: tea leaves"


@pytest.mark.parametrize("seed", range(20))
def test_repeated_spans_stand_earlier_in_the_row(seed: int) -> None:
    chance = np.random.default_rng(seed)
    row = np.concatenate([[0], 100 + np.arange(127)])
    repeated = batches.repeat_spans(chance, row)
    assert repeated[0] == 0
    assert len(repeated) == len(row)
    changed = np.flatnonzero(repeated != row)
    assert len(changed) > 0
    for at in changed:
        assert repeated[at] in repeated[1:at]


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("make", [batches.repeat_random, batches.random_bags])
def test_random_rows_count_only_what_can_be_known(make, seed: int) -> None:
    row, known = make(np.random.default_rng(seed), 128, 8192)
    assert row[0] == 0
    assert row[1:].min() >= 1
    assert known.any()
    for at in np.flatnonzero(known):
        assert row[at] in row[1:at]


def test_a_batch_has_the_asked_shares(texts: list[np.ndarray]) -> None:
    ids, counts = batches.batch(np.random.default_rng(3), texts, 400, 32, 0.2, 0.1, 0.0, 50)
    assert ids.shape == (400, 33)
    assert (ids[:, 0] == 0).all()
    assert 0.05 < (~counts).any(1).mean() < 0.15


def test_full_loss_and_gradients_are_cross_entropy() -> None:
    torch.manual_seed(0)
    hidden, table = (torch.randn(n, 16, requires_grad=True) for n in (700, 50))
    bias = torch.randn(50, requires_grad=True)
    targets = torch.randint(0, 50, (700,))
    ours = full_loss(hidden, table, bias, targets)
    expected = F.cross_entropy(F.linear(hidden, table, bias), targets)
    torch.testing.assert_close(ours, expected)
    for got, right in zip(
        torch.autograd.grad(ours, (hidden, table, bias)),
        torch.autograd.grad(expected, (hidden, table, bias)),
        strict=True,
    ):
        torch.testing.assert_close(got, right, rtol=1e-4, atol=1e-6)


def test_sampled_loss_and_gradients_match_the_full_softmax_in_expectation() -> None:
    torch.manual_seed(1)
    hidden, table = torch.randn(24, 8), (torch.randn(400, 8) * 0.3).requires_grad_()
    bias, targets = torch.zeros(400), torch.randint(0, 40, (24,))
    full = full_loss(hidden, table, bias, targets)
    (right,) = torch.autograd.grad(full, table)
    losses, mean = [], torch.zeros_like(table)
    for _ in range(600):
        sampled = sampled_loss(hidden, table, bias, targets, torch.rand(400) < 0.25, 0.25)
        losses.append(float(sampled.detach()))
        mean += torch.autograd.grad(sampled, table)[0] / 600
    assert np.mean(losses) == pytest.approx(float(full.detach()), abs=0.02)
    assert float((mean - right).norm() / right.norm()) < 0.05


def test_sampling_everything_is_the_full_softmax() -> None:
    hidden, table, bias = torch.randn(9, 8), torch.randn(30, 8), torch.randn(30)
    targets = torch.randint(0, 30, (9,))
    every = sampled_loss(hidden, table, bias, targets, torch.ones(30, dtype=torch.bool), 1.0)
    torch.testing.assert_close(every, full_loss(hidden, table, bias, targets))


@pytest.mark.parametrize("full_from", [0.0, 0.9])
def test_resumed_training_gives_the_same_weights(tmp_path, texts, full_from: float) -> None:
    plan = replace(PLANS["attn-2l"], tokens=2000, batch_tokens=64, full_from=full_from)
    whole = Trainer(plan, TINY, texts)
    for _ in range(6):
        whole.step()
    first = Trainer(plan, TINY, texts)
    for _ in range(3):
        first.step()
    first.save(tmp_path / "tiny.ckpt")
    second = Trainer(plan, TINY, texts)
    second.resume(tmp_path / "tiny.ckpt")
    for _ in range(3):
        second.step()
    assert second.tokens == whole.tokens
    for one, other in zip(whole.model.parameters(), second.model.parameters(), strict=True):
        assert torch.equal(one, other)


def test_export_has_transformer_lens_shapes_and_comes_back(tmp_path) -> None:
    model = Model(TINY)
    named = model.tensors()
    assert named["embed.W_E"].shape == (50, 16)
    assert named["pos_embed.W_pos"].shape == (33, 16)
    assert named["blocks.1.attn.W_K"].shape == (2, 16, 8)
    assert named["blocks.1.attn.W_O"].shape == (2, 8, 16)
    assert named["blocks.0.attn.b_V"].shape == (2, 8)
    assert named["unembed.W_U"].shape == (16, 50)
    export(model, tmp_path)
    ids = torch.randint(0, 50, (2, 20))
    torch.testing.assert_close(load(tmp_path).logits(ids), model.logits(ids), atol=0.02, rtol=0.02)


def test_pattern_and_output_agree_with_heads_written_out() -> None:
    torch.manual_seed(2)
    model = Model(TINY)
    ids, patterns = torch.randint(0, 50, (1, 12)), []
    logits = F.linear(model.stream(ids, patterns), model.U, model.b_U)[0]
    named = model.tensors()
    x = named["embed.W_E"][ids[0]] + named["pos_embed.W_pos"][:12]

    def norm(stream: torch.Tensor) -> torch.Tensor:
        centred = stream - stream.mean(-1, keepdim=True)
        return centred / (centred.pow(2).mean(-1, keepdim=True) + TINY.eps).sqrt()

    for layer in range(2):
        read, at = norm(x), f"blocks.{layer}.attn."
        for head in range(2):
            q, k, v = (read @ named[f"{at}W_{n}"][head] + named[f"{at}b_{n}"][head] for n in "QKV")
            scores_ = q @ k.T / math.sqrt(TINY.d_head)
            pattern = scores_.masked_fill(torch.ones(12, 12).triu(1).bool(), -math.inf).softmax(-1)
            torch.testing.assert_close(patterns[layer][0, head], pattern)
            x = x + pattern @ v @ named[f"{at}W_O"][head]
        x = x + named[f"{at}b_O"]
    torch.testing.assert_close(logits, norm(x) @ named["unembed.W_U"] + named["unembed.b_U"])


class _Copier(torch.nn.Module):
    """Stands in for a model; attends from each second copy to what followed the first."""

    config = Config(n_layers=1, d_model=4, d_vocab=9)
    U, b_U = torch.zeros(9, 4), torch.zeros(9)

    def stream(self, ids: torch.Tensor, patterns: list[torch.Tensor]) -> torch.Tensor:
        length = (ids.shape[1] - 1) // 2
        pattern = torch.zeros(ids.shape[0], 1, ids.shape[1], ids.shape[1])
        for query in range(length + 1, ids.shape[1]):
            pattern[:, :, query, query - length + 1] = 1
        patterns.append(pattern)
        return torch.zeros(*ids.shape, 4)


def test_a_perfect_induction_head_scores_one() -> None:
    found = scores.head_scores(_Copier(), rows=2, length=5)
    assert found["induction"] == [[1.0]]


def test_bigram_probabilities_sum_to_one(texts: list[np.ndarray]) -> None:
    fitted = bigram.fit(texts, 50)
    ids = np.stack([np.array([0, 7, after]) for after in range(50)])
    bucket, parts = fitted.parts(ids)
    mix = bigram.tune(bucket, parts, np.ones(len(bucket)))
    probabilities = (mix[bucket].T * parts).sum(0).reshape(50, 2)[:, 1]
    assert probabilities.sum() == pytest.approx(1, abs=0.01)


def test_evaluation_rows_restore_the_shares(texts: list[np.ndarray]) -> None:
    rows, weights, owners = evaluate.rows_of(texts, 32)
    assert (rows[:, 0] == 0).all()
    for owner, source in enumerate(corpus.SOURCES):
        assert weights[owners == owner].sum() == pytest.approx(source.share)


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [([" Tea", "x"], "itself"), ([" coffee"], "kin"), ([" sea"], "")],
)
def test_a_column_shows_a_word_its_kin_or_nothing(pieces: list[str], expected: str) -> None:
    assert evaluate.shows(" tea", pieces) == expected
