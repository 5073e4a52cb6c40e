"""What an attribution says, in sentences."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from engine.messages import Head, LogitParts, OutputRanking
from gui.head_names import head_name
from gui.numbers import decimals_for, fixed, plain, ranked
from gui.panels.sentence import Token

MOST_LEFT = 1e-3
"""A remainder above this is more than rounding."""

Parts = list[str | Token]


def number(value: float) -> str:
    """Write what a part gives, with its sign."""
    return fixed(value, decimals_for([value]), signed=True)


def answer(
    found: LogitParts,
    labels: Sequence[str],
    by_source: npt.NDArray[np.floating] | None,
    opened: Head,
) -> Parts:
    """Say which head gives most to the logit, and from which source token if it is open.

    Parameters
    ----------
    found
        What each part gives.
    labels
        The prompt's tokens as shown.
    by_source
        What each source gives by the open head, [source], if that is known.
    opened
        The open head.
    """
    parts: Parts = [
        "after ",
        Token(labels[found.position]),
        f" (position {found.position}), the logit of ",
    ]
    parts += [Token(found.target_label), *less(found)]
    parts.append(f" is {unsigned(found.logit)}. ")
    heads = [place for place, head in enumerate(found.heads) if head is not None]
    if not heads:
        return parts
    best = max(heads, key=lambda place: float(found.values[place]))
    head, value = found.heads[best], float(found.values[best])
    assert head is not None
    if value <= 0:
        return [*parts, "No head raises it"]
    parts.append(f"The head that gives most is {head_name(head)}, {number(value)}")
    if head != opened or by_source is None or not len(by_source):
        return [*parts, ": click it to see from which source tokens"]
    source = int(np.argmax(by_source))
    given = number(float(by_source[source]))
    return [*parts, f", {given} of it from ", Token(labels[source]), f" (position {source})"]


def head_says(head: Head, value: float, output: OutputRanking) -> Parts:
    """Say what the open head gives, and how it ranks the token by itself."""
    return [
        f"{head_name(head)} gives {number(value)} (by it alone, ",
        Token(output.target_label),
        f" has {ranked(output.rank, output.d_vocab, output.constant)}). By source position:",
    ]


def sum_of(found: LogitParts) -> str:
    """Say that the parts sum to the logit, and how exactly."""
    said = f"total {unsigned(found.total)} + remainder {plain(found.remainder, 1)}"
    said += f" = logit {unsigned(found.logit)}"
    if found.final_scale != 1.0:
        scale = plain(found.final_scale, 3)
        said += f"; final scale {scale}, by which the final norm divides each part"
    said += before_cap(found)
    if abs(found.remainder) > MOST_LEFT:
        said += "; the remainder is more than rounding: some part is missing"
    return said


def before_cap(found: LogitParts) -> str:
    """Say that the model caps its logits afterwards, if it does."""
    if found.logit_cap is None:
        return ""
    return f"; logits are those before the model caps them at {plain(found.logit_cap)}"


def less(found: LogitParts) -> Parts:
    """Say what is taken off the logit."""
    if found.contrast_label == "none":
        return []
    if found.contrast_label == "mean":
        return [" less the mean logit"]
    return [" less that of ", Token(found.contrast_label)]


def unsigned(value: float) -> str:
    """Write a logit."""
    return fixed(value, decimals_for([value]))
