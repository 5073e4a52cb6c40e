"""About: what a bug report and a paper need."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel

from gui.client import log
from gui.platform import versions
from gui.shell.about import AboutDialog


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
