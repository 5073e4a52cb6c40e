"""Take the pictures of README and docs/panels.md: `python -m docs.make_screenshots`.

Each shows the program as it is, on the models that come with it, and one on SmolLM2-135M-Instruct
where HEADSCOPE_LLM names its GGUF file (`python -m docs.make_screenshots smollm2` takes that one
alone). Settings of the person who runs this are left alone.
"""

import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ.setdefault("HF_HUB_OFFLINE", "1")

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QWidget

from docs.journey import journey, settle
from engine import Engine
from engine.messages import Head, Pair
from gui.client.engine_client import EngineClient
from gui.export import screenshot
from gui.panels import PANELS
from gui.platform import atomic_file
from gui.session.session import Selection, Session
from gui.shell.dock import CardDock
from gui.shell.layouts import LAYOUTS
from gui.style import palette
from gui.window import Window
from tests.waiting import pause, until

ROOT = Path(__file__).parents[1]
IMAGES = Path(__file__).parent / "images"
PAGE = Path(__file__).parent / "panels.md"
LARGEST = 350_000
"""Bytes of one picture at most: they are cloned by everybody."""
SETTLE_MS = 400
"""How long a picture stands still before it is taken: what is drawn is drawn a turn later."""

WINDOW, CARD = (1600, 1000), (640, 640)
THEMES = ("light", "dark")
REAL = "smollm2.png"
DEFAULT = Selection(head=Head(1, 1), head_chosen=True, pair=Pair(Head(0, 2), Head(1, 1)))
TOY = Selection(model="toy", text="result = 0 ans return", head_chosen=True)
STAGES = ("type", "find", "read", "board", "preview")
"""Of the journey, those that the README shows."""
SUBJECTS = {
    "Workings": TOY,
    "Skip-trigrams": replace(DEFAULT, model="attn-1l", head=Head(0, 3)),
    "Positions": replace(DEFAULT, head=Head(0, 2)),
}
"""What a panel is pictured on where that is not the default prompt."""

STORY = """\
The kettle had been on the stove since before the rain began, and nobody in the house could say \
who had put it there. Anna thought it was her brother, because he liked green tea and always \
forgot about it; her brother thought it was Anna, because she liked to hear it sing. Their \
grandmother, who sat at the window and counted the boats, said that a kettle that sings without \
being asked is a kettle that wants company.

So they sat down, all three of them, and drank. The tea was green and a little bitter, the way \
tea is when it has waited too long. The rain went on. A boat came in, and then another boat, and \
the grandmother counted them aloud: one, two, three, four, five. "When I was a girl," she said, \
"we counted the boats that went out, and we counted the boats that came in, and if the two \
numbers were the same we put the kettle on."

"And if they were not the same?" asked Anna.

"Then we put the kettle on as well," said her grandmother, "and we waited." She looked at the \
stove. The kettle had been on the stove since before the rain"""
"""Some 256 tokens that say the same thing twice."""


def file_name(name: str, theme: str) -> str:
    """Return the file of a panel's or a layout's picture."""
    return f"{name.lower().replace(' ', '-')}-{theme}.png"


def take_default(theme: str) -> Path:
    """Picture the default session as `main.py --screenshot` renders it.

    Raises
    ------
    subprocess.CalledProcessError
        If the program fails.
    """
    path = IMAGES / f"{theme}.png"
    size = "x".join(map(str, WINDOW))
    command = [sys.executable, "main.py", "--screenshot", str(path), "--theme", theme]
    with tempfile.TemporaryDirectory() as home:
        environment = os.environ | {"HOME": home, "XDG_CONFIG_HOME": home, "XDG_DATA_HOME": home}
        subprocess.run([*command, "--size", size], cwd=ROOT, env=environment, check=True)
    return path


def take(subject: QWidget, client: EngineClient, cards: list[CardDock], path: Path) -> Path:
    """Picture a widget once all cards in it are filled."""
    pause(SETTLE_MS)
    until(
        lambda: not client.busy and all(card.panel is None or card.panel.filled for card in cards),
        "the cards",
    )
    pause(SETTLE_MS)
    screenshot.save(screenshot.picture(subject, 1), path)
    return path


def take_layouts(engine: Engine, theme: str) -> list[Path]:
    """Picture every layout but the first, which is the default."""
    client = EngineClient(lambda: engine)
    window = Window(Session(DEFAULT), client, None, theme, WINDOW)
    window.painted.connect(client.start)
    window.show()
    taken = []
    for layout in LAYOUTS[1:]:
        window.lay_out(layout)
        path = IMAGES / file_name(layout.name, theme)
        taken.append(take(window, client, window.docks, path))
    window.hide()
    client.close()
    return taken


def take_journey(engine: Engine) -> list[Path]:
    """Picture the stages of a question from start to end."""
    client = EngineClient(lambda: engine)
    window = Window(Session(DEFAULT), client, None, "light", WINDOW)
    window.painted.connect(client.start)
    window.show()
    settle(window)
    taken = []

    def look(stage: str) -> None:
        path = IMAGES / f"journey-{stage}.png"
        if stage in STAGES:
            dialog = QApplication.activeModalWidget()
            screenshot.save(screenshot.picture(dialog or window, 1), path)
            taken.append(path)

    with tempfile.TemporaryDirectory() as folder:
        journey(window, Path(folder), look)
    window.hide()
    client.close()
    return taken


def take_panels(engine: Engine, theme: str) -> list[Path]:
    """Picture every panel as a card of its own."""
    taken = []
    owner = QWidget()  # a dock is a window's, and dies with it
    for kind in PANELS:
        client = EngineClient(lambda: engine)
        card = CardDock(kind, Session(SUBJECTS.get(kind.title, DEFAULT)), client, owner)
        client.start()
        card.setFloating(True)
        card.resize(*CARD)
        card.show()
        taken.append(take(card, client, [card], IMAGES / file_name(kind.title, theme)))
        card.hide()
        client.close()
    return taken


def take_real(engine: Engine, model: str) -> Path:
    """Picture a real model at the length of a page, all its heads in view."""
    client = EngineClient(lambda: engine)
    head = Head(18, 6)
    subject = Selection(model=model, text=STORY, head=head, head_chosen=True)
    window = Window(Session(subject), client, None, "light", WINDOW)
    window.painted.connect(client.start)
    window.show()
    for card in window.docks:
        if card.kind.title == "Prompt":
            card.hide()
    path = take(window, client, [it for it in window.docks if it.isVisible()], IMAGES / REAL)
    # A thousand small patterns do not pack well: 64 shades a colour look the same.
    screenshot.save(QImage(str(path)).convertToFormat(QImage.Format.Format_RGB666), path)
    window.hide()
    client.close()
    return path


def write_page() -> None:
    """Write the page that shows every layout and panel."""
    lines = ["# Layouts and panels", "", "Made by `make screenshots`; do not edit."]
    for layout in LAYOUTS:
        picture = "light.png" if layout is LAYOUTS[0] else file_name(layout.name, "light")
        lines += ["", f"## {layout.name}", "", f"{layout.about[0].upper()}{layout.about[1:]}.", ""]
        lines += [f"![{layout.name}](images/{picture})"]
    for kind in PANELS:
        about = f"{kind.about[0].upper()}{kind.about[1:]}."
        pictures = " ".join(
            f"![{kind.title}, {theme}](images/{file_name(kind.title, theme)})" for theme in THEMES
        )
        lines += ["", f"## {kind.title}", "", about, "", pictures]
    atomic_file.write(PAGE, "\n".join([*lines, ""]).encode())


def main() -> int:
    """Take all pictures; 1 if one of them is too large to be kept."""
    IMAGES.mkdir(exist_ok=True)
    app = QApplication([])
    engine, real = Engine(), os.environ.get("HEADSCOPE_LLM")
    palette.apply(app, "light")
    taken = [take_real(engine, real)] if real else []
    if sys.argv[1:] != ["smollm2"]:
        taken += [take_default(theme) for theme in THEMES]
        for theme in THEMES:
            palette.apply(app, theme)
            taken += [*take_layouts(engine, theme), *take_panels(engine, theme)]
        palette.apply(app, "light")
        taken += take_journey(engine)
        write_page()
    for path in taken:
        sys.stdout.write(f"{path.name}: {path.stat().st_size / 1000:.0f} kB\n")
    return int(any(path.stat().st_size > LARGEST for path in taken))


if __name__ == "__main__":
    sys.exit(main())
