"""Settings: what survives a restart, and what a damaged file does."""

import pytest
from PySide6.QtCore import QByteArray, QSettings

from gui.session import DEFAULT_MODEL, DEFAULT_TEXT, Selection
from gui.settings import RECENT_MODELS, Settings


def test_a_first_start_has_the_default_session():
    assert Settings().selection() == Selection(DEFAULT_MODEL, DEFAULT_TEXT)
    assert Settings().layout() is None
    assert Settings().theme() == "system"
    assert Settings().history() == []


@pytest.mark.parametrize("bos", [None, True, False])
@pytest.mark.parametrize(
    "text", ["", 'a, b; c = "d" \\ e', "two\nlines\t⇥", "💩 קריירה", "@Invalid()"]
)
def test_prompt_and_model_come_back_exactly(text, bos):
    settings = Settings()
    settings.keep_selection(Selection(model="toy", text=text, prepend_bos=bos))
    settings.write()
    assert Settings().selection() == Selection(model="toy", text=text, prepend_bos=bos)


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


def test_layout_of_another_version_is_not_restored():
    settings = Settings()
    settings.keep_layout(QByteArray(b"geometry"), QByteArray(b"state"))
    assert settings.layout() == (QByteArray(b"geometry"), QByteArray(b"state"))
    raw = QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "headscope", "headscope")
    raw.setValue("window/layout_version", "0")
    raw.sync()
    assert Settings().layout() is None


def test_values_of_the_wrong_kind_count_as_absent():
    raw = QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "headscope", "headscope")
    raw.setValue("prompt/text", ["a", "list"])
    raw.setValue("prompt/model", "")
    raw.setValue("window/theme", "pink")
    raw.setValue("window/geometry", "text")
    raw.sync()
    settings = Settings()
    assert settings.selection() == Selection(DEFAULT_MODEL, DEFAULT_TEXT)
    assert settings.theme() == "system"
    assert settings.layout() is None
