"""The spectrum panel: the cliff on request, and the tokens of a direction."""

import pytest
from PySide6.QtCore import Qt

from engine.messages import Direction, Head, Refused, Spectrum
from gui.panels.head.spectrum import SpectrumPanel


@pytest.fixture
def panel(show):
    return show(SpectrumPanel)


def test_the_dense_matrix_is_measured_only_on_request(qtbot, panel, session, settle, engine):
    assert not any(isinstance(r, Spectrum) and r.dense for r in engine.asked)
    qtbot.mouseClick(panel.measure, Qt.MouseButton.LeftButton)
    settle(panel)
    head = session.selection.head
    assert panel.wants()["ov"] == Spectrum("attn-2l", head, "ov", dense=True)
    assert panel.wants()["qk"] == Spectrum("attn-2l", head, "qk", dense=True)
    assert not panel.measure.isEnabled()
    assert "OV value 6 is" in panel.overlap.text


def test_overlap_stands_beside_the_random_baseline(panel):
    assert "read/write 0.14" in panel.overlap.text
    assert "random 0.25" in panel.overlap.text


@pytest.mark.parametrize(
    ("circuit", "ends"), [("ov", ("read end", "write end")), ("qk", ("query end", "key end"))]
)
def test_a_value_that_is_chosen_shows_the_tokens_at_both_ends(
    panel, session, settle, circuit, ends
):
    panel.plot.chosen.emit(circuit, 1)
    settle(panel)
    assert panel.wants()["direction"] == Direction(
        "attn-2l", session.selection.head, circuit, index=1
    )
    assert tuple(caption.text() for caption in panel.captions) == ends
    assert panel.ends.isVisible()
    assert "values 0 to 1 are within 1 %" in panel.sentence.text


def test_a_click_on_the_value_shown_puts_its_lists_away(qtbot, panel, settle):
    panel.choose("ov", 4)
    settle(panel)
    assert panel.ends.isVisible()
    at = panel.plot.value_position("ov", 4).toPoint()
    qtbot.mouseClick(panel.plot, Qt.MouseButton.LeftButton, pos=at)
    settle(panel)
    assert not panel.ends.isVisible()
    assert "direction" not in panel.wants()


def test_a_direction_is_called_by_the_index_that_files_have(panel, settle):
    panel.choose("ov", 4)
    settle(panel)
    assert panel.sentence.text.startswith("OV direction 4, value ")
    assert panel.wants()["direction"].index == 4


def test_another_head_forgets_the_direction(panel, session, settle):
    panel.choose("ov", 1)
    settle(panel)
    session.choose_head(Head(0, 1))
    settle(panel)
    assert "direction" not in panel.wants()
    assert not panel.ends.isVisible()


def test_the_other_side_of_a_direction_is_one_click_away(panel, settle):
    panel.choose("ov", 0)
    settle(panel)
    found = panel.known("direction")
    first = panel.lists[0].model().index(0, 1).data()
    assert first == found.read_labels[0]
    panel.sign.set_value("_negative")
    panel.sign.changed.emit("_negative")
    settle(panel)
    assert panel.lists[0].model().index(0, 1).data() == found.read_labels_negative[0]


def test_a_direction_of_another_head_is_not_shown_under_the_name_of_this_one(
    panel, session, settle, engine
):
    session.choose_head(Head(0, 1))
    panel.choose("ov", 1)
    settle(panel)
    session.choose_head(Head(1, 1))
    settle(panel)
    engine.failing[Direction] = Refused("no direction")
    panel.choose("ov", 2)
    settle(panel)
    assert not panel.ends.isVisible()
    assert "no direction" in panel.notice.text()
