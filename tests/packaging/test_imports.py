"""What may load what, seen from a fresh interpreter."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


TORCH = {"torch", "transformer_lens", "transformers"}
DRAWN = {"cmap", "matplotlib", "pyqtgraph"}
CLOSED = {
    "gui.shell.about",
    "gui.export.dialog",
    "gui.models.model_picker",
    "gui.shell.picture_dialog",
    "gui.panels.model.board",
    "gui.panels.model.finder",
    "gui.panels.prompt.destination_row",
    "gui.panels.head.head_steps",
}
"""What is first seen later."""
WINDOW = """
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
"""


def modules_of(package: str) -> list[str]:
    """Every module of a package, dotted."""
    return sorted(
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in (ROOT / package).rglob("*.py")
    )


def all_of(package: str) -> str:
    return "\n".join(f"import {module}" for module in modules_of(package))


STAGES = {
    "the questions and answers": (
        "import engine.messages, engine.job",
        TORCH | DRAWN | {"PySide6"},
    ),
    "the engine's package": ("import engine, resources", TORCH | {"PySide6"}),
    "the program": ("import main", TORCH | DRAWN | {"PySide6"}),
    "a list of models and a wrong question": (
        "main.main(['models']); main.main(['ask', 'heads'])",
        TORCH | DRAWN | {"PySide6"},
    ),
    "a session that is read": (
        "from pathlib import Path; from gui.state import session_file as it\n"
        "it.write(Path(sys.argv[1]), it.SavedSession()); it.read(Path(sys.argv[1]))",
        TORCH | DRAWN | {"PySide6"},
    ),
    "a window before its first paint": (WINDOW, TORCH | DRAWN | CLOSED),
    "every module of the window": (all_of("gui"), TORCH),
}
"""What is done one after the other in a new interpreter, and what is not loaded by then."""


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """Return the modules that are loaded after each stage."""
    code = ["import sys"]
    for stage, (does, _) in STAGES.items():
        code += [does, f"print('loaded', {stage!r}, *sys.modules, sep='|')"]
    path = tmp_path_factory.mktemp("imports") / "a.headscope.json"
    words = [sys.executable, "-c", "\n".join(code), str(path)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    rows = [line.split("|") for line in done.stdout.splitlines() if line.startswith("loaded|")]
    return {stage: set(modules) for _, stage, *modules in rows}


@pytest.mark.parametrize("stage", STAGES)
def test_what_comes_later_is_not_loaded_yet(loaded: dict[str, set[str]], stage: str) -> None:
    assert not loaded[stage] & STAGES[stage][1]


def test_the_window_that_is_looked_at_has_panels(loaded: dict[str, set[str]]) -> None:
    made = loaded["a window before its first paint"]
    assert {"PySide6", "gui.panels.prompt.prompt", "gui.panels.head.spectrum"} <= made


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
    code = ENGINE_AND_FIGURE.format(imports=all_of("engine"), target=str(target))
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
