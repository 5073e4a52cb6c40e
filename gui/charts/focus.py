"""What follows from the selection: which query and source are looked at, what is said of both."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from engine.messages import FloatArray, Head, IntArray, ModelFacts, Patterns, Run
from gui.state.difference import UNSEEN
from gui.state.selection import Selection
from gui.style.colour_scale import MORE_OR_LESS
from gui.style.formatting import head_name, reach

Row = npt.NDArray[np.floating]
"""One row of a pattern, [source]."""
MOST_NAMED = 6
"""Heads that one sentence names."""


class Focus(NamedTuple):
    """Where a prompt is looked at: positions in it."""

    query: int
    """The pinned one; the last unless another is pinned and there."""
    source: int | None
    """The one that is read, as `source_of_row` has it; `None` while no patterns are known."""

    @property
    def offset(self) -> int | None:
        """How far back the source lies."""
        return None if self.source is None else self.query - self.source


def resolve(selection: Selection, run: Run, patterns: Patterns | None) -> Focus:
    """Return where the selection looks in a prompt.

    Parameters
    ----------
    selection
        What is selected.
    run
        The prompt's run.
    patterns
        Those of the open head's layer, if they are known.
    """
    last, query = len(run.labels) - 1, selection.query
    query = query if query is not None and 0 <= query <= last else last
    if patterns is None:
        return Focus(query, None)
    row = patterns.values[selection.head.number, query, : query + 1]
    return Focus(query, source_of_row(selection, run, row))


def source_of_row(selection: Selection, run: Run, row: Row) -> int:
    """Return the source position that is read, from one row of a pattern up to its query, [source].

    Unless one is pinned, the position that the query attends to most, BOS at the beginning left
    out: most heads rest on it. What the head cannot see is 0, or not a number.
    """
    source = selection.source
    if source is not None and 0 <= source < len(row):
        return source
    first = 1 if run.begins_with_bos and len(row) > 1 else 0
    return first + int(np.argmax(np.nan_to_num(row[first:])))


def head_exists(selection: Selection, patterns: Patterns) -> bool:
    """Return whether the answer has the selected head."""
    return selection.head.number < len(patterns.values)


def limits(
    values: npt.NDArray[np.floating],
    mask: npt.NDArray[np.bool_],
    *,
    signed: bool = False,
    shares: bool = False,
    hide_bos: bool = False,
    least: float = 0.0,
) -> tuple[float, float]:
    """Return the ends of the colour range of one head's picture.

    Shares run from 0 to 1, so that two heads can be compared by eye; signed numbers as far below 0
    as above it; others from 0 to the largest. `hide_bos` leaves the first position out of the
    range, so that what little goes elsewhere can be seen.

    Parameters
    ----------
    values
        One head, [query, key].
    mask
        True where a query may look, [query, key].
    signed, shares
        What the values are.
    hide_bos
        Leave key 0 out.
    least
        The limits reach at least as far.
    """
    if shares and not signed and not hide_bos:
        return 0.0, 1.0
    seen = mask.copy()
    if hide_bos and values.shape[1] > 1:
        seen[:, 0] = False
    largest = reach(values[seen], least)
    if signed:
        return -largest, largest
    return 0.0, largest


def count(number: int, what: str) -> str:
    """Return `1 token`, `2 tokens`."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def shared_keys(head: Head, facts: ModelFacts) -> str:
    """Return whose keys and values a head reads, where other heads read them too; else nothing."""
    size = facts.n_heads // facts.n_kv_heads
    if size == 1:
        return ""
    group = head.number // size
    first, last = group * size, group * size + size - 1
    others = [f"H{other}" for other in range(first, last + 1) if other != head.number]
    said = f"the others of H{first}–H{last}" if size > 3 else " and ".join(others)
    return f"KV head {group}, as {said}"


def named(heads: Sequence[Head]) -> str:
    """Return `L0H2`, `L0H2 and L1H3`; of many heads the first ones, and how many more."""
    names = [head_name(head) for head in heads]
    if len(names) > MOST_NAMED:
        names[MOST_NAMED - 1 :] = [f"{len(names) - MOST_NAMED + 1} more"]
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def off_in_words(off: Sequence[Head]) -> str:
    """Return `L0H2 off`, and that of more heads."""
    return f"{named(off)} off"


def change_in_words(head: Head, off: Sequence[Head], seen: FloatArray) -> list[str]:
    """Return the end of a sentence about a head's pattern, or why there is nothing to see.

    Parameters
    ----------
    head
        The open one.
    off
        Those that are switched off, at least one.
    seen
        Its change in every cell that may be looked at.
    """
    if head.layer <= min(other.layer for other in off):
        return [" as before: no head of an earlier layer is off"]
    if not seen.size or float(np.abs(seen).max()) < UNSEEN:
        return [f" as before, even with {off_in_words(off)}"]
    return [f" {MORE_OR_LESS} than with {named(off)}"]


def guesses(now: Run, before: Run, k: int) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the first guesses of both, those that changed most first.

    Parameters
    ----------
    now, before
        Runs of one prompt that list the whole vocabulary.
    k
        How many guesses of each.

    Returns
    -------
    tuple
        Token ids; their probabilities before; and now, [guess] each.
    """
    ids = np.union1d(now.next_ids[:k], before.next_ids[:k])
    shares = [_shares(run)[ids] for run in (before, now)]
    order = np.argsort(-np.abs(shares[1] - shares[0]), kind="stable")
    return ids[order], shares[0][order], shares[1][order]


def _shares(run: Run) -> FloatArray:
    shares = np.zeros(int(run.next_ids.max()) + 1)
    shares[run.next_ids] = np.exp(run.next_log_probs)
    return shares
