"""Fonts for figures: which installed families, one after the other, cover a text.

DejaVu comes with matplotlib. What it lacks is looked for among the installed fonts that can be
embedded as TrueType outlines; what none of them has is drawn as a box and named to the caller.
"""

from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path

from matplotlib import font_manager
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath

TEXT_FAMILY = "DejaVu Sans"
TOKEN_FAMILY = "DejaVu Sans Mono"
GENERIC = {"font.sans-serif": [TEXT_FAMILY], "font.monospace": [TOKEN_FAMILY]}
"""What matplotlib is to take the generic names for."""

_MOST_TEXTS = 2**16
"""Texts whose fonts and widths are remembered: more than a page has."""

_PREFERRED = (
    "Noto Sans",
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "WenQuanYi Zen Hei",
    "Droid Sans Fallback",
    "Noto Emoji",
    "Symbola",
)


@cache
def _installed() -> dict[str, str]:
    """Return the file of each installed family that a figure may use, best families first."""
    files: dict[str, str] = {}
    for entry in font_manager.fontManager.ttflist:
        plain = entry.style == "normal" and entry.variant == "normal"
        if plain and entry.weight in (400, "normal", "regular", "book"):
            files.setdefault(entry.name, str(entry.fname))
    first = [name for name in (TEXT_FAMILY, *_PREFERRED) if name in files]
    return {name: files[name] for name in (*first, *sorted(set(files) - set(first)))}


@cache
def _covered(path: str) -> frozenset[int]:
    """Return the code points a font file has outlines for; none where it cannot be embedded."""
    if Path(path).name.startswith("LastResort"):
        return frozenset()  # covers everything, with boxes
    try:
        with Path(path).open("rb") as file:
            if file.read(4) not in (b"\x00\x01\x00\x00", b"true"):
                return frozenset()  # PostScript outlines and collections do not survive fonttype 42
        font = font_manager.get_font(path)
        return frozenset(font.get_charmap()) if font.scalable else frozenset()
    except (OSError, RuntimeError):
        return frozenset()


def _needed(text: str) -> frozenset[int]:
    return frozenset(ord(character) for character in text)


@lru_cache(maxsize=_MOST_TEXTS)
def families(text: str, family: str) -> tuple[str, ...]:
    """Return the families that together cover a text, the given one first.

    Parameters
    ----------
    text
        What will be drawn.
    family
        The family to use wherever it has the character.
    """
    chosen = [family]
    missing = _needed(text) - _covered(font_manager.findfont(FontProperties(family=[family])))
    for name, path in _installed().items():
        if not missing:
            break
        if missing & _covered(path):
            chosen.append(name)
            missing -= _covered(path)
    return tuple(chosen)


def uncovered(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the texts that hold a character no installed font can draw, each once."""
    have = frozenset().union(*(_covered(path) for path in _installed().values()))
    return tuple(dict.fromkeys(text for text in texts if not _needed(text) <= have))


def properties(text: str, size: float, *, token: bool, bold: bool = False) -> FontProperties:
    """Return the font of a text: monospaced for tokens, with whatever fills its gaps."""
    chosen = families(text, TOKEN_FAMILY if token else TEXT_FAMILY)
    # The generic name is for those who open an SVG where DejaVu is not installed.
    generic = "monospace" if token else "sans-serif"
    weight = "bold" if bold else "normal"
    return FontProperties(family=[*chosen, generic], size=size, weight=weight)


@lru_cache(maxsize=_MOST_TEXTS)
def advance(text: str, *, token: bool, bold: bool = False) -> float:
    """Return the width of a text in units of its font size."""
    font = properties(text, 100.0, token=token, bold=bold)
    width, _, _ = TextToPath().get_text_width_height_descent(text, font, ismath=False)
    return float(width) / 100.0
