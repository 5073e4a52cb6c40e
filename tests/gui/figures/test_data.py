"""JSON and NPZ of answers: every number whole, readable without pickle, the same bytes again."""

import json
from pathlib import Path

import numpy as np
import pytest

from engine import messages as m
from engine.messages.records import request_to_json, result_to_json
from gui.figures import FigureOptions, Origin, write
from tests.gui.figures import samples

EVERYTHING = samples.everything()


@pytest.mark.parametrize("name", list(EVERYTHING))
def test_json_holds_what_ask_prints(tmp_path: Path, name: str) -> None:
    request, result = EVERYTHING[name]
    write(request, result, tmp_path / "f.json")
    record = json.loads((tmp_path / "f.json").read_bytes())
    assert list(record) == ["request", "result", "provenance"]
    assert record["request"] == json.loads(json.dumps(request_to_json(request)))
    assert record["result"] == json.loads(json.dumps(result_to_json(result)))


@pytest.mark.parametrize("name", list(EVERYTHING))
def test_an_archive_holds_every_array_and_no_pickle(tmp_path: Path, name: str) -> None:
    request, result = EVERYTHING[name]
    write(request, result, tmp_path / "f.npz")
    write(request, result, tmp_path / "g.npz")
    assert (tmp_path / "f.npz").read_bytes() == (tmp_path / "g.npz").read_bytes()
    with np.load(tmp_path / "f.npz", allow_pickle=False) as archive:
        found = {name: archive[name] for name in archive.files}
    assert not [name for name, array in found.items() if array.dtype.hasobject]
    for field, value in vars(result).items():
        if isinstance(value, np.ndarray):
            assert found[field].dtype == value.dtype
            np.testing.assert_array_equal(found[field], value)
        elif isinstance(value, tuple) and value and isinstance(value[0], str):
            assert tuple(found[field].tolist()) == value
        elif value is not None:
            assert [n for n in found if n == field or n.startswith(f"{field}.")], field
    asked = json.loads(str(found["record"]))["request"]
    assert asked == json.loads(json.dumps(request_to_json(request)))


def test_rows_of_an_answer_are_columns_of_an_archive(tmp_path: Path) -> None:
    for name in ("composition", "spectrum", "logit-attribution", "workings", "head-scores"):
        write(*EVERYTHING[name], tmp_path / f"{name}.npz")

    def column(name: str, key: str) -> np.ndarray:
        with np.load(tmp_path / f"{name}.npz") as archive:
            return archive[key]

    assert column("composition", "pairs.later").tolist()[:2] == ["1.0", "1.1"]
    groups = EVERYTHING["spectrum"][1].groups
    assert column("spectrum", "groups.first").tolist() == [group.first for group in groups]
    assert column("logit-attribution", "heads").tolist()[:3] == ["", "", "0.0"]
    steps = EVERYTHING["workings"][1].steps
    np.testing.assert_array_equal(column("workings", "steps.1.values"), steps[1].values)
    scores = EVERYTHING["head-scores"][1].scores
    np.testing.assert_array_equal(column("head-scores", "scores.induction"), scores["induction"])


def test_labels_of_any_kind_come_back_from_data(tmp_path: Path) -> None:
    labels = (*samples.HOSTILE, "\udc80", "\U0010fffd")
    request, result = samples.attention(labels)
    origin = Origin(tokens=labels, ids=tuple(range(len(labels))))
    for suffix in ("json", "npz"):
        write(request, result, tmp_path / f"f.{suffix}", FigureOptions(), origin=origin)
    record = json.loads((tmp_path / "f.json").read_bytes())
    assert tuple(record["result"]["labels"]) == labels
    assert tuple(record["provenance"]["tokens"]) == labels
    with np.load(tmp_path / "f.npz") as archive:
        assert tuple(archive["labels"].tolist()) == labels


def test_an_answer_without_a_picture_can_be_data(tmp_path: Path) -> None:
    answer = m.ModelList((m.ModelEntry("toy", "toys", "="), m.ModelEntry("a", "b", "c")))
    for suffix in ("csv", "json", "npz"):
        write(m.ListModels(), answer, tmp_path / f"f.{suffix}")
    with np.load(tmp_path / "f.npz") as archive:
        assert archive["models.name"].tolist() == ["toy", "a"]
