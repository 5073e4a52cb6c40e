"""The skip-trigrams panel: its list, its filter, and where a click leads."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from engine.messages import Head, SkipTrigrams
from gui.panels.head.skip_trigrams import SkipTrigramsPanel
from gui.state.selection import OVQuestion, QKQuestion
from tests.gui.fake_answers import MOST, SILENT
from tests.gui.fake_engine import FakeEngine


@pytest.fixture
def panel(show):
    return show(SkipTrigramsPanel)


def asked(panel):
    return panel.wants()["trigrams"]


def cells(table):
    model = table.model()
    return [
        [model.index(row, column).data() for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def click_row(qtbot, table, row):
    at = table.visualRect(table.model().index(row, 0)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=at)


def test_each_row_has_three_tokens_both_factors_and_their_product(panel, session):
    found = panel.known("trigrams")
    assert asked(panel) == SkipTrigrams("attn-2l", session.selection.head, 10)
    assert len(cells(panel.table)) == 10
    tokens, qk, ov, product = cells(panel.table)[0]
    first = (found.source_labels[0], found.query_labels[0], found.out_labels[0])
    assert tokens == "{} … {} → {}".format(*first)
    assert (qk, ov) == (f"{found.qk[0]:.2f}", f"{found.ov[0]:.2f}")
    assert product == f"{found.values[0]:.2f}"
    assert panel.subtitle.text() == "the strongest"


def test_the_rule_of_ranking_is_said(panel):
    assert panel.known("trigrams").rule in panel.sentence.text


def test_a_click_asks_ov_about_the_source_and_qk_about_the_query(qtbot, panel, session, settle):
    session.ask_ov(direction="source")
    session.ask_qk(side="key")
    settle(panel)
    click_row(qtbot, panel.table, 3)
    settle(panel)
    found = panel.known("trigrams")
    assert session.selection.ov == OVQuestion(int(found.source_ids[3]), "output")
    assert session.selection.qk == QKQuestion(int(found.query_ids[3]), "query")
    source, query, out = (
        labels[3] for labels in (found.source_labels, found.query_labels, found.out_labels)
    )
    assert panel.small.text.startswith(f"from {query}, reading {source}: score ")
    assert f"on the logit of {out} = {found.values[3]:.2f}" in panel.small.text
    session.pin(2)
    settle(panel)
    assert panel.small.text.startswith("Click a row")


def test_enter_on_a_row_does_the_same(qtbot, panel, session):
    panel.table.setCurrentIndex(panel.table.model().index(1, 0))
    QTest.keyClick(panel.table, Qt.Key.Key_Return)
    assert session.selection.ov.token == panel.known("trigrams").source_ids[1]


def test_typing_narrows_the_sources(qtbot, panel, session, settle):
    panel.filter.setFocus()
    QTest.keyClicks(panel.filter, "w7")
    assert asked(panel).filter == "w7"
    qtbot.waitUntil(lambda: panel.current("trigrams", asked(panel)) is not None)
    settle(panel)
    assert {row[0].split(" … ")[0] for row in cells(panel.table)} == {"·w7"}


def test_a_space_may_be_typed_as_it_is_shown(panel, settle):
    panel.filter.setText("·w7")
    assert asked(panel).filter == " w7"


def test_a_filter_that_no_token_fits_is_refused_in_a_sentence(panel, settle):
    panel.filter.setText("zebra")
    panel.refresh()
    settle(panel)
    assert panel.state == "failed"
    assert "no token of attn-2l contains 'zebra'" in panel.notice.text()
    panel.filter.clear()
    panel.refresh()
    settle(panel)
    assert panel.notice.text() == ""


def test_another_model_is_asked_about_all_its_tokens(panel, session, settle):
    panel.filter.setText("w7")
    panel.refresh()
    settle(panel)
    session.open_model("another")
    settle(panel)
    assert asked(panel).filter == ""


def test_more_are_listed_on_demand_and_the_end_is_told(qtbot, panel, settle):
    qtbot.mouseClick(panel.how_many._buttons["200"], Qt.MouseButton.LeftButton)
    settle(panel)
    assert asked(panel).k == 200
    assert len(cells(panel.table)) == MOST
    assert panel.subtitle.text() == "all there are"


def test_a_head_without_any_says_why(panel, session, settle):
    session.choose_head(SILENT)
    settle(panel)
    assert not panel.table.isVisible()
    assert panel.small.text.startswith("This head has no skip-trigram: no source has both")
    session.choose_head(Head(0, 1))
    settle(panel)
    assert panel.table.isVisible()


def test_where_it_is_narrow_the_product_alone_stands_beside_the_tokens(panel, settle, qtbot):
    panel.resize(300, 500)
    qtbot.waitUntil(lambda: len(cells(panel.table)[0]) == 2)
    panel.resize(600, 500)
    qtbot.waitUntil(lambda: len(cells(panel.table)[0]) == 4)


def test_distance_is_asked_for_only_where_scores_depend_on_it(panel):
    assert not panel.back.isVisible()
    assert asked(panel).offset == 0


@pytest.mark.parametrize("engine", [FakeEngine(positions="rotary")])
def test_a_rotary_model_is_asked_about_a_distance(qtbot, show, settle):
    panel = show(SkipTrigramsPanel)
    assert not panel.back.isHidden()
    assert asked(panel).offset == 1
    panel.back.setFocus()
    QTest.keyClick(panel.back, Qt.Key.Key_Up)
    assert asked(panel).offset == 2
    qtbot.waitUntil(lambda: panel.current("trigrams", asked(panel)) is not None)


def test_a_click_far_down_leaves_the_rows_where_they_are(qtbot, panel, settle):
    qtbot.mouseClick(panel.how_many._buttons["50"], Qt.MouseButton.LeftButton)
    settle(panel)
    bar = panel.table.verticalScrollBar()
    bar.setValue(20)
    click_row(qtbot, panel.table, 22)
    settle(panel)
    assert bar.value() == 20
    QTest.keyClick(panel.table, Qt.Key.Key_Down)
    assert panel.table.currentIndex().row() == 23
