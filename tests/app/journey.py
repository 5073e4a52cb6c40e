"""What somebody does with Headscope, by mouse and keyboard alone."""

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest

from engine.messages import Attention, Head, HeadScores, OVTokens, QKTokens, RunPrompt
from gui.shell.picture_dialog import PictureDialog
from tests.app.conftest import settle

TEXT = "I like coffee in London, so I drink coffee"


def journey(qtbot, window, engine, folder):
    """Type, click a head, pin a token, read both tables, save a picture."""
    panels = {panel.title: panel for panel in window.panels}
    model = "attn-2l"

    prompt = panels["Prompt"]
    qtbot.mouseClick(prompt.edit.viewport(), Qt.MouseButton.LeftButton)
    QTest.keyClick(prompt.edit, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(prompt.edit, TEXT)
    QTest.keyClick(prompt.edit, Qt.Key.Key_Return)
    settle(qtbot, window)
    run = RunPrompt(model, TEXT)
    answer = engine.answer(run)
    assert prompt.subtitle.text() == f"{len(answer.labels)} tokens"
    assert cell(prompt.guesses, 0) == answer.next_labels[0]

    # Find the head that copies what followed last time: the best induction head has a button.
    scores = engine.answer(HeadScores(model, "random")).grid("induction")
    layer, number = np.unravel_index(np.argmax(scores), scores.shape)
    qtbot.mouseClick(panels["Heads"].best.buttons["induction"][0], Qt.MouseButton.LeftButton)
    settle(qtbot, window)
    head = Head(int(layer), int(number))
    assert panels["Attention"].head_label.text() == head.name

    # Another head, by the keyboard, and back by the mouse.
    grid = panels["Heads"].grid
    grid.setFocus()
    QTest.keyClick(grid, Qt.Key.Key_Left if head.number else Qt.Key.Key_Right)
    settle(qtbot, window)
    assert panels["Attention"].head_label.text() != head.name
    qtbot.mouseClick(panels["Heads"].best.buttons["induction"][0], Qt.MouseButton.LeftButton)
    settle(qtbot, window)

    # Pin a cell: a query and the source that it reads.
    attention = panels["Attention"]
    query, source = len(answer.labels) - 2, 3
    place = attention.heatmap.cell_rect(query, source).center().toPoint()
    qtbot.mouseClick(attention.heatmap.viewport(), Qt.MouseButton.LeftButton, pos=place)
    settle(qtbot, window)
    pattern = engine.answer(Attention(run, head.layer)).values[head.number, query, source]
    assert f"pattern {pattern:.2f}" in attention.cell.text

    # Read what it raises and what it looks for.
    ov = engine.answer(OVTokens(model, head, source="position", run=run, position=source))
    qk = engine.answer(QKTokens(model, head, source="position", run=run, position=query))
    assert f"reading {answer.labels[source]} at position {source}" in panels["OV"].sentence.text
    assert f"standing on {answer.labels[query]} (query {query})" in panels["QK"].sentence.text
    for row in range(10):
        assert cell(panels["OV"].strongest, row) == ov.labels[row]
        assert cell(panels["OV"].weakest, row) == ov.bottom_labels[row]
        assert cell(panels["QK"].strongest, row) == qk.labels[row]

    # Make the first raised token the next question.
    raised = panels["OV"].strongest
    place = raised.visualRect(raised.model().index(0, 1)).center()
    qtbot.mouseClick(raised.viewport(), Qt.MouseButton.LeftButton, pos=place)
    settle(qtbot, window)
    asked = engine.answer(OVTokens(model, head, int(ov.ids[0])))
    assert panels["OV"].sentence.text.startswith(f"reading {ov.labels[0]}, ")
    assert cell(raised, 0) == asked.labels[0]
    assert f"rank {asked.rank:,} of {asked.d_vocab:,}" in panels["OV"].rank.text

    # Save a picture at twice the size.
    window.save_picture()
    dialog = window.findChild(PictureDialog)
    assert dialog.isVisible()
    dialog.save(folder / "picture.png")
    assert QImage(str(folder / "picture.png")).size() == window.size() * 2


def cell(ranked, row):
    """Return the token in a row of a list."""
    return ranked.model().index(row, 1).data()
