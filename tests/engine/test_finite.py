"""Weights and settings that are no finite numbers, from every source."""

import json
import re
import shutil
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

from engine import Engine
from engine.messages import Eigenvalues, Head, LoadModel, Refused
from engine.network import factored
from tests.engine.sources import state_dicts
from tests.oracles import hugging_face, state_dict

BAD = (float("inf"), float("-inf"), float("nan"))


def spoiled(file, name, value):
    tensors = load_file(file)
    tensors[name].flat[3] = value
    save_file(tensors, file)


def a_folder(folder, value):
    hugging_face.write("llama", folder)
    spoiled(folder / "model.safetensors", "model.layers.1.self_attn.k_proj.weight", value)
    return "model.layers.1.self_attn.k_proj.weight"


def a_copy_of_a_bundled_model(folder, value):
    shutil.copytree(Path(str(resources.files("resources") / "models/attn-1l")), folder)
    spoiled(folder / "model.safetensors", "blocks.0.attn.W_V", value)
    return "blocks.0.attn.W_V"


def a_state_dict(folder, value):
    about = state_dict.config()
    weights = state_dict.random(about)
    weights["blocks.1.mlp.W_in"][2, 3] = value
    state_dicts.write(folder, about, weights)
    return "blocks.1.mlp.W_in"


@pytest.mark.parametrize("value", BAD)
@pytest.mark.parametrize("write", [a_folder, a_copy_of_a_bundled_model, a_state_dict])
def test_a_model_with_such_a_weight_is_refused_by_the_tensors_name(tmp_path, write, value):
    name = write(tmp_path / "it", value)
    with pytest.raises(Refused, match=f"{re.escape(name)} holds numbers that are not finite"):
        Engine().answer(LoadModel(str(tmp_path / "it")))


@pytest.mark.parametrize("eps", [-1.0, float("nan"), float("inf")])
def test_an_eps_that_no_norm_can_have_is_refused(tmp_path, eps):
    hugging_face.write("llama", tmp_path / "it")
    config = tmp_path / "it" / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"rms_norm_eps": eps}))
    with pytest.raises(Refused, match=r"eps|cannot (read|run)"):
        Engine().answer(LoadModel(str(tmp_path / "it")))


@pytest.mark.parametrize("eps", [0.0, 1e-5])
def test_weights_of_zeros_have_eigenvalues_of_zero_or_none(tmp_path, eps):
    folder = tmp_path / "it"
    shutil.copytree(Path(str(resources.files("resources") / "models/attn-1l")), folder)
    tensors = load_file(folder / "model.safetensors")
    save_file({n: np.zeros_like(it) for n, it in tensors.items()}, folder / "model.safetensors")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"eps": eps}))
    asked = Eigenvalues(str(folder), Head(0, 0))
    if eps:
        assert not Engine().answer(asked).real.any()
    else:  # the norm of a row of zeros is 0 / 0
        with pytest.raises(Refused, match="not finite"):
            Engine().answer(asked)


@pytest.mark.parametrize("value", BAD)
@pytest.mark.parametrize(
    "decompose",
    [
        factored.eigenvalues,
        factored.symmetric_eigenvalues,
        factored.singular_values,
        lambda matrix: factored.Factored(matrix, matrix.mT).svd(),
        lambda matrix: factored.Factored(matrix, matrix.mT).singular_values(),
    ],
)
def test_no_decomposition_is_begun_of_what_is_not_finite(decompose, value):
    matrix = torch.eye(7)
    matrix[2, 3] = value
    with pytest.raises(Refused, match="not finite"):
        decompose(matrix)


def test_decompositions_have_one_door():
    files = Path(factored.__file__).parents[1].rglob("*.py")
    calls = ("linalg.eig", "linalg.svd")
    assert [file.name for file in files if any(call in file.read_text() for call in calls)] == [
        "factored.py"
    ]
