"""What is said where a prompt's tokens do not spell the text as it was typed."""

import unicodedata

LONGEST = 40
"""Characters of a text that are quoted."""


def said(text: str, spelt: str | None) -> str:
    """Return the sentence, empty where tokens spell the text.

    Parameters
    ----------
    text
        As it was typed.
    spelt
        What the tokens spell, where it is not the same.
    """
    if spelt is None:
        return ""
    if spelt == f" {text}":
        return "The model's tokenizer puts a space before the text"
    start = _alike(text, spelt)
    end = _alike(text[start:][::-1], spelt[start:][::-1])
    # A combining mark alone, or a space, could not be seen: the character before goes with it.
    start = max(0, start - 1)
    typed, read = (part[start : len(part) - end] for part in (text, spelt))
    if unicodedata.normalize("NFC", typed) == unicodedata.normalize("NFC", read):
        typed, read = _code_points(typed), _code_points(read)
    return f"The model's tokenizer changes the text: {_quoted(typed)} is read as {_quoted(read)}"


def _alike(one: str, other: str) -> int:
    """Return how many characters two texts have in common from the first one on."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _quoted(text: str) -> str:
    short = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
    return f"“{short}”" if short else "nothing"


def _code_points(text: str) -> str:
    return " ".join(f"U+{ord(letter):04X}" for letter in text)
