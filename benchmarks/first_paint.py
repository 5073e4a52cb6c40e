"""Time from the start of a process to the window's first paint; run as a process of its own.

It ends at the first paint and fails if torch was loaded before that.
"""

import sys
from functools import partial
from typing import NoReturn

from PySide6.QtWidgets import QApplication

from gui.platform import system


def no_engine() -> NoReturn:
    """Never called: the process ends before the engine is started.

    Raises
    ------
    AssertionError
        Always.
    """
    raise AssertionError("the engine is started after the first paint")


def main() -> int:
    """Open the window, and end when it stands."""
    system.spare()
    # As in main.py: what is imported from here on is imported lean.
    from gui.client.engine_client import EngineClient
    from gui.session.session import Session
    from gui.style import palette
    from gui.window import Window

    app = QApplication([])
    palette.apply(app, "light")
    client = EngineClient(no_engine)
    window = Window(Session(), client, None, "light")
    window.resize(1600, 1000)
    window.painted.connect(partial(app.exit, 1 if "torch" in sys.modules else 0))
    window.show()
    code = app.exec()
    client.close()
    return code


if __name__ == "__main__":
    sys.exit(main())
