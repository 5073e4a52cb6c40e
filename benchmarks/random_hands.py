"""What hands can do to a window, drawn at random: mouse, keys, prompts, files, sizes.

An act is a list of steps, each of which is over at once: a drag or a menu may run an event loop
of its own between two of them.
"""

import random
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import (
    QAction,
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QInputMethodEvent,
    QWindow,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox, QWidget
from shiboken6 import isValid

from gui.panels.prompt.prompt import PromptPanel
from gui.window import Window

Step = Callable[[], object]
Act = tuple[str, list[Step]]

PROMPTS = (
    "I like green tea, so I drink green",
    "",
    " ",
    "result = 0 ans return",
    "def total(values):\n    result = 0\n    for value in values:\n        result += value",
    "😀👩‍👩‍👧🏳️‍🌈 tea 😀👩‍👩‍👧🏳️‍🌈",
    "我喜欢绿茶，所以我喝绿茶",
    "أحب الشاي الأخضر، لذلك أشرب שלום עולם",
    "<s>green</s> <b>tea</b> & $x_1$ <|im_start|>",
    "a\tb\u00a0c\u2028d\u200be\ufeff",
    "tea",
    "e\u0301" * 40,
    " green tea" * 60,
    "0123456789" * 1000,
)
MODELS = ("attn-2l", "attn-1l", "toy", "toy-sharp")
_BUTTONS = (Qt.MouseButton.LeftButton,) * 8 + (Qt.MouseButton.RightButton,) * 2
_BUTTONS += (Qt.MouseButton.MiddleButton,)
_PLAIN = Qt.KeyboardModifier.NoModifier
_MODIFIERS = (_PLAIN,) * 8 + (
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)
_KEYS = [
    *(Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right),
    *(Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown),
    *(Qt.Key.Key_Tab, Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Return, Qt.Key.Key_Enter),
    *(Qt.Key.Key_Escape, Qt.Key.Key_Space, Qt.Key.Key_Backspace, Qt.Key.Key_Delete),
    *(Qt.Key.Key_F2, Qt.Key.Key_F4, Qt.Key.Key_F5, Qt.Key.Key_F10, Qt.Key.Key_Menu),
    *(Qt.Key.Key_Minus, Qt.Key.Key_Plus, Qt.Key.Key_0, Qt.Key.Key_1, Qt.Key.Key_3),
    *(Qt.Key.Key_A, Qt.Key.Key_C, Qt.Key.Key_V, Qt.Key.Key_X, Qt.Key.Key_Z, Qt.Key.Key_T),
]
_QUITS = "Quit"


class Hands:
    """Draws acts for what is seen now.

    Parameters
    ----------
    window
        The window.
    chance
        What everything is drawn from.
    folder
        The only place in which files are chosen.
    """

    def __init__(self, window: Window, chance: random.Random, folder: Path) -> None:
        self._window, self.chance, self._folder = window, chance, folder
        self._acts: list[tuple[int, Callable[[], Act]]] = [
            (30, self._click),
            (6, self._double_click),
            (10, self._drag),
            (10, self._wheel),
            (18, self._key),
            (6, self._word),
            (8, self._prompt),
            (8, self._menu),
            (3, self._resize),
            (2, self._drop),
            (1, self._model),
        ]

    def act(self) -> Act:
        """Return the next thing to do, and its name."""
        dialog = QApplication.activeModalWidget()
        popup = QApplication.activePopupWidget()
        if isinstance(dialog, QFileDialog) and popup is None:
            return self._choose_file(dialog)
        if (dialog or popup) and self.chance.random() < 0.2:
            return "escape", [self._pressing(Qt.Key.Key_Escape)]
        weights = [weight for weight, _ in self._acts]
        return self.chance.choices(self._acts, weights)[0][1]()

    def models(self) -> list[Path]:
        """Return what lies there and might be a model."""
        return sorted(p for p in self._folder.iterdir() if p.is_dir() or p.suffix == ".gguf")

    def leave(self) -> Act | None:
        """Return what leaves the dialog or menu that is open; none if none is."""
        seen = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        if seen is None:
            return None
        if isinstance(seen, QMessageBox) and seen.escapeButton() is None:
            return "answer", [seen.buttons()[0].click]
        return "escape", [self._pressing(Qt.Key.Key_Escape)]

    def prompt(self, text: str) -> Act:
        """Return what puts a text into the prompt by hand and runs it."""
        edit = next(p for p in self._window.panels if isinstance(p, PromptPanel)).edit
        steps: list[Step] = [
            lambda: self._window.open_cards(["Prompt"]),
            # A card that floats is a window of its own, and has the keyboard only as that.
            lambda: edit.window().activateWindow(),
            edit.setFocus,
        ]
        steps += [self._pressing(Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)]
        if len(text) > 200:
            steps += [
                lambda: QGuiApplication.clipboard().setText(text),
                self._pressing(Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier),
            ]
        else:
            steps += [self._pressing(Qt.Key.Key_Delete), lambda: self._commit(text)]
        steps += [self._pressing(Qt.Key.Key_Return)]
        return f"prompt {text[:30]!r}", steps

    def _click(self) -> Act:
        at, name = self._place()
        button, held = self.chance.choice(_BUTTONS), self.chance.choice(_MODIFIERS)
        steps: list[Step] = [
            lambda: QTest.mouseMove(*at),
            lambda: QTest.mousePress(at[0], button, held, at[1]),
            lambda: QTest.mouseRelease(at[0], button, held, at[1]),
        ]
        return f"{button.name} {held.name} on {name}", _while_there(at[0], steps)

    def _double_click(self) -> Act:
        at, name = self._place()
        left = Qt.MouseButton.LeftButton
        steps: list[Step] = [
            lambda: QTest.mousePress(at[0], left, _PLAIN, at[1]),
            lambda: QTest.mouseRelease(at[0], left, _PLAIN, at[1]),
            lambda: QTest.mousePress(at[0], left, _PLAIN, at[1], 1),
            lambda: QTest.mouseRelease(at[0], left, _PLAIN, at[1]),
        ]
        return f"double on {name}", _while_there(at[0], steps)

    def _drag(self) -> Act:
        (handle, start), name = self._place()
        far = self.chance.choice((8, 60, 800))
        end = start + QPoint(self.chance.randint(-far, far), self.chance.randint(-far, far))
        # QTest complains of a mouse that leaves its window.
        end.setX(min(max(end.x(), 0), handle.width() - 1))
        end.setY(min(max(end.y(), 0), handle.height() - 1))
        left = Qt.MouseButton.LeftButton
        steps: list[Step] = [lambda: QTest.mousePress(handle, left, _PLAIN, start)]
        for part in (0.1, 0.4, 0.7, 1.0):
            at = (QPointF(start) + (QPointF(end) - QPointF(start)) * part).toPoint()
            steps.append(lambda at=at: QTest.mouseMove(handle, at))
        steps.append(lambda: QTest.mouseRelease(handle, left, _PLAIN, end))
        by = end - start
        return f"drag {name} by {by.x()}, {by.y()}", _while_there(handle, steps)

    def _wheel(self) -> Act:
        (handle, at), name = self._place()
        delta = QPoint(self.chance.choice((0, 0, 0, 120)), self.chance.choice((-360, -120, 120)))
        held = self.chance.choice(_MODIFIERS)
        steps: list[Step] = [lambda: QTest.wheelEvent(handle, QPointF(at), delta, QPoint(), held)]
        return f"wheel {held.name} on {name}", _while_there(handle, steps)

    def _key(self) -> Act:
        key, held = self.chance.choice(_KEYS), self.chance.choice(_MODIFIERS)
        times = self.chance.choice((1, 1, 1, 4))
        return f"{times} x {key.name} {held.name}", [self._pressing(key, held)] * times

    def _word(self) -> Act:
        word = self.chance.choice((" tea", "green", "1.3", "99", "-1", "L0H2", "&<b>", "茶"))
        return f"type {word!r}", [lambda: self._commit(word)]

    def _prompt(self) -> Act:
        return self.prompt(self.chance.choice(PROMPTS))

    def _menu(self) -> Act:
        actions = [a for a in self._window.actions() if a.isEnabled() and a.text() != _QUITS]
        action: QAction = self.chance.choice(actions)
        return f"menu {action.text()[:40]!r}", [action.trigger]

    def _resize(self) -> Act:
        width, height = self.chance.randint(300, 1900), self.chance.randint(300, 1200)
        return f"{width}x{height}", [lambda: self._window.resize(width, height)]

    def _drop(self) -> Act:
        path = self.chance.choice(sorted(self._folder.iterdir()))
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path))])
        copy, none = Qt.DropAction.CopyAction, Qt.MouseButton.NoButton

        def drop() -> None:
            enter = QDragEnterEvent(QPoint(9, 9), copy, data, none, _PLAIN)
            QApplication.sendEvent(self._window, enter)
            QApplication.sendEvent(
                self._window, QDropEvent(QPointF(9, 9), copy, data, none, _PLAIN)
            )

        return f"drop {path.name}", [drop]

    def _model(self) -> Act:
        name = self.chance.choice(MODELS)
        return f"model {name}", [lambda: self._window.opening.open(name)]

    def _choose_file(self, dialog: QFileDialog) -> Act:
        if self.chance.random() < 0.4:
            return "escape the file dialog", [self._pressing(Qt.Key.Key_Escape)]
        names = [path.name for path in self._folder.iterdir()]
        names += ["new", "new.headscope.json", "figure.pdf", "figure.svg", "茶.png", "data.csv"]
        path = str(self._folder / self.chance.choice(names))

        def name_it() -> None:
            field = dialog.focusWidget()
            dialog.selectFile(path)
            if field is not None:
                field.setFocus()

        return f"choose {Path(path).name}", [name_it, self._pressing(Qt.Key.Key_Return)]

    def _pressing(self, key: Qt.Key, held: Qt.KeyboardModifier = _PLAIN) -> Step:
        def press() -> None:
            widget = self._typed_into()
            handle = widget.window().windowHandle()
            if handle is not None:
                # Never Alt to a menu: it closes it, and QTest crashes going on with its window.
                popup = widget is QApplication.activePopupWidget()
                QTest.keyClick(handle, key, _PLAIN if popup else held)

        return press

    def _typed_into(self) -> QWidget:
        """Return the window that has the keyboard."""
        # No window manager gives a dialog the focus here, or the window once a menu is gone; on
        # a desktop one does.
        over = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        return over or QApplication.activeWindow() or self._window

    def _commit(self, text: str) -> None:
        """Give a text to the field with the focus, as an input method does."""
        widget = QApplication.focusWidget() or self._typed_into().focusWidget()
        if widget is not None:
            event = QInputMethodEvent()
            event.setCommitString(text)
            QApplication.sendEvent(widget, event)

    def _place(self) -> tuple[tuple[QWindow, QPoint], str]:
        """Return a point of something that can be reached, and what lies there."""
        modal = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        floating = [dock for dock in self._window.docks if dock.isFloating() and dock.isVisible()]
        top = modal or self.chance.choice([self._window] * 4 + floating)
        seen = [w for w in top.findChildren(QWidget) if _can_be_hit(w, top)]
        if seen and self.chance.random() < 0.7:
            widget = self.chance.choice(seen)
            box = self.chance.choice(list(widget.visibleRegion()))
            inside = QPoint(
                self.chance.randint(box.left(), box.right()),
                self.chance.randint(box.top(), box.bottom()),
            )
            at = widget.mapTo(top, inside)
        else:
            at = QPoint(self.chance.randrange(top.width()), self.chance.randrange(top.height()))
            widget = top.childAt(at) or top
        handle = top.windowHandle()
        assert handle is not None
        return (handle, at), _name(widget)


def _can_be_hit(widget: QWidget, top: QWidget) -> bool:
    return widget.window() is top and widget.isVisible() and not widget.visibleRegion().isEmpty()


def _while_there(handle: QWindow, steps: list[Step]) -> list[Step]:
    """Let steps do nothing once their window, such as a menu's, is gone."""

    def guarded(step: Step) -> Step:
        return lambda: step() if isValid(handle) and handle.isVisible() else None

    return [guarded(step) for step in steps]


def _name(widget: QWidget) -> str:
    """Return what a widget and what it lies in are called."""
    names = []
    at: QWidget | None = widget
    while at is not None and len(names) < 3:
        named = at.accessibleName() or at.objectName()
        names.append(f"{type(at).__name__}({named})" if named else type(at).__name__)
        at = at.parentWidget()
    return " in ".join(names)
