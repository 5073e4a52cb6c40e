"""Beyond a sliding window is masked wherever a pattern is answered, whatever it is pooled to.

What may be looked at is written here from transformers' config, and the weights are transformers'.
"""

import csv
import io
import json

import numpy as np
import pytest

from engine import Engine
from engine.messages import Attention, DestinationRow, RunPrompt, Thumbnails
from engine.messages.records import result_to_json
from gui.figures import rows
from tests.oracles import hugging_face
from tests.oracles.hugging_face import IDS, TEXT, own

SINGLE = 1e-5
KINDS = ("mistral", "gemma2", "qwen2-windows", "llama")


class Opened:
    def __init__(self, kind, folder):
        self.model = hugging_face.write(kind, folder / kind)
        self.engine = Engine()
        self.run = RunPrompt(str(folder / kind), TEXT, prepend_bos=True)
        self.patterns = own(self.model, IDS)[0].numpy()
        self.seen = may_look(self.model.config, len(IDS))


def may_look(config, count):
    """Return [layer, query, key], written out cell by cell."""
    kinds = getattr(config, "layer_types", None) or ["sliding_attention"] * config.num_hidden_layers
    window = getattr(config, "sliding_window", None) or count
    return np.array(
        [
            [
                [key <= query and (kind != "sliding_attention" or query - key < window)
                 for key in range(count)]
                for query in range(count)
            ]
            for kind in kinds
        ]
    )  # fmt: skip


@pytest.fixture(scope="module", params=KINDS)
def opened(request, tmp_path_factory):
    return Opened(request.param, tmp_path_factory.mktemp("models"))


def test_the_oracle_hides_what_transformers_gives_no_weight(opened):
    assert (
        opened.patterns[~np.broadcast_to(opened.seen[:, None], opened.patterns.shape)] == 0
    ).all()
    assert (opened.patterns[np.broadcast_to(opened.seen[:, None], opened.patterns.shape)] > 0).all()


@pytest.mark.parametrize("size", [64, 6, 4, 2, 1])
def test_a_cell_of_a_thumbnail_is_masked_if_all_that_it_pools_is(opened, size):
    found = opened.engine.answer(Thumbnails(opened.run, size))
    cells = found.mask.shape[-1]
    for row in range(cells):
        for column in range(cells):
            part = np.s_[
                ...,
                row * found.block : (row + 1) * found.block,
                column * found.block : (column + 1) * found.block,
            ]
            seen = opened.seen[part].any((-1, -2))
            assert np.array_equal(found.mask[:, row, column], seen)
            meant = np.where(seen[:, None], opened.patterns[part].max((-1, -2)), np.nan)
            np.testing.assert_allclose(found.values[..., row, column], meant, atol=SINGLE)


@pytest.mark.parametrize("position", [-1, 7, 4, 0])
def test_a_row_of_every_head_is_no_number_beyond_the_window(opened, position):
    found = opened.engine.answer(DestinationRow(opened.run, position))
    at = position % len(IDS)
    shape = opened.patterns.shape[:2]
    meant = np.where(opened.seen[:, None], opened.patterns, np.nan)[:, :, at, : at + 1]
    np.testing.assert_allclose(found.values.reshape(*shape, -1), meant, atol=SINGLE)


def test_the_heat_map_agrees(opened):
    for layer, seen in enumerate(opened.seen):
        assert np.array_equal(opened.engine.answer(Attention(opened.run, layer)).mask, seen)


def test_json_says_null_and_a_table_says_nothing(opened):
    heads = opened.patterns.shape[1]
    asked = DestinationRow(opened.run)
    found = opened.engine.answer(asked)
    masked = [[not ok for ok in seen[-1]] for seen in opened.seen for _ in range(heads)]
    plain = json.loads(json.dumps(result_to_json(found)))
    assert [[value is None for value in row] for row in plain["values"]] == masked
    table = list(csv.DictReader(io.StringIO(rows.encode(rows.rows(asked, found, None)).decode())))
    assert [row["pattern"] == "" for row in table] == [one for row in masked for one in row]

    asked = Thumbnails(opened.run, 4)
    found = opened.engine.answer(asked)
    plain = json.loads(json.dumps(result_to_json(found)))
    empty = [[[value is None for value in row] for row in of[1]] for of in plain["values"]]
    assert np.array_equal(empty, ~found.mask)
    table = list(csv.DictReader(io.StringIO(rows.encode(rows.rows(asked, found, None)).decode())))
    listed = {(row["head"], int(row["row"]), int(row["column"])) for row in table}
    assert listed == {
        (f"L{layer}H{number}", row, column)
        for layer, row, column in np.argwhere(found.mask).tolist()
        for number in range(heads)
    }
    assert all(row["pattern"] for row in table)
