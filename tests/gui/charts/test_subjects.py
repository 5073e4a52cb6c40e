"""Charts are values: one for every answer that is drawn, made without matplotlib or cmap."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gui.charts import subjects
from tests.gui.figures import samples

SCRIPT = """
import sys
for name in ("matplotlib", "cmap", "PySide6", "pyqtgraph"):
    sys.modules[name] = None
from gui.charts.chart import Chart
from gui.charts.subjects import chart
from tests.gui.figures import samples
for request, result in samples.everything().values():
    assert isinstance(chart(request, result), Chart)
"""


def test_charts_are_made_without_what_paints_them() -> None:
    root = Path(__file__).parents[3]
    subprocess.run([sys.executable, "-c", SCRIPT], check=True, cwd=root)


def test_every_answer_with_a_chart_has_a_sample() -> None:
    assert {type(request) for request, _ in samples.everything().values()} == subjects.DRAWN


@pytest.mark.parametrize("name", list(samples.everything()))
def test_rows_are_as_wide_as_their_names(name: str) -> None:
    request, result = samples.everything()[name]
    names, *rows = subjects.rows(request, result)
    assert rows
    assert {len(row) for row in rows} == {len(names)}


@pytest.mark.parametrize("answer", [samples.composition(), samples.composition(2, 2)])
def test_composition_is_white_at_what_random_directions_score(answer: Any) -> None:
    matrix: Any = subjects.chart(*answer).parts[0]
    assert matrix.scale.low == answer[1].baseline
    assert matrix.scale.high > matrix.scale.low
