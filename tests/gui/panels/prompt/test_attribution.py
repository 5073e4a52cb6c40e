"""Attribution: the target, the contrast, the open head by source, and that it all sums."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from engine.messages import Head, HeadOutput, LogitAttribution
from gui.charts.attribution import map_of
from gui.panels.prompt import attribution_text
from gui.panels.prompt.attribution import AttributionPanel
from gui.style.formatting import MINUS, fixed
from tests.gui.fake_answers import SCALE
from tests.gui.fake_engine import LABELS


@pytest.fixture
def panel(show):
    return show(AttributionPanel)


def type_token(field, token):
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, f"#{token}")
    QTest.keyClick(field, Qt.Key.Key_Return)


def listed(view):
    model = view.model()
    return [model.index(row, 1).data() for row in range(model.rowCount())]


def choose(qtbot, panel, contrast):
    qtbot.mouseClick(panel.question.contrast._buttons[contrast], Qt.MouseButton.LeftButton)


def best_head(panel):
    parts = panel.known("parts")
    heads = [place for place, head in enumerate(parts.heads) if head is not None]
    return parts.heads[max(heads, key=lambda place: parts.values[place])]


def test_the_model_s_first_guess_after_the_pinned_token_is_asked_about(panel, session, settle):
    session.pin(3)
    settle(panel)
    assert panel.wants()["parts"] == LogitAttribution(session.run, 3, None)
    assert panel.question.target.field.text() == LABELS[panel.known("parts").target_id]
    assert not panel.question.target.follow.isVisible()


def test_another_token_is_typed_and_the_first_guess_is_one_click_away(
    qtbot, panel, session, settle
):
    type_token(panel.question.target.field, 9)
    settle(panel)
    assert panel.wants()["parts"].target == 9
    assert panel.wants()["output"].target == 9
    assert LABELS[9] in panel.sentence.text
    qtbot.mouseClick(panel.question.target.follow, Qt.MouseButton.LeftButton)
    settle(panel)
    assert panel.wants()["parts"].target is None


def test_a_text_that_is_no_token_is_refused_in_the_panel(panel):
    panel.question.target.field.setFocus()
    panel.question.target.field.selectAll()
    QTest.keyClicks(panel.question.target.field, "nonsense")
    QTest.keyClick(panel.question.target.field, Qt.Key.Key_Return)
    assert "no single token" in panel.notice.text()


def test_the_sentence_names_the_head_that_gives_most_and_a_click_on_it_its_source(
    panel, session, settle
):
    best = best_head(panel)
    assert f"The head that gives most is {best.name}" in panel.sentence.text
    if best == session.selection.head:
        session.choose_head(Head(1 - best.layer, best.number))
        settle(panel)
    assert "click it" in panel.sentence.text
    place = panel.map.cell_rect(*best).center().toPoint()
    QTest.mouseClick(panel.map.viewport(), Qt.MouseButton.LeftButton, pos=place)
    settle(panel)
    assert session.selection.head == best
    by_source = panel.known("output").by_source / SCALE
    source = int(np.argmax(by_source))
    assert f"(position {source})" in panel.sentence.text
    assert fixed(by_source[source], 2, signed=True) in panel.sentence.text


def test_a_click_on_a_head_s_bar_opens_it_and_on_the_embedding_s_does_not(panel, session, settle):
    model = panel.parts.model()
    for name, expected in (("L1H1", Head(1, 1)), ("embedding", Head(1, 1))):
        row = listed(panel.parts).index(name)
        panel.parts.clicked.emit(model.index(row, 1))
        settle(panel)
        assert session.selection.head == expected


def test_the_open_head_s_sources_sum_to_what_it_gives(panel, session, settle):
    session.choose_head(Head(1, 1))
    settle(panel)
    parts = panel.known("parts")
    value = parts.values[parts.heads.index(Head(1, 1))]
    assert panel._by_source().sum() == pytest.approx(value)
    assert panel.sources_say.text.startswith("L1H1 gives ")
    assert panel.sources.model().rowCount() == len(panel.known("run").labels)


def test_a_click_on_a_source_pins_it(panel, session, settle):
    order = np.argsort(-np.abs(panel._by_source()), kind="stable")
    panel.sources.clicked.emit(panel.sources.model().index(0, 1))
    assert session.selection.source == order[0]
    assert session.selection.query == panel.known("parts").position


def test_the_mean_is_taken_off_the_sources_too(qtbot, panel, session, settle):
    choose(qtbot, panel, "mean")
    settle(panel)
    parts = panel.known("parts")
    assert parts.contrast_label == "mean"
    assert "less the mean logit" in panel.sentence.text
    value = parts.values[parts.heads.index(session.selection.head)]
    assert panel._by_source().sum() == pytest.approx(value)


def test_a_token_to_compare_with_is_asked_for_and_then_taken_off(qtbot, panel, session, settle):
    choose(qtbot, panel, "token")
    settle(panel)
    assert panel.question.other.isVisible()
    assert "type the token to compare with" in panel.sentence.text
    type_token(panel.question.other.field, 5)
    settle(panel)
    assert panel.wants()["parts"].contrast_token == 5
    assert f"less that of {LABELS[5]}" in panel.sentence.text
    parts = panel.known("parts")
    value = parts.values[parts.heads.index(session.selection.head)]
    assert panel._by_source().sum() == pytest.approx(value)


def test_total_remainder_logit_and_final_scale_are_told(panel):
    parts = panel.known("parts")
    total, logit = (fixed(value, 2) for value in (parts.total, parts.logit))
    assert panel.sum.text.startswith(f"total {total} + remainder 1e{MINUS}06 = logit {logit}")
    assert "final scale 2" in panel.sum.text


def test_bars_fall_by_magnitude(panel):
    parts = panel.known("parts")
    order = np.argsort(-np.abs(parts.values), kind="stable")
    assert listed(panel.parts) == [parts.labels[place] for place in order]


def test_the_map_is_layer_by_head(panel):
    parts = panel.known("parts")
    values = map_of(parts)
    assert values.shape == (2, 4)
    assert values[1, 3] == parts.values[parts.heads.index(Head(1, 3))]


def test_what_the_head_before_gave_keeps_its_name(panel, session, settle, engine):
    session.choose_head(Head(0, 1))
    settle(panel)
    engine.failing[HeadOutput] = RuntimeError("no")
    session.choose_head(Head(0, 2))
    settle(panel)
    assert panel.sources_say.text.startswith("L0H1 gives")


def test_another_model_forgets_the_typed_tokens(panel, session, settle):
    type_token(panel.question.target.field, 9)
    settle(panel)
    session.open_model("toy")
    settle(panel)
    assert panel.wants()["parts"].target is None


def test_a_cap_on_logits_is_told(panel):
    capped = replace(panel.known("parts"), logit_cap=30.0)
    assert "before the model caps them at 30" in attribution_text.sum_of(capped)
