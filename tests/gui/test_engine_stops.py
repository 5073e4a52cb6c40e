"""The engine client: work that nobody wants stops, and closing leaves no thread behind."""

import threading

import pytest

from engine.job import Cancelled
from engine.messages import HeadScores
from gui.engine_client import EngineClient
from tests.gui.asking import Endless, Recorder, idle, run
from tests.gui.fake_engine import FakeEngine


def test_work_that_nobody_wants_any_more_stops_at_its_next_step(qtbot, start):
    engine, asker = Endless(), Recorder()
    client = start(engine)
    client.ask(asker, "run", run(1))
    qtbot.waitUntil(engine.begun.is_set)
    client.withdraw(asker, "run")
    after = engine.steps
    idle(qtbot, client)
    assert engine.cancelled.is_set()
    assert engine.steps <= after + 1
    assert asker.received == []
    assert asker.failed == []


def test_cancel_tells_every_asker_and_drops_the_result(qtbot, start):
    asker = Recorder()
    engine = Endless()
    client = start(engine)
    client.ask(asker, "run", run(1))
    client.ask(asker, "grid", HeadScores("attn-2l"))
    qtbot.waitUntil(engine.begun.is_set)
    client.cancel()
    idle(qtbot, client)
    assert {slot for slot, _, _ in asker.failed} == {"run", "grid"}
    assert engine.cancelled.is_set()
    assert asker.received == []


def test_a_cancelled_answer_that_is_still_wanted_is_computed_again(qtbot, start):
    class Moody(FakeEngine):
        def answer(self, request, job):
            if not self.asked:
                self.asked.append(request)
                raise Cancelled
            return super().answer(request, job)

    asker = Recorder()
    client = start(Moody())
    client.ask(asker, "run", run(1))
    idle(qtbot, client)
    assert asker.received == [("run", run(1))]


@pytest.mark.parametrize("when", range(20))
def test_closing_in_the_middle_of_a_run_leaves_no_thread(qtbot, qapp, when):
    before = set(threading.enumerate())
    asker = Recorder()
    client = EngineClient(lambda: FakeEngine(seconds=5))
    client.start()
    client.ask(asker, "run", run(1))
    qtbot.wait(when)
    assert client.close()
    assert set(threading.enumerate()) <= before
    qtbot.wait(5)
    assert asker.received == []
    assert asker.failed == []


@pytest.mark.parametrize("hangs", ["engine", "beside"])
def test_close_does_not_wait_for_a_load_that_cannot_be_interrupted(qtbot, qapp, hangs):
    began, release = threading.Event(), threading.Event()

    def importing():
        began.set()
        release.wait()
        return FakeEngine()

    if hangs == "engine":
        client = asked = EngineClient(importing)
    else:
        asked = EngineClient(importing)
        client = EngineClient(FakeEngine, asked)
    client.start()
    asked.ask(Recorder(), "run", run(1))
    qtbot.waitUntil(began.is_set)
    # It comes back although the load goes on, and says so.
    assert not client.close()
    release.set()
    qtbot.waitUntil(client.close)
