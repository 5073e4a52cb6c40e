"""Figures of real answers, each read back from its file: page, fonts, text and every cell."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import Engine
from engine import messages as m
from engine.messages import Head
from gui.charts.subjects import DRAWN
from gui.figures import compose, write
from gui.state.difference import Difference
from gui.state.question import answer
from gui.style.theme import DIVERGING, SEQUENTIAL, lut
from tests.gui.figures.reading import Svg, centres, colours, render_pdf

pytestmark = pytest.mark.skipif(
    shutil.which("pdftoppm") is None, reason="poppler-utils is not installed"
)

TEA = m.RunPrompt("attn-2l", "I like green tea, so I drink green")
BLACK = m.RunPrompt("attn-2l", "I like black tea, so I drink black")
OFF = m.RunPrompt("attn-2l", "I like green tea, so I drink green", heads_off=(Head(0, 2),))
TOY = m.RunPrompt("toy", "result = 0 ans return")
BIDI = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F])
DPI = 120


def questions(run: m.RunPrompt, head: Head, token: str) -> dict[str, Any]:
    """Return one question for every picture that can be asked of any model."""
    model = run.model
    return {
        "run-prompt": run,
        "attention": m.Attention(run, head.layer),
        "scores": m.Attention(run, head.layer, "scores"),
        "value-weighted": m.Attention(run, head.layer, "value-weighted"),
        "thumbnails": m.Thumbnails(run),
        "ov-tokens": m.OVTokens(model, head, source="position", run=run, position=-1),
        "qk-tokens": m.QKTokens(model, head, token),
        "spectrum": m.Spectrum(model, head, dense=True),
        "direction": m.Direction(model, head),
        "direct-path": m.DirectPath(model, token),
        "head-output": m.HeadOutput(run, head),
        "logit-attribution": m.LogitAttribution(run, split="sources"),
        "eigenvalues": m.Eigenvalues(model, head),
        "destination-row": m.DestinationRow(run),
        "logit-lens": m.LogitLens(run),
        "head-scores": m.HeadScores(model, "random"),
        "skip-trigrams": m.SkipTrigrams(model, head),
        "workings": m.Workings(run, head),
        "receipts": m.Receipts(run, head),
    }


ASKED = {
    **{
        f"toy {name}": asked
        for name, asked in questions(TOY, Head(0, 0), "result").items()
        if name not in ("scores", "value-weighted")
    },
    "toy table": m.Table("toy", Head(0, 0), "qk"),
    **{f"attn-2l {name}": asked for name, asked in questions(TEA, Head(1, 3), " tea").items()},
    "attn-2l virtual-head": m.VirtualHead(TEA, Head(0, 4), Head(1, 3), " tea"),
    "attn-2l position-qk": m.PositionQK("attn-2l", Head(0, 2), 24),
    "attn-2l composition": m.Composition("attn-2l", "k"),
    "attention of two prompts": Difference(m.Attention(BLACK, 1), m.Attention(TEA, 1)),
    "scores of two prompts": Difference(
        m.Attention(BLACK, 1, "scores"), m.Attention(TEA, 1, "scores")
    ),
    "attention without a head": Difference(m.Attention(OFF, 1), m.Attention(TEA, 1)),
    "destination-row of two prompts": Difference(m.DestinationRow(BLACK), m.DestinationRow(TEA)),
    "logit-attribution without a head": Difference(
        m.LogitAttribution(OFF), m.LogitAttribution(TEA)
    ),
}


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine()


@dataclass
class Grid:
    """What the cells of one framed panel stand for."""

    values: np.ndarray
    mask: np.ndarray
    low: float
    high: float

    def colours(self) -> np.ndarray:
        """Return what each cell is to look like, [row, column, 3], from the maps' definition."""
        share = (np.where(self.mask, self.values, self.low) - self.low) / (self.high - self.low)
        share = np.clip(share, 0.0, 1.0)
        made = lut(DIVERGING if self.low < 0 else SEQUENTIAL).astype(int)[
            np.rint(share * 255).astype(int)
        ]
        made[~self.mask] = 255
        return made


def grids(request: Any, result: Any) -> list[Grid]:
    """Return every heat map of a figure in the order of its frames; none for lists and curves."""

    def many(values: np.ndarray, mask: np.ndarray | None = None, high: float = 1.0, low: float = 0):
        values = values.astype(np.float64)
        seen = np.ones(values.shape[-2:], dtype=bool) if mask is None else mask
        return [Grid(panel, seen, low, high) for panel in values]

    if isinstance(request, Difference):
        change = result.answer.values - result.base.values
        if isinstance(request.request, m.LogitAttribution):
            change = change[[head is not None for head in result.answer.heads]].reshape(2, 8)
        mask = getattr(result.answer, "mask", None)
        shown = change if mask is None else np.where(mask, change, 0.0)
        most = float(np.abs(shown).max())
        return many(shown if shown.ndim == 3 else shown[None], mask, most, -most)
    if isinstance(request, m.Attention):
        most = float(np.abs(result.values[:, result.mask]).max())
        high = 1.0 if request.kind == "pattern" else most
        return many(result.values, result.mask, high, -high if request.kind == "scores" else 0.0)
    if isinstance(request, m.Thumbnails):
        return many(result.values.reshape(-1, *result.values.shape[-2:]), result.mask)
    if isinstance(request, m.Table):
        most = float(np.abs(result.values).max())
        return many(result.values[None], None, most, -most)
    if isinstance(request, m.PositionQK):
        seen = np.isfinite(result.scores)
        most = float(np.abs(result.scores[seen]).max())
        return many(result.scores[None], seen, most, -most)
    if isinstance(request, m.DestinationRow):
        return many(result.values[None])
    if isinstance(request, m.HeadScores):
        shares = [
            result.grid(name)
            for name in result.scores
            if m.MEASURES[name].unit == "1" and "eigenvalue" not in name
        ]
        return many(np.stack(shares))
    if isinstance(request, m.VirtualHead):
        both = np.stack([result.product, result.exact])
        return many(both, np.tri(both.shape[-1], dtype=bool), float(both.max()))
    if isinstance(request, m.Composition):
        earlier, later = sorted({a for a, _ in result.pairs}), sorted({b for _, b in result.pairs})
        values = np.full((len(earlier), len(later)), np.nan)
        for (one, other), score in zip(result.pairs, result.scores.tolist(), strict=True):
            values[earlier.index(one), later.index(other)] = score
        return many(values[None], np.isfinite(values), float(np.nanmax(values)), result.baseline)
    if isinstance(request, m.Workings) and request.run is TEA:
        (step,) = (step for step in result.steps if step.symbol == "A")
        return many(step.values[None], np.tri(len(step.values), dtype=bool))
    return []


def said_by(*command: str) -> str:
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return done.stdout


@pytest.mark.parametrize("name", list(ASKED))
def test_a_figure_is_what_its_answer_says(engine: Engine, tmp_path: Path, name: str) -> None:
    request = ASKED[name]
    result = answer(request, engine.answer)
    pdf, svg_path = tmp_path / "f.pdf", tmp_path / "f.svg"
    write(request, result, pdf)
    write(request, result, svg_path)
    svg = Svg(svg_path)
    assert svg.images == []

    size = re.search(r"Page size: +([\d.]+) x ([\d.]+) pts", said_by("pdfinfo", str(pdf)))
    assert size is not None
    assert float(size[1]) == pytest.approx(3.25 * 72, abs=0.1)
    assert float(size[2]) == pytest.approx(svg.size[1], abs=0.1)

    fonts = said_by("pdffonts", str(pdf)).splitlines()[2:]
    assert fonts
    for line in fonts:
        assert "TrueType" in line, line
        assert "Type 3" not in line, line
        assert line.split()[-5] == "yes", line

    text = re.sub(r"\s", "", said_by("pdftotext", "-enc", "UTF-8", str(pdf), "-").translate(BIDI))
    tokens = compose(request, result).tokens
    assert [token for token in tokens if re.sub(r"\s", "", token) not in text] == []

    expected = grids(request, result)
    if not expected:
        return
    frames = svg.frames()
    assert len(frames) == len(expected) + 1  # the colour bar
    image = render_pdf(pdf, DPI)
    for place, (grid, frame) in enumerate(zip(expected, frames, strict=False)):
        found = colours(image, centres(frame, *grid.values.shape), svg.size[0])
        assert np.abs(found - grid.colours()).max() <= 1, place


def test_tokens_of_the_prompt_stand_along_both_axes(engine: Engine) -> None:
    for name in ("attn-2l attention", "attn-2l scores", "toy attention"):
        result: Any = engine.answer(ASKED[name])
        tokens = compose(ASKED[name], result, head=Head(ASKED[name].layer, 0)).tokens
        assert sorted(tokens) == sorted(2 * result.labels)


def test_every_picture_is_read_back() -> None:
    asked = {type(request) for request in ASKED.values()}
    # Only models with rotary positions answer it: tests/gui/figures/test_positions.py.
    assert DRAWN - asked == {m.QKOffsets}
