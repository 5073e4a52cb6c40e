"""The checks in the status bar: made while nothing else is done, and seen when one fails."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from engine.messages import DownloadModel, Head, Receipts, RunPrompt
from gui.session.model_opener import ModelOpener
from gui.shell import status_bar
from gui.shell.status_bar import CHECKING, MOST_PARAMETERS, OFFER, StatusBar
from gui.state.question_table import INTERRUPTIBLE, TABLE


class Runner:
    """Asks for the prompt, as a panel would."""

    def receive(self, slot, request, result): ...

    def fail(self, slot, request, failure): ...


@pytest.fixture
def bar(qtbot, monkeypatch, session, client):
    monkeypatch.setattr(status_bar, "QUIET_MS", 60)
    bar = StatusBar(session, client, ModelOpener(session, client, None))
    qtbot.addWidget(bar)
    bar.resize(900, 30)
    client.start()
    bar.show()
    return bar


def run(client, session):
    client.ask(RUNNER, "run", session.run)


RUNNER = Runner()


def told(bar):
    """Return whether the light says what the checks came to."""
    return bar.receipts.isVisible() and bar.receipts.text()[0] in "✓✗"


@pytest.fixture
def large(engine):
    honest = engine._LoadModel
    engine._LoadModel = lambda request: replace(honest(request), parameters=MOST_PARAMETERS + 1)


def test_nothing_but_a_download_is_less_urgent_than_the_checks_are():
    ranks = [row.rank for kind, row in TABLE.items() if kind not in (Receipts, DownloadModel)]
    assert TABLE[Receipts].rank > max(ranks)
    assert TABLE[Receipts].rank >= INTERRUPTIBLE


def test_it_says_that_all_pass(qtbot, bar, session, client):
    run(client, session)
    qtbot.waitUntil(lambda: told(bar))
    assert bar.receipts.text() == "✓ 2 of 2 checks pass"
    assert "attribution sums to the logit" in bar.receipts.toolTip()


def test_a_failed_check_is_named_and_a_click_asks_for_the_panel(qtbot, bar, session, client):
    session.choose_head(Head(0, 3))
    run(client, session)
    qtbot.waitUntil(lambda: told(bar))
    assert bar.receipts.text().startswith("✗ 1 of 3 checks fails: “three steps")
    assert bar.receipts.property("tone") == "bad"
    assert "&lt;b&gt;&amp;" in bar.receipts.toolTip()
    with qtbot.waitSignal(bar.receipts_wanted):
        qtbot.mouseClick(bar.receipts, Qt.MouseButton.LeftButton)


def test_a_prompt_that_was_not_run_is_not_checked(qtbot, bar, client, engine):
    with qtbot.waitSignal(bar.receipts._quiet.timeout):
        pass
    qtbot.waitUntil(lambda: not client.busy)
    assert not any(isinstance(request, Receipts) for request in engine.asked)


def test_somebody_who_types_is_not_checked_upon(qtbot, bar, session, client, engine):
    run(client, session)
    qtbot.waitUntil(lambda: told(bar))
    asked = len(engine.asked)
    bar.receipts._quiet.setInterval(60_000)  # no computer is so slow that this is a pause
    for number in range(8):
        session.set_text(f"w{number}")
        run(client, session)
        assert not told(bar)
        qtbot.waitUntil(lambda: not client.busy)
    kinds = {type(request) for request in engine.asked[asked:]}
    assert kinds == {RunPrompt}
    bar.receipts._quiet.setInterval(0)
    qtbot.waitUntil(lambda: told(bar))
    assert engine.asked[-1] == Receipts(session.run, Head(0, 0))


def test_a_change_stops_checks_under_way(qtbot, bar, session, client, engine):
    engine.seconds = 0.3
    run(client, session)
    wanted = Receipts(session.run, Head(0, 0))
    qtbot.waitUntil(lambda: wanted in engine.asked)
    session.choose_head(Head(0, 1))
    qtbot.waitUntil(lambda: told(bar))
    assert Receipts(session.run, Head(0, 1)) in engine.asked
    assert engine.asked.count(wanted) == 1


def test_checks_that_cannot_be_made_are_tried_again_only_when_asked(
    qtbot, bar, session, client, engine
):
    engine.failing[Receipts] = ValueError("the sky fell")
    run(client, session)
    qtbot.waitUntil(lambda: any(isinstance(r, Receipts) for r in engine.asked))
    qtbot.wait(250)
    assert sum(isinstance(request, Receipts) for request in engine.asked) == 1
    assert not bar.receipts.isVisible()
    engine.failing.clear()
    bar.ask_again()
    qtbot.waitUntil(lambda: told(bar))


def test_checks_that_nobody_asked_for_show_no_progress(qtbot, bar, session, client, engine):
    run(client, session)
    qtbot.waitUntil(lambda: client.busy)
    qtbot.waitUntil(lambda: not client.busy)
    engine.seconds = 0.6
    qtbot.waitUntil(lambda: bar.receipts.isVisible())
    assert bar.receipts.text() == CHECKING
    while not told(bar):
        assert not bar.bar.isVisible()
        assert not bar.stop.isVisible()
        assert bar.work.text() == "ready"
        qtbot.wait(20)


def test_the_checks_of_a_large_model_are_made_after_a_click(
    qtbot, large, bar, session, client, engine
):
    run(client, session)
    qtbot.waitUntil(lambda: bar.receipts.text() == OFFER)
    assert not any(isinstance(request, Receipts) for request in engine.asked)
    assert bar.receipts.ready()
    with qtbot.assertNotEmitted(bar.receipts_wanted):
        qtbot.mouseClick(bar.receipts, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: told(bar))
    with qtbot.waitSignal(bar.receipts_wanted):
        qtbot.mouseClick(bar.receipts, Qt.MouseButton.LeftButton)


def test_checks_of_a_large_model_that_were_stopped_are_offered_again(
    qtbot, large, bar, session, client, engine
):
    run(client, session)
    qtbot.waitUntil(lambda: bar.receipts.text() == OFFER)
    engine.seconds = 30
    qtbot.mouseClick(bar.receipts, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bar.stop.isVisible())
    client.cancel()
    qtbot.waitUntil(lambda: bar.receipts.text() == OFFER)
    assert bar.receipts.isVisible()


def test_a_picture_waits_for_the_checks(qtbot, bar, session, client):
    bar.receipts._quiet.setInterval(60_000)
    run(client, session)
    qtbot.waitUntil(lambda: client.busy)
    qtbot.waitUntil(lambda: not client.busy)
    assert not bar.receipts.ready()
    qtbot.waitUntil(lambda: told(bar))
    assert bar.receipts.ready()


def test_what_was_told_stays_while_another_model_is_looked_at(
    qtbot, large, bar, session, client, engine
):
    run(client, session)
    qtbot.waitUntil(lambda: bar.receipts.text() == OFFER)
    qtbot.mouseClick(bar.receipts, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: told(bar))
    bar._opening.open("another")
    bar._opening.cancel()
    qtbot.waitUntil(lambda: not client.busy)
    qtbot.wait(250)
    assert told(bar)
    assert sum(isinstance(request, Receipts) for request in engine.asked) == 1
