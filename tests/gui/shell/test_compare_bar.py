"""Two prompts compared: the banner that holds the second, and what the panels make of it."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from engine.messages import Attention, DestinationRow, Head, RunPrompt
from gui.panels.prompt.attention import AttentionPanel
from gui.panels.prompt.attribution import AttributionPanel
from gui.panels.prompt.destination_row import PosterPanel
from gui.session.session import Selection, Session
from gui.shell.banners import SAME, CompareBar
from gui.style.formatting import fixed
from tests.gui.fake_answers import SCALE

LEFT = "one two three four five six"
SWAPPED = "one two three nine five six"
LONGER = "one new two three nine five six"
OTHER = "seven eight nine ten eleven twelve thirteen"


@pytest.fixture
def bar(qtbot, session, client):
    bar = CompareBar(session, client)
    qtbot.addWidget(bar)
    bar.resize(900, 120)
    client.start()
    return bar


@pytest.fixture
def compare(session, settle):
    """Compare two prompts and wait for a panel."""

    def made(panel, other, side="difference"):
        session.set_text(LEFT)
        session.compare_with(other)
        session.set_compare(side)
        settle(panel)

    return made


def press(qtbot, button):
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def runs(engine, session):
    return engine._RunPrompt(session.run), engine._RunPrompt(session.other_run)


def test_the_keys_open_and_close_it_and_the_text_is_there_to_be_changed(qtbot, window, session):
    bar = window.compare_bar
    assert not bar.isVisible()
    QTest.keyClick(
        window, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    )
    qtbot.waitUntil(bar.isVisible)
    assert session.selection.other_text == session.selection.text
    assert session.side == "difference"
    assert bar.edit.hasFocus()
    assert bar.edit.textCursor().selectedText() == session.selection.text
    qtbot.waitUntil(lambda: bar.text.text == SAME)
    QTest.keyClicks(bar.edit, "another")
    qtbot.waitUntil(lambda: session.selection.other_text == "another")
    QTest.keyClick(bar.edit, Qt.Key.Key_Escape)
    assert session.selection.other_text is None
    assert not bar.isVisible()
    bar.toggle()
    assert session.selection.other_text == "another"


def test_a_session_that_begins_with_two_prompts_says_so(qtbot, client):
    host = QWidget()
    qtbot.addWidget(host)
    bar = CompareBar(Session(Selection(text=LEFT, other_text=SWAPPED)), client)
    bar.setParent(host)
    host.show()
    assert bar.isVisible()
    assert bar.edit.toPlainText() == SWAPPED


def test_it_says_how_the_tokens_stand_for_each_other(bar, session, settle, engine):
    session.set_text(LEFT)
    session.compare_with(SWAPPED)
    settle()
    left, right = runs(engine, session)
    assert bar.text.text.startswith(
        f"7 tokens each, one to one; 1 differs: {left.labels[4]} | {right.labels[4]} (position 4)."
    )
    session.compare_with(LONGER)
    settle()
    assert bar.text.text.startswith(
        "7 tokens left, 8 right: 6 in common, 1 replaced, 0 only left (−), 1 only right (+)."
    )
    session.compare_with(OTHER)
    settle()
    assert bar.text.text.startswith("Left and right cannot be subtracted")


def test_a_second_prompt_that_cannot_be_run_is_told_where_it_is_typed(bar, session, settle):
    session.compare_with("unreadable")
    settle()
    assert bar.text.text.startswith("The right prompt was not run: 'unreadable' is not a word")


def test_what_the_tokenizer_changes_in_the_second_prompt_is_said_where_it_is_typed(
    bar, session, settle, engine
):
    engine.spelling = lambda text: text.replace("3", "2")
    session.compare_with("w1 w3")
    settle()
    assert bar.text.text.endswith("changes the text: “w3” is read as “w2”.")


def test_swap_puts_the_right_prompt_on_the_left(qtbot, bar, session):
    session.set_text(LEFT)
    session.compare_with(SWAPPED)
    press(qtbot, bar.swap)
    assert session.selection.text == SWAPPED
    assert bar.edit.toPlainText() == LEFT
    press(qtbot, bar.end)
    assert session.selection.other_text is None


def test_the_panels_offer_the_sides_only_while_there_are_two_prompts(qtbot, show, session, compare):
    panel = show(AttentionPanel)
    assert panel.side.isHidden()
    compare(panel, SWAPPED, "left")
    assert not panel.side.isHidden()
    press(qtbot, panel.side._buttons["right"])
    assert session.side == "right"
    session.compare_with(None)
    assert panel.side.isHidden()


def test_attention_shows_the_second_prompt_and_pins_in_the_first(
    qtbot, show, session, compare, settle, engine
):
    panel = show(AttentionPanel)
    compare(panel, LONGER, "right")
    _, right = runs(engine, session)
    shown = panel.heatmap.matrix
    found = engine._Attention(Attention(session.other_run, 0))
    np.testing.assert_array_equal(shown.values, found.values[0])
    assert shown.labels[0] == right.labels
    assert "(query 7)" in panel.sentence.text
    place = panel.heatmap.cell_rect(5, 3).center().toPoint()
    qtbot.mouseClick(panel.heatmap.viewport(), Qt.MouseButton.LeftButton, pos=place)
    settle(panel)
    assert (session.selection.query, session.selection.source) == (4, 2)
    assert panel.heatmap._pinned == (5, 3)
    panel.strip.clicked.emit(7)
    settle(panel)
    assert session.selection.query == 6
    session.pin(4, 2)
    settle(panel)
    place = panel.heatmap.cell_rect(2, 1).center().toPoint()
    qtbot.mouseClick(panel.heatmap.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert (session.selection.query, session.selection.source) == (4, 2)


def test_a_cell_of_a_token_that_only_the_left_prompt_has_says_so(show, session, compare):
    panel = show(AttentionPanel)
    compare(panel, "one two three five six")
    places = panel._drawn.axis.places
    lone = [slot for slot, place in enumerate(places) if place.now is None]
    assert lone
    told = panel.describe(lone[0], 0)
    assert told.endswith("in the left prompt only, so there is no difference")


def test_attention_takes_the_left_pattern_off_the_right_one(show, session, compare, engine):
    panel = show(AttentionPanel)
    session.choose_head(Head(1, 1))
    compare(panel, SWAPPED)
    left, right = (
        engine._Attention(Attention(run, 1)).values[1] for run in (session.run, session.other_run)
    )
    shown = panel.heatmap.matrix
    np.testing.assert_array_equal(shown.values, right - left)
    assert shown.colouring.colours == "diverging"
    assert shown.colouring.low == -shown.colouring.high == -np.abs(right - left).max()
    assert shown.unit == "right − left: attention"
    assert " | " in shown.labels[0][4]
    change = fixed(right[5, 2] - left[5, 2], 2, signed=True)
    told = f"pattern {left[5, 2]:.2f} left, {right[5, 2]:.2f} right, right − left {change}"
    assert told in panel.describe(5, 2)
    assert "more (+, blue) or less (−, red) on the right than on the left" in panel.sentence.text


def test_attention_draws_only_what_both_prompts_have(show, session, compare, engine):
    panel = show(AttentionPanel)
    compare(panel, LONGER)
    left, right = (
        engine._Attention(Attention(run, 0)).values[0] for run in (session.run, session.other_run)
    )
    shown = panel.heatmap.matrix
    has = [0, 1, 3, 4, 5, 6, 7]
    np.testing.assert_array_equal(
        np.tril(shown.values[np.ix_(has, has)]), np.tril(right[np.ix_(has, has)] - left)
    )
    assert not shown.mask[2].any()
    assert not shown.mask[:, 2].any()
    assert shown.labels[0][2].startswith("+ ")
    assert "in the right prompt only" in panel.describe(5, 2)
    assert "query 4 | 5 " in panel.describe(5, 1)


def test_the_strip_is_the_left_prompt_coloured_by_the_change(
    qtbot, show, session, compare, settle, engine
):
    panel = show(AttentionPanel)
    compare(panel, LONGER)
    left, _ = runs(engine, session)
    assert panel.strip._labels == left.labels
    shown = panel.heatmap.matrix.values[7]
    np.testing.assert_array_equal(panel.strip._values, np.delete(shown, 2))
    panel.strip.clicked.emit(3)
    settle(panel)
    assert session.selection.query == 3
    assert panel.heatmap._pinned[0] == 4


def test_prompts_with_too_little_in_common_are_refused_in_the_panel_and_seen_by_themselves(
    qtbot, show, session, compare, settle
):
    panel = show(AttentionPanel)
    compare(panel, OTHER)
    assert panel.showing_wait
    assert panel.waiting_text.startswith("Left and right cannot be subtracted")
    press(qtbot, panel.side._buttons["right"])
    settle(panel)
    assert not panel.showing_wait
    assert len(panel.heatmap.matrix.labels[0]) == 8


def test_a_second_prompt_that_was_not_run_is_no_riddle_in_the_panel(show, compare):
    panel = show(AttentionPanel)
    compare(panel, "unreadable")
    assert panel.state == "failed"
    assert panel.notice.text().startswith("The right prompt was not run: see the line")


def test_where_the_pinned_token_has_no_counterpart_the_last_that_has_is_read_from(
    show, session, compare, settle
):
    panel = show(AttentionPanel)
    compare(panel, "one two three four", "difference")
    settle(panel)
    assert "(query 4)" in panel.sentence.text
    assert "(position 6), which is pinned, is in the left prompt only" in panel.sentence.text


def test_poster_takes_the_rows_of_the_left_prompt_off(qtbot, show, session, compare, engine):
    panel = show(PosterPanel)
    compare(panel, LONGER)
    assert panel.wants()["rows"] == DestinationRow(session.other_run, 7)
    assert panel.wants()["before"] == DestinationRow(session.run, 6)
    left, right = (panel.known(slot).values for slot in ("before", "rows"))
    shown = panel.map.matrix
    np.testing.assert_array_equal(np.delete(shown.values, 2, 1), np.delete(right, 2, 1) - left)
    assert np.isnan(shown.values[:, 2]).all()
    assert shown.unit == "right − left: attention"
    assert shown.colouring.low == -shown.colouring.high
    now, before = right[4, 4], left[4, 3]
    change = fixed(now - before, 2, signed=True)
    told = f"attention {before:.2f} left, {now:.2f} right, right − left {change}"
    assert told in panel.describe(4, 4)
    assert "(position 3 | 4)" in panel.describe(4, 4)
    assert "in the right prompt only" in panel.describe(4, 2)
    place = panel.map.cell_rect(0, 4).center().toPoint()
    QTest.mouseClick(panel.map.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert (session.selection.query, session.selection.source) == (6, 3)


def test_poster_by_source_begins_with_the_largest_change(show, session, compare, settle, qtbot):
    panel = show(PosterPanel)
    compare(panel, SWAPPED)
    session.pin(6, 2)
    press(qtbot, panel.order._buttons["source"])
    settle(panel)
    fallen = np.abs(panel.map.matrix.values[:, 2])
    assert (np.diff(fallen) <= 0).all()


def test_attribution_takes_what_the_parts_give_on_the_left_off(show, session, compare):
    panel = show(AttributionPanel)
    compare(panel, LONGER)
    left, right = panel.known("parts before"), panel.known("parts")
    np.testing.assert_array_equal(panel._drawn.values, right.values - left.values)
    head = Head(1, 2)
    at = right.heads.index(head)
    assert panel.map.matrix.values[head] == right.values[at] - left.values[at]
    assert panel.map.matrix.unit == "right − left: logit"
    now, before = (fixed(found.values[at], 2, signed=True) for found in (right, left))
    assert f"L1H2: left {before}, right {now}, right − left " in panel.describe(*head)
    logits = [fixed(found.logit, 2) for found in (right, left)]
    assert f"= logit {logits[0]} (right) − logit {logits[1]} (left)" in panel.sum.text


def test_attribution_by_source_sums_to_the_change_of_the_head(show, session, compare):
    panel = show(AttributionPanel)
    compare(panel, LONGER)
    head = session.selection.head
    at = panel._drawn.heads.index(head)
    assert panel._by_source().sum() == pytest.approx(panel._drawn.values[at], abs=1e-12)
    new = panel.known("output").by_source[2] / SCALE
    assert panel._by_source()[2] == new
    model = panel.sources.model()
    assert any(model.index(row, 1).data().startswith("+ ") for row in range(model.rowCount()))


def test_attribution_says_where_the_targets_differ(show, session, compare, settle, qtbot):
    panel = show(AttributionPanel)
    compare(panel, "one two three four five nine")
    left, right = panel.known("parts before"), panel.known("parts")
    assert left.target_id != right.target_id
    assert "The targets differ" in panel.sentence.text
    assert f"the logit of {left.target_label} is " in panel.sentence.text
    assert f"that of {right.target_label} " in panel.sentence.text
    compare(panel, SWAPPED)
    assert "The targets differ" not in panel.sentence.text


def test_poster_and_attribution_show_what_heads_that_are_off_changed(show, session, settle):
    poster, attribution = show(PosterPanel), show(AttributionPanel)
    session.set_heads_off([Head(0, 2)])
    session.set_difference(True)
    settle(poster, attribution)
    now, before = poster.known("rows"), poster.known("before")
    np.testing.assert_array_equal(poster.map.matrix.values, now.values - before.values)
    assert poster.map.matrix.unit == "L0H2 off − whole model: attention"
    assert attribution.wants()["parts before"].run == session.whole_run
    assert "L0H2 off − whole model" in attribution.sentence.text


def test_a_panel_that_shows_the_left_prompt_asks_for_no_other(show, session, engine, settle):
    show(AttentionPanel)
    session.compare_with(SWAPPED)
    settle()
    assert RunPrompt("attn-2l", SWAPPED) not in engine.asked


def test_a_card_that_shows_the_left_prompt_says_so_while_others_show_the_right(
    qtbot, window, session, client
):
    cards = {panel.title: panel for panel in window.panels if panel.isVisible()}
    session.set_text(LEFT)
    session.compare_with(SWAPPED)
    for side, told in (("left", False), ("right", True), ("difference", True)):
        session.set_compare(side)
        qtbot.waitUntil(lambda: not client.busy)
        assert cards["Heads"].frame.prompt.isVisibleTo(cards["Heads"].header) is told, side
        assert not cards["Attention"].frame.prompt.isVisibleTo(cards["Attention"].header)
    assert cards["Heads"].frame.prompt.text() == "left prompt"
