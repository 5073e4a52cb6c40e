"""Small dialogs: About, and pictures of all open cards at once."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QLabel, QMessageBox, QWidget

from gui.client import log
from gui.platform import versions
from gui.shell.about import AboutDialog
from gui.shell.picture_dialog import ALL, PictureDialog
from gui.style import palette


@pytest.fixture
def about(qtbot, qapp, monkeypatch, tmp_path):
    monkeypatch.setattr(log, "path", lambda: tmp_path / "headscope.log")
    qapp.setApplicationVersion("1.2.3")
    dialog = AboutDialog()
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    qtbot.addWidget(dialog)
    dialog.show()
    yield dialog
    qapp.setApplicationVersion("")


def test_about_names_versions_licences_and_the_log(about, tmp_path):
    text = "\n".join(label.text() for label in about.findChildren(QLabel))
    for word in ("Headscope 1.2.3", "PySide6", "transformers", "TransformerLens", "numpy", "torch"):
        assert word in text
    for word in ("MIT", "PSF License 2", "WordNet 3.0", "public domain"):
        assert word in text
    assert str(tmp_path / "headscope.log") in text
    assert about.open_folder.isEnabled()


def test_versions_are_known_without_importing_what_they_are_of(about):
    assert "?" not in dict(versions.parts()).values()
    assert "torch" in dict(versions.parts())


@pytest.mark.parametrize(
    ("button", "word"), [("copy_citation", "@software{"), ("copy_versions", "Qt")]
)
def test_what_is_to_be_pasted_is_copied(qtbot, about, button, word):
    QApplication.clipboard().setText("")
    qtbot.mouseClick(getattr(about, button), Qt.MouseButton.LeftButton)
    assert word in QApplication.clipboard().text()
    assert "1.2.3" in QApplication.clipboard().text()


CARDS = ("Attention", "Virtual head")


@pytest.fixture
def pictures(qtbot, qapp):
    palette.apply(qapp, "light")
    window = QWidget()
    qtbot.addWidget(window)
    cards = [QLabel(name, window) for name in CARDS]
    for place, card in enumerate(cards):
        card.resize(120 + place, 40)
    pictures = PictureDialog(window, [("Window", window), *zip(CARDS, cards, strict=True)])
    pictures.subject.setCurrentText(ALL)
    pictures.scale.set_value("3")
    pictures.open()
    return pictures


def test_every_open_card_gets_a_file(tmp_path, pictures):
    assert pictures.size_label.text() == "2 pictures, as large as the cards"
    assert not pictures.copy_button.isEnabled()
    pictures.save_all(tmp_path)
    sizes = {path.name: QImage(str(path)).size().toTuple() for path in tmp_path.iterdir()}
    assert sizes == {
        "headscope-attention.png": (360, 120), "headscope-virtual-head.png": (363, 120)
    }  # fmt: skip
    assert not pictures.isVisible()


@pytest.mark.parametrize(
    ("button", "replaced"),
    [(QMessageBox.StandardButton.Yes, True), (QMessageBox.StandardButton.Cancel, False)],
)
def test_what_is_there_is_replaced_only_if_wanted(qtbot, tmp_path, pictures, button, replaced):
    there = tmp_path / "headscope-attention.png"
    there.write_bytes(b"mine")
    pictures.save_all(tmp_path)
    box = pictures.findChild(QMessageBox)
    assert "already has headscope-attention.png." in box.text()
    box.button(button).click()
    assert (there.read_bytes() != b"mine") == replaced
    assert len(list(tmp_path.iterdir())) == (2 if replaced else 1)
    pictures.reject()


def test_a_folder_that_is_gone_is_said(tmp_path, pictures):
    pictures.save_all(tmp_path / "gone")
    assert "cannot write" in pictures.notice.text()
    assert pictures.isVisible()
    pictures.reject()
