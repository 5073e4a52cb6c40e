"""The export dialog: the preview is the file, and what cannot be written is said."""

import threading
import time
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QAbstractButton, QComboBox, QFileDialog, QLineEdit, QWidget

from engine.job import Job
from engine.messages import Attention, Head, Refused, RunPrompt, Spectrum
from gui import figures
from gui.export.exportable import Exportable
from gui.export.preview import DPI
from gui.figures import FigureOptions
from gui.state.figure_options import DATA, MM, PICTURES, WIDTHS
from tests.gui.export.conftest import ATTENTION, RUN, VERSION, wait_ready

SCORES = Exportable("Scores", Attention(RUN, 1, "scores"), Head(1, 2))
LONG = Exportable(
    "Long", Attention(RunPrompt("attn-2l", " ".join(f"w{n}" for n in range(80))), 1), Head(1, 2)
)


def expected(engine, path, options=None):
    """Write what the dialog should have written; return the bytes."""
    request, head = ATTENTION.request, ATTENTION.head
    beside = [engine.answer(asked, Job()) for asked in figures.questions(request, rows=True)]
    figures.write(
        request, engine.answer(request, Job()), path, options or FigureOptions(), head=head,
        origin=figures.origin(beside, VERSION),
    )  # fmt: skip
    return path.read_bytes()


@pytest.mark.parametrize("suffix", figures.SUFFIXES)
def test_every_kind_of_file_is_written_as_the_figures_write_it(
    qtbot, tmp_path, opened, engine, suffix
):
    dialog = opened(suffixes=PICTURES if suffix in PICTURES else DATA)
    dialog.kind.set_value(suffix)
    assert dialog.name().endswith(suffix)
    told = []
    dialog.message.connect(told.append)
    path = tmp_path / f"f{suffix}"
    with qtbot.waitSignal(dialog.accepted):
        dialog.save(path)
    assert told == [f"Saved f{suffix}."]
    other = tmp_path / "other"
    other.mkdir()
    assert path.read_bytes() == expected(engine, other / path.name)


def test_the_preview_is_the_page_at_the_resolution_of_the_screen(opened):
    dialog = opened()
    shown = dialog._material.preview(".pdf", dialog.form.options(), DPI)
    assert dialog.pane.sheet._page == shown.page
    assert dialog.pane.size_in_words().startswith("3.25 × ")
    assert "82.5" in dialog.pane.size_in_words() or "82.6" in dialog.pane.size_in_words()


def test_a_page_with_an_image_of_cells_is_shown_at_the_resolution_of_the_screen(opened):
    dialog = opened(LONG)
    assert dialog.pane.sheet._page.width() == round(3.25 * DPI)


def test_what_is_chosen_is_what_is_written(qtbot, tmp_path, opened, engine):
    dialog = opened()
    form = dialog.form
    dialog.kind.set_value(".png")
    form.width_name.setCurrentText("89 mm")
    form.font_size.setValue(8.5)
    form.ground.set_value("transparent")
    form.sequential.setCurrentText("viridis")
    form.diverging.setCurrentText("PuOr")
    form.labels.setText("0,2")
    form.title_kind.set_value("other")
    form.title.setText(" <b>A</b> & B ")
    form.caption.setChecked(True)
    form.dpi.setValue(300)
    options = FigureOptions(
        89 * MM, 8.5, "transparent", "viridis", "PuOr", (0, 2), "<b>A</b> & B", True, 300
    )
    assert form.options() == options
    with qtbot.waitSignal(dialog.accepted):
        dialog.save(tmp_path / "f.png")
    assert (tmp_path / "f.png").read_bytes() == expected(engine, tmp_path / "g.png", options)


def test_the_next_dialog_begins_with_what_was_chosen_in_the_last(qtbot, tmp_path, opened):
    dialog = opened()
    dialog.form.width_name.setCurrentText("own width")
    dialog.form.own_width.setValue(100.0 / 25.4)
    dialog.form.labels.setText("none")
    dialog.kind.set_value(".svg")
    before = dialog.form.options()
    with qtbot.waitSignal(dialog.accepted):
        dialog.save(tmp_path / "f.svg")
    again = opened(SCORES)
    assert again.form.options() == before
    assert (again.suffix, again._chosen.folder) == (".svg", tmp_path)
    again.reject()


def test_a_width_of_ones_own_is_kept_when_the_unit_changes(opened):
    form = opened().form
    form.width_name.setCurrentText("183 mm")
    form.width_name.setCurrentText("own width")
    assert (form.own_width.value(), form.unit.currentText()) == (183.0, "mm")
    form.unit.setCurrentText("in")
    assert form.own_width.value() == pytest.approx(183 / 25.4, abs=0.005)
    form.own_width.setValue(99.0)
    assert form.options().width == 20.0


@pytest.mark.parametrize("width", WIDTHS, ids=lambda width: width.name)
def test_every_usual_width_is_exact(opened, width):
    form = opened(ready=False).form
    form.width_name.setCurrentText(width.name)
    assert form.options().width == width.inches


def test_what_cannot_be_written_is_said_and_the_dialog_stays(qtbot, tmp_path, opened, at_rest):
    dialog = opened()
    for path, said in (
        (tmp_path / "no" / "f.pdf", "There is no folder"),
        (tmp_path / "f.docx", "'f.docx' does not end in .pdf, .svg"),
        (Path("/dev/full/f.pdf"), "There is no folder"),
        (Path("/proc/f.pdf"), "/proc/f.pdf cannot be written: "),
    ):
        dialog.save(path)
        at_rest()
        assert dialog.notice.text().startswith(said), dialog.notice.text()
        assert dialog.isVisible()
        assert dialog.save_button.isEnabled()
    assert list(tmp_path.iterdir()) == []


def test_what_the_file_lacks_stands_under_the_preview(opened):
    dialog = opened(SCORES)  # a signed map, whose colours are alike in greyscale
    assert "RdBu shows different values alike when it is printed in greyscale" in (
        dialog.small.text()
    )


def test_what_was_not_said_before_is_said_after_saving(qtbot, tmp_path, opened, at_rest):
    dialog = opened(LONG)
    dialog.kind.set_value(".png")
    dialog.form.dpi.setValue(700)
    wait_ready(qtbot, dialog)
    dialog.save(tmp_path / "f.png")
    at_rest()
    told = dialog.notice.text()
    assert told.startswith("Saved f.png. 21 of 81 tokens are labelled, as many as have room:")
    assert told.endswith(" The PNG has 1200 dpi, so that each cell is whole pixels.")
    assert dialog.isVisible()
    assert (tmp_path / "f.png").exists()


def test_a_field_that_holds_what_cannot_be_is_named(qtbot, opened):
    dialog = opened()
    for text, said in (("x", "Labels are all, none"), ("0,99", "There is no token 99 to label")):
        dialog.form.labels.setText(text)
        qtbot.waitUntil(lambda said=said: dialog.notice.text().startswith(said))
    dialog.form.labels.setText("")
    qtbot.waitUntil(lambda: not dialog.notice.text())


def test_a_question_that_fails_is_said(opened, engine, monkeypatch, at_rest):
    def answer(request, job):
        raise Refused("the prompt is too long for this model")

    monkeypatch.setattr(engine, "answer", answer)
    dialog = opened(ready=False)
    at_rest()
    assert dialog.notice.text() == "The prompt is too long for this model."
    assert not dialog.save_button.isEnabled()
    dialog.reject()


def test_one_of_several_answers_can_be_chosen(qtbot, opened):
    spectrum = Exportable("QK spectrum", Spectrum("attn-2l", Head(1, 2), "qk"))
    dialog = opened(ATTENTION, spectrum)
    assert dialog.what.count() == 2
    dialog.what.setCurrentText("QK spectrum")
    wait_ready(qtbot, dialog)
    assert dialog.subject == spectrum
    assert dialog.name() == "attn-2l-L1H2-spectrum-qk.pdf"
    assert dialog._material.subject == dialog.subject


def test_data_are_shown_as_they_are_written(qtbot, opened, tmp_path):
    dialog = opened(suffixes=DATA)
    assert dialog.pane.text.toPlainText().startswith("head,query,query_id,query_token,")
    with qtbot.waitSignal(dialog.accepted):
        dialog.save(tmp_path / "f.csv")
    dialog = opened(suffixes=DATA)
    dialog.kind._buttons[".npz"].click()
    qtbot.waitUntil(lambda: "values  float" in dialog.pane.text.toPlainText())


def test_the_figure_is_copied_at_its_resolution(qapp, opened, at_rest):
    dialog = opened()
    dialog.form.dpi.setValue(100)
    dialog.copies["Copy picture"].click()
    at_rest()
    assert qapp.clipboard().image().width() == 325
    assert dialog.notice.text() == "Copied the figure."


def test_the_file_dialog_suggests_a_name_and_asks_before_it_overwrites(opened):
    dialog = opened()
    dialog.ask_where()
    asking = dialog.findChild(QFileDialog)
    assert Path(asking.selectedFiles()[0]).name == "attn-2l-L1H2-attention.pdf"
    assert asking.acceptMode() == QFileDialog.AcceptMode.AcceptSave
    assert not asking.testOption(QFileDialog.Option.DontConfirmOverwrite)
    assert asking.defaultSuffix() == "pdf"
    asking.reject()


def test_the_ui_thread_does_not_wait_while_a_page_is_set(qtbot, opened, monkeypatch):
    threads, gaps = [], []
    write = figures.picture

    def slow(*args, **kwargs):
        threads.append(threading.current_thread())
        time.sleep(0.3)
        return write(*args, **kwargs)

    monkeypatch.setattr("gui.figures.files.picture", slow)
    timer = QTimer(interval=5)
    last = [time.perf_counter()]

    def tick():
        gaps.append(time.perf_counter() - last[0])
        last[0] = time.perf_counter()

    timer.timeout.connect(tick)
    timer.start()
    opened()
    timer.stop()
    assert threads
    assert threading.main_thread() not in threads
    assert max(gaps) < 0.3
    assert len(gaps) > 10


def test_closing_wants_nothing_more(opened, client, worker, at_rest):
    opened(ready=False).reject()
    assert not worker.busy
    assert not client.busy
    at_rest()


def test_every_control_has_a_name_and_can_be_reached_by_keyboard(qtbot, opened):
    dialog = opened()
    for widget in dialog.findChildren(QWidget):
        if isinstance(widget, QAbstractButton | QComboBox) and widget.isVisible():
            name = widget.accessibleName() or getattr(widget, "text", str)()
            assert name, widget
            # Arrow keys lead on inside a row of choices.
            assert widget.focusPolicy() != Qt.FocusPolicy.NoFocus, name
    names = [w.accessibleName() for w in dialog.findChildren(QLineEdit) if w.objectName() == ""]
    assert "Tokens that are labelled" in names


def test_the_picture_shown_is_no_blank_page(qapp, opened):
    image = opened().pane.sheet._page
    assert isinstance(image, QImage)
    grey = image.convertToFormat(QImage.Format.Format_Grayscale8)
    pixels = np.frombuffer(grey.constBits(), np.uint8)
    assert len(np.unique(pixels)) > 20


def test_the_folder_that_is_gone_is_not_offered(tmp_path, chosen):
    gone = tmp_path / "gone"
    gone.mkdir()
    chosen.keep_folder(gone)
    assert chosen.folder == gone
    gone.rmdir()
    assert chosen.folder == Path.home()


def test_closing_waits_for_what_is_being_written(qtbot, tmp_path, opened, monkeypatch):
    write = figures.write

    def slow(*args, **kwargs):
        time.sleep(0.2)
        return write(*args, **kwargs)

    monkeypatch.setattr("gui.figures.files.write", slow)
    dialog = opened()
    dialog.save(tmp_path / "f.svg")
    assert not dialog.save_button.isEnabled()
    dialog.reject()
    assert dialog.isVisible()
    qtbot.waitUntil(lambda: not dialog.isVisible())
    assert (tmp_path / "f.svg").exists()


def test_closing_does_not_hide_why_nothing_was_written(tmp_path, opened, at_rest):
    dialog = opened()
    dialog.save(tmp_path / "no" / "f.svg")
    dialog.reject()
    at_rest()
    assert dialog.isVisible()
    assert "There is no folder" in dialog.notice.text()
    dialog.reject()
    assert not dialog.isVisible()


def test_escape_closes_and_enter_asks_where(qtbot, opened):
    dialog = opened()
    dialog.form.labels.setFocus()
    qtbot.keyClick(dialog.form.labels, Qt.Key.Key_Return)
    assert dialog.findChild(QFileDialog) is not None
    dialog.findChild(QFileDialog).reject()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
