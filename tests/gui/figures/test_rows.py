"""CSV of answers: every number whole, every token back, nothing a spreadsheet would run."""

import csv
import re
from pathlib import Path

import numpy as np
import pytest

from engine.messages import Head, Vocabulary, VocabularyTokens
from gui.figures import write
from tests.gui.figures import samples


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def plain(cell: str) -> str:
    """Return the text of a cell without the apostrophe that keeps it from being a formula."""
    return re.sub(r"^'('*[=+\-@\t\r])", r"\1", cell)


def test_hostile_tokens_come_back_and_none_is_a_formula(tmp_path: Path) -> None:
    labels = (*samples.HOSTILE, "\t=1", "\r\n", "＝1", "''=1")
    request, result = samples.ov_tokens(labels)
    write(request, result, tmp_path / "f.csv")
    rows = [row for row in read(tmp_path / "f.csv") if row["list"] == "highest"]
    assert [row["token"][0] for row in rows if row["token"][0] in "=+-@\t\r＝"] == []
    ascii_only = [row["token"] if "＝" in row["token"] else plain(row["token"]) for row in rows]
    assert ascii_only == ["'＝1" if label == "＝1" else label for label in labels]


def test_a_token_that_ends_lines_ends_no_row(tmp_path: Path) -> None:
    texts = ("a", "\r", "\n", "b\rc", "\r\n", '"\r')
    labels = tuple(str(place) for place in range(len(texts)))
    write(Vocabulary("toy"), VocabularyTokens(texts, labels), tmp_path / "f.csv")
    rows = read(tmp_path / "f.csv")
    assert [row["label"] for row in rows] == list(labels)
    assert [re.sub(r"^'(?=[\r\n])", "", row["text"]) for row in rows] == list(texts)


def test_negative_numbers_stay_numbers_at_full_precision(tmp_path: Path) -> None:
    request, result = samples.ov_tokens()
    values = result.bottom_values + np.pi * 1e-9
    object.__setattr__(result, "bottom_values", values)
    write(request, result, tmp_path / "f.csv")
    rows = [row for row in read(tmp_path / "f.csv") if row["list"] == "lowest"]
    assert [float(row["value"]) for row in rows] == values.tolist()
    assert all(value < 0 for value in values)


def test_tokens_of_a_list_are_counted_from_1(tmp_path: Path) -> None:
    request, result = samples.ov_tokens()
    write(request, result, tmp_path / "f.csv")
    for end, ids in (("highest", result.ids), ("lowest", result.bottom_ids)):
        rows = [row for row in read(tmp_path / "f.csv") if row["list"] == end]
        assert [int(row["place"]) for row in rows] == list(range(1, len(ids) + 1))
        assert [int(row["id"]) for row in rows] == ids.tolist()


@pytest.mark.parametrize("kind", ["pattern", "scores"])
def test_attention_is_written_cell_by_cell_where_a_query_may_look(
    tmp_path: Path, kind: str
) -> None:
    request, result = samples.attention(samples.HOSTILE, heads=2, kind=kind)
    write(request, result, tmp_path / "f.csv")
    rows = read(tmp_path / "f.csv")
    count = len(samples.HOSTILE)
    assert len(rows) == 2 * count * (count + 1) // 2
    for row in rows:
        head, query, key = Head.parse(row["head"]), int(row["query"]), int(row["key"])
        assert float(row[kind]) == float(result.values[head.number, query, key])
        assert plain(row["query_token"]) == samples.HOSTILE[query]
        assert plain(row["key_token"]) == samples.HOSTILE[key]
    write(request, result, tmp_path / "one.csv", head=Head(1, 1))
    assert read(tmp_path / "one.csv") == [row for row in rows if row["head"] == "1.1"]


def test_a_spectrum_is_written_with_its_groups_and_what_was_measured(tmp_path: Path) -> None:
    request, result = samples.spectrum()
    write(request, result, tmp_path / "f.csv")
    rows = read(tmp_path / "f.csv")
    assert len(rows) == 256
    assert [float(row["singular_value"]) for row in rows[:32]] == result.singular_values.tolist()
    assert rows[40]["singular_value"] == ""
    assert (rows[4]["group_first"], rows[4]["group_last"]) == ("3", "4")
    assert float(rows[255]["dense_singular_value"]) == result.dense_singular_values[255]


def test_a_table_is_written_with_the_source_before_the_output(tmp_path: Path) -> None:
    write(*samples.table(), tmp_path / "f.csv")
    rows = read(tmp_path / "f.csv")
    assert len(rows) == 25
    found = {(row["source_token"], row["output_token"]): float(row["value"]) for row in rows}
    assert found["return", "result"] == -1.0
    assert found["result", "return"] == 0.0


def test_a_run_is_written_with_the_loss_beside_the_token_it_is_of(tmp_path: Path) -> None:
    request, result = samples.next_tokens()
    write(request, result, tmp_path / "f.csv")
    rows = [row for row in read(tmp_path / "f.csv") if row["list"] == "prompt"]
    assert [row["loss"] for row in rows] == ["", *map(repr, result.loss.tolist())]
    assert [row["token"] for row in rows] == list(samples.TEA)


def test_workings_are_written_number_by_number_with_the_labels_of_both_axes(tmp_path: Path) -> None:
    request, result = samples.workings()
    write(request, result, tmp_path / "f.csv")
    rows = read(tmp_path / "f.csv")
    assert len(rows) == 10 + 25 + 1500
    first = ("Q", "0", "<|BOS|>", "0", "0", "-3.0")
    assert tuple(rows[0].values()) == first
    assert list(rows[0]) == ["step", "row", "row_label", "column", "column_label", "value"]


def test_a_check_is_written_with_what_it_measured_or_why_it_is_undefined(tmp_path: Path) -> None:
    write(*samples.receipts(), tmp_path / "f.csv")
    assert [tuple(row.values()) for row in read(tmp_path / "f.csv")] == [
        ("rows of A sum to 1", "residual", "1e-07", "1e-05", "True", ""),
        ("rows of A sum to 1", "largest score", "5.5", "", "", ""),
        ("attribution sums to the logit", "residual", "0.5", "0.001", "False", ""),
        ("mixed-product rule", "residual", "", "", "", "one head only"),
    ]
