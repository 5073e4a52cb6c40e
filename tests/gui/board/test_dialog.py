"""Exporting the board: models opened in turn, a preview, the file, stopping, failing."""

import pytest
from PIL import Image
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from engine.messages import Attention, Head, LoadModel, OVTokens, RunPrompt, Spectrum, model_of
from gui.client.background import Worker
from gui.client.gather import Gathering
from gui.export import jobs
from gui.figures import board_file
from gui.state.figure_board import Board, Item
from tests.gui.figures.reading import media_box


def board(session):
    toy = RunPrompt("toy", "result = 0")
    return Board(
        (
            Item(Attention(session.run, 1, "pattern"), Head(1, 3)),
            Item(Attention(toy, 0, "pattern"), Head(0, 0), "The toy"),
            Item(OVTokens("attn-2l", Head(1, 3), source="position", run=session.run, position=4)),
        ),
        columns=3,
    )


@pytest.fixture
def dialog(qtbot, panel, session):
    QApplication.setApplicationVersion("1.2.3")
    session.board.put(board(session))
    made = panel.open_dialog()
    yield made
    if isValid(made):
        made.close()


def ready(qtbot, dialog):
    qtbot.waitUntil(lambda: dialog.ready)


def test_the_file_is_the_preview_and_holds_the_board(qtbot, dialog, session, tmp_path):
    ready(qtbot, dialog)
    assert dialog.small.text().startswith("6.75 × ")
    told = []
    dialog.message.connect(told.append)
    dialog.save(tmp_path / "b.pdf")
    qtbot.waitUntil(lambda: bool(told))
    assert told == ["Saved b.pdf."]
    assert media_box(tmp_path / "b.pdf")[0] == pytest.approx(486, abs=0.1)
    made = board_file.read(tmp_path / "b.pdf")
    assert made.board == session.board.board == board(session)
    assert dict(made.origins[0].versions)["headscope"] == "1.2.3"
    assert made.origins[1].tokens != made.origins[0].tokens


def test_what_is_chosen_is_kept_with_the_board(qtbot, dialog, session):
    ready(qtbot, dialog)
    dialog.form.width_name.setCurrentText("183 mm")
    dialog.form.caption.setChecked(True)
    ready(qtbot, dialog)
    options = session.board.board.options
    assert (options.width, options.caption) == (pytest.approx(183 / 25.4), True)
    assert "183.0 ×" in dialog.small.text()
    dialog.form.width_name.setCurrentText("3.25 in")
    qtbot.waitUntil(lambda: "choose fewer columns" in dialog.notice.text())


def test_each_model_is_opened_once_and_that_in_use_last(qtbot, engine, client, session):
    client.start()
    found, steps = [], []
    gathering = Gathering(
        client, Worker(client), lambda: jobs.board_questions(board(session)), "attn-2l",
        found.append, found.append, lambda done, total: steps.append((done, total)),
    )  # fmt: skip
    qtbot.waitUntil(lambda: bool(found))
    assert gathering.over
    assert len(found[0]) == 7
    models = [model_of(request) for request in engine.asked]
    assert models == ["toy"] * 3 + ["attn-2l"] * 4
    assert steps[-1] == (7, 7)


def test_the_model_in_use_is_opened_again_where_the_board_shows_only_others(qtbot, engine, client):
    client.start()
    found = []
    only = Board((Item(Spectrum("toy", Head(0, 0))),))
    asked = jobs.board_questions(only)
    Gathering(client, Worker(client), lambda: asked, "attn-2l", found.append, found.append)
    qtbot.waitUntil(lambda: bool(found) and not client.busy)
    assert engine.asked[-1] == LoadModel("attn-2l")


def test_what_has_no_answer_is_said_and_nothing_can_be_saved(qtbot, engine, panel, session):
    engine.missing.add("gone")
    session.board.put(Board((Item(Spectrum("gone", Head(0, 0))),)))
    dialog = panel.open_dialog()
    qtbot.waitUntil(lambda: bool(dialog.notice.text()))
    assert "gone" in dialog.notice.text()
    assert not dialog.save_button.isEnabled()
    dialog.close()


def test_stop_ends_the_waiting(qtbot, dialog, client):
    dialog.stop()
    assert dialog.notice.text().startswith("Stopped.")
    assert not dialog.save_button.isEnabled()
    assert not dialog.stop_button.isVisible()
    qtbot.waitUntil(lambda: not client.busy)
    assert not dialog.ready


def test_a_png_has_the_resolution_that_is_chosen(qtbot, dialog, tmp_path):
    ready(qtbot, dialog)
    dialog.kind._buttons[".png"].click()
    dialog.form.dpi.setValue(150)
    ready(qtbot, dialog)
    told = []
    dialog.message.connect(told.append)
    dialog.save(tmp_path / "b.png")
    qtbot.waitUntil(lambda: bool(told))
    with Image.open(tmp_path / "b.png") as image:
        assert image.width == int(6.75 * 150)


def test_a_file_that_cannot_be_written_is_said(qtbot, dialog, tmp_path):
    ready(qtbot, dialog)
    dialog.save(tmp_path / "no" / "b.pdf")
    qtbot.waitUntil(lambda: "no folder" in dialog.notice.text())
    assert dialog.save_button.isEnabled()
