from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QGuiApplication, QImage
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gui.style import palette
from gui.widgets.ranked_list import BAR, RANK, TOKEN, VALUE, RankedList

Tip = Callable[[QWidget, QPointF], str]
ODD = ["<s>", "<b>x</b>", "&amp;", "&", "קריירה", "💩", "·extraordinarily"]


def show(bot: QtBot, width: int = 300) -> RankedList:
    widget = RankedList()
    bot.addWidget(widget)
    widget.resize(width, 240)
    widget.show()
    return widget


def column(widget: RankedList, which: int) -> list[str]:
    model = widget.model()
    return [model.index(row, which).data() for row in range(model.rowCount())]


def cell(widget: RankedList, row: int, which: int) -> QImage:
    place = widget.visualRect(widget.model().index(row, which))
    return widget.viewport().grab(place).toImage()


def colours(image: QImage) -> set[str]:
    return {
        image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())
    }


def test_rows_show_rank_token_and_number_in_the_order_given(qtbot: QtBot) -> None:
    widget = show(qtbot)
    widget.set_rows([7, 3, 9], ["·tea", "Te", "·Dai"], [70.812, 6.5, -0.001], signed=True)
    assert column(widget, RANK) == ["1", "2", "3"]
    assert column(widget, TOKEN) == ["·tea", "Te", "·Dai"]
    assert column(widget, VALUE) == ["+70.81", "+6.50", "0.00"]


def test_numbers_have_a_real_minus_sign_and_decimals_of_their_list(qtbot: QtBot) -> None:
    widget = show(qtbot)
    widget.set_rows([0, 1], ["a", "b"], [-0.00123, -0.0005], signed=True)
    assert column(widget, VALUE) == ["−0.0012", "−0.0005"]
    widget.set_rows([0, 1], ["a", "b"], [12345.6, np.nan], signed=False)
    assert column(widget, VALUE) == ["12346", "–"]
    widget.set_rows([0, 1], ["a", "b"], [0.8291, 0.0144], signed=False, percent=True)
    assert column(widget, VALUE) == ["82.9 %", "1.4 %"]


@pytest.mark.parametrize("width", [230, 300, 420])
def test_columns_fill_the_width_and_nothing_but_long_tokens_is_cut(
    qtbot: QtBot, width: int
) -> None:
    widget = show(qtbot, width)
    widget.set_rows(range(7), ODD, np.linspace(71.47, -43.3, 7), signed=True)
    widths = [widget.columnWidth(i) for i in range(4)]
    assert sum(widths) == widget.viewport().width()
    figures = QFontMetrics(palette.ui_font())
    tokens = QFontMetrics(palette.token_font(bold=True))
    assert widths[VALUE] >= figures.horizontalAdvance("+71.47")
    assert widths[RANK] >= figures.horizontalAdvance("7")
    assert widths[BAR] >= width // 5
    assert widths[TOKEN] >= tokens.horizontalAdvance("<b>x</b>")


def test_bars_are_long_as_their_numbers_and_coloured_by_sign(qtbot: QtBot, dressed: str) -> None:
    widget = show(qtbot)
    theme = palette.theme()

    def lengths(which: str) -> list[int]:
        images = [cell(widget, row, BAR) for row in range(widget.model().rowCount())]
        return [
            sum(
                image.pixelColor(x, image.height() // 2).name() == which
                for x in range(image.width())
            )
            for image in images
        ]

    widget.set_rows([0, 1, 2], ["a", "b", "c"], [4.0, 2.0, 1.0], signed=True)
    long = lengths(theme.positive)
    assert long[0] == pytest.approx(widget.columnWidth(BAR), abs=2)
    assert long[1] == pytest.approx(long[0] / 2, abs=2)
    assert long[2] == pytest.approx(long[0] / 4, abs=2)
    widget.set_rows([0, 1], ["a", "b"], [-4.0, -2.0], signed=True)
    red = lengths(theme.negative)
    assert red[0] == pytest.approx(widget.columnWidth(BAR), abs=2)
    assert red[1] == pytest.approx(red[0] / 2, abs=2)
    widget.set_rows([0, 1], ["a", "b"], [3.0, -1.0], signed=True)
    assert lengths(theme.positive)[0] == pytest.approx(0.75 * widget.columnWidth(BAR), abs=2)
    assert lengths(theme.negative)[1] == pytest.approx(0.25 * widget.columnWidth(BAR), abs=2)


def test_the_selected_token_stands_on_accent_ground(qtbot: QtBot, dressed: str) -> None:
    widget = show(qtbot)
    widget.set_rows([7, 3], ["·tea", "Te"], [2.0, 1.0], signed=True, highlight=3)
    ground = palette.theme().accent_ground
    assert ground in colours(cell(widget, 1, TOKEN))
    assert ground in colours(cell(widget, 1, VALUE))
    assert ground not in colours(cell(widget, 0, TOKEN))


def test_a_click_or_enter_chooses_a_token(qtbot: QtBot) -> None:
    widget = show(qtbot)
    widget.set_rows([70, 30, 90], ["a", "b", "c"], [3.0, 2.0, 1.0], signed=True)
    chosen: list[int] = []
    widget.chosen.connect(chosen.append)
    place = widget.visualRect(widget.model().index(1, BAR)).center()
    qtbot.mouseClick(widget.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.keyClick(widget, Qt.Key.Key_Down)
    qtbot.keyClick(widget, Qt.Key.Key_Return)
    assert chosen == [30, 90]


def test_copying_gives_full_precision_between_tabs(qtbot: QtBot) -> None:
    widget = show(qtbot)
    values = np.array([1 / 3, 0.1], dtype=np.float64)
    widget.set_rows([70, 30], ["<s>", "·b"], values, signed=True)
    widget.selectRow(0)
    qtbot.keyClick(widget, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "1\t70\t<s>\t0.3333333333333333"
    widget.clearSelection()
    qtbot.keyClick(widget, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().splitlines()[1] == "2\t30\t·b\t0.1"


def test_a_copied_token_is_no_formula_where_it_is_pasted(qtbot: QtBot) -> None:
    widget = show(qtbot)
    widget.set_rows([70], ["=1+1"], [-2.0], signed=True)
    widget.selectRow(0)
    qtbot.keyClick(widget, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "1\t70\t'=1+1\t-2.0"


def test_tokens_that_look_like_html_are_shown_as_they_are(qtbot: QtBot, tip_label: Tip) -> None:
    widget = show(qtbot)
    widget.set_rows(range(7), ODD, np.arange(7.0), signed=False)
    assert column(widget, TOKEN) == ODD
    for row, token in enumerate(ODD[:4]):
        at = QPointF(widget.visualRect(widget.model().index(row, TOKEN)).center())
        assert tip_label(widget.viewport(), at).splitlines()[0] == token
        ink = colours(cell(widget, row, TOKEN)) - {palette.theme().card}
        assert ink, f"{token} shows nothing"


def test_a_whole_vocabulary_is_shown_at_once(qtbot: QtBot) -> None:
    widget = show(qtbot)
    count = 50_257
    widget.set_rows(
        np.arange(count), [f"·t{i}" for i in range(count)], np.arange(count), signed=False
    )
    widget.scrollToBottom()
    assert widget.model().rowCount() == count
    assert widget.rowAt(widget.viewport().height() - 5) == count - 1


@pytest.mark.parametrize("height", [70, 79, 100, 101, 119])
def test_no_row_is_cut_and_the_last_one_can_be_reached(qtbot: QtBot, height: int) -> None:
    widget = show(qtbot)
    widget.resize(300, height)
    widget.set_rows(range(10), ["█"] * 10, np.ones(10), signed=True)
    step = widget.rowHeight(0)
    widget.scrollToBottom()  # lays out now
    inside = widget.columnViewportPosition(TOKEN), widget.columnViewportPosition(BAR)
    seen = set()
    for value in range(widget.verticalScrollBar().maximum() + 1):
        widget.verticalScrollBar().setValue(value)
        image = widget.viewport().grab().toImage()
        text = palette.theme().text
        lines = [
            any(image.pixelColor(x, y).name() == text for x in range(*inside))
            for y in range(image.height())
        ]
        for row in range(10):
            top = widget.rowViewportPosition(row)
            inked = sum(lines[max(top, 0) : max(top + step, 0)])
            whole = top >= 0 and top + step <= image.height()
            assert (inked > 0) == whole
            if whole:
                seen.add(row)
            assert widget.indexAt(QPoint(5, top + step // 2)).isValid() >= whole
    assert seen == set(range(10))


def test_bytes_of_a_character_are_muted_and_explained(qtbot: QtBot, tip_label: Tip) -> None:
    widget = show(qtbot)
    widget.set_rows([7, 3], ["F0 9F", "F0"], [2.0, 1.0], signed=True, pieces={7})
    inks = [colours(cell(widget, row, TOKEN)) for row in (0, 1)]
    theme = palette.theme()
    assert theme.muted in inks[0]
    assert theme.text not in inks[0]
    assert theme.text in inks[1]
    places = [widget.visualRect(widget.model().index(row, TOKEN)).center() for row in (0, 1)]
    tips = [tip_label(widget.viewport(), QPointF(place)).splitlines()[0] for place in places]
    assert tips == ["bytes F0 9F: a piece of a character", "F0"]


def test_no_rows_show_a_sentence(qtbot: QtBot) -> None:
    widget = show(qtbot)
    widget.set_rows([0], ["a"], [1.0], signed=True)
    widget.clear("Pin a token first.")
    assert widget.model().rowCount() == 0
    assert palette.theme().muted in colours(widget.viewport().grab().toImage())
    with qtbot.assertNotEmitted(widget.chosen):
        qtbot.keyClick(widget, Qt.Key.Key_Return)


def test_a_narrow_list_leaves_ranks_out_in_every_theme(qtbot: QtBot, qapp: object) -> None:
    widget = show(qtbot, 140)
    widget.set_rows([7], ["·tea"], [2.0], signed=True)
    palette.apply(qapp, "dark")
    qtbot.wait(1)
    assert widget.columnWidth(RANK) == 0
    assert sum(widget.columnWidth(i) for i in range(4)) == widget.viewport().width()
    widget.resize(300, 240)
    assert widget.columnWidth(RANK) > 0


def test_the_highlight_changes_with_the_theme(qtbot: QtBot, qapp: object) -> None:
    widget = show(qtbot)
    widget.set_rows([7], ["·tea"], [2.0], signed=True, highlight=7)
    palette.apply(qapp, "dark")
    image = cell(widget, 0, TOKEN)
    assert image.pixelColor(image.width() - 2, 1) == QColor(palette.theme().accent_ground)


def test_positions_are_told_instead_of_ranks_and_parts_have_no_id(
    qtbot: QtBot, tip_label: Tip
) -> None:
    widget = show(qtbot)
    for rows_are, first, told in (
        ("tokens", "1", "·tea\nid 120\n2.0"),
        ("positions", "120", "·tea\nposition 120\n2.0"),
        ("parts", "1", "·tea\n2.0"),
    ):
        widget.set_rows([120, 4], ["·tea", "·I"], [2.0, 1.0], signed=True, rows_are=rows_are)  # type: ignore[arg-type]
        row = widget.model().index(0, 0)
        assert row.data() == first
        place = widget.visualRect(widget.model().index(0, 1)).center()
        assert tip_label(widget.viewport(), QPointF(place)) == told
