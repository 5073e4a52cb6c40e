"""What is noted while a model is opened, for a start after a crash."""

import pytest

from gui.session import model_opener
from gui.session.model_opener import ModelOpener, OpeningMarker
from gui.session.session import DEFAULT_MODEL
from tests.gui.asking import idle

BAD = "/models/gone/tiny.gguf"


@pytest.fixture
def copy(tmp_path):
    return tmp_path / "last-1.headscope.json"


@pytest.fixture
def opening(session, client, copy):
    opening = ModelOpener(session, client, None, OpeningMarker(copy))
    client.start()
    return opening


def test_a_model_is_noted_until_it_is_open(qtbot, client, opening, copy, engine):
    idle(qtbot, client)
    engine.seconds = 0.2
    opening.open("/models/some")
    assert model_opener.left(copy) == ["/models/some"]
    idle(qtbot, client)
    assert model_opener.left(copy) == []
    assert list(copy.parent.iterdir()) == []


def test_a_model_that_is_refused_or_cancelled_is_noted_no_more(
    qtbot, client, opening, copy, engine
):
    engine.missing.add(BAD)
    opening.open(BAD)
    idle(qtbot, client)
    assert model_opener.left(copy) == []
    opening.open("/models/some")
    opening.cancel()
    assert model_opener.left(copy) == []


def test_a_model_that_had_to_be_stopped_stays_noted(qtbot, session, client, opening, copy, engine):
    idle(qtbot, client)
    engine.seconds = 5
    session.open_model("/models/some")
    client.cancel()
    idle(qtbot, client)
    assert model_opener.left(copy) == ["/models/some"]


def test_a_model_that_another_takes_the_place_of_is_noted_no_more(
    qtbot, session, client, opening, copy, engine
):
    idle(qtbot, client)
    engine.seconds = 5
    session.open_model("/models/some")
    session.open_model("/models/other")
    assert model_opener.left(copy) == ["/models/other"]
    engine.seconds = 0


def test_the_model_of_the_first_start_is_never_noted(client, session, opening, copy):
    assert session.selection.model == DEFAULT_MODEL
    assert model_opener.left(copy) == []


def test_a_model_that_is_offered_stays_so_while_another_opens(qtbot, client, session, opening):
    opening.offer(BAD)
    idle(qtbot, client)
    assert opening.in_use == DEFAULT_MODEL
    assert opening.not_opened.model == BAD


@pytest.mark.parametrize("text", ["", "{", "3", '[1, "a"]', "[" * 10_000])
def test_a_damaged_note_says_nothing(copy, text):
    copy.with_name(f"{copy.name}.opening").write_text(text)
    assert [name for name in model_opener.left(copy) if name != "a"] == []
