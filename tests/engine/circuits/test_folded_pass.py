"""The pass with folded weights: it can be stopped inside an MLP, which takes longest."""

import pytest
import torch

from engine.circuits.checks import whole_model
from engine.circuits.checks.inputs import check_inputs
from engine.job import Job
from engine.messages import Head, RunPrompt
from engine.model import Model
from engine.sources import load
from tests.oracles import hugging_face

TEXT = "w1 w20 w33 w7 w20 w33 w90"


@pytest.fixture
def with_mlps(tmp_path):
    hugging_face.write("llama", tmp_path / "llama")
    return Model(load(str(tmp_path / "llama")))


def test_an_mlp_reads_a_part_of_the_positions_between_two_steps(with_mlps, monkeypatch):
    model, rows = with_mlps, []
    honest = Model.mlp_output

    def noting(self, layer, streams):
        rows.append(len(streams))
        return honest(self, layer, streams)

    monkeypatch.setattr(Model, "mlp_output", noting)
    with torch.inference_mode():
        seen = check_inputs(model, RunPrompt(model.name, TEXT), Head(0, 0), Job())
        positions = len(seen.forward_pass.ids)
        assert whole_model.folding_changes_nothing(seen, Job()).passed
        assert rows == [positions] * model.n_layers
        model.kept.clear()
        rows.clear()
        monkeypatch.setattr(whole_model, "WORK", 3 * 3 * model.d_model * model.d_mlp)
        told = []
        receipt = whole_model.folding_changes_nothing(seen, Job(lambda *step: told.append(step[2])))
    assert receipt.passed
    assert max(rows) == 3
    assert sum(rows) == positions * model.n_layers
    assert told.count("running MLPs") == len(rows)
