"""Which weights a model has, told by a short word: the same for the same, another for others."""

import hashlib
from pathlib import Path

import numpy as np
import pytest

from engine import Engine
from engine.job import Cancelled, Job
from engine.messages import LoadModel
from engine.sources import checkpoint as at
from engine.sources import load
from engine.sources.checkpoint import Pretrained, fingerprint, of_files, of_tensors


def pretrained(path: Path) -> Pretrained:
    return Pretrained(
        name=str(path),
        title=path.name,
        path=path,
        layout="transformers",
        parameters=1,
        disk=1,
        peak=1,
        layers=1,
        heads=1,
        context=1,
    )


def test_the_fingerprint_of_one_file_is_the_start_of_its_sha256(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(bytes(range(256)) * 40_000)  # more than is read between two steps
    wanted = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    assert fingerprint(pretrained(path), Job()) == wanted


def test_that_of_a_folder_goes_over_its_weights_by_name(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    for name in ("b", "a"):
        (tmp_path / f"{name}.safetensors").write_bytes(name.encode() * 100)
    wanted = hashlib.sha256(b"a" * 100 + b"b" * 100).hexdigest()[:16]
    assert fingerprint(pretrained(tmp_path), Job()) == wanted
    (tmp_path / "config.json").write_text("{ }")
    assert fingerprint(pretrained(tmp_path), Job()) == wanted


def test_a_folder_without_weights_has_none(tmp_path: Path) -> None:
    assert fingerprint(pretrained(tmp_path), Job()) == ""


def test_very_large_files_are_sampled_from_beginning_to_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(at, "WHOLE", 1000)
    monkeypatch.setattr(at, "BLOCK", 16)
    path = tmp_path / "m.gguf"
    whole = bytearray(np.random.default_rng(0).bytes(5000))
    path.write_bytes(whole)
    first = of_files([path], Job())
    assert first.startswith("~")
    assert len(first) == 17
    assert of_files([path], Job()) == first
    for place in (0, 15, 4984, 4999):
        changed = bytearray(whole)
        changed[place] ^= 1
        path.write_bytes(changed)
        assert of_files([path], Job()) != first, place
    path.write_bytes(whole[:-1])
    assert of_files([path], Job()) != first


def test_reading_can_be_cancelled(tmp_path: Path) -> None:
    class Stopped(Job):
        def step(self, *given: object) -> None:
            raise Cancelled

    path = tmp_path / "m.gguf"
    path.write_bytes(b"x")
    with pytest.raises(Cancelled):
        of_files([path], Stopped())


def test_every_name_shape_and_value_of_held_weights_counts() -> None:
    weights = {"a": np.arange(6.0).reshape(2, 3), "b": np.ones(2)}
    first = of_tensors(weights)
    assert of_tensors(dict(reversed(weights.items()))) == first
    assert of_tensors({"a": weights["a"].reshape(3, 2), "b": weights["b"]}) != first
    assert of_tensors({"a": weights["a"], "c": weights["b"]}) != first
    assert of_tensors({"a": weights["a"] + np.eye(2, 3) * 1e-3, "b": weights["b"]}) != first


def test_models_tell_theirs_and_no_two_are_alike() -> None:
    names = ("toy", "toy-sharp", "attn-1l", "attn-2l")
    engine = Engine()
    found = [engine.answer(LoadModel(name)).weights for name in names]
    assert len(set(found)) == len(names)
    assert found == [fingerprint(load(name), Job()) for name in names]
