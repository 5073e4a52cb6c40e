"""Rules for every test: offscreen, settings of its own, nothing left running."""

import gc
import itertools
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

# Before anything imports numpy or torch: two cores are shared by everything that runs.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import pytest
from jaxtyping import install_import_hook

_hook = install_import_hook("engine", "beartype.beartype")
_hook.__enter__()

GRACE_SECONDS = 2.0


def pytest_configure(config: pytest.Config) -> None:
    """Choose the platform: a display only for the tests that need one, run by their mark."""
    on_display = config.getoption("markexpr") == "display" and os.environ.get("DISPLAY")
    os.environ["QT_QPA_PLATFORM"] = "xcb" if on_display else "offscreen"
    # Between tests alone, see `_ends_here`; while torch is imported nothing is garbage anyway.
    gc.disable()
    from gui.platform import system

    system.spare()


def pytest_collection_finish() -> None:
    """Spare every collection between tests what the modules hold, which never dies."""
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip, visibly, the tests that need a display where there is none."""
    if os.environ["QT_QPA_PLATFORM"] == "xcb":
        return
    skip = pytest.mark.skip(reason="needs a display: xvfb-run -a python -m pytest -m display")
    for item in items:
        if item.get_closest_marker("display"):
            item.add_marker(skip)


@pytest.fixture(autouse=True)
def _ends_here(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[object]]:
    """Destroy a test's widgets with it, and collect between tests: see gui.platform.garbage.

    A window that waits for the next test's event loop is dressed and laid out anew by it.
    """
    from PySide6.QtCore import QCoreApplication, QEvent

    from gui.platform import garbage

    gc.disable()
    # A program that is run within a test would keep what the test made for ever.
    monkeypatch.setattr(gc, "freeze", lambda: None)
    kept: list[object] = []
    yield kept
    if QCoreApplication.instance() is not None:
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    kept.clear()
    garbage.collect()


@pytest.fixture(scope="session")
def _settings_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    root = tmp_path_factory.mktemp("settings")
    return (root / str(number) for number in itertools.count())


@pytest.fixture
def qtbot(qtbot: Any, _ends_here: list[object]) -> Any:
    """Keep every widget that pytest-qt is to delete until it is deleted, and wait with patience.

    It remembers them weakly, and a window that dies in sight, torn apart by the collector,
    takes the process with it.
    """
    from tests.waiting import PATIENCE_MS

    for wait in ("waitUntil", "waitSignal"):
        setattr(qtbot, wait, partial(getattr(qtbot, wait), timeout=PATIENCE_MS))
    remember = qtbot.addWidget

    def keep(widget: Any, **options: Any) -> None:
        _ends_here.append(widget)
        remember(widget, **options)

    qtbot.addWidget = keep
    return qtbot


@pytest.fixture(autouse=True)
def _own_settings(_settings_folders: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test a settings file and a data folder of its own."""
    from PySide6.QtCore import QSettings

    place = next(_settings_folders)
    place.mkdir()
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(place))
    QSettings.setDefaultFormat(QSettings.Format.IniFormat)
    monkeypatch.setenv("XDG_DATA_HOME", str(place))


@pytest.fixture(autouse=True)
def _nothing_left_running(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail a test that leaves a thread or a running timer behind."""
    from PySide6.QtCore import QCoreApplication, QTimer
    from shiboken6 import isValid

    started: weakref.WeakSet[QTimer] = weakref.WeakSet()
    start = QTimer.start

    def remembering_start(timer: QTimer, *arguments: int) -> None:
        started.add(timer)
        start(timer, *arguments)

    monkeypatch.setattr(QTimer, "start", remembering_start)
    before = set(threading.enumerate())
    yield
    deadline = time.monotonic() + GRACE_SECONDS
    while time.monotonic() < deadline:
        left = _left(before)
        running = [timer for timer in started if isValid(timer) and timer.isActive()]
        if not left and not running:
            return
        for timer in running:
            if timer.isSingleShot() and timer.remainingTime() <= 1000 * GRACE_SECONDS:
                timer.setInterval(0)  # it comes to its end by itself: nobody need wait for it
        if QCoreApplication.instance() is not None:
            QCoreApplication.processEvents()
        if left:
            time.sleep(0.01)
    pytest.fail(f"left running: threads {left}, timers {running}")


def _left(before: set[threading.Thread]) -> list[threading.Thread]:
    # tqdm keeps one for the life of the process once torch's helpers have drawn a bar.
    return [t for t in threading.enumerate() if t not in before and "tqdm" not in repr(t).lower()]


@pytest.fixture(scope="session")
def repository() -> Path:
    """Return the root of the repository."""
    return Path(__file__).parent.parent


@pytest.fixture(scope="session")
def python() -> str:
    """Return the interpreter, for tests that start a process."""
    return sys.executable


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Any, Any, str]]:
    """Return a small random model by kind: as transformers has it, an engine, and its folder."""
    from engine import Engine
    from tests.oracles import hugging_face

    made: dict[str, tuple[Any, Any, str]] = {}

    def of(kind: str) -> tuple[Any, Any, str]:
        if kind not in made:
            folder = tmp_path_factory.mktemp("models") / kind
            made[kind] = (hugging_face.write(kind, folder), Engine(), str(folder))
        return made[kind]

    return of
