"""Downloading: asked first, told in bytes, stopped, resumed, and what fails."""

import pytest
from PySide6.QtCore import Qt

from engine.messages import DownloadModel, FindDownload, Refused, RunPrompt
from gui.client.engine_client import EngineClient
from gui.models.download import STOPPED_TEXT, DownloadPage
from gui.session.model_opener import ModelOpener
from gui.shell.status_bar import StatusBar
from tests.gui.asking import Recorder
from tests.gui.fake_engine import FakeEngine


@pytest.fixture
def page(qtbot, client):
    page = DownloadPage(client)
    qtbot.addWidget(page)
    page.show()
    client.start()
    return page


def idle(qtbot, client):
    qtbot.waitUntil(lambda: not client.busy)


def look_up(qtbot, client, page, name="gpt2"):
    page.name.setText(name)
    qtbot.mouseClick(page.look, Qt.MouseButton.LeftButton)
    idle(qtbot, client)


def click(qtbot, button):
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_nothing_is_asked_before_the_user_asks(qtbot, client, engine, page):
    page.name.setText("gpt2")
    idle(qtbot, client)
    assert engine.asked == []
    assert not page.download.isEnabled()
    assert "nothing is sent but the name" in page.look.toolTip()


def test_the_size_comes_first_with_what_is_here_and_the_room(qtbot, client, engine, page):
    engine.fetched = 2**30
    look_up(qtbot, client, page, "  gpt2 ")
    assert engine.asked == [FindDownload("gpt2")]
    assert page.files.copied(1) == ("model.safetensors", "3.0 GiB")
    assert page.summary.text == (
        "2 files, 3.0 GiB, of which 1.0 GiB are on this computer already. "
        "8.0 GiB are free on the disk of the cache."
    )
    assert page.download.isEnabled()


def test_another_name_takes_the_size_back(qtbot, client, page):
    look_up(qtbot, client, page)
    page.name.setText("gpt3")
    assert page.summary.text == ""
    assert not page.download.isEnabled()


def test_too_little_room_on_the_disk_is_said_and_nothing_can_be_started(
    qtbot, client, engine, page
):
    engine.free = 2**30
    look_up(qtbot, client, page)
    assert "2.0 GiB too little" in page.summary.text
    assert not page.download.isEnabled()
    page.download.clicked.emit()


def test_what_the_hub_refuses_stands_under_the_name(qtbot, client, engine, page):
    engine.failing[FindDownload] = Refused("the Hugging Face hub has no model 'gpt2'")
    look_up(qtbot, client, page)
    assert page.notice.text() == "the Hugging Face hub has no model 'gpt2'"
    assert page.look.isEnabled()


def test_a_download_is_told_in_bytes_stopped_and_resumed(qtbot, client, engine, page):
    look_up(qtbot, client, page)
    click(qtbot, page.download)
    qtbot.waitUntil(lambda: "of 3.0 GiB" in page.progress.text() and page.bar.value() > 0)
    assert page.bar.isVisible()
    click(qtbot, page.stop)
    idle(qtbot, client)
    assert page.notice.text() == STOPPED_TEXT
    came = engine.fetched
    assert 0 < came < 3 * 2**30
    assert page.download.text() == "Go on"
    with qtbot.waitSignal(page.downloaded) as told:
        click(qtbot, page.download)
    assert told.args == ["gpt2"]
    assert engine.asked.count(DownloadModel("gpt2")) == 2
    assert page.summary.text == "gpt2 is on this computer (3.0 GiB)."
    with qtbot.waitSignal(page.open_wanted) as told:
        click(qtbot, page.open_button)
    assert told.args == ["gpt2"]


def test_a_question_of_the_window_does_not_wait_for_a_download(qtbot, client, engine, page):
    look_up(qtbot, client, page)
    click(qtbot, page.download)
    qtbot.waitUntil(lambda: engine.fetched > 0)
    asker = Recorder()
    client.ask(asker, "run", RunPrompt("attn-2l", "w1"))
    qtbot.waitUntil(lambda: bool(asker.received))
    assert page.downloading
    qtbot.waitUntil(lambda: not page.downloading)
    assert page.open_button.isVisible()


def test_a_download_that_breaks_off_says_why_and_can_be_started_again(qtbot, client, engine, page):
    look_up(qtbot, client, page)
    engine.failing[DownloadModel] = Refused("the connection was lost after 1.0 GiB")
    click(qtbot, page.download)
    idle(qtbot, client)
    assert page.notice.text() == "the connection was lost after 1.0 GiB"
    assert page.download.isEnabled()
    engine.failing.clear()
    click(qtbot, page.download)
    qtbot.waitUntil(page.open_button.isVisible)
    assert page.notice.text() == ""


def test_escape_in_the_window_stops_it_as_cancel_does(qtbot, client, engine, page):
    look_up(qtbot, client, page)
    click(qtbot, page.download)
    qtbot.waitUntil(lambda: engine.fetched > 0)
    client.cancel()
    idle(qtbot, client)
    assert page.notice.text() == STOPPED_TEXT
    assert not page.downloading


@pytest.fixture
def beside(qapp):
    """Return what answers questions to the hub in a thread of its own, and its client."""
    engine = FakeEngine()
    client = EngineClient(lambda: engine)
    yield engine, client
    client.close()


@pytest.fixture
def both(qtbot, beside):
    """Return the engine and the client that have it beside them, and a page of theirs."""
    engine = FakeEngine()
    client = EngineClient(lambda: engine, beside[1])
    page = DownloadPage(client)
    qtbot.addWidget(page)
    page.show()
    client.start()
    yield engine, client, page
    client.close()


def test_clicks_neither_interrupt_a_download_nor_wait_for_it(qtbot, beside, both):
    (hub, lane), (engine, client, page) = beside, both
    look_up(qtbot, lane, page)
    click(qtbot, page.download)
    qtbot.waitUntil(lambda: hub.fetched > 0)
    asker = Recorder()
    for word in ("w1", "w2", "w3"):
        client.ask(asker, word, RunPrompt("attn-2l", word))
    qtbot.waitUntil(lambda: len(asker.received) == 3)
    assert page.downloading
    assert "of 3.0 GiB" in page.progress.text()
    qtbot.waitUntil(page.open_button.isVisible)
    assert hub.asked == [FindDownload("gpt2"), DownloadModel("gpt2")]
    assert engine.asked == [RunPrompt("attn-2l", word) for word in ("w1", "w2", "w3")]
    assert not engine.threads & hub.threads


def test_escape_stops_what_is_computed_and_only_then_a_download(qtbot, beside, both):
    (hub, lane), (engine, client, page) = beside, both
    engine.seconds = 5.0
    look_up(qtbot, lane, page)
    click(qtbot, page.download)
    asker = Recorder()
    client.ask(asker, "run", RunPrompt("attn-2l", "w1"))
    qtbot.waitUntil(lambda: hub.fetched > 0 and client.running is not None)
    client.cancel()
    qtbot.waitUntil(lambda: not client.busy)
    assert page.downloading
    client.cancel()
    qtbot.waitUntil(lambda: not lane.busy)
    assert page.notice.text() == STOPPED_TEXT
    assert 0 < hub.fetched < 3 * 2**30


def test_the_status_bar_says_how_far_a_download_is(qtbot, session, beside, both):
    (_, lane), (_, client, page) = beside, both
    bar = StatusBar(session, client, ModelOpener(session, client, None))
    qtbot.addWidget(bar)
    bar.show()
    look_up(qtbot, lane, page)
    click(qtbot, page.download)
    qtbot.waitUntil(lambda: " %)" in bar.work.text())
    assert bar.work.text().startswith("downloading …")
    assert not bar.stop.isVisible()
    qtbot.waitUntil(page.open_button.isVisible)
    qtbot.waitUntil(lambda: bar.work.text() == "ready")


def test_a_window_that_closes_stops_a_download(qtbot, beside, both):
    (hub, lane), (_, client, page) = beside, both
    look_up(qtbot, lane, page)
    click(qtbot, page.download)
    qtbot.waitUntil(lambda: hub.fetched > 0)
    client.close()
    came = hub.fetched
    qtbot.wait(50)
    assert hub.fetched == came < 3 * 2**30
