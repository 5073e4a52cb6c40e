"""Pictures of all open cards at once, a file each, and nothing replaced unasked."""

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QLabel, QMessageBox, QWidget

from gui.shell.picture_dialog import ALL, PictureDialog
from gui.style import palette

CARDS = ("Attention", "Virtual head")


@pytest.fixture
def dialog(qtbot, qapp):
    palette.apply(qapp, "light")
    window = QWidget()
    qtbot.addWidget(window)
    cards = [QLabel(name, window) for name in CARDS]
    for place, card in enumerate(cards):
        card.resize(120 + place, 40)
    dialog = PictureDialog(window, [("Window", window), *zip(CARDS, cards, strict=True)])
    dialog.subject.setCurrentText(ALL)
    dialog.scale.set_value("3")
    dialog.open()
    return dialog


def test_every_open_card_gets_a_file(tmp_path, dialog):
    assert dialog.size_label.text() == "2 pictures, as large as the cards"
    assert not dialog.copy_button.isEnabled()
    dialog.save_all(tmp_path)
    sizes = {path.name: QImage(str(path)).size().toTuple() for path in tmp_path.iterdir()}
    assert sizes == {
        "headscope-attention.png": (360, 120), "headscope-virtual-head.png": (363, 120)
    }  # fmt: skip
    assert not dialog.isVisible()


@pytest.mark.parametrize(
    ("button", "replaced"),
    [(QMessageBox.StandardButton.Yes, True), (QMessageBox.StandardButton.Cancel, False)],
)
def test_what_is_there_is_replaced_only_if_wanted(qtbot, tmp_path, dialog, button, replaced):
    there = tmp_path / "headscope-attention.png"
    there.write_bytes(b"mine")
    dialog.save_all(tmp_path)
    box = dialog.findChild(QMessageBox)
    assert "already has headscope-attention.png." in box.text()
    box.button(button).click()
    assert (there.read_bytes() != b"mine") == replaced
    assert len(list(tmp_path.iterdir())) == (2 if replaced else 1)
    dialog.reject()


def test_a_folder_that_is_gone_is_said(tmp_path, dialog):
    dialog.save_all(tmp_path / "gone")
    assert "cannot write" in dialog.notice.text()
    assert dialog.isVisible()
    dialog.reject()
