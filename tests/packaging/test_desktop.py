"""What a desktop shows of the program before it starts, and how a paper cites it."""

import configparser
import re
from pathlib import Path

import pytest
import yaml
from PySide6.QtGui import QImage

from docs.make_icons import LARGE_DRAWING
from engine import __version__
from gui.shell.about import CITATION

ROOT = Path(__file__).parents[2]
ICONS = ROOT / "resources" / "icons"
SIZES = (16, 22, 24, 32, 48, 64, 128, 256, 512)
PLAIN = re.compile(r"^[A-Za-z0-9-]+$")


def test_the_desktop_entry_is_well_formed_and_starts_the_command() -> None:
    entry = configparser.ConfigParser(interpolation=None)
    entry.optionxform = str  # type: ignore[assignment, method-assign]
    entry.read(ROOT / "resources" / "headscope.desktop", encoding="utf-8")
    assert entry.sections() == ["Desktop Entry"]
    values = entry["Desktop Entry"]
    assert all(PLAIN.match(key) for key in values)
    assert (values["Type"], values["Name"]) == ("Application", "Headscope")
    assert (values["Exec"], values["Icon"]) == ("headscope %f", "headscope")
    assert values["Terminal"] == "false"
    for key in ("Categories", "Keywords"):
        assert values[key].endswith(";")
    assert "Science" in values["Categories"].split(";")


@pytest.mark.parametrize("size", SIZES)
def test_an_icon_is_as_large_as_its_folder_says_and_has_clear_corners(size: int) -> None:
    image = QImage(str(ICONS / f"{size}x{size}" / "headscope.png"))
    assert (image.width(), image.height()) == (size, size)
    assert image.pixelColor(0, 0).alpha() < 128
    assert image.pixelColor(size // 2, size // 2).alpha() == 255


def test_there_are_no_other_sizes_and_the_drawing_itself() -> None:
    folders = {path.name for path in ICONS.iterdir()}
    assert folders == {"scalable", *(f"{size}x{size}" for size in SIZES)}
    assert (ICONS / "scalable" / "headscope.svg").read_text().startswith("<svg ")


def test_the_icon_is_what_its_script_draws() -> None:
    assert (ICONS / "scalable" / "headscope.svg").read_text() == LARGE_DRAWING


def test_the_citation_file_has_what_its_format_demands_and_this_version() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(cited)
    assert cited["cff-version"] == "1.2.0"
    assert cited["type"] == "software"
    assert cited["version"] == __version__
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", cited["date-released"])
    assert cited["license"] == "MIT"
    assert cited["authors"] == [{"name": "The Headscope authors"}]
    for reference in cited["references"]:
        assert {"type", "title", "authors"} <= set(reference)
        assert all(
            set(one) in ({"name"}, {"family-names", "given-names"}) for one in reference["authors"]
        )


def test_the_window_cites_what_the_citation_file_says() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    shown = CITATION.format(version=__version__)
    assert f"title   = {{{cited['title']}}}" in shown
    assert f"author  = {{{{{cited['authors'][0]['name']}}}}}" in shown
    assert f"version = {{{__version__}}}" in shown
    assert f"year    = {{{cited['date-released'][:4]}}}" in shown
