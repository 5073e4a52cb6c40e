"""Text from files, sizes and errors, made fit for one printed line."""

import re

_UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Control characters, line ends, what sets the direction of writing, halves of surrogate pairs."""

MOST_SAID = 200
"""Characters of an error's text that are shown."""


def printable(text: str, keep: str = "") -> str:
    r"""Return a text with what is no ink written as `\u001b`, which JSON reads as the same text.

    Parameters
    ----------
    text
        Perhaps of a stranger's file.
    keep
        Characters that stay, such as line ends.
    """
    return _UNPRINTABLE.sub(
        lambda found: found[0] if found[0] in keep else f"\\u{ord(found[0]):04x}", text
    )


def in_a_line(error: BaseException, kind: bool = False) -> str:
    """Return an error's text on one printable line, after its kind where that is asked for."""
    text = f"{type(error).__name__}: {error}" if kind else str(error)
    text = printable(" ".join(text.split())) or type(error).__name__
    return text if len(text) <= MOST_SAID else f"{text[: MOST_SAID - 1]}…"


def in_bytes(count: int) -> str:
    """Return a number of bytes in the largest unit of which it has one."""
    for unit, scale in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= scale:
            return f"{count / scale:,.1f} {unit}"
    return "1 byte" if count == 1 else f"{count} bytes"
