"""Start the window: settings, session, engine client, and what happens at the end."""

import gc
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path

from PySide6.QtCore import QObject, QSize, QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from engine.messages import Device, Dtype, Placing, Refused, printable
from gui.client import log
from gui.client.engine_client import EngineClient, EngineLike
from gui.export import screenshot as screenshots
from gui.panels.prompt.prompt import PromptPanel
from gui.session import document, model_opener
from gui.session.document import Autosave, data_folder
from gui.session.session import Session
from gui.session.settings import SYSTEM_THEME, Settings
from gui.session.stored_answers import StoredAnswers, folder_of
from gui.shell import layouts
from gui.shell.preferences import PreferenceKeeper
from gui.state import question_table
from gui.state.figure_board import Board
from gui.state.preferences import Preferences, use_hub
from gui.state.question import with_models
from gui.state.question_table import View
from gui.state.selection import DEFAULT_MODEL
from gui.style import palette
from gui.style.formatting import use_notation
from gui.window import Window

_ICONS = Path(__file__).parents[1] / "resources" / "icons"


def window_icon() -> QIcon:
    """Return the icon of windows, whose pictures are read when they are first shown."""
    icon = QIcon()
    for path in sorted(_ICONS.glob("*x*/headscope.png")):
        side = int(path.parent.name.partition("x")[0])
        icon.addFile(str(path), QSize(side, side))
    return icon


SETTLE_MS = 100
PICTURE_SECONDS = 300
PICTURES_FIRST_MS = 100
"""How long importing torch, which takes seconds, makes way for the pictures of the last time."""


def run(
    make_engine: Callable[[Preferences], EngineLike],
    *,
    model: str | None = None,
    session_path: Path | None = None,
    screenshot: Path | None = None,
    size: tuple[int, int] = (1600, 1000),
    scale: int = 1,
    theme: str | None = None,
    shown: View | None = None,
    board: Board | None = None,
    source: Path | None = None,
    text: str | None = None,
    make_beside: Callable[[], EngineLike] | None = None,
    device: Device | None = None,
    dtype: Dtype | None = None,
    version: str = "",
) -> int:
    """Show the window until it is closed, or picture the default session or that of a file.

    Parameters
    ----------
    make_engine
        Called in the engine thread, after the first paint, with what the user prefers.
    model
        Name or path of the model to open; none is the one of the session.
    session_path
        A session file to open; none is the last session.
    screenshot
        Write a picture there instead of waiting for a user.
    size
        Width and height of the window.
    scale
        Pixels of the picture per unit of the size.
    theme
        `light` or `dark`; none is the user's choice, in a picture light.
    shown
        A question to open the window with, in front of what the last session had.
    board
        A figure board to open the window with, in the place of that of the last session.
    source
        The file that these two are from: a model that it names without its folders is looked for
        beside it, too.
    text
        A prompt to begin with, in the place of that of the last session.
    make_beside
        Makes what asks the hub, in a thread of its own; without, the engine does.
    device, dtype
        Where models run, and in which precision; none is what the user prefers.
    version
        Of this program, for About, the log, and what files say that they were made with.

    Returns
    -------
    int
        Exit code of the process. It does not return while a third-party load holds the engine
        thread: the process ends there.
    """
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    app.setApplicationName("headscope")
    app.setApplicationDisplayName("Headscope")
    app.setApplicationVersion(version)
    app.setDesktopFileName("headscope")
    app.setWindowIcon(window_icon())
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    settings = None if screenshot else Settings()
    kept_log = None if screenshot else log.opened()
    first = settings is not None and settings.first_start()
    chosen = theme or (settings.theme() if settings else "light")
    palette.apply(
        app,
        palette.system_theme_name(app) if chosen == SYSTEM_THEME else chosen,
        settings.text_size() if settings else None,
    )
    autosave = None if screenshot else Autosave(data_folder())
    saved, trouble = document.find(session_path, autosave, settings)
    session = Session(saved.selection if saved else None)
    offered = ""
    if model is not None:
        session.open_model(model)
    elif autosave and session.selection.model in model_opener.left(autosave.path):
        offered = session.selection.model
        session.open_model(DEFAULT_MODEL)
    if text is not None:
        session.set_text(text)
    if source is not None:
        recent = settings.recent_models() if settings else []

        def find(name: str) -> str:
            known = [session.selection.model, *recent, question_table.beside(source, name)]
            return question_table.located(name, known, model)

        shown = shown and shown._replace(request=with_models(shown.request, find))
        board = board and board.with_models(find)
    if shown is not None:
        session.show(question_table.selection(shown, session.selection))
    preferences = settings.preferences() if settings else Preferences()
    placing = preferences.placing
    placing = Placing(device or placing.device, dtype or placing.dtype)
    preferences = replace(preferences, placing=placing)
    use_hub(preferences.hub)
    use_notation(preferences.notation)
    beside = EngineClient(make_beside) if make_beside else None
    client = EngineClient(partial(_made, make_engine, preferences), beside)
    keeper = PreferenceKeeper(client, settings, preferences, partial(_made, make_engine))
    place = session_path or (autosave.path if autosave else None)
    if place is not None:
        client.recall = StoredAnswers(folder_of(place)).find
    window = Window(session, client, settings, chosen, size, autosave, keeper)
    taker = PictureTaker(window, client, screenshot, scale) if screenshot else None
    if kept_log:
        for watched in filter(None, (client, beside)):
            kept_log.watch(watched)
    if saved is not None:
        window.begin(replace(saved, selection=session.selection))
        if not screenshot:
            layouts.restore_geometry(window, saved.window)
    if trouble:
        window.painted.connect(partial(window.files.tell, trouble))
    if settings:
        _keep_history(window, settings, app)
    if offered:
        window.opening.offer(offered)
    if shown is not None:
        # After the cards of the last time are back.
        QTimer.singleShot(
            0, window, partial(window.open_cards, [question_table.card(shown.request)])
        )
    if board is not None:
        QTimer.singleShot(0, window, partial(window.figure_opener.show_board, board))
    window.painted.connect(_import_plots)
    wait = PICTURES_FIRST_MS if saved else 0
    window.painted.connect(lambda: QTimer.singleShot(wait, client, client.start))
    if first:
        window.painted.connect(window.welcome.open)
    window.show()
    code = app.exec()
    window.hide()
    ended = client.close()
    if ended and autosave:
        model_opener.clear(autosave.path)
    if kept_log:
        kept_log.close()
    if autosave and autosave.trouble:  # there is no status bar any more
        sys.stderr.write(f"headscope: {printable(autosave.trouble)}\n")
    if not ended:
        # The engine thread is inside `import torch` or the like, and Python would wait for it.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    if taker and taker.failure:
        sys.stderr.write(f"headscope: {printable(taker.failure)}\n")
        return 2 if taker.unwritten else 1
    return code


def _made(make_engine: Callable[[Preferences], EngineLike], chosen: Preferences) -> EngineLike:
    engine = make_engine(chosen)
    # What libraries made while they were loaded never dies: collecting need not look at it.
    gc.freeze()
    return engine


def _import_plots() -> None:
    """Import pyqtgraph, a tenth of a second, before the first curve is there to be drawn."""
    import_module("gui.widgets.plot_canvas")


class PictureTaker(QObject):
    """Waits until every panel is filled, takes the picture, and quits."""

    def __init__(self, window: Window, client: EngineClient, path: Path, scale: int) -> None:
        super().__init__(window)
        self._window, self._client, self._path, self._scale = window, client, path, scale
        self.failure = ""
        self.unwritten = False
        """Whether it is that the picture could not be written."""
        self._settled = QTimer(self, interval=SETTLE_MS, singleShot=True)
        self._settled.timeout.connect(self._take)
        self._limit = QTimer(self, interval=PICTURE_SECONDS * 1000, singleShot=True)
        self._limit.timeout.connect(self._give_up)
        self._limit.start()
        client.idle.connect(self._settled.start)

    def _take(self) -> None:
        if self._client.busy or not all(panel.filled for panel in self._window.panels):
            return
        if not self._window.status.receipts.ready():
            return
        self._limit.stop()
        failures = [panel.failure() for panel in self._window.panels]
        self.failure = next((failed.sentence for failed in failures if failed), "")
        if (missed := self._window.opening.not_opened) is not None:
            self.failure = missed.failure.sentence
        if (focused := QApplication.focusWidget()) is not None:
            focused.clearFocus()  # a picture has no blinking cursor
        try:
            screenshots.save(screenshots.picture(self._window, self._scale), self._path)
        except Refused as refused:
            self.failure, self.unwritten = str(refused), True
        # Not quit, which a window with unsaved changes refuses: its question would stay unanswered.
        QApplication.exit()

    def _give_up(self) -> None:
        waiting = [panel.title for panel in self._window.panels if not panel.filled]
        self.failure = f"no picture: still waiting for {', '.join(waiting)}"
        QApplication.exit()


def _keep_history(window: Window, settings: Settings, app: QApplication) -> None:
    prompt = next(dock.fill() for dock in window.docks if dock.kind.title == PromptPanel.title)
    assert isinstance(prompt, PromptPanel)
    prompt.set_history(settings.history())
    app.aboutToQuit.connect(lambda: settings.keep_history(prompt.history))
    # The process may end before Qt would write by itself.
    app.aboutToQuit.connect(settings.write)
