"""The journey that the README's pictures show: each stage is what it says."""

import numpy as np
import pytest

from docs.journey import FIGURE, NAME, ON_BOARD, OTHER, SOURCE, TEXT, journey
from engine.messages import Attention, Head, HeadScores, OVTokens, QKTokens, RunPrompt
from gui.figures import board_file
from gui.state import session_file


def check(window, engine, folder):
    scores = engine.answer(HeadScores("attn-2l", "random")).grid("induction")
    best = Head(*(int(place) for place in np.unravel_index(np.argmax(scores), scores.shape)))
    run = RunPrompt("attn-2l", TEXT)
    labels = engine.answer(run).labels
    query, source = len(labels) - 1, SOURCE
    stages = []

    def look(stage):
        stages.append(stage)
        panels = {panel.title: panel for panel in window.panels}
        selection = window.session.selection
        assert selection.text == (OTHER if stage == "other" else TEXT)
        if stage == "find":
            assert panels["Finder"].isVisible()
        if stage != "type":
            assert selection.head == best
        if stage in ("read", "save", "reopen"):
            pattern = engine.answer(Attention(run, best.layer)).values[best.number, query, source]
            assert f"pattern {pattern:.2f}" in panels["Attention"].cell.text
            ov = OVTokens("attn-2l", best, source="position", run=run, position=source)
            qk = QKTokens("attn-2l", best, source="position", run=run, position=query)
            for title, question in (("OV", ov), ("QK", qk)):
                shown = panels[title].strongest.model()
                told = [shown.index(row, 1).data() for row in range(10)]
                assert told == list(engine.answer(question).labels[:10])
        board = window.session.board.board
        if stage in ("board", "preview", "export", "figure"):
            assert [type(item.request) for item in board.items] == [Attention, OVTokens, QKTokens]
            assert len(board.items) == len(ON_BOARD)
        if stage == "export":
            assert board_file.read(folder / FIGURE).board.items == board.items
        if stage == "take off":
            assert len(board_file.read(folder / NAME).board.items) == len(ON_BOARD)
            assert len(board.items) == len(ON_BOARD) - 1
        if stage == "save":
            saved = session_file.read(folder / NAME)
            assert (saved.selection.text, saved.selection.head) == (TEXT, best)
            assert window.document.name == "coffee"

    journey(window, folder, look)
    assert stages == [
        *("type", "find", "read", "save", "other", "reopen"),
        *("board", "preview", "export", "take off", "figure"),
    ]


def test_typed_found_pinned_read_saved_and_reopened(open_window, engine, tmp_path):
    check(open_window(), engine, tmp_path)


@pytest.mark.display
def test_typed_found_pinned_read_saved_and_reopened_on_a_display(
    qapp, open_window, engine, tmp_path
):
    assert qapp.platformName() == "xcb"
    check(open_window(), engine, tmp_path)
