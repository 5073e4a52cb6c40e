"""The engine client: what a subscriber learns when there is no answer."""

import sys

import pytest

from engine.messages import ListModels, LoadModel, Refused, RunPrompt
from gui.client.engine_client import NOT_OPEN, EngineClient
from tests.gui.asking import Endless, Recorder, idle, run
from tests.gui.fake_engine import FakeEngine

BAD = "/models/gone/tiny.gguf"


def test_a_refusal_is_its_own_sentence_and_the_engine_lives_on(qtbot, start):
    engine, asker = FakeEngine(), Recorder()
    client = start(engine)
    said = []
    client.failed.connect(lambda *told: said.append(told))
    client.ask(asker, "run", RunPrompt("attn-2l", "unreadable"))
    idle(qtbot, client)
    failure = asker.failed[0][2]
    assert failure.sentence == "'unreadable' is not a word of this model"
    assert failure.details == ""
    assert said == [(RunPrompt("attn-2l", "unreadable"), failure.sentence)]
    client.ask(asker, "run", run(1))
    idle(qtbot, client)
    assert asker.received == [("run", run(1))]


@pytest.mark.parametrize(
    "error",
    [
        ValueError("bad shape\nsecond line"),
        MemoryError(),
        RuntimeError(""),
        RecursionError("too deep"),
        SystemExit(3),
        # What a panic of Rust's is raised as.
        type("PanicException", (BaseException,), {})("index out of bounds"),
    ],
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
    engine.failing.clear()
    client.ask(asker, "run", run(2))
    idle(qtbot, client)
    assert asker.received == [("run", run(2))]


def test_a_model_that_was_not_opened_is_opened_once_and_told_of_once(qtbot, start):
    engine, bar, panels = FakeEngine(), Recorder(), [Recorder() for _ in range(4)]
    engine.missing.add(BAD)
    client = start(engine, started=False)
    told = []
    client.failed.connect(lambda request, sentence: told.append(sentence))
    for number, panel in enumerate(panels):
        client.ask(panel, "run", RunPrompt(BAD, f"w{number}"))
    client.ask(bar, "in use", LoadModel(BAD))
    client.start()
    idle(qtbot, client)
    assert engine.asked == [LoadModel(BAD)]
    assert [failure for panel in panels for _, _, failure in panel.failed] == [NOT_OPEN] * 4
    assert told == [bar.failed[0][2].sentence]
    client.ask(panels[0], "run", RunPrompt(BAD, "later"))
    client.ask(panels[1], "run", run(1))
    idle(qtbot, client)
    assert panels[0].failed[-1][2] == NOT_OPEN
    assert panels[1].received == [("run", run(1))]


def test_a_model_that_opens_at_the_second_try_answers(qtbot, start):
    engine, asker = FakeEngine(), Recorder()
    engine.missing.add(BAD)
    client = start(engine)
    client.ask(asker, "in use", LoadModel(BAD))
    idle(qtbot, client)
    engine.missing.clear()
    client.ask(asker, "in use", LoadModel(BAD))
    client.ask(asker, "run", RunPrompt(BAD, "w1"))
    idle(qtbot, client)
    assert [slot for slot, _ in asker.received] == ["in use", "run"]


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


def test_a_refused_engine_is_told_in_its_own_words(qtbot, qapp):
    def refusing():
        raise Refused("transformer_lens is not installed")

    client, asker = EngineClient(refusing), Recorder()
    client.start()
    client.ask(asker, "run", run(1))
    idle(qtbot, client)
    assert asker.failed[0][2].sentence == "transformer_lens is not installed"
    assert client.close()


def test_an_asker_that_cannot_take_its_answer_keeps_it_from_no_other(qtbot, start, monkeypatch):
    told = []
    monkeypatch.setattr(sys, "excepthook", lambda *error: told.append(error[1]))

    class Broken(Recorder):
        def receive(self, slot, request, result):
            raise IndexError("a panel that cannot draw this")

    client, other, doing = start(FakeEngine(), started=False), Recorder(), []
    client.progress.connect(lambda what, done, total: doing.append(what))
    client.ask(Broken(), "run", run(1))
    client.ask(other, "run", run(1))
    client.start()
    idle(qtbot, client)
    assert other.received == [("run", run(1))]
    assert [str(error) for error in told] == ["a panel that cannot draw this"]
    assert doing[-1] == client.doing == ""


def test_an_asker_that_cannot_be_told_that_it_was_stopped_keeps_it_from_no_other(
    start, monkeypatch
):
    told = []
    monkeypatch.setattr(sys, "excepthook", lambda *error: told.append(error[1]))

    class Broken(Recorder):
        def fail(self, slot, request, failure):
            raise IndexError("a panel that cannot say this")

    client, other = start(FakeEngine(), started=False), Recorder()
    client.ask(Broken(), "run", run(1))
    client.ask(other, "run", run(1))
    client.cancel()
    assert [request for _, request, _ in other.failed] == [run(1)]
    assert [str(error) for error in told] == ["a panel that cannot say this"]


def test_what_was_stopped_holds_nothing_of_its_computation(qtbot, start):
    engine, kept = Endless(), []
    client = start(engine)
    client._finished.connect(lambda request, outcome, seconds, made_by: kept.append(outcome))
    client.ask(Recorder(), "run", run(1))
    qtbot.waitUntil(engine.begun.is_set)
    client.cancel()
    qtbot.waitUntil(lambda: kept != [])
    assert kept[0].__traceback__ is None
