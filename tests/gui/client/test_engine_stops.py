"""The engine client: work that nobody wants stops, and closing leaves no thread behind."""

import threading

import pytest

from engine.job import Cancelled
from engine.messages import HeadScores, LoadModel
from gui.client import engine_client
from gui.client.engine_client import EngineClient
from tests.gui.asking import Endless, Recorder, Stuck, idle, run
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


@pytest.fixture
def stuck(qtbot, qapp, monkeypatch):
    """Return a client whose first engine hangs, the engines it made, and what it left behind."""
    monkeypatch.setattr(engine_client, "GRACE_SECONDS", 0.05)
    engines = [Stuck(), FakeEngine()]
    made, left = [], []
    client = EngineClient(lambda: made.append(engines[len(made)]) or made[-1])
    client.left_behind.connect(left.append)
    client.start()
    yield client, made, left
    engines[0].released.set()
    assert client.close()
    qtbot.waitUntil(lambda: not engines[0].begun.is_set() or engines[0].closed.is_set())


def test_a_model_that_never_opens_is_left_behind_for_another(qtbot, stuck):
    client, made, left = stuck
    asker = Recorder()
    client.ask(asker, "opening", LoadModel("endless"))
    qtbot.waitUntil(lambda: made != [] and made[0].begun.is_set())
    client.ask(asker, "opening", LoadModel("attn-2l"))
    idle(qtbot, client)
    assert asker.received == [("opening", LoadModel("attn-2l"))]
    assert left == [LoadModel("endless")]
    made[0].released.set()
    qtbot.waitUntil(made[0].closed.is_set)
    qtbot.wait(20)
    assert asker.failed == []  # what came of it is nobody's any more


def test_stop_frees_the_window_of_a_question_that_never_ends(qtbot, stuck):
    client, made, left = stuck
    asker = Recorder()
    client.ask(asker, "run", run(1))
    qtbot.waitUntil(lambda: made != [] and made[0].begun.is_set())
    client.cancel()
    idle(qtbot, client)
    assert left == [run(1)]
    client.ask(asker, "run", run(2))
    idle(qtbot, client)
    assert asker.received == [("run", run(2))]


def test_a_long_step_is_waited_for_where_nobody_stopped_it(qtbot, stuck):
    client, made, left = stuck
    asker = Recorder()
    client.ask(asker, "run", run(1))
    qtbot.waitUntil(lambda: made != [] and made[0].begun.is_set())
    client.ask(asker, "run", run(2))
    qtbot.wait(150)
    assert left == []
    assert client.busy


def test_stop_before_the_first_engine_is_there_makes_no_other(qtbot, qapp, monkeypatch):
    monkeypatch.setattr(engine_client, "GRACE_SECONDS", 0.02)
    begun, release, made = threading.Event(), threading.Event(), []

    def importing():
        begun.set()
        release.wait(60)
        made.append(FakeEngine())
        return made[-1]

    client, asker = EngineClient(importing), Recorder()
    client.start()
    client.ask(asker, "run", run(1))
    qtbot.waitUntil(begun.is_set)
    client.cancel()
    qtbot.wait(100)
    release.set()
    client.ask(asker, "run", run(2))
    idle(qtbot, client)
    assert len(made) == 1
    assert asker.received == [("run", run(2))]
    assert client.close()


def test_an_engine_that_nothing_runs_in_is_let_go_when_the_client_closes(qtbot, start):
    class Closing(FakeEngine):
        closed = 0

        def close(self):
            Closing.closed += 1
            raise OSError("cannot be closed")

    client = start(Closing())
    client.ask(Recorder(), "run", run(1))
    idle(qtbot, client)
    assert client.close()
    assert Closing.closed == 1
