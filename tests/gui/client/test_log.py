"""The log file: what it says, what it keeps to itself, and that it stays small."""

import errno
import os
import stat
import sys

import pytest

from engine.messages import LoadModel, Refused, RunPrompt
from gui.client import log
from gui.client.log import Log
from tests.gui.fake_engine import FakeEngine

PROMPT = "a secret prompt"


class Asker:
    """Asks and forgets."""

    def receive(self, slot, request, result):
        pass

    def fail(self, slot, request, failure):
        pass


class Failing(FakeEngine):
    """Fails in the way that a test wants."""

    def __init__(self, error):
        super().__init__()
        self._error = error

    def answer(self, request, job=None):
        if isinstance(request, RunPrompt):
            raise self._error
        return super().answer(request, job)


@pytest.fixture
def written(qtbot, start, tmp_path):
    """Ask an engine some questions under a log, and return what it holds afterwards."""

    def ask(engine, *requests):
        path = tmp_path / "state" / "headscope.log"
        kept = Log(path)
        client = start(engine)
        kept.watch(client)
        asker = Asker()
        for number, request in enumerate(requests):
            client.ask(asker, str(number), request)
        qtbot.waitUntil(lambda: not client.busy)
        kept.close()
        return path.read_text(encoding="utf-8")

    return ask


def test_a_disk_that_is_full_when_it_is_closed_is_no_error(tmp_path, qapp):
    kept = Log(tmp_path / "headscope.log")
    stream = kept._file.stream

    class Full:
        def __getattr__(self, name):
            return getattr(stream, name)

        def write(self, text):
            raise OSError(errno.ENOSPC, "No space left on device")

        flush = close = lambda self: self.write("")

    kept._file.stream = Full()
    kept.close()
    stream.close()


def test_a_pipe_is_not_waited_for(tmp_path, qapp, monkeypatch):
    os.mkfifo(tmp_path / "headscope.log")
    monkeypatch.setattr(log, "path", lambda: tmp_path / "headscope.log")
    assert log.opened() is None


def test_a_start_names_versions_and_a_model_that_is_opened_its_name(written):
    text = written(FakeEngine(), LoadModel("attn-2l"))
    assert "torch " in text
    assert "Qt " in text
    assert "opened attn-2l in" in text
    assert text.rstrip().endswith("ended")


def test_a_prompt_that_runs_and_one_that_is_refused_are_not_written_down(written):
    assert PROMPT not in written(FakeEngine(), RunPrompt("attn-2l", PROMPT))
    text = written(Failing(Refused(f"cannot read {PROMPT}")), RunPrompt("attn-2l", PROMPT))
    assert PROMPT not in text
    assert "RunPrompt was refused" in text


def test_a_failure_stands_there_with_its_question_and_its_traceback(written):
    text = written(Failing(ValueError("broken")), RunPrompt("attn-2l", PROMPT))
    assert "RunPrompt failed" in text
    assert PROMPT in text
    assert "Traceback" in text
    assert "ValueError: broken" in text


def test_an_exception_in_the_window_is_written_down_and_printed_as_before(tmp_path, monkeypatch):
    printed = []
    monkeypatch.setattr(sys, "excepthook", lambda *error: printed.append(error))
    before = sys.excepthook
    path = tmp_path / "headscope.log"
    kept = Log(path)
    try:
        raise KeyError("in a slot")
    except KeyError as error:
        sys.excepthook(KeyError, error, error.__traceback__)
    kept.close()
    assert sys.excepthook is before
    assert len(printed) == 1
    assert "KeyError: 'in a slot'" in path.read_text(encoding="utf-8")


def test_two_files_of_a_megabyte_are_the_most(tmp_path, monkeypatch):
    monkeypatch.setattr(log, "LARGEST", 2_000)
    for _ in range(30):
        Log(tmp_path / "headscope.log").close()
    sizes = {path.name: path.stat().st_size for path in tmp_path.iterdir()}
    assert set(sizes) == {"headscope.log", "headscope.log.1"}
    assert all(size <= 2_000 for size in sizes.values())


def test_where_no_log_can_be_written_there_is_none_and_no_complaint(tmp_path, monkeypatch):
    file = tmp_path / "a file"
    file.write_text("")
    file.chmod(stat.S_IRUSR)
    monkeypatch.setattr(log, "path", lambda: file / "headscope.log")
    assert log.opened() is None


def test_a_disk_that_is_full_at_the_end_is_no_complaint(tmp_path, monkeypatch):
    closing = log._File.close

    def full(file):
        closing(file)
        raise OSError(errno.ENOSPC, "No space left on device")

    kept = Log(tmp_path / "headscope.log")
    monkeypatch.setattr(log._File, "close", full)
    kept.close()
