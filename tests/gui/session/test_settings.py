"""Settings and preferences: what survives a restart, and what a damaged file does."""

import os
import re

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLabel

from engine.messages import Head, LoadModel, Placing, Refused, RunPrompt
from gui.client.engine_client import EngineClient
from gui.session.settings import RECENT_MODELS, Settings
from gui.shell.preferences import PreferenceKeeper, PreferencesDialog
from gui.state.preferences import HUB, Preferences, use_hub
from gui.style.formatting import use_notation
from gui.window import Window
from tests.gui.conftest import filled
from tests.gui.fake_engine import FakeEngine


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


NAMES = r"\bL\d+H\d+\b"

OTHER = Preferences(Placing("cuda", "bfloat16"), threads=3, mebibytes=512)


class Engines:
    """Makes engines, and remembers by what."""

    def __init__(self):
        self.made, self.closed = [], []

    def __call__(self, preferences):
        engine = FakeEngine()
        self.made.append((preferences, engine))
        engine.close = lambda: self.closed.append(engine)
        return engine


class Asker:
    """Remembers which questions were answered."""

    def __init__(self):
        self.got = []

    def receive(self, slot, request, result):
        self.got.append(request)


@pytest.fixture
def engines():
    return Engines()


@pytest.fixture
def client(qapp, engines):
    client = EngineClient(lambda: engines(Preferences()))
    yield client
    client.close()


@pytest.fixture
def keeper(client, engines):
    return PreferenceKeeper(client, Settings(), Preferences(), engines)


def test_a_first_start_has_the_usual_ones():
    assert Settings().preferences() == Preferences()
    assert Preferences().placing == Placing("cpu", "float32")


def test_they_come_back(tmp_path):
    settings = Settings()
    chosen = Preferences(OTHER.placing, 3, 512, str(tmp_path), "1.3")
    settings.keep_preferences(chosen)
    settings.write()
    assert Settings().preferences() == chosen


@pytest.mark.parametrize(
    ("key", "value"),
    [("device", "tpu"), ("dtype", 7), ("threads", "many"), ("mib", "-3"), ("hub", "/nowhere")],
)
def test_a_damaged_file_gives_the_usual_ones(key, value):
    store = QSettings(
        QSettings.Format.IniFormat, QSettings.Scope.UserScope, "headscope", "headscope"
    )
    store.setValue(f"engine/{key}", value)
    store.sync()
    assert Settings().preferences() == Preferences()


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"threads": -1}, "threads are 1 to 512"),
        ({"mebibytes": 3}, "memory for answers is 16 to 65,536 MiB"),
        ({"hub": "/nowhere"}, "there is no folder '/nowhere'"),
        ({"hub": "a\0b"}, "there is no folder"),
    ],
)
def test_what_cannot_be_is_refused(wrong, says):
    with pytest.raises(Refused, match=says):
        Preferences(**wrong).checked()


def test_the_dialog_says_what_is_wrong_and_stays(qtbot):
    dialog = PreferencesDialog(None, Preferences(), "system")
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.hub.setText("/nowhere")
    with qtbot.assertNotEmitted(dialog.chosen):
        dialog.apply()
    assert dialog.isVisible()
    assert "there is no folder '/nowhere'" in dialog.notice.text()
    dialog.hub.clear()
    dialog.dtype.set_value("float16")
    with qtbot.waitSignal(dialog.chosen) as told:
        dialog.apply()
    assert told.args == [Preferences(Placing("cpu", "float16")), "system"]
    assert not dialog.isVisible()


def test_another_engine_answers_and_the_one_before_lets_go(qtbot, client, engines, keeper):
    asker = Asker()
    client.start()
    client.ask(asker, "facts", LoadModel("toy"))
    qtbot.waitUntil(lambda: len(asker.got) == 1)
    with qtbot.waitSignal(client.renewed):
        keeper.take(OTHER, "dark")
    client.ask(asker, "facts", LoadModel("toy"))
    qtbot.waitUntil(lambda: len(asker.got) == 2)
    assert [preferences for preferences, _ in engines.made] == [Preferences(), OTHER]
    assert engines.closed == [engines.made[0][1]]
    assert engines.made[1][1].asked == [LoadModel("toy")]
    assert Settings().preferences() == OTHER
    assert client.placing == OTHER.placing != Preferences().placing


def test_an_answer_of_the_engine_before_is_not_delivered(qtbot, client, engines, keeper):
    asker = Asker()
    client.start()
    client.ask(asker, "facts", LoadModel("toy"))
    keeper.take(OTHER, "dark")
    qtbot.waitUntil(lambda: asker.got == [LoadModel("toy")])
    assert engines.made[-1][0] == OTHER
    assert engines.made[-1][1].asked == [LoadModel("toy")]


def test_every_panel_asks_again(qtbot, qapp, engines, client, keeper, session):
    window = Window(session, client, None, "light", preferences=keeper)
    qtbot.addWidget(window)
    window.painted.connect(client.start)
    window.show()
    filled(qtbot, client, *window.panels)
    keeper.take(OTHER, "light")
    filled(qtbot, client, *window.panels)
    shown = [panel for panel in window.panels if panel.isVisible()]
    qtbot.waitUntil(lambda: all(panel.state == "fresh" for panel in shown))
    asked = engines.made[-1][1].asked
    assert any(isinstance(request, RunPrompt) for request in asked)
    assert {request for panel in shown for request in panel.wants().values()} <= set(asked)


def test_the_theme_alone_makes_no_engine(client, engines, keeper, qtbot):
    with qtbot.assertNotEmitted(client.renewed), qtbot.waitSignal(keeper.theme_chosen) as told:
        keeper.take(Preferences(), "dark")
    assert told.args == ["dark"]
    assert engines.made == []


def test_the_folder_of_the_cache_is_told_to_what_looks_there(tmp_path, monkeypatch):
    monkeypatch.setattr("gui.state.preferences._GIVEN", None)
    monkeypatch.setenv(HUB, "before")
    use_hub(str(tmp_path))
    assert os.environ[HUB] == str(tmp_path)
    use_hub("")
    assert HUB not in os.environ
    monkeypatch.setattr("gui.state.preferences._GIVEN", "/given")
    use_hub("")
    assert os.environ[HUB] == "/given"


def test_heads_are_written_as_somebody_prefers_everywhere_at_once(
    qtbot, qapp, client, keeper, session
):
    window = Window(session, client, None, "light", preferences=keeper)
    qtbot.addWidget(window)
    window.painted.connect(client.start)
    window.show()
    window.open_cards(["Composition", "Virtual head", "Finder", "Poster", "Attribution"])
    session.set_heads_off((Head(0, 1),))
    filled(qtbot, client, *window.panels)
    assert re.search(NAMES, " ".join(texts(window)))
    try:
        keeper.take(Preferences(notation="1.3"), "light")
        qtbot.wait(400)
        filled(qtbot, client, *window.panels)
        told = texts(window)
        assert not [text for text in told if re.search(NAMES, text)]
        assert any(re.search(r"\b0\.1\b", text) for text in told)
    finally:
        use_notation("L1H3")


def texts(window):
    """Return what labels, buttons and boxes say."""
    labels = [label.text() for label in window.findChildren(QLabel) if label.isVisible()]
    buttons = [b.text() for b in window.findChildren(QAbstractButton) if b.isVisible()]
    boxes = [box.currentText() for box in window.findChildren(QComboBox) if box.isVisible()]
    return labels + buttons + boxes
