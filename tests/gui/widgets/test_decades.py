"""Where a logarithmic axis begins and has ticks."""

import pytest

from gui.widgets import spectrum_canvas


@pytest.mark.parametrize(
    ("value", "begins"),
    [(0.8, 0.5), (0.5, 0.5), (1.0, 0.5), (1.9, 1.0), (37.0, 20.0), (3e-7, 2e-7)],
)
def test_an_axis_begins_at_one_two_or_five_not_above_the_least_value(value, begins):
    assert spectrum_canvas.below(value) == pytest.approx(begins)


def test_twos_and_fives_are_left_out_where_they_would_crowd():
    assert [text for _, text in spectrum_canvas.ticks(-1, 1, 7)] == [
        "0.1",
        "0.2",
        "0.5",
        "1",
        "2",
        "5",
        "10",
    ]
    assert [text for _, text in spectrum_canvas.ticks(-1, 1, 6)] == ["0.1", "1", "10"]


def test_many_decades_are_thinned_and_far_ones_written_as_powers():
    found = [text for _, text in spectrum_canvas.ticks(-12, 3, 20)]
    assert found[0] == "10⁻¹²"
    assert len(found) <= 7
