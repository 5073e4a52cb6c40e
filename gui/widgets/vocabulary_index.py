"""Finding tokens by what somebody types, fast enough for each key press at 150,000 tokens."""

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

_SPACE = "·"
_BREAK = "\n"


class VocabularyIndex:
    """The tokens of a vocabulary as typed (`texts`) and as shown (`labels`), in order of ids."""

    def __init__(self, texts: Sequence[str], labels: Sequence[str]) -> None:
        self.texts = texts
        self.labels = labels

    @cached_property
    def _by_text(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for token, text in enumerate(self.texts):
            # Of tokens with one text, what the text is read as is shown without its number.
            if text and (
                text not in found or (self._numbered(found[text]) and not self._numbered(token))
            ):
                found[text] = token
        return found

    @cached_property
    def _by_label(self) -> dict[str, int]:
        # Reversed, so that of equal labels the lowest id stays.
        return {label: token for token, label in reversed(list(enumerate(self.labels))) if label}

    @cached_property
    def _all(self) -> str:
        """All labels as one text, a line each, a break before each: one search finds the next."""
        lines = _BREAK.join(self.labels)
        if lines.count(_BREAK) >= len(self.labels):
            lines = _BREAK.join(label.replace(_BREAK, " ") for label in self.labels)
        return _BREAK + lines.casefold() + _BREAK

    @cached_property
    def _starts(self) -> npt.NDArray[np.intp]:
        """Where each label begins in the one text, [token]."""
        letters = np.frombuffer(self._all.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        return np.flatnonzero(letters == ord(_BREAK))[:-1] + 1

    def _numbered(self, token: int) -> bool:
        return self.labels[token].endswith(f"#{token}")

    def find(self, typed: str) -> int | None:
        """Return the id of a token: by its text, by its label, as `#id`; none if there is none."""
        if typed and typed in self._by_text:
            return self._by_text[typed]
        if typed and typed in self._by_label:
            return self._by_label[typed]
        if typed.startswith("#") and typed[1:].isdecimal() and int(typed[1:]) < len(self.labels):
            return int(typed[1:])
        return None

    def complete(self, typed: str, most: int) -> list[int]:
        """Return tokens that may be meant, at most so many.

        The token itself comes first, alone and after a space, then labels that begin with what
        was typed, those that do after a space, and those that hold it anywhere; case is ignored.
        """
        if not self.labels:
            return []
        found: dict[int, None] = {}
        wanted = typed.replace(" ", _SPACE).replace(_BREAK, " ").casefold()
        begins = (_BREAK + wanted, _BREAK + _SPACE + wanted)
        anywhere = (wanted,) if wanted else ()  # nothing is at the beginning of every token
        for needle in (*(begin + _BREAK for begin in begins), *begins, *anywhere):
            for token in self._holding(needle):
                if len(found) >= most:
                    return list(found)
                found[token] = None
        return list(found)

    def _holding(self, needle: str) -> Iterator[int]:
        """Yield the tokens in whose line, with the break before it, the needle is."""
        at = self._all.find(needle)
        while 0 <= at < len(self._all) - 1:
            inside = at + 1 if needle.startswith(_BREAK) else at
            token = int(np.searchsorted(self._starts, inside, side="right")) - 1
            yield token
            if token + 1 >= len(self._starts):
                return
            at = self._all.find(needle, int(self._starts[token + 1]) - 1)
