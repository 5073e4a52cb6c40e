"""The engine client: who is answered, who is not, and how it ends."""

import sys
import threading
import time

import pytest
from PySide6.QtCore import QThread

from engine.job import Cancelled
from engine.messages import (
    Attention,
    Head,
    HeadScores,
    ListModels,
    LoadModel,
    OVTokens,
    Refused,
    RunPrompt,
    Spectrum,
    Thumbnails,
)
from gui.engine_client import EngineClient
from tests.gui.fake_engine import FakeEngine


class Recorder:
    """An asker that remembers what it was told, and on which thread."""

    def __init__(self):
        self.received, self.failed, self.threads = [], [], []

    def receive(self, slot, request, result):
        self.received.append((slot, request))
        self.threads.append(QThread.currentThread())

    def fail(self, slot, request, failure):
        self.failed.append((slot, request, failure))
        self.threads.append(QThread.currentThread())


@pytest.fixture
def start(qapp):
    clients = []

    def make(engine, *, started=True):
        client = EngineClient(lambda: engine)
        clients.append(client)
        if started:
            client.start()
        return client

    yield make
    for client in clients:
        client.close()


def run(number):
    return RunPrompt("attn-2l", f"w{number}")


def idle(qtbot, client):
    qtbot.waitUntil(lambda: not client.busy, timeout=5000)


def test_an_answer_arrives_on_the_ui_thread(qtbot, start):
    engine, asker = FakeEngine(), Recorder()
    client = start(engine)
    client.ask(asker, "run", run(1))
    idle(qtbot, client)
    assert asker.received == [("run", run(1))]
    assert asker.threads == [QThread.currentThread()]
    assert engine.threads.isdisjoint({threading.get_ident()})


def test_nothing_is_made_before_start(qtbot, start):
    made = []
    client = EngineClient(lambda: made.append(1) or FakeEngine())
    asker = Recorder()
    client.ask(asker, "run", run(1))
    qtbot.wait(20)
    assert made == []
    assert asker.received == []
    client.start()
    idle(qtbot, client)
    assert asker.received == [("run", run(1))]
    assert client.close()


def test_of_many_questions_in_one_slot_only_the_newest_is_delivered(qtbot, start):
    engine, asker = FakeEngine(seconds=0.2), Recorder()
    client = start(engine)
    for number in range(30):
        client.ask(asker, "run", run(number))
        qtbot.wait(2)
    idle(qtbot, client)
    assert asker.received == [("run", run(29))]
    assert len(engine.asked) < 30


def test_work_that_nobody_wants_any_more_stops_soon(qtbot, start):
    asker = Recorder()
    client = start(FakeEngine(seconds=30))
    client.ask(asker, "run", run(1))
    qtbot.wait(30)
    began = time.monotonic()
    client.withdraw(asker, "run")
    idle(qtbot, client)
    assert time.monotonic() - began < 1
    assert asker.received == []
    assert asker.failed == []


def test_work_that_another_still_wants_goes_on(qtbot, start):
    engine, one, other = FakeEngine(seconds=0.1), Recorder(), Recorder()
    client = start(engine)
    client.ask(one, "run", run(1))
    client.ask(other, "run", run(1))
    qtbot.wait(20)
    client.ask(one, "run", run(2))
    idle(qtbot, client)
    assert other.received == [("run", run(1))]
    assert one.received == [("run", run(2))]
    assert engine.asked.count(run(1)) == 1


def test_equal_questions_of_several_askers_are_computed_once(qtbot, start):
    engine, askers = FakeEngine(seconds=0.02), [Recorder() for _ in range(6)]
    client = start(engine)
    for asker in askers:
        client.ask(asker, "run", run(1))
    idle(qtbot, client)
    assert all(asker.received == [("run", run(1))] for asker in askers)
    assert engine.asked == [run(1)]


def test_waiting_questions_are_answered_in_the_order_of_what_a_user_sees_first(qtbot, start):
    engine, asker = FakeEngine(), Recorder()
    client = start(engine, started=False)
    prompt = run(1)
    wanted = [
        HeadScores("attn-2l"),
        Spectrum("attn-2l", Head(0, 0)),
        OVTokens("attn-2l", Head(0, 0), 1),
        Thumbnails(prompt),
        Attention(prompt, 0),
        prompt,
        LoadModel("attn-2l"),
    ]
    for request in wanted:
        client.ask(asker, type(request).__name__, request)
    client.start()
    idle(qtbot, client)
    assert engine.asked == wanted[::-1]


def test_scores_of_all_heads_make_way_for_a_prompt_and_are_computed_afterwards(qtbot, start):
    engine, asker = FakeEngine(seconds=0.1), Recorder()
    client = start(engine)
    client.ask(asker, "grid", HeadScores("attn-2l"))
    qtbot.waitUntil(lambda: engine.asked == [HeadScores("attn-2l")])
    client.ask(asker, "run", run(1))
    idle(qtbot, client)
    assert [slot for slot, _ in asker.received] == ["run", "grid"]


def test_a_refusal_is_its_own_sentence_and_the_engine_lives_on(qtbot, start):
    engine, asker = FakeEngine(), Recorder()
    client = start(engine)
    said = []
    client.failed.connect(said.append)
    client.ask(asker, "run", RunPrompt("attn-2l", "unreadable"))
    idle(qtbot, client)
    failure = asker.failed[0][2]
    assert failure.sentence == "'unreadable' is not a word of this model"
    assert failure.details == ""
    assert said == [failure.sentence]
    client.ask(asker, "run", run(1))
    idle(qtbot, client)
    assert asker.received == [("run", run(1))]


@pytest.mark.parametrize(
    "error", [ValueError("bad shape\nsecond line"), MemoryError(), RuntimeError("")]
)
def test_any_other_error_is_one_sentence_with_the_traceback_behind_it(qtbot, start, error):
    engine, asker = FakeEngine(), Recorder()
    engine.failing[RunPrompt] = error
    client = start(engine)
    client.ask(asker, "run", run(1))
    idle(qtbot, client)
    failure = asker.failed[0][2]
    assert "\n" not in failure.sentence
    assert "Traceback" not in failure.sentence
    assert type(error).__name__ in failure.details


def test_an_engine_that_cannot_be_made_fails_every_question(qtbot, qapp):
    def broken():
        raise ImportError("no module named torch")

    client, asker = EngineClient(broken), Recorder()
    client.start()
    client.ask(asker, "run", run(1))
    client.ask(asker, "models", ListModels())
    idle(qtbot, client)
    assert {slot for slot, _, _ in asker.failed} == {"run", "models"}
    assert "no module named torch" in asker.failed[0][2].sentence
    assert client.close()


def test_cancel_tells_every_asker_and_drops_the_result(qtbot, start):
    asker = Recorder()
    client = start(FakeEngine(seconds=30))
    client.ask(asker, "run", run(1))
    client.ask(asker, "grid", HeadScores("attn-2l"))
    qtbot.wait(30)
    client.cancel()
    idle(qtbot, client)
    assert {slot for slot, _, _ in asker.failed} == {"run", "grid"}
    assert asker.received == []


def test_progress_names_what_runs_and_ends_empty(qtbot, start):
    seen = []
    client = start(FakeEngine(seconds=0.3), started=False)
    client.progress.connect(lambda *step: seen.append(step))
    client.ask(Recorder(), "run", run(1))
    client.start()
    idle(qtbot, client)
    qtbot.wait(5)
    assert ("counting", 0, 60) in seen or any(what == "counting" for what, _, _ in seen)
    assert seen[-1][0] == ""
    # Throttled: a report every 5 ms would be 60 of them.
    assert sum(what == "counting" for what, _, _ in seen) < 20


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


def test_close_does_not_wait_for_a_load_that_cannot_be_interrupted(qtbot, qapp):
    release = threading.Event()

    def importing():
        release.wait(10)
        return FakeEngine()

    client = EngineClient(importing)
    client.start()
    client.ask(Recorder(), "run", run(1))
    qtbot.wait(20)
    began = time.monotonic()
    assert not client.close()
    assert time.monotonic() - began < 0.8
    release.set()


def test_emitting_requests_and_none_keeps_their_reference_counts(qtbot, start):
    # PySide6 6.12 on Python 3.11 loses a reference to True at each emit and aborts.
    client = start(FakeEngine(), started=False)
    request = run(1)
    before = [sys.getrefcount(value) for value in (request, None, True)]
    for _ in range(10_000):
        client.answered.emit(request, 0.1)
        client.answered.emit(None, 0.1)
        client.answered.emit(True, 0.1)
    after = [sys.getrefcount(value) for value in (request, None, True)]
    assert all(abs(a - b) < 1_000 for a, b in zip(after, before, strict=True))


def test_a_refused_engine_is_told_in_its_own_words(qtbot, qapp):
    def refusing():
        raise Refused("transformer_lens is not installed")

    client, asker = EngineClient(refusing), Recorder()
    client.start()
    client.ask(asker, "run", run(1))
    idle(qtbot, client)
    assert asker.failed[0][2].sentence == "transformer_lens is not installed"
    assert client.close()
