"""The list of panels: cheap to read, and every name in it is a panel."""

import pkgutil
import subprocess

import pytest

from gui.panels import PANELS
from gui.panels.panel import Panel


def test_reading_the_list_imports_no_qt(python, repository):
    code = "import sys, gui.panels; print(any(m.startswith('PySide6') for m in sys.modules))"
    done = subprocess.run(
        [python, "-c", code], cwd=repository, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("name", PANELS)
def test_every_name_is_a_panel_that_says_what_it_is_about(name):
    panel = pkgutil.resolve_name(name)
    assert issubclass(panel, Panel)
    assert panel.title
    assert panel.about
    assert panel.main or panel.wants(None) == {}


def test_titles_differ_because_layouts_are_kept_by_them():
    titles = [pkgutil.resolve_name(name).title for name in PANELS]
    assert len(set(titles)) == len(titles)
