"""Whatever the window asks has its place among what waits."""

import ast
from pathlib import Path

import pytest

import gui
from engine.messages import QUESTIONS
from gui.question_order import ORDER

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
    missing = {kind.__name__ for kind in QUESTIONS.values() if kind not in ORDER} & named
    assert not missing, "give it a line in gui.question_order.ORDER"
