"""How many decimals are printed in cells of a width."""

import numpy as np
import pytest
from PySide6.QtGui import QFontMetricsF

from gui.style import palette
from gui.widgets.matrix_axes import decimals_that_fit

SHARES = np.array([0.0, 0.25, 0.99])
LOGITS = np.array([-0.63, 2.68, 0.04])


@pytest.mark.parametrize(
    ("values", "widest", "decimals"),
    [
        (SHARES, "0.99", 2),
        (SHARES, "0.9", None),  # one decimal would make most shares equal
        (LOGITS, "−0.63", 2),
        (LOGITS, "−0.6", 1),
        (LOGITS, "−0", None),
    ],
)
def test_large_numbers_give_up_a_decimal_before_they_are_left_out(qapp, values, widest, decimals):
    metrics = QFontMetricsF(palette.ui_font(small=True))
    width = metrics.horizontalAdvance(widest) / 0.9 + 0.1
    assert decimals_that_fit(values, width, metrics) == decimals
