"""CSV of answers: every number whole, every head and token as it is."""

import csv
from pathlib import Path

import numpy as np
import pytest

from engine import Engine
from engine.cli import command
from engine.messages import Head, RunPrompt, Vocabulary, VocabularyTokens
from gui import figures
from gui.figures import Origin, rows, write
from tests.gui.figures import samples


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine()


def written(engine: Engine, path: Path, *words: str) -> list[dict[str, str]]:
    """Write rows as the command line does, and read them again."""
    request, given = command.read(command.parser(words[0]), words[0], words[1:])
    answers = {one: engine.answer(one) for one in figures.all_questions(request, rows=True)}
    beside = [answers[one] for one in figures.questions(request, rows=True)]
    write(request, answers[request], path, head=vars(given).get("head") if words[0] == "attention"
          else None, origin=figures.origin(beside, "9"))  # fmt: skip
    return read(path)


def test_hostile_tokens_come_back(tmp_path: Path) -> None:
    labels = (*samples.HOSTILE, "\t=1", "\r\n", "＝1", "''=1")
    request, result = samples.ov_tokens(labels)
    write(request, result, tmp_path / "f.csv")
    rows = [row for row in read(tmp_path / "f.csv") if row["list"] == "highest"]
    assert tuple(row["token"] for row in rows) == labels


def test_a_token_that_ends_lines_ends_no_row(tmp_path: Path) -> None:
    texts = ("a", "\r", "\n", "b\rc", "\r\n", '"\r')
    labels = tuple(str(place) for place in range(len(texts)))
    write(Vocabulary("toy"), VocabularyTokens(texts, labels), tmp_path / "f.csv")
    rows = read(tmp_path / "f.csv")
    assert [row["label"] for row in rows] == list(labels)
    assert [row["text"] for row in rows] == list(texts)


@pytest.mark.parametrize("name", list(samples.everything()))
def test_no_cell_is_a_head_that_reads_as_a_number(name: str) -> None:
    request, result = samples.everything()[name]
    heads = [cell for row in rows.rows(request, result, None) for cell in row
             if isinstance(cell, Head)]  # fmt: skip
    assert all(rows.cell(head) == head.name for head in heads)
    told = any("head" in str(column) or column in ("earlier", "later")
               for column in next(rows.rows(request, result, None)))  # fmt: skip
    assert bool(heads) == told


def test_heads_1_and_10_of_a_layer_stay_two(tmp_path: Path) -> None:
    request, result = samples.attention(samples.TEA[:2], heads=11)
    write(request, result, tmp_path / "f.csv")
    names = {row["head"] for row in read(tmp_path / "f.csv")}
    assert names == {f"L1H{number}" for number in range(11)}


PROMPT = ("--model", "attn-2l", "--text", "I like\n green tea")


@pytest.mark.parametrize(
    ("words", "prefixes"),
    [
        (("attention", *PROMPT, "--head", "1.3"), ("query_", "key_")),
        (("run-prompt", *PROMPT), ("",)),
        (("ov-tokens", "--model", "attn-2l", "--head", "1.3", "--token", " tea"), ("",)),
        (("qk-tokens", "--model", "attn-2l", "--head", "1.3", "--token", " tea"), ("",)),
        (("direct-path", "--model", "attn-2l", "--token", " tea"), ("",)),
        (("direction", "--model", "attn-2l", "--head", "1.3"), ("",)),
        (("table", "--model", "toy", "--head", "0.0"), ("source_", "output_")),
        (("head-output", *PROMPT, "--head", "1.3"), ("",)),
        (("logit-attribution", *PROMPT, "--split", "sources"), ("source_",)),
        (
            ("virtual-head", *PROMPT, "--earlier", "0.2", "--later", "1.3", "--token", " tea"),
            ("query_", "source_"),
        ),
        (("destination-row", *PROMPT), ("source_",)),
        (("logit-lens", *PROMPT), ("", "next_")),
        (("workings", *PROMPT, "--head", "1.3"), ("row_", "column_")),
        (
            ("skip-trigrams", "--model", "attn-1l", "--head", "0.3"),
            ("source_", "query_", "out_"),
        ),
    ],
)
def test_each_token_has_its_id_and_exact_text(
    engine: Engine, tmp_path: Path, words: tuple[str, ...], prefixes: tuple[str, ...]
) -> None:
    table = written(engine, tmp_path / "f.csv", *words)
    vocabulary = engine.answer(Vocabulary(words[2]))
    for prefix in prefixes:
        found = [row for row in table if row[f"{prefix}id"]]
        assert found
        for row in found:
            number = int(row[f"{prefix}id"])
            label = row.get(f"{prefix}token", row.get(f"{prefix}label"))
            assert label == vocabulary.labels[number]
            assert row[f"{prefix}text"] == vocabulary.texts[number]


def test_a_prompt_comes_back_from_its_rows(engine: Engine, tmp_path: Path) -> None:
    table = written(engine, tmp_path / "f.csv", "attention", *PROMPT, "--head", "1.3")
    keys = {int(row["key"]): (int(row["key_id"]), row["key_text"]) for row in table}
    assert "".join(text for _, text in keys.values()) == "<|BOS|>I like\n green tea"
    assert [number for number, _ in keys.values()] == engine.answer(
        RunPrompt("attn-2l", PROMPT[3])
    ).ids.tolist()


def test_a_precision_that_is_not_the_usual_one_is_said_in_every_row(tmp_path: Path) -> None:
    request, result = samples.ov_tokens()
    half = (("headscope", "9"), ("precision", "bfloat16 on cuda"))
    write(request, result, tmp_path / "f.csv", origin=Origin(versions=half))
    assert {row["precision"] for row in read(tmp_path / "f.csv")} == {"bfloat16 on cuda"}
    write(request, result, tmp_path / "f.csv", origin=Origin(versions=half[:1]))
    assert "precision" not in read(tmp_path / "f.csv")[0]


def test_negative_numbers_stay_numbers_at_full_precision(tmp_path: Path) -> None:
    request, result = samples.ov_tokens()
    values = result.bottom_values + np.pi * 1e-9
    object.__setattr__(result, "bottom_values", values)
    write(request, result, tmp_path / "f.csv")
    table = [row for row in read(tmp_path / "f.csv") if row["list"] == "lowest"]
    assert [float(row["value"]) for row in table] == values.tolist()
    assert all(value < 0 for value in values)


def test_tokens_of_a_list_are_counted_from_1(tmp_path: Path) -> None:
    request, result = samples.ov_tokens()
    write(request, result, tmp_path / "f.csv")
    for end, ids in (("highest", result.ids), ("lowest", result.bottom_ids)):
        table = [row for row in read(tmp_path / "f.csv") if row["list"] == end]
        assert [int(row["place"]) for row in table] == list(range(1, len(ids) + 1))
        assert [int(row["id"]) for row in table] == ids.tolist()


@pytest.mark.parametrize("kind", ["pattern", "scores"])
def test_attention_is_written_cell_by_cell_where_a_query_may_look(
    tmp_path: Path, kind: str
) -> None:
    request, result = samples.attention(samples.HOSTILE, heads=2, kind=kind)
    write(request, result, tmp_path / "f.csv")
    table = read(tmp_path / "f.csv")
    count = len(samples.HOSTILE)
    assert len(table) == 2 * count * (count + 1) // 2
    for row in table:
        head, query, key = Head.parse(row["head"]), int(row["query"]), int(row["key"])
        assert float(row[kind]) == float(result.values[head.number, query, key])
        assert row["query_token"] == samples.HOSTILE[query]
        assert row["key_token"] == samples.HOSTILE[key]
    write(request, result, tmp_path / "one.csv", head=Head(1, 1))
    assert read(tmp_path / "one.csv") == [row for row in table if row["head"] == "L1H1"]


def test_a_spectrum_is_written_with_its_groups_and_what_was_measured(tmp_path: Path) -> None:
    request, result = samples.spectrum()
    write(request, result, tmp_path / "f.csv")
    table = read(tmp_path / "f.csv")
    assert len(table) == 256
    assert [float(row["singular_value"]) for row in table[:32]] == result.singular_values.tolist()
    assert table[40]["singular_value"] == ""
    assert (table[4]["group_first"], table[4]["group_last"]) == ("3", "4")
    assert float(table[255]["dense_singular_value"]) == result.dense_singular_values[255]


def test_a_table_is_written_with_the_source_before_the_output(tmp_path: Path) -> None:
    write(*samples.table(), tmp_path / "f.csv")
    table = read(tmp_path / "f.csv")
    assert len(table) == 25
    found = {(row["source_token"], row["output_token"]): float(row["value"]) for row in table}
    assert found["return", "result"] == -1.0
    assert found["result", "return"] == 0.0


def test_a_run_is_written_with_the_loss_beside_the_token_it_is_of(tmp_path: Path) -> None:
    request, result = samples.next_tokens()
    write(request, result, tmp_path / "f.csv")
    table = [row for row in read(tmp_path / "f.csv") if row["list"] == "prompt"]
    assert [row["loss"] for row in table] == ["", *map(repr, result.loss.tolist())]
    assert [row["token"] for row in table] == list(samples.TEA)


def test_workings_are_written_number_by_number_with_the_labels_of_both_axes(tmp_path: Path) -> None:
    request, result = samples.workings()
    write(request, result, tmp_path / "f.csv")
    table = read(tmp_path / "f.csv")
    assert len(table) == 10 + 25 + 1500
    first = ("Q", "0", "", "<|BOS|>", "", "0", "", "0", "", "-3.0")
    assert tuple(table[0].values()) == first
    assert list(table[0]) == [
        "step", "row", "row_id", "row_label", "row_text", "column", "column_id", "column_label",
        "column_text", "value",
    ]  # fmt: skip


def test_a_check_is_written_with_what_it_measured_or_why_it_is_undefined(tmp_path: Path) -> None:
    write(*samples.receipts(), tmp_path / "f.csv")
    assert [tuple(row.values()) for row in read(tmp_path / "f.csv")] == [
        ("rows of A sum to 1", "residual", "1e-07", "1e-05", "True", ""),
        ("rows of A sum to 1", "largest score", "5.5", "", "", ""),
        ("attribution sums to the logit", "residual", "0.5", "0.001", "False", ""),
        ("mixed-product rule", "residual", "", "", "", "one head only"),
    ]
