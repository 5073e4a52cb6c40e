"""Garbage of the UI is collected in the UI thread, whoever allocates."""

import gc
import threading
import weakref

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from gui.platform.garbage import Collector


@pytest.fixture(autouse=True)
def _automatic():
    """Begin as Python does."""
    gc.enable()
    yield
    gc.disable()


def test_a_widget_in_a_cycle_dies_in_the_ui_thread(qtbot, qapp):
    owner = QObject()
    collector = Collector(owner)
    died_in = []
    collector.start()
    try:
        widget = QWidget()
        widget.myself = widget
        weakref.finalize(widget, lambda: died_in.append(threading.get_ident()))
        del widget

        kept = []
        thread = threading.Thread(target=lambda: kept.extend([i] for i in range(50_000)))
        thread.start()
        thread.join()
        assert died_in == []
        qtbot.waitUntil(lambda: died_in != [])
        assert died_in == [threading.get_ident()]
        assert len(kept) == 50_000  # what is allocated and kept makes a collection due
    finally:
        collector.stop()
    assert gc.isenabled()


def test_stopping_leaves_the_automatic_collector_as_it_was_found(qapp):
    owner = QObject()
    collector = Collector(owner)
    for automatic in (gc.enable, gc.disable):
        automatic()
        was = gc.isenabled()
        collector.start()
        assert not gc.isenabled()
        collector.stop()
        assert gc.isenabled() == was


def test_a_widget_that_a_test_lets_go_lives_until_the_test_is_over(qtbot):
    widget = QWidget()
    widget.myself = widget
    seen = weakref.ref(widget)
    qtbot.addWidget(widget)
    del widget
    gc.collect()
    assert seen() is not None
