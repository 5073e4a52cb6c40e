"""Figures of scores against distance and position: every value where its number says."""

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch
from matplotlib.text import Text

from engine.messages import (
    ComplexValues,
    Composition,
    CompositionScores,
    Eigenvalues,
    Head,
    QKDirection,
)
from gui.figures import compose, write
from gui.figures.page import Page
from gui.style.theme import LIGHT
from tests.gui.figures import samples


def drawn(page: Page, colour: str, points: int) -> np.ndarray:
    """Return the [point, 2] of the one line of a colour with so many points."""
    lines = [line for line in page.figure.findobj(Line2D) if line.get_color() == colour]
    (found,) = [line for line in lines if len(line.get_xdata()) == points]
    return np.array([found.get_xdata(), found.get_ydata()]).T


def words(page: Page) -> str:
    return " ".join(text.get_text() for text in page.figure.findobj(Text))


def test_pair_mean_and_band_stand_on_one_scale() -> None:
    request, result = samples.qk_offsets()
    page = compose(request, result)
    mean, pair = (drawn(page, colour, 65) for colour in (LIGHT.text, LIGHT.curve_qk))
    unit, zero = np.polyfit(result.mean, mean[:, 1], 1)
    assert unit < 0, "larger values stand higher"
    np.testing.assert_allclose(mean[:, 1], zero + unit * result.mean, atol=1e-6)
    np.testing.assert_allclose(pair[:, 1], zero + unit * result.scores, atol=1e-6)
    np.testing.assert_allclose(pair[:, 0], mean[:, 0])
    steps = np.diff(mean[:, 0])
    np.testing.assert_allclose(steps, steps[0])
    (band,) = [
        patch.get_path().vertices.reshape(-1, 5, 2)
        for patch in page.figure.findobj(PathPatch)
        if len(patch.get_path().vertices) == 5 * 65
    ]
    top, bottom = band[:, 0, 1], band[:, 2, 1]
    np.testing.assert_allclose(top, zero + unit * (result.mean + result.deviation), atol=1e-6)
    np.testing.assert_allclose(bottom, zero + unit * (result.mean - result.deviation), atol=1e-6)


def test_the_offset_that_stands_out_is_told() -> None:
    request, result = samples.qk_offsets()
    told = words(compose(request, result))
    assert "after the first MLP" in told
    assert "1 token back: 2.7 standard deviations above" in told
    told = words(compose(request, replace(result, best_z=float("nan"))))
    assert "1 token back" in told
    assert "deviations above" not in told


def test_rows_of_distance_hold_every_number(tmp_path: Path) -> None:
    request, result = samples.qk_offsets()
    write(request, result, tmp_path / "f.csv")
    with (tmp_path / "f.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for name, column in (
        ("offset", result.offsets),
        ("score", result.scores),
        ("mean", result.mean),
        ("deviation", result.deviation),
    ):
        assert [float(row[name]) for row in rows] == column.tolist()


def test_rows_of_positions_hold_every_cell_that_is_seen_and_the_means(tmp_path: Path) -> None:
    request, result = samples.position_qk(5)
    write(request, result, tmp_path / "f.csv")
    with (tmp_path / "f.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    cells = [row for row in rows if row["query"] != "mean"]
    assert len(cells) == 15
    for row in cells:
        query, key = int(row["query"]), int(row["key"])
        assert int(row["offset"]) == query - key
        assert float(row["score"]) == result.scores[query, key]
    assert [float(row["score"]) for row in rows if row["query"] == "mean"] == result.mean.tolist()


def of_qk() -> list[tuple[object, object]]:
    head = Head(1, 3)
    _, ov = samples.direction()
    fields = {name.replace("read", "query").replace("write", "key"): value
              for name, value in vars(ov).items()}  # fmt: skip
    scored = samples.composition()[1]
    values = samples.eigenvalues()[1]
    assert isinstance(scored, CompositionScores)
    assert isinstance(values, ComplexValues)
    spectrum, curve = samples.spectrum()
    table, cells = samples.table()
    return [
        samples.qk_tokens(),
        (replace(spectrum, circuit="qk"), curve),
        (replace(samples.direction()[0], circuit="qk"), QKDirection(**fields)),
        (replace(table, circuit="qk"), replace(cells, divisor=2.0)),
        (Eigenvalues("smollm2", head, "qk"), values),
        (Composition("smollm2", "k"), scored),
        samples.skip_trigrams(),
    ]


@pytest.mark.parametrize("place", range(7))
def test_what_depends_on_distance_says_which(place: int) -> None:
    request, result = of_qk()[place]
    assert "0 tokens back" in words(compose(request, replace(result, offset=0)))  # type: ignore[type-var]
    assert "1 token back" in words(compose(request, replace(result, offset=1)))  # type: ignore[type-var]
    assert " back" not in words(compose(request, replace(result, offset=None)))  # type: ignore[type-var]
