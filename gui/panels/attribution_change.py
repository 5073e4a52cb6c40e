"""How a logit changed from one run to another, part by part, in numbers and in sentences."""

from dataclasses import dataclass
from functools import cached_property

from engine.messages import Head, LogitParts
from gui import subtraction
from gui.head_names import head_name
from gui.numbers import plain
from gui.panels.attribution_words import Parts, before_cap, less, number, unsigned
from gui.panels.sentence import Token


@dataclass(frozen=True, eq=False)
class Change:
    """Two attributions, both split by heads, of one model.

    Parameters
    ----------
    now, before
        What each part gives in the run that is drawn, and in the one taken off it.
    names
        What the two runs are called.
    """

    now: LogitParts
    before: LogitParts
    names: tuple[str, str]

    @cached_property
    def parts(self) -> LogitParts:
        """What each part gives more or less, the target and all else as it is now."""
        return subtraction.parts(self.now, self.before)

    def headline(self, token: str) -> Parts:
        """Say how the logit changed, and which head's part changed most.

        Parameters
        ----------
        token
            The pinned token, or both of them.
        """
        now, before, (one, other) = self.now, self.before, self.names
        said: Parts = ["after ", Token(token), ", the logit of ", Token(before.target_label)]
        said += [*less(before), f" is {unsigned(before.logit)} ({other}) and "]
        differ = now.target_id != before.target_id
        if differ:
            said += ["that of ", Token(now.target_label), *less(now), " "]
        change = f"{one} − {other} {number(self.parts.logit)}"
        said.append(f"{unsigned(now.logit)} ({one}): {change}. ")
        if differ:
            said.append("The targets differ: type one as “logit of” to compare what it is given. ")
        heads = [place for place, head in enumerate(now.heads) if head is not None]
        changes = self.parts.values
        most = max(heads, key=lambda place: abs(float(changes[place])), default=None)
        if most is None:
            return said
        head = now.heads[most]
        assert head is not None
        if not changes[most]:
            return [*said, "No head gives more or less"]
        return [
            *said,
            f"The head that changed most is {head_name(head)}, {number(float(changes[most]))}",
        ]

    def of_head(self, head: Head) -> str:
        """Return what a head gives in both runs, and the difference."""
        place, (one, other) = self.now.heads.index(head), self.names
        now, before = (float(found.values[place]) for found in (self.now, self.before))
        told = f"{other} {number(before)}, {one} {number(now)}"
        return f"{head_name(head)}: {told}, {one} − {other} {number(now - before)}"

    def sum(self) -> str:
        """Say that the changes sum to that of the logit, and how exactly."""
        total, (one, other) = self.parts, self.names
        logits = [unsigned(found.logit) for found in (self.now, self.before)]
        said = f"total {number(total.total)} + remainder {plain(total.remainder, 1)}"
        said += f" = logit {logits[0]} ({one}) − logit {logits[1]} ({other})"
        scales = [found.final_scale for found in (self.now, self.before)]
        if scales != [1.0, 1.0]:
            told = [plain(scale, 3) for scale in scales]
            said += f"; final scale {told[0]} and {told[1]}, each dividing its own parts"
        return said + before_cap(self.now)
