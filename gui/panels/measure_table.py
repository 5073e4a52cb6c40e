"""A table of all heads by their measures, and what the open one comes to in each."""

from collections.abc import Sequence
from typing import Any

from engine.messages import Head
from gui.head_names import head_name
from gui.measures import SIGNED, Known, decimals, group_of, meaning, rank, short_name
from gui.widgets.score_model import ScoreColumn
from gui.widgets.score_table import ScoreTable

HEADING_TIP = "Click to sort. The last line is the rank of the open head, 1 the largest."


class MeasureTable(ScoreTable):
    """Heads down, measures across."""

    def set_known(self, known: Known, fields: Sequence[str], *, groups: bool) -> None:
        """Show some measures, which are there; `groups` names the group of each in its heading."""
        self.set_rows(
            "head",
            [head_name(head) for head in known.heads],
            [
                ScoreColumn(
                    f"{short_name(field)}\n{group_of(field).heading}"
                    if groups
                    else short_name(field),
                    known.scores[field],
                    decimals(known.scores[field]),
                    signed=field in SIGNED,
                    tip=f"{meaning(field)}\n{HEADING_TIP}",
                )
                for field in fields
            ],
        )

    def copied(self, row: int) -> tuple[Any, ...]:
        """Return the head and every number; as 1.10 the head would be pasted as a number."""
        name, *numbers = super().copied(row)
        return Head.parse(name), *numbers

    def set_ranks_of(self, known: Known, place: int, fields: Sequence[str]) -> None:
        """Say in the last line which rank a head has by each of the measures shown."""
        ranks = [rank(known.scores[field], place) for field in fields]
        total = len(known.heads)
        told = (f"{number} of {total}" if number else "–" for number in ranks)
        self.set_notes([head_name(known.heads[place]), *told])
