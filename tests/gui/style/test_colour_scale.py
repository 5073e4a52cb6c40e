"""Scales of colours: limits, levels and positions, and ink that can be read on any colour."""

import numpy as np
import pytest

from gui.style.colour_scale import MASKED, ColourScale, amounts, contrast, ink, levels, signed


@pytest.mark.parametrize("scale", [ColourScale(False, 0.0, 4.0), signed(np.array([-3.0, 1.0]))])
def test_the_position_of_a_value_is_told_from_it(scale: ColourScale) -> None:
    values = np.linspace(scale.low, scale.high, 9)
    assert scale.position(values) == pytest.approx(np.linspace(0.0, 1.0, 9))
    assert scale.index([scale.low - 1, scale.low, scale.high, scale.high + 1]).tolist() == [
        0, 0, 255, 255,
    ]  # fmt: skip


def test_levels_leave_one_entry_for_what_is_masked() -> None:
    found = ColourScale(True, -1.0, 1.0).level(np.array([-1.0, 0.0, 1.0, np.nan], np.float32))
    assert found.tolist() == [0, 127, 254, MASKED]
    assert levels(diverging=True)[127].tolist() == [255, 255, 255]
    assert len(levels(diverging=False)) == MASKED


def test_amounts_begin_at_their_baseline_and_are_all_white_where_none_is_above_it() -> None:
    assert amounts(np.array([0.5, 2.0, np.nan]), 1.0) == ColourScale(False, 1.0, 2.0)
    assert amounts(np.array([0.5]), 1.0) == ColourScale(False, 1.0, 2.0)
    assert amounts(np.array([0.0])) == ColourScale(False, 0.0, 1.0)


def test_ink_can_be_read_on_every_colour_of_the_maps() -> None:
    for diverging in (False, True):
        for red, green, blue in levels(diverging=diverging).tolist():
            for quiet in (False, True):
                on = bytes.fromhex(ink((red, green, blue), quiet=quiet)[1:])
                assert contrast(tuple(on), (red, green, blue)) >= 4.5
