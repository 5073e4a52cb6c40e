"""Switch the previous-token head off by mouse and see induction fall, on the real engine."""

import numpy as np
from PySide6.QtCore import Qt

from engine.messages import Head, HeadScores, RunPrompt
from gui.panels.model.heads import HeadsPanel
from gui.panels.prompt.attention import AttentionPanel
from gui.panels.prompt.prompt import PromptPanel
from gui.session.session import Selection
from gui.shell.banners import AblationBar
from tests.app.conftest import settle

INDUCTION, PREVIOUS = Head(1, 3), Head(0, 2)
TEXT = "I like green tea, so I drink green"


def press(qtbot, window, button):
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    settle(qtbot, window)


def click_head(qtbot, window, grid, head):
    at = grid.head_rect(head).center().toPoint()
    qtbot.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=at)
    settle(qtbot, window)


def rows(table, columns):
    model = table.model()
    return [[model.index(r, c).data() for c in columns] for r in range(model.rowCount())]


def induction_of(subtitle):
    told = dict(part.rsplit(" ", 1) for part in subtitle.split(" · "))
    return float(told["induction"])


def test_without_the_previous_token_head_induction_and_its_guess_fall(qtbot, open_window, engine):
    window = open_window(Selection(text=TEXT, head=INDUCTION, head_chosen=True))
    prompt = window.findChild(PromptPanel)
    heads, attention = window.findChild(HeadsPanel), window.findChild(AttentionPanel)
    bar = window.findChild(AblationBar)
    share = dict(rows(prompt.guesses, (1, 3)))["·tea"]
    assert float(share.removesuffix(" %")) > 50
    assert induction_of(attention.subtitle.text()) > 0.9

    click_head(qtbot, window, heads.grid, PREVIOUS)
    press(qtbot, window, attention.switch)
    assert window.session.selection.heads_off == (PREVIOUS,)
    assert bar.heading.text() == "Ablated: L0H2 is switched off"
    click_head(qtbot, window, heads.grid, INDUCTION)
    assert induction_of(attention.subtitle.text()) < 0.1
    left = dict(rows(prompt.guesses, (1, 3)))
    assert float(left["·tea"].removesuffix(" %")) < 10

    press(qtbot, window, bar.difference)
    [tea] = [row for row in rows(prompt.changes, range(4)) if row[0] == "·tea"]
    assert f"{tea[1]} %" == share
    assert f"{tea[2]} %" == left["·tea"]
    whole = engine.answer(RunPrompt("attn-2l", TEXT))
    chance = dict(zip(whole.next_labels, np.exp(whole.next_log_probs), strict=True))["·tea"]
    assert tea[1] == f"{100 * chance:.1f}"
    fed = [place for place, label in enumerate(whole.labels) if label == "·tea"]
    assert attention.heatmap.matrix.values[-1, fed[0]] < -0.3

    press(qtbot, window, bar.on)
    assert not bar.isVisible()
    scores = engine.answer(HeadScores("attn-2l", "random"))
    back = float(scores.grid("induction")[INDUCTION])
    assert induction_of(attention.subtitle.text()) == round(back, 2)
    assert dict(rows(prompt.guesses, (1, 3)))["·tea"] == share
