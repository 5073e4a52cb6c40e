"""Settings: what survives a restart, and what a damaged file does."""

import pytest
from PySide6.QtCore import QSettings

from gui.session.settings import RECENT_MODELS, Settings


def test_a_first_start_has_nothing():
    assert Settings().theme() == "system"
    assert Settings().history() == []
    assert Settings().recent_sessions() == []


@pytest.mark.parametrize("history", [[], ["one"], ["one, two", "three"]])
def test_history_comes_back_in_order(history):
    settings = Settings()
    settings.keep_history(history)
    settings.write()
    assert Settings().history() == history


@pytest.mark.parametrize("paths", [[], ["/one, two"], ["/<b>", "/c; d", "C:\\models\\x.gguf"]])
def test_recent_models_come_back_in_order(paths):
    settings = Settings()
    settings.keep_recent_models(paths)
    settings.write()
    assert Settings().recent_models() == paths


def test_of_many_recent_models_the_newest_are_kept():
    settings = Settings()
    settings.keep_recent_models([str(number) for number in range(20)])
    assert settings.recent_models() == [str(number) for number in range(RECENT_MODELS)]


def test_the_ten_newest_sessions_are_kept_each_once():
    settings = Settings()
    for number in (*range(12), 5):
        settings.keep_recent_session(f"/a, b/{number} é.headscope.json")
    settings.write()
    expected = [5, 11, 10, 9, 8, 7, 6, 4, 3, 2]
    assert Settings().recent_sessions() == [f"/a, b/{n} é.headscope.json" for n in expected]


def test_values_of_the_wrong_kind_count_as_absent():
    raw = QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "headscope", "headscope")
    raw.setValue("prompt/history", 3)
    raw.setValue("session/recent", {"a": 1})
    raw.setValue("window/theme", "pink")
    raw.sync()
    settings = Settings()
    assert settings.theme() == "system"
    assert settings.history() == []
    assert settings.recent_sessions() == []
