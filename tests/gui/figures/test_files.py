"""Files of figures: the same bytes again, whole or not at all, refused in a sentence."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from engine import messages
from engine.messages import Head, Refused
from engine.messages.records import request_from_json
from gui.charts.subjects import DRAWN
from gui.figures import write
from gui.state.question import to_json
from tests.gui.figures import samples
from tests.gui.figures.reading import Svg

ROOT = Path(__file__).parents[3]

SCRIPT = """
import sys
sys.modules["PySide6"] = None
from pathlib import Path
from engine.messages import Head
from gui.figures import FigureOptions, Origin, write
from gui.state.question import to_json
from tests.gui.figures import samples
folder = Path(sys.argv[1])
for suffix in ("pdf", "svg", "png"):
    write(*samples.attention(samples.HOSTILE[:6]), folder / f"a.{suffix}", head=Head(1, 3))
labels = samples.tokens(12)
options = FigureOptions(89 / 25.4, 6.0, "transparent", "viridis", "PuOr", 2, "Mine", True, 300)
origin = Origin("abc", labels, tuple(range(12)), (("headscope", "1"), ("torch", "2")))
for suffix in ("pdf", "svg", "png", "npz", "json", "csv", "xlsx"):
    write(*samples.attention(labels), folder / f"o.{suffix}", options, origin=origin)
write(*samples.attention(samples.tokens(65)), folder / "r.svg", head=Head(1, 3))
write(*samples.spectrum(), folder / "s.svg")
assert not any(name.startswith("PySide6.") or name == "torch" for name in sys.modules)
"""


def run_script(folder: Path, **environment: str) -> None:
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(folder)],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_process_without_qt_writes_the_same_bytes_silently_whatever_the_users_style(
    tmp_path: Path,
) -> None:
    style = tmp_path / "style"
    style.mkdir()
    (style / "matplotlibrc").write_text(
        "backend: qtagg\nfont.family: serif\npdf.fonttype: 3\nsavefig.bbox: tight\n"
        "axes.unicode_minus: False\nlines.antialiased: False\ntext.usetex: True\n"
    )
    run_script(tmp_path / "one", PYTHONHASHSEED="1")
    run_script(
        tmp_path / "two", PYTHONHASHSEED="2", MPLCONFIGDIR=str(style), SOURCE_DATE_EPOCH="86400"
    )
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert len(names) == 12
    for name in names:
        first, second = (tmp_path / folder / name for folder in ("one", "two"))
        assert first.read_bytes() == second.read_bytes(), name


@pytest.mark.parametrize("name", list(messages.QUESTIONS))
@pytest.mark.parametrize("suffix", [".svg", ".csv"])
def test_every_question_is_drawn_or_refused_with_those_that_can_be(
    tmp_path: Path, name: str, suffix: str
) -> None:
    path = tmp_path / f"f{suffix}"
    if messages.QUESTIONS[name] in DRAWN:
        write(*samples.everything()[name], path)
        assert path.stat().st_size > 100
        return
    answers: dict[str, tuple[Any, Any]] = {
        "list-models": (
            messages.ListModels(), messages.ModelList((messages.ModelEntry("toy", "toys", "="),))
        ),
        "load-model": (
            messages.LoadModel("toy"),
            messages.ModelFacts(
                "toy", 1, 1, 1, 3, 3, 5, 0, 64, "none", "none", (), 1.7, False, False, 9, 36, "a"
            ),
        ),
        "estimate-model": (
            messages.EstimateModel("toy"),
            messages.ModelEstimate("toy", "toys", 9, 36, 36, 36, 80, 2**30, "", 3, 9),
        ),
        "find-download": (
            messages.FindDownload("gpt2"),
            messages.DownloadPlan("gpt2", "607a30d", ("=a", "b"), np.array([1, 2]), 0, 9),
        ),
        "download-model": (
            messages.DownloadModel("gpt2"), messages.Downloaded("gpt2", 3)
        ),
        "vocabulary": (
            messages.Vocabulary("toy"), messages.VocabularyTokens(("=", ""), ("=", "E6"))
        ),
    }  # fmt: skip
    if suffix == ".csv":
        write(*answers[name], path)
        assert path.stat().st_size > 10
        return
    with pytest.raises(Refused, match=r"draw run-prompt, attention, .* or receipts$"):
        write(*answers[name], path)
    assert not path.exists()


@pytest.mark.parametrize(
    ("path", "options", "said"),
    [
        (
            "f.jpg",
            {},
            r"'f\.jpg' does not end in \.pdf, \.svg, \.png, \.csv, \.xlsx, \.json or \.npz",
        ),
        ("f", {}, "'f' does not end in"),
        ("f.svg", {"head": Head(0, 3)}, r"head 0\.3 is not one of layer 1: choose from 1\.0 to"),
        ("f.csv", {"head": Head(1, 8)}, r"head 1\.8 is not one of layer 1: choose from 1\.0 to"),
    ],
)
def test_what_cannot_be_written_is_refused_in_a_sentence(
    tmp_path: Path, path: str, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(Refused, match=said):
        write(*samples.attention(), tmp_path / path, **options)
    assert list(tmp_path.iterdir()) == []


def test_a_head_is_refused_where_the_question_names_its_own(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="attention only"):
        write(*samples.ov_tokens(), tmp_path / "f.svg", head=Head(1, 3))


def test_no_tokens_are_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="no token"):
        write(*samples.attention(()), tmp_path / "f.svg")


def test_a_file_that_cannot_be_completed_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "f.svg"
    path.write_text("old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write(*samples.table(), path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_question_in_a_file_can_be_asked_again() -> None:
    off = (Head(0, 2), Head(1, 3))
    for name, (request, _) in samples.everything().items():
        if hasattr(request, "run") and request.run is not None:
            more = {"heads_off": off} if name == "head-scores" else {}
            request = replace(request, run=replace(request.run, heads_off=off), **more)
        asked = json.loads(json.dumps(to_json(request)["request"]))
        assert request_from_json(asked) == request


def test_a_file_says_what_question_it_answers_and_holds_no_date(tmp_path: Path) -> None:
    request, result = samples.attention(samples.HOSTILE[:6])
    for suffix in ("pdf", "svg", "png"):
        write(request, result, tmp_path / f"f.{suffix}", head=Head(1, 3))
    with Image.open(tmp_path / "f.png") as image:
        said = json.loads(image.info["Description"])
        assert image.info["Title"] == "Headscope: attention of attn-2l, head 1.3"
    assert said["request"]["question"] == "attention"
    assert said["request"]["run"]["text"] == request.run.text
    assert said["head"] == "1.3"
    svg = Svg(tmp_path / "f.svg")
    purl = "{http://purl.org/dc/elements/1.1/}"
    assert [json.loads(node.text or "") for node in svg.root.iter(f"{purl}description")] == [said]
    assert list(svg.root.iter(f"{purl}date")) == []
    pdf = (tmp_path / "f.pdf").read_bytes()
    assert b'"question": "attention"' in pdf
    assert re.search(rb"/(CreationDate|ModDate)", pdf) is None
