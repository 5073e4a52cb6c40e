"""The engine client: who is answered, in which order, and who is not."""

import sys
import threading
import time
from itertools import count
from types import SimpleNamespace

from PySide6.QtCore import QThread

from engine.messages import (
    Attention,
    Composition,
    Head,
    HeadScores,
    LoadModel,
    OVTokens,
    Spectrum,
    Thumbnails,
)
from gui.client.engine_client import REPORT_SECONDS, EngineClient
from tests.gui.asking import Recorder, idle, run
from tests.gui.fake_engine import FakeEngine


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


def test_work_that_another_still_wants_goes_on(qtbot, start):
    engine, one, other = FakeEngine(seconds=0.1), Recorder(), Recorder()
    client = start(engine)
    client.ask(one, "run", run(1))
    client.ask(other, "run", run(1))
    qtbot.waitUntil(lambda: engine.asked == [run(1)])
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


def test_what_is_no_more_urgent_waits_for_what_runs(qtbot, start):
    engine, asker = FakeEngine(seconds=0.1), Recorder()
    client = start(engine)
    client.ask(asker, "grid", HeadScores("attn-2l"))
    qtbot.waitUntil(lambda: engine.asked == [HeadScores("attn-2l")])
    client.ask(asker, "pairs", Composition("attn-2l", "k"))
    idle(qtbot, client)
    assert engine.asked == [HeadScores("attn-2l"), Composition("attn-2l", "k")]


def test_progress_names_what_runs_and_ends_empty(qtbot, start, monkeypatch):
    clock = count(1.0, REPORT_SECONDS / 5)
    slow = SimpleNamespace(monotonic=lambda: next(clock), perf_counter=time.perf_counter)
    monkeypatch.setattr("gui.client.engine_client.time", slow)
    seen = []
    client = start(FakeEngine(seconds=0.3), started=False)
    client.progress.connect(lambda *step: seen.append(step))
    client.ask(Recorder(), "run", run(1))
    client.start()
    idle(qtbot, client)
    counted = [(done, total) for what, done, total in seen if what == "counting"]
    # Of 60 steps, five to each stretch in which one is told.
    assert counted[0] == (0, 60)
    assert 10 <= len(counted) <= 13
    assert seen[-1][0] == ""


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
