"""How well a name fits what was typed of it, letters left out and words in any order."""

WORD_START, NEXT, PREFIX, LATE = 8, 5, 12, 0.1
"""What a letter is worth at the start of a word, right after the last one found, and what a name
that begins with the word is; and what each letter before the first one costs."""


def score(query: str, text: str) -> float | None:
    """Return how well a text fits, higher is better, none where it does not.

    Parameters
    ----------
    query
        Words between spaces; the letters of each must occur in this order in the text.
    text
        What is looked through; case does not matter.
    """
    text = text.casefold()
    worth = 0.0
    for word in query.casefold().split():
        found = _word(word, text)
        if found is None:
            return None
        worth += found
    return worth


def _word(word: str, text: str) -> float | None:
    whole = text.find(word)
    if whole >= 0:
        # As it was typed beats any scattered letters; at the start of a word, all the more.
        at_start = not text[whole - 1 : whole].isalnum()
        return len(word) * (NEXT + 1) + (PREFIX if at_start else 0) - LATE * whole
    worth, at = 0.0, -1
    for letter in word:
        next_ = _best(letter, text, at)
        if next_ < 0:
            return None
        start = not text[next_ - 1 : next_].isalnum()
        worth += 1 + (WORD_START if start else NEXT if next_ == at + 1 else -1)
        at = next_
    # Letters found here and there spell nothing that anybody meant.
    return worth if worth >= len(word) * 2 else None


def _best(letter: str, text: str, after: int) -> int:
    """Return where a letter goes on: right here, else at the start of a word, else anywhere."""
    first = text.find(letter, after + 1)
    at = first
    while at >= 0 and at != after + 1:
        if not text[at - 1].isalnum():
            return at
        at = text.find(letter, at + 1)
    return at if at >= 0 else first
