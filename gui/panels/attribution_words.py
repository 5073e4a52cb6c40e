"""What an attribution says, in sentences."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from engine.messages import Head, LogitParts, OutputRanking
from gui.numbers import decimals_for, fixed, plain
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
    parts += [Token(found.target_label), *_contrast(found)]
    parts.append(f" is {_plain(found.logit)}. ")
    heads = [place for place, head in enumerate(found.heads) if head is not None]
    if not heads:
        return parts
    best = max(heads, key=lambda place: float(found.values[place]))
    head, value = found.heads[best], float(found.values[best])
    assert head is not None
    if value <= 0:
        return [*parts, "No head raises it"]
    parts.append(f"The head that gives most is {head.name}, {number(value)}")
    if head != opened or by_source is None or not len(by_source):
        return [*parts, ": click it to see from which source tokens"]
    source = int(np.argmax(by_source))
    given = number(float(by_source[source]))
    return [*parts, f", {given} of it from ", Token(labels[source]), f" (position {source})"]


def change(now: LogitParts, before: LogitParts, token: str, names: tuple[str, str]) -> Parts:
    """Say how the logit changed, and which head's part changed most.

    Parameters
    ----------
    now, before
        What each part gives in the run that is drawn, and in the one taken off it.
    token
        The pinned token, or both of them.
    names
        How the two runs are called.
    """
    one, other = names
    parts: Parts = ["after ", Token(token), ", the logit of ", Token(before.target_label)]
    parts += [*_contrast(before), f" is {_plain(before.logit)} {other}, "]
    differ = now.target_id != before.target_id
    if differ:
        parts += ["that of ", Token(now.target_label), *_contrast(now), " is "]
    difference = now.logit - before.logit
    parts.append(f"{_plain(now.logit)} {one}: {one} − {other} {number(difference)}. ")
    if differ:
        parts.append(
            "These are two tokens: type one as “logit of” to compare what is given to it. "
        )
    heads = [place for place, head in enumerate(now.heads) if head is not None]
    if not heads:
        return parts
    changes = now.values - before.values
    most = max(heads, key=lambda place: abs(float(changes[place])))
    head = now.heads[most]
    assert head is not None
    if not changes[most]:
        return [*parts, "No head gives more or less"]
    return [*parts, f"The head that changed most is {head.name}, {number(float(changes[most]))}"]


def sides(now: float, before: float, names: tuple[str, str]) -> str:
    """Return what a part gives in both runs, and the difference."""
    one, other = names
    return f"{other} {number(before)}, {one} {number(now)}, {one} − {other} {number(now - before)}"


def sum_of_change(now: LogitParts, before: LogitParts, names: tuple[str, str]) -> str:
    """Say that the changes sum to that of the logit, and how exactly."""
    total, remainder = now.total - before.total, now.remainder - before.remainder
    logits = [_plain(found.logit) for found in (now, before)]
    said = f"total {number(total)} + remainder {plain(remainder, 1)}"
    said += f" = logit {logits[0]} ({names[0]}) − logit {logits[1]} ({names[1]})"
    if (now.final_scale, before.final_scale) != (1.0, 1.0):
        scales = [plain(found.final_scale, 3) for found in (now, before)]
        said += f"; final scale {scales[0]} and {scales[1]}, each dividing its own parts"
    return said


def head_says(head: Head, value: float, output: OutputRanking) -> Parts:
    """Say what the open head gives, and how it ranks the token by itself."""
    return [
        f"{head.name} gives {number(value)} (by it alone, ",
        Token(output.target_label),
        f" ranks {output.rank:,} of {output.d_vocab:,}). By source position:",
    ]


def sum_of(found: LogitParts) -> str:
    """Say that the parts sum to the logit, and how exactly."""
    said = f"total {_plain(found.total)} + remainder {plain(found.remainder, 1)}"
    said += f" = logit {_plain(found.logit)}"
    if found.final_scale != 1.0:
        scale = plain(found.final_scale, 3)
        said += f"; final scale {scale}, by which the final norm divides each part"
    if abs(found.remainder) > MOST_LEFT:
        said += "; the remainder is more than rounding: some part is missing"
    return said


def _contrast(found: LogitParts) -> Parts:
    """Say what is taken off the logit."""
    if found.contrast_label == "none":
        return []
    if found.contrast_label == "mean":
        return [" less the mean logit"]
    return [" less that of ", Token(found.contrast_label)]


def _plain(value: float) -> str:
    return fixed(value, decimals_for([value]))
