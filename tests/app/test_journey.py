"""The real window, driven by mouse and keyboard: without a display, and on one."""

import pytest

from tests.app.journey import journey


def test_type_click_pin_read_and_save(qtbot, open_window, engine, tmp_path):
    journey(qtbot, open_window(), engine, tmp_path)


@pytest.mark.display
def test_type_click_pin_read_and_save_on_a_display(qtbot, qapp, open_window, engine, tmp_path):
    assert qapp.platformName() == "xcb"
    journey(qtbot, open_window(), engine, tmp_path)
