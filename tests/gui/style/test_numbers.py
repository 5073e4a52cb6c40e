"""Numbers as window and figures write them."""

import numpy as np
import pytest

from gui.style.formatting import decimals_for, fixed, percent, plain, reach


@pytest.mark.parametrize(
    ("value", "decimals", "signed", "written"),
    [
        (70.812, 2, True, "+70.81"),
        (-0.5, 2, True, "−0.50"),
        (-0.5, 1, False, "−0.5"),
        (-0.001, 2, True, "0.00"),
        (0.0, 2, True, "0.00"),
        (np.inf, 2, True, "+∞"),
        (-np.inf, 2, False, "−∞"),
        (np.nan, 2, True, "–"),
    ],
)
def test_a_number_has_a_real_minus_sign_and_nought_has_none(value, decimals, signed, written):
    assert fixed(value, decimals, signed=signed) == written


@pytest.mark.parametrize(
    ("values", "decimals"),
    [
        ([], 2),
        ([0.0, np.nan], 2),
        ([0.5, -99.0], 2),
        ([1234.0], 1),
        ([-12345.0, 1.0], 0),
        ([0.05], 3),
        ([0.00123], 4),
        ([1e-30], 8),
    ],
)
def test_a_list_has_the_decimals_that_tell_its_numbers_apart(values, decimals):
    assert decimals_for(values) == decimals


@pytest.mark.parametrize(
    ("share", "written"),
    [
        (0.545, "54.5 %"),
        (1.0, "100.0 %"),
        (0.0, "0.0 %"),
        (0.001, "0.1 %"),
        (0.000345, "0.034 %"),
        (1e-9, "< 0.0001 %"),
        (np.nan, "– %"),
    ],
)
def test_a_small_share_is_not_called_nought(share, written):
    assert percent(share) == written


def test_so_many_figures_and_no_more_than_there_are():
    assert [plain(5.65685), plain(5.65685, 3), plain(2.5), plain(-3e-17, 1)] == [
        "5.657",
        "5.66",
        "2.5",
        "−3e−17",
    ]


def test_a_number_that_is_none_is_a_dash_in_a_sentence_too():
    assert [plain(np.nan), plain(-np.inf)] == ["–", "−∞"]


@pytest.mark.parametrize(
    ("values", "least", "end"),
    [
        ([-3.0, 2.0], 0.0, 3.0),
        ([np.nan, np.inf, 2.0], 0.0, 2.0),
        ([1e-7], 5e-5, 5e-5),
        ([0.0], 0.0, 1.0),
        ([], 0.0, 1.0),
    ],
)
def test_a_scale_reaches_as_far_as_its_values_and_never_nowhere(values, least, end):
    assert reach(np.array(values), least) == end
