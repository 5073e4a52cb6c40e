"""What may load what, seen from a fresh interpreter."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def loaded_by(code: str) -> set[str]:
    """Top-level modules in a new interpreter after `code` has run there."""
    return {name.split(".")[0] for name in run(f"{code}\nimport sys\nprint(*sys.modules)").split()}


def run(code: str) -> str:
    """Return what code prints in a new interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout


def modules_of(package: str) -> list[str]:
    """Every module of a package, dotted."""
    return sorted(
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in (ROOT / package).rglob("*.py")
    )


@pytest.mark.parametrize("module", ["engine", "engine.messages", "engine.job", "main", "resources"])
def test_what_is_imported_before_the_first_paint_imports_no_torch(module: str) -> None:
    assert not loaded_by(f"import {module}") & {"torch", "transformer_lens", "transformers"}


def test_no_module_of_the_window_imports_torch() -> None:
    imports = "\n".join(f"import {module}" for module in modules_of("gui"))
    loaded = loaded_by(imports)
    assert "PySide6" in loaded
    assert not loaded & {"torch", "transformer_lens", "transformers"}


def test_a_window_is_made_without_what_is_first_seen_later() -> None:
    code = """
import os
os.environ["QT_QPA_PLATFORM"] = "offscreen"
from gui.platform import system
system.spare()
from PySide6.QtWidgets import QApplication
from gui.style import palette
from gui.client.engine_client import EngineClient
from gui.session.session import Session
from gui.window import Window
app = QApplication([])
palette.apply(app, "light")
client = EngineClient(lambda: None)
window = Window(Session(), client, None, "light")
client.close()
import sys
print(*sys.modules)
"""
    loaded = set(run(code).split())
    assert {"gui.panels.prompt.prompt", "gui.panels.head.spectrum"} <= loaded
    dialogs = {
        "gui.shell.about",
        "gui.export.dialog",
        "gui.models.model_picker",
        "gui.shell.picture_dialog",
    }
    closed = {
        "gui.panels.model.board",
        "gui.panels.model.finder",
        "gui.panels.prompt.destination_row",
        "gui.panels.head.head_steps",
    }
    assert not loaded & (dialogs | closed | {"cmap", "matplotlib", "pyqtgraph", "torch"})


# Both import torch, so they share a process: Qt is taken away once it is told what was loaded.
ENGINE_AND_FIGURE = """
import sys
{imports}
print(*sys.modules)
for name in ("PySide6", "shiboken6", "pyqtgraph"):
    sys.modules[name] = None
import main
sys.exit(main.main(["figure", "attention", "--model", "toy",
    "--text", "result = 0 ans return", "--layer", "0", "-o", {target!r}]))
"""


@pytest.fixture(scope="module")
def engine_and_figure(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[subprocess.CompletedProcess[str], Path]:
    target = tmp_path_factory.mktemp("figure") / "pattern.pdf"
    imports = "\n".join(f"import {module}" for module in modules_of("engine"))
    code = ENGINE_AND_FIGURE.format(imports=imports, target=str(target))
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    return done, target


def test_no_module_of_the_engine_imports_qt_or_matplotlib(
    engine_and_figure: tuple[subprocess.CompletedProcess[str], Path],
) -> None:
    done, _ = engine_and_figure
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert "torch" in loaded, done.stderr
    assert not loaded & {"PySide6", "shiboken6", "pyqtgraph"}
    # transformer_lens may bring matplotlib of its own accord; our files must not name it.
    assert not [
        path
        for path in (ROOT / "engine").rglob("*.py")
        if "import matplotlib" in path.read_text() or "from matplotlib" in path.read_text()
    ]


def test_a_figure_is_typeset_where_qt_cannot_be_imported(
    engine_and_figure: tuple[subprocess.CompletedProcess[str], Path],
) -> None:
    done, target = engine_and_figure
    assert done.returncode == 0, done.stderr
    assert target.read_bytes().startswith(b"%PDF")
