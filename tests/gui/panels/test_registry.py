"""The list of panels: cheap to read, and every name in it is a panel."""

import pkgutil
import subprocess

import pytest

from gui.panels import PANELS
from gui.panels.panel import Panel
from gui.shell.menus import GROUPS


def test_reading_the_list_imports_no_qt(python, repository):
    code = "import sys, gui.panels; print(any(m.startswith('PySide6') for m in sys.modules))"
    done = subprocess.run(
        [python, "-c", code], cwd=repository, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("card", PANELS, ids=lambda card: card.title)
def test_every_card_has_a_panel_of_its_title_and_says_what_it_is_about(card):
    panel = pkgutil.resolve_name(card.panel)
    assert issubclass(panel, Panel)
    assert panel.title == card.title
    assert card.about
    assert card.group in GROUPS
    assert panel.main_slot or panel.wants(None) == {}


def test_titles_differ_because_layouts_are_kept_by_them():
    titles = [card.title for card in PANELS]
    assert len(set(titles)) == len(titles)
