import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication

from gui.widgets import matrix_axes
from gui.widgets.cells import Colouring


def texts(low: float, high: float, reach: tuple[float, float], most: int = 9) -> list[str]:
    return [t for _, t in matrix_axes.tick_texts(Colouring("sequential", low, high), reach, most)]


def test_numbers_beside_the_bar_are_those_of_their_places() -> None:
    assert texts(0, 1, (0, 1)) == ["0.00", "0.25", "0.50", "0.75", "1.00"]
    assert texts(0, 0.25, (0, 0.2)) == ["0.00", "0.05", "0.10", "0.15", "0.20", "0.25"]
    assert texts(-2, 2, (-2, 2)) == ["−2.00", "−1.00", "0.00", "1.00", "2.00"]


@pytest.mark.parametrize("most", [1, 2, 3, 4, 5])
def test_the_two_ends_are_always_there(most: int) -> None:
    shown = texts(0, 1, (0, 1), most)
    assert (shown[0], shown[-1]) == ("0.00", "1.00")
    assert len(shown) <= max(most, 2)


def test_numbers_beyond_the_limits_are_owned_up_to() -> None:
    assert texts(0, 0.5, (0, 1))[-1] == "≥0.50"
    assert texts(-1, 1, (-3, 0))[0] == "≤−1.00"


def test_its_width_holds_its_texts_and_its_unit(qapp: QApplication) -> None:
    colouring = Colouring("sequential", 0, 1)
    plain = matrix_axes.width_of(colouring, (0, 1), "")
    assert matrix_axes.WIDTH < plain < matrix_axes.width_of(colouring, (0, 1), "logit")


def inked(bottom: float) -> int:
    """Return the lowest row in which a bar of 40 pixels with a long unit has drawn something."""
    picture = QImage(120, 200, QImage.Format.Format_RGB32)
    picture.fill(QColor("white"))
    painter = QPainter(picture)
    area = QRectF(5, 10, matrix_axes.WIDTH, 40)
    unit = "right − left: attention"
    matrix_axes.draw_colour_bar(painter, area, Colouring("sequential", 0, 1), (0, 1), unit, bottom)
    painter.end()
    white = QColor("white").rgb()
    rows = [y for y in range(200) if any(picture.pixel(x, y) != white for x in range(120))]
    return max(rows)


def test_a_unit_longer_than_its_bar_goes_on_below_it_and_no_further_than_it_may(
    qapp: QApplication,
) -> None:
    assert inked(0) <= 52
    assert 60 < inked(90) <= 90
    assert inked(200) > 100
