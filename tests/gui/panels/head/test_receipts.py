"""The panel Receipts: failed checks first, what a click opens, and the sentence above."""

import pytest
from PySide6.QtCore import Qt

from engine.messages import Head, HeadReceipts, Receipt, Receipts
from gui.panels.head.checks import ReceiptsPanel, check, in_order, verdict
from tests.gui.fake_answers import CLOSE, FAILED, PASSED, UNDEFINED

NOT_FINITE = Receipt("scores are finite", "all of them", None, None, False, "one is not", ())


@pytest.fixture
def panel(show):
    return show(ReceiptsPanel)


def lines(panel):
    return [(line.outcome, line.claim) for line in panel.checks.checks()]


def test_the_sentence_counts_and_names_the_worst(panel):
    assert panel.sentence.text == (
        "2 of 2 checks pass on L0H0 and this prompt, 1 does not apply; worst: "
        "“attribution sums to the logit” at 50.0 % of its tolerance."
    )


def test_a_failed_check_stands_first_with_its_mark(panel, session, settle):
    session.choose_head(Head(0, 3))
    settle(panel)
    assert lines(panel)[0] == ("failed", FAILED.name)
    assert lines(panel)[-1] == ("undefined", UNDEFINED.name)
    assert "1 of 3 checks fails on L0H3" in panel.sentence.text
    assert "“three steps = A first <b>&” at 2.5e4 times its tolerance" in panel.sentence.text


def test_a_click_opens_what_is_compared_and_another_closes_it(qtbot, panel):
    place = panel.checks.line_rect(0).center().toPoint()
    before = panel.checks.line_rect(0).height()
    qtbot.mouseClick(panel.checks.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert panel.checks.is_open(0)
    assert panel.checks.line_rect(0).height() > before
    details = [paragraph.text for paragraph in panel.checks.checks()[0].details]
    assert PASSED.compares in details
    assert "at 1.0 % of its tolerance" in details
    assert "largest |row sum - 1|: 1.0e−7" in details
    qtbot.mouseClick(panel.checks.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert not panel.checks.is_open(0)


def test_arrow_and_enter_open_a_line(qtbot, panel):
    panel.checks.setFocus()
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Return):
        qtbot.keyClick(panel.checks, key)
    assert [panel.checks.is_open(line) for line in range(3)] == [False, True, False]
    assert panel.checks.accessibleDescription().startswith("passed: attribution")


def test_it_asks_only_while_it_is_seen(panel, session, settle, engine):
    panel.hide()
    session.choose_head(Head(1, 1))
    settle()
    assert Receipts(session.run, Head(1, 1)) not in engine.asked
    panel.show()
    settle(panel)
    assert Receipts(session.run, Head(1, 1)) in engine.asked


def test_undefined_checks_say_why_and_have_no_bar():
    line = check(UNDEFINED)
    assert line.measure == "does not apply: no head is earlier"
    assert line.share is None


def test_identities_are_named_and_not_counted_as_evidence():
    held, broken = (receipt._replace(identity=True) for receipt in (CLOSE, FAILED))
    told = verdict(HeadReceipts((PASSED, held, UNDEFINED)))
    assert (told.text, told.identities) == ("1 of 1 checks pass", "1 identity holds")
    assert "identity, which holds for any weights" in check(held).measure
    told = verdict(HeadReceipts((PASSED, held, broken)))
    assert (told.text, told.identities) == ("1 of 1 checks pass", "1 of 2 identities fails")
    assert told.failed
    assert in_order(HeadReceipts((held, PASSED, UNDEFINED))) == [PASSED, held, UNDEFINED]


def test_a_check_that_failed_without_a_number_is_the_worst():
    found = HeadReceipts((PASSED, FAILED, NOT_FINITE, CLOSE))
    assert [receipt.name for receipt in in_order(found)][:2] == [NOT_FINITE.name, FAILED.name]
    told = verdict(found)
    assert told.failed
    assert told.text == "2 of 4 checks fail"
    assert told.worst == "“scores are finite” which could not be measured"
    assert check(NOT_FINITE).measure == "one is not"


def test_a_head_to_which_nothing_applies_passes_nothing():
    told = verdict(HeadReceipts((UNDEFINED,)))
    assert told.text == "no check applies"
    assert not told.failed
