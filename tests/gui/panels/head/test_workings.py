"""The panel Workings: both conventions, numbers read out, clicks that pin, jumps to a part."""

import numpy as np
import pytest
from PySide6.QtCore import Qt

from engine.messages import Head, Workings
from gui.panels.head.head_steps import WorkingsPanel, einsum, entry, formula, sentence
from gui.widgets.matrix_list import ListCell


@pytest.fixture
def panel(show):
    return show(WorkingsPanel)


def number_of(panel, symbol):
    return [step.symbol for step in panel.known("shown").steps].index(symbol)


def place(panel, symbol, row, column):
    cell = ListCell(number_of(panel, symbol), row, column)
    panel.sheet.show_entry(cell.entry)
    return panel.sheet.cell_rect(cell).center().toPoint()


def click(qtbot, panel, symbol, row, column):
    at = place(panel, symbol, row, column)
    qtbot.mouseClick(panel.sheet.viewport(), Qt.MouseButton.LeftButton, pos=at)


def choose(qtbot, panel, convention):
    button = panel.convention._buttons[convention]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.wait(20)


def test_it_follows_the_pinned_query(panel, session, settle):
    assert panel.wants()["shown"].query == len(panel.known("run").labels) - 1
    session.pin(3)
    settle(panel)
    assert panel.wants()["shown"] == Workings(session.run, session.selection.head, 3)
    assert "(query 3)" in panel.follow.text


def test_the_sentence_says_score_divisor_and_share(panel):
    found = panel.known("shown")
    source = int(panel.follow.text.partition("source ")[2].partition(")")[0])
    share = found.step("A").values[found.query, source]
    assert f"{100 * share:.1f} % of the attention" in panel.follow.text
    assert "÷ 2.5 =" in panel.follow.text


def test_a_click_in_the_pattern_pins_query_and_source(qtbot, panel, session, settle):
    click(qtbot, panel, "A", 5, 2)
    settle(panel)
    assert (session.selection.query, session.selection.source) == (5, 2)
    assert panel.sheet.placed()[number_of(panel, "A")].entry.marked == (5, 2)
    assert "(query 5)" in panel.follow.text
    assert "(source 2)" in panel.follow.text


def test_a_shorter_prompt_forgets_a_cell_that_lay_beyond_it(qtbot, panel, session, settle):
    click(qtbot, panel, "A", 5, 2)
    settle(panel)
    assert panel.cell.text.startswith("A: ")
    session.set_text("tea")
    settle(panel)
    assert len(panel.known("run").labels) <= 5
    assert panel.cell.text == "Point at a number, or click it to pin its row and column."


def test_a_click_on_the_future_pins_only_the_query(qtbot, panel, session):
    click(qtbot, panel, "S", 2, 5)
    assert (session.selection.query, session.selection.source) == (2, None)


def test_a_click_on_a_row_of_q_pins_the_query_and_on_one_of_k_the_source(qtbot, panel, session):
    click(qtbot, panel, "Q", 4, 1)
    assert (session.selection.query, session.selection.source) == (4, None)
    click(qtbot, panel, "K", 2, 0)
    assert session.selection.source == 2


def test_a_click_on_a_weight_pins_nothing_but_is_read_out(qtbot, panel, session):
    before = session.selection
    click(qtbot, panel, "W_Q", 3, 1)
    assert session.selection == before
    assert panel.cell.text.startswith("W_Q: d_model 3, d_head 1: ")


def test_the_mouse_over_a_score_reads_out_how_it_is_made(qtbot, panel):
    found = panel.known("shown")
    qtbot.mouseMove(panel.sheet.viewport(), place(panel, "S", 5, 2))
    qtbot.waitUntil(lambda: panel.cell.text.startswith("S: query 5 "))
    q, k = found.step("Q").values[5], found.step("K").values[2]
    assert panel.cell.text.count(" · ") == len(q)
    value = float(panel.cell.text.rpartition("= ")[2].replace("−", "-"))
    assert value == pytest.approx(q @ k, rel=1e-3)
    assert found.step("S").row_labels[5] in panel.cell.text


def test_the_future_is_said_not_to_be_looked_at(panel):
    for symbol in ("A", "S/√d"):
        assert "in the future" in panel.describe(ListCell(number_of(panel, symbol), 2, 4))


def test_the_papers_convention_turns_weights_and_leaves_the_rest(qtbot, panel):
    found = panel.known("shown")
    choose(qtbot, panel, "papers")
    for step, placed in zip(found.steps, panel.sheet.placed(), strict=True):
        weight = step.symbol.startswith("W_")
        expected = step.values.T if weight else step.values
        np.testing.assert_array_equal(placed.entry.grid.values, expected)
        assert placed.entry.grid.titles == (step.axes[::-1] if weight else step.axes)


def test_a_cell_of_a_turned_matrix_is_read_out_by_its_own_row_and_column(qtbot, panel):
    value = panel.known("shown").step("W_Q").values[3, 1]
    choose(qtbot, panel, "papers")
    text = panel.describe(ListCell(number_of(panel, "W_Q"), 1, 3))
    assert text.startswith("W_Q: d_head 1, d_model 3: ")
    assert float(text.rpartition(": ")[2].replace("−", "-")) == pytest.approx(value, rel=1e-3)


def test_the_index_strings_make_what_is_shown_in_both_conventions(panel):
    found = panel.known("shown")
    source = 1
    for convention in ("rows", "papers"):
        shown = {
            step.symbol: entry(found, step, convention, source).grid.values for step in found.steps
        }
        for step in found.steps:
            if step.operands:
                told = einsum(step, convention)
                indices = told.partition('"')[2].partition('"')[0]
                names = told.rpartition('", ')[2].rstrip(")").split(", ")
                made = np.einsum(indices, *(shown[name] for name in names))
                np.testing.assert_allclose(made, shown[step.symbol], atol=1e-12)


def test_formulas_and_sentences_follow_the_convention(panel):
    found = panel.known("shown")
    assert formula(found.step("Q"), "rows") == "Q = X W_Q"
    assert formula(found.step("Q"), "papers") == "Q = X W_Qᵀ"
    assert formula(found.step("W_Q"), "papers") == "W_Q"
    assert formula(found.step("W_OV"), "papers") == "W_OV = W_O W_V"
    assert formula(found.step("S/√d"), "rows") == "S/√d = S / 2.5, masked"
    assert "read (down)" in sentence(found.step("W_OV"), "rows")
    assert "read (across)" in sentence(found.step("W_OV"), "papers")
    assert "written (down)" in sentence(found.step("W_OV"), "papers")


def test_a_button_goes_to_its_part_and_scrolling_back_chooses_the_first(qtbot, panel):
    qtbot.mouseClick(panel.part._buttons["what"], Qt.MouseButton.LeftButton)
    top = panel.sheet.verticalScrollBar().value()
    first = panel.sheet.placed()[number_of(panel, "W_V")]
    assert top == int(first.box.top())
    panel.sheet.verticalScrollBar().setValue(0)
    assert panel.part.value() == "input"


def test_page_down_and_arrows_walk_through_the_matrices(qtbot, panel, session):
    panel.sheet.setFocus()
    qtbot.keyClick(panel.sheet, Qt.Key.Key_PageDown)
    assert panel.cell.text.startswith("W_E: ")
    qtbot.keyClick(panel.sheet, Qt.Key.Key_Right)
    assert "d_model 1" in panel.cell.text


def test_another_query_leaves_the_sheet_where_it_was(qtbot, panel, settle):
    panel.sheet.show_part("What to move")
    before = panel.sheet.verticalScrollBar().value()
    click(qtbot, panel, "r", 4, 0)
    after_click = panel.sheet.verticalScrollBar().value()
    settle(panel)
    assert panel.sheet.verticalScrollBar().value() == after_click >= before > 0


def test_another_head_is_named(panel, session, settle):
    session.choose_head(Head(1, 2))
    settle(panel)
    assert panel.head_label.text() == "L1H2"
