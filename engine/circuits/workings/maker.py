"""How a step of the workings is put together: its labels, axes and marked row."""

from dataclasses import dataclass
from typing import Literal

from jaxtyping import Float
from torch import Tensor

from engine.messages import Part, Step

WIDEST = 1024
"""Width of the widest stream whose d_model x d_model products are formed."""

AxisName = Literal["query", "source", "position", "d_model", "d_head", "token", "bias"]


@dataclass(frozen=True, eq=False)
class Maker:
    """Makes steps whose rows and columns are labelled.

    Attributes
    ----------
    labels
        The prompt's tokens as shown.
    query
        The position followed through.
    """

    labels: tuple[str, ...]
    query: int

    def step(
        self,
        symbol: str,
        part: Part,
        axes: tuple[AxisName, AxisName],
        values: Float[Tensor, "row column"],
        sentence: str,
        *,
        formula: str,
        paper: str,
        einsum: tuple[str, str] = ("", ""),
        operands: tuple[str, ...] = (),
        tokens: tuple[str, ...] = (),
    ) -> Step:
        """Return a step; parameters are its fields, `einsum` both index strings, ours first.

        `tokens` labels an axis of tokens.
        """
        rows, columns = values.shape
        return Step(
            symbol=symbol,
            part=part,
            formula=formula,
            paper=paper,
            einsum=einsum[0],
            paper_einsum=einsum[1],
            operands=operands,
            sentence=sentence,
            shape=(rows, columns),
            axes=axes,
            row_labels=self._named(axes[0], rows, tokens),
            column_labels=self._named(axes[1], columns, tokens),
            values=values.numpy() + 0.0,  # no negative zeros
            marked_row=self.query if axes[0] in ("query", "position") else None,
            transposed=paper.startswith(f"{symbol}ᵀ"),
        )

    def _named(self, axis: AxisName, count: int, tokens: tuple[str, ...]) -> tuple[str, ...]:
        if axis in ("query", "source", "position"):
            return self.labels
        if axis == "bias":
            return ("bias",)
        return tokens if axis == "token" else tuple(map(str, range(count)))
