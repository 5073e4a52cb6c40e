"""Whatever the window asks has its place among what waits."""

import ast
from pathlib import Path

import pytest

import gui
from engine.messages import QUESTIONS, DownloadModel, LoadModel, RunPrompt
from gui.state.question_table import TABLE, makes_way

GUI = Path(gui.__file__).parent
ASKERS = [*GUI.glob("*.py"), *(GUI / "panels").glob("*.py")]


@pytest.mark.parametrize("path", ASKERS, ids=lambda path: path.stem)
def test_every_question_that_the_window_can_ask_has_a_place_in_the_order(path):
    named = {
        alias.name
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "engine.messages"
        for alias in node.names
    }
    missing = {kind.__name__ for kind in QUESTIONS.values() if kind not in TABLE} & named
    assert not missing, "give it a line in gui.state.question_table.TABLE"


def test_another_model_is_not_kept_waiting_and_the_one_in_use_stops_nothing():
    running = RunPrompt("attn-2l", "w1")
    assert makes_way(running, LoadModel("toy"))
    assert not makes_way(running, LoadModel("attn-2l"))
    assert not makes_way(LoadModel("attn-2l"), LoadModel("toy"))


def test_a_download_makes_way_for_whatever_else_is_asked():
    assert makes_way(DownloadModel("gpt2"), RunPrompt("attn-2l", "w1"))
    assert all(
        TABLE[kind].rank < TABLE[DownloadModel].rank for kind in TABLE if kind != DownloadModel
    )
