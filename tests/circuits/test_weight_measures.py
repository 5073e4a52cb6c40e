"""What is read from weights, against dense float64 products and numpy's eigenvalues."""

import numpy as np
import pytest
import torch

from engine import Engine
from engine.circuits import head_scores
from engine.circuits.head_scores import copying_share
from engine.job import Cancelled, Job
from engine.messages import WEIGHT_MEASURES, HeadScores
from engine.model import Model
from engine.sources.bundled import read_folder
from tests.oracles import dense_circuits, toy_head

SMALL = ("random", "random-without-norm", "toy", "toy-sharp", "side-by-side")
TRAINED = ("attn-1l", "attn-2l")
DISTANCE = 1e-4  # of the largest magnitude: what single precision may turn round


def _copying(model, layer, head):
    """Return the share of tokens that copy, at least and at most, given rounding."""
    vectors = dense_circuits.token_vectors(model)
    read = vectors @ dense_circuits.ov_matrix(model, layer, head)
    unembed = dense_circuits.unembedding(model)
    margins, largest = [], 0.0
    for start in range(0, model.d_vocab, 512):
        logits = read[start : start + 512] @ unembed
        largest = max(largest, float(logits.abs().max()))
        own = logits.diagonal(start).clone()
        logits.diagonal(start).fill_(-torch.inf)
        margins.append(own - logits.amax(1))
    margin = torch.cat(margins)
    room = DISTANCE * largest
    return float((margin > room).double().mean()), float((margin > -room).double().mean())


@pytest.mark.parametrize("name", [*SMALL, *TRAINED])
def test_copying_share_is_that_of_the_whole_table(answer, raw, name):
    model = raw(name)
    shares = answer(HeadScores(name, "weights")).grid("copying_share")
    heads = [(0, 0), (model.n_layers - 1, model.n_heads - 1)] if name in TRAINED else np.ndindex(
        model.n_layers, model.n_heads
    )  # fmt: skip
    for place in heads:
        least, most = _copying(model, *place)
        assert least - 1e-6 <= shares[place] <= most + 1e-6
        assert name not in TRAINED or most - least < 0.01


@pytest.mark.parametrize("name", ["random", "random-without-norm", "side-by-side"])
@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (2, 4), (4, 4), (5, 15)])
@torch.inference_mode()
def test_tiles_that_do_not_fit_the_vocabulary_change_no_share(
    made, monkeypatch, name, rows, columns
):
    model = Model(read_folder(made / "models" / name))
    expected = [copying_share(model, head, Job()) for head in model.heads]
    monkeypatch.setattr(head_scores, "ROWS", rows)
    monkeypatch.setattr(head_scores, "COLUMNS", columns)
    assert [copying_share(model, head, Job()) for head in model.heads] == expected


def test_the_texts_head_copies_two_tokens_of_five(answer):
    share = answer(HeadScores("toy", "weights")).scores["copying_share"]
    assert len(toy_head.M_OV_ENTRIES) == 2
    assert share == pytest.approx(2 / 5)


@pytest.mark.parametrize("name", SMALL)
def test_eigenvalue_measures_are_those_of_the_whole_tables(answer, raw, name):
    model, found = raw(name), answer(HeadScores(name, "weights"))
    for place in np.ndindex(model.n_layers, model.n_heads):
        for measure, table in (
            ("ov_eigenvalue_copying", dense_circuits.ov_table),
            ("qk_eigenvalue_positivity", dense_circuits.qk_table),
        ):
            values = np.linalg.eigvals(table(model, *place).numpy())
            magnitudes = np.abs(values)
            kept = values[magnitudes > 1e-9 * max(1e-9, magnitudes.max())]
            value = found.grid(measure)[place]
            if len(kept):
                expected = kept.real.sum() / np.abs(kept).sum()
                assert value == pytest.approx(expected, abs=1e-4), (measure, place)


@pytest.mark.parametrize("name", ["random", "random-without-norm", *TRAINED])
def test_norms_and_overlap_are_those_of_dense_matrices(answer, raw, name):
    model, found = raw(name), answer(HeadScores(name, "weights"))
    for place in [(0, 0), (model.n_layers - 1, 1)]:
        ov = dense_circuits.ov_matrix(model, *place)
        qk = dense_circuits.qk_matrix(model, *place)
        assert found.grid("ov_norm")[place] == pytest.approx(float(ov.norm()), rel=1e-5)
        assert found.grid("qk_norm")[place] == pytest.approx(float(qk.norm()), rel=1e-5)
        share, _ = dense_circuits.overlap(ov)
        assert found.grid("read_write_overlap")[place] == pytest.approx(share, abs=1e-5)


def test_what_was_cancelled_goes_on_where_it_stopped():
    def stop_at(head):
        def report(done, total, what):
            seen.append(what)
            if what == f"what {head} copies":
                job.cancel()

        seen, job = [], Job(report)
        return seen, job

    engine = Engine()
    _, job = stop_at("L0H3")
    with pytest.raises(Cancelled):
        engine.answer(HeadScores("attn-1l", "weights"), job)
    seen, job = stop_at("")
    again = engine.answer(HeadScores("attn-1l", "weights"), job)
    assert "what L0H2 copies" not in seen
    assert "what L0H3 copies" in seen
    fresh = Engine().answer(HeadScores("attn-1l", "weights"))
    for name in WEIGHT_MEASURES:
        np.testing.assert_array_equal(again.scores[name], fresh.scores[name])


def test_every_measure_of_weights_is_there(answer):
    assert list(answer(HeadScores("random", "weights")).scores) == list(WEIGHT_MEASURES)
