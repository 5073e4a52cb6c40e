"""What an export is made from is what the engine answers now, and nothing where it refuses."""

from engine.job import Job
from engine.messages import Refused
from gui.export.jobs import gather, questions
from tests.gui.export.conftest import ATTENTION, VERSION


def begin(client, worker, found, failed=None):
    return gather(
        client, worker, ATTENTION, found.append, (found if failed is None else failed).append
    )


def test_an_answer_of_an_earlier_time_is_not_exported(qtbot, client, worker, engine, at_rest):
    stored = {asked: engine.answer(asked, Job()) for asked in questions(ATTENTION.request)}
    client.recall = stored.get
    found = []
    begin(client, worker, found)
    qtbot.waitUntil(lambda: client.busy)
    qtbot.wait(20)  # the engine has not begun: what is stored is all there is
    assert found == []
    client.start()
    at_rest()
    (made,) = found
    assert made.result is not stored[ATTENTION.request]
    assert (made.subject, made.version, len(made.answers)) == (ATTENTION, VERSION, 4)


def test_what_the_engine_refuses_is_told_once(client, worker, engine, at_rest, monkeypatch):
    def answer(request, job):
        raise Refused("no")

    monkeypatch.setattr(engine, "answer", answer)
    client.start()
    found, failed = [], []
    begin(client, worker, found, failed)
    at_rest()
    assert (found, [failure.sentence for failure in failed]) == ([], ["no"])


def test_nothing_is_told_once_it_is_stopped(client, worker, at_rest):
    client.start()
    found = []
    begin(client, worker, found).stop()
    at_rest()
    assert found == []
