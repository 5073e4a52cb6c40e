"""What a spectrum draws: the values of one circuit."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

CIRCUITS = {"ov": "W_OV", "qk": "W_QK"}
"""What each circuit is called."""


class Curve(NamedTuple):
    """Singular values, those measured beyond d_head, and runs of near-equal ones."""

    values: npt.NDArray[np.float64]
    beyond: npt.NDArray[np.float64]
    groups: tuple[tuple[int, int], ...]
