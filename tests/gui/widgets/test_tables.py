"""Tables of ranked tokens, and of names and numbers: order, widths, bars, marks, keys, copies."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QGuiApplication

from gui.style import palette
from gui.style.theme import UNIT
from gui.widgets.number_tables import RANK, TOKEN, VALUE, RankedList, ScoreTable
from gui.widgets.table_model import NumberColumn

ODD = ["<s>", "<b>x</b>", "&amp;", "&", "קריירה", "💩", "·extraordinarily"]
NAMES = ["L0H10", "<b>L0H2</b>", "L0H3", "&L0H4"]
SCORES = np.array([0.5, -1.0, 12.0, np.nan])


@pytest.fixture
def ranked(qtbot):
    widget = RankedList()
    qtbot.addWidget(widget)
    widget.resize(300, 240)
    widget.show()
    return widget


@pytest.fixture
def table(qtbot):
    widget = ScoreTable()
    qtbot.addWidget(widget)
    widget.resize(320, 220)
    widget.set_rows("head", NAMES, [NumberColumn("score", SCORES, 2, signed=True, tip="how much")])
    widget.show()
    return widget


def column(widget, which):
    model = widget.model()
    return [model.index(row, which).data() for row in range(model.rowCount())]


def center(widget, row, which=0):
    return widget.visualRect(widget.model().index(row, which)).center()


def cell(widget, row, which):
    place = widget.visualRect(widget.model().index(row, which))
    return widget.viewport().grab(place).toImage()


def colours(image):
    return {
        image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())
    }


def bars(widget, colour):
    """Return the most pixels of a colour on one line of each cell of the last column."""
    images = [
        cell(widget, row, widget.model().columnCount() - 1)
        for row in range(widget.model().rowCount())
    ]
    return [
        max(
            sum(image.pixelColor(x, y).name() == colour for x in range(image.width()))
            for y in range(image.height())
        )
        for image in images
    ]


def copied(qtbot, widget):
    qtbot.keyClick(widget, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    return QGuiApplication.clipboard().text()


def sort(qtbot, table, number):
    header = table.horizontalHeader()
    at = QPointF(header.sectionViewportPosition(number) + 6, header.height() / 2).toPoint()
    qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=at)


def click(qtbot, widget, row, which=0):
    at = center(widget, row, which)
    qtbot.mouseClick(widget.viewport(), Qt.MouseButton.LeftButton, pos=at)


@pytest.mark.parametrize(
    ("values", "options", "shown"),
    [
        ([70.812, 6.5, -0.001], {"signed": True}, ["+70.81", "+6.50", "0.00"]),
        ([-0.00123, -0.0005], {"signed": True}, ["−0.0012", "−0.0005"]),
        ([12345.6, np.nan], {"signed": False}, ["12346", "–"]),
        ([0.8291, 0.0144], {"signed": False, "percent": True}, ["82.9 %", "1.4 %"]),
    ],
)
def test_ranked_rows_show_rank_token_and_number_in_the_order_given(ranked, values, options, shown):
    tokens = ["·tea", "Te", "·Dai"][: len(values)]
    ranked.set_rows([7, 3, 9][: len(values)], tokens, values, **options)
    assert column(ranked, RANK) == ["1", "2", "3"][: len(values)]
    assert column(ranked, TOKEN) == tokens
    assert column(ranked, VALUE) == shown


@pytest.mark.parametrize("width", [230, 300, 420])
def test_columns_fill_the_width_and_nothing_but_long_tokens_is_cut(ranked, width):
    ranked.resize(width, 240)
    ranked.set_rows(range(7), ODD, np.linspace(71.47, -43.3, 7), signed=True)
    widths = [ranked.columnWidth(i) for i in range(3)]
    assert sum(widths) == ranked.viewport().width()
    figures = QFontMetrics(palette.ui_font())
    tokens = QFontMetrics(palette.token_font(bold=True))
    assert widths[VALUE] >= figures.horizontalAdvance("+71.47") + width // 5
    assert widths[RANK] >= figures.horizontalAdvance("7")
    assert widths[TOKEN] >= tokens.horizontalAdvance("<b>x</b>")


@pytest.mark.parametrize(
    ("values", "shares"),
    [([4.0, 2.0, 1.0], [1, 0.5, 0.25]), ([-4.0, -2.0], [-1, -0.5]), ([3.0, -1.0], [0.75, -0.25])],
)
@pytest.mark.usefixtures("dressed")
def test_bars_are_long_as_their_numbers_and_coloured_by_sign(ranked, values, shares):
    ranked.set_rows(range(len(values)), list("abc")[: len(values)], values, signed=True)
    theme, room = palette.theme(), ranked.columnWidth(VALUE) - ranked.widest(VALUE) - 2 * UNIT
    wanted = [(max(share, 0) * room, max(-share, 0) * room) for share in shares]
    found = zip(bars(ranked, theme.positive), bars(ranked, theme.negative), strict=True)
    assert np.array(list(found)) == pytest.approx(np.array(wanted), abs=2)


def test_a_table_has_bars_where_there_is_room_for_them(table):
    values = np.array([2.0, 1.0, 4.0, np.nan])
    table.resize(420, 220)
    table.set_rows("head", NAMES, [NumberColumn("score", values, bar=True)])
    half, quarter, longest, none = bars(table, palette.theme().positive)
    assert longest > 60
    assert [half, quarter, none] == pytest.approx([longest / 2, longest / 4, 0], abs=2)
    table.resize(130, 220)
    assert not any(bars(table, palette.theme().positive))
    assert column(table, 1)[2] == "4.00"


@pytest.mark.usefixtures("dressed")
def test_the_selected_row_stands_on_accent_ground_in_every_theme(qapp, qtbot, ranked, table):
    ranked.set_rows([7, 3], ["·tea", "Te"], [2.0, 1.0], signed=True, highlight=3)
    table.set_highlight(2)
    sort(qtbot, table, 1)
    for theme in ("dark", "light"):
        palette.apply(qapp, theme)
        ground = palette.theme().accent_ground
        assert ground in colours(cell(ranked, 1, TOKEN)) & colours(cell(ranked, 1, VALUE))
        assert ground not in colours(cell(ranked, 0, TOKEN))
        corner = cell(table, 0, 1).pixelColor(2, 1)
        assert corner == QColor(ground) != cell(table, 1, 1).pixelColor(2, 1)


def test_a_click_or_enter_chooses_a_token(qtbot, ranked):
    ranked.set_rows([70, 30, 90], ["a", "b", "c"], [3.0, 2.0, 1.0], signed=True)
    chosen = []
    ranked.chosen.connect(chosen.append)
    click(qtbot, ranked, 1, VALUE)
    qtbot.keyClick(ranked, Qt.Key.Key_Down)
    qtbot.keyClick(ranked, Qt.Key.Key_Return)
    assert chosen == [30, 90]


def test_a_sorted_row_is_chosen_by_its_place_in_what_was_given(qtbot, table):
    chosen = []
    table.chosen.connect(chosen.append)
    sort(qtbot, table, 1)
    click(qtbot, table, 0)
    qtbot.keyClick(table, Qt.Key.Key_Down)
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert chosen == [2, 0]


def test_copying_gives_full_precision_between_tabs_and_no_formula(qtbot, ranked, table):
    ranked.set_rows([70, 30], ["<s>", "=1+1"], np.array([1 / 3, 0.1]), signed=True)
    ranked.selectRow(0)
    assert copied(qtbot, ranked) == "1\t70\t<s>\t0.3333333333333333"
    ranked.clearSelection()
    assert copied(qtbot, ranked).splitlines()[1] == "2\t30\t'=1+1\t0.1"
    table.set_rows("head", ["a"], [NumberColumn("score", np.array([1 / 3]))])
    assert copied(qtbot, table) == f"a\t{1 / 3}"


def test_what_looks_like_html_is_shown_as_it_is(ranked, table, tip_label):
    ranked.set_rows(range(7), ODD, np.arange(7.0), signed=False)
    assert column(ranked, TOKEN) == ODD
    for row, token in enumerate(ODD[:4]):
        tip = tip_label(ranked.viewport(), QPointF(center(ranked, row, TOKEN)))
        assert tip.splitlines()[0] == token
        assert colours(cell(ranked, row, TOKEN)) - {palette.theme().card}, f"{token} shows nothing"
    table.set_describe(lambda place: f"{NAMES[place]} & more")
    assert tip_label(table.viewport(), QPointF(center(table, 1))) == "<b>L0H2</b> & more"


def test_a_whole_vocabulary_is_shown_at_once(ranked):
    count = 50_257
    labels = [f"·t{i}" for i in range(count)]
    ranked.set_rows(np.arange(count), labels, np.arange(count), signed=False)
    ranked.scrollToBottom()
    assert ranked.model().rowCount() == count
    assert ranked.rowAt(ranked.viewport().height() - 5) == count - 1


@pytest.mark.parametrize("height", [70, 79, 100, 101, 119])
def test_no_row_is_cut_and_the_last_one_can_be_reached(ranked, height):
    ranked.resize(300, height)
    ranked.set_rows(range(10), ["█"] * 10, np.ones(10), signed=True)
    step = ranked.rowHeight(0)
    ranked.scrollToBottom()  # lays out now
    inside = ranked.columnViewportPosition(TOKEN), ranked.columnViewportPosition(VALUE)
    seen = set()
    for value in range(ranked.verticalScrollBar().maximum() + 1):
        ranked.verticalScrollBar().setValue(value)
        image = ranked.viewport().grab().toImage()
        text = palette.theme().text
        lines = [
            any(image.pixelColor(x, y).name() == text for x in range(*inside))
            for y in range(image.height())
        ]
        for row in range(10):
            top = ranked.rowViewportPosition(row)
            inked = sum(lines[max(top, 0) : max(top + step, 0)])
            whole = top >= 0 and top + step <= image.height()
            assert (inked > 0) == whole
            if whole:
                seen.add(row)
            assert ranked.indexAt(QPoint(5, top + step // 2)).isValid() >= whole
    assert seen == set(range(10))


def test_bytes_of_a_character_are_muted_and_explained(ranked, tip_label):
    ranked.set_rows([7, 3], ["F0 9F", "F0"], [2.0, 1.0], signed=True, pieces={7})
    piece, token = (colours(cell(ranked, row, TOKEN)) for row in (0, 1))
    theme = palette.theme()
    assert theme.muted in piece
    assert theme.text not in piece
    assert theme.text in token
    places = [QPointF(center(ranked, row, TOKEN)) for row in (0, 1)]
    tips = [tip_label(ranked.viewport(), place).splitlines()[0] for place in places]
    assert tips == ["bytes F0 9F: a piece of a character", "F0"]


def test_no_rows_show_a_sentence(qtbot, ranked, table):
    ranked.set_rows([0], ["a"], [1.0], signed=True)
    for widget in (ranked, table):
        widget.clear("Pin a token first.")
        assert widget.model().rowCount() == 0
        assert palette.theme().muted in colours(widget.viewport().grab().toImage())
        with qtbot.assertNotEmitted(widget.chosen):
            qtbot.keyClick(widget, Qt.Key.Key_Return)


def test_a_narrow_list_leaves_ranks_out_in_every_theme(qtbot, qapp, ranked):
    ranked.resize(140, 240)
    ranked.set_rows([7], ["·tea"], [2.0], signed=True)
    palette.apply(qapp, "dark")
    qtbot.wait(1)
    assert ranked.columnWidth(RANK) == 0
    assert sum(ranked.columnWidth(i) for i in range(3)) == ranked.viewport().width()
    ranked.resize(300, 240)
    assert ranked.columnWidth(RANK) > 0


@pytest.mark.parametrize(
    ("rows_are", "first", "tip"),
    [
        ("tokens", "1", "·tea\nid 120\n2.0"),
        ("positions", "120", "·tea\nposition 120\n2.0"),
        ("parts", "1", "·tea\n2.0"),
    ],
)
def test_positions_are_shown_instead_of_ranks_and_parts_have_no_id(
    ranked, tip_label, rows_are, first, tip
):
    ranked.set_rows([120, 4], ["·tea", "·I"], [2.0, 1.0], signed=True, rows_are=rows_are)
    assert column(ranked, RANK)[0] == first
    assert tip_label(ranked.viewport(), QPointF(center(ranked, 0, TOKEN))) == tip


def test_a_click_on_a_number_column_sorts_and_its_heading_says_so(qtbot, table):
    def heading():
        return table.model().headerData(1, Qt.Orientation.Horizontal)

    assert (heading(), column(table, 0)) == ("score", NAMES)
    assert column(table, 1) == ["+0.50", "−1.00", "+12.00", "–"]
    sort(qtbot, table, 1)
    assert (heading(), column(table, 1)) == ("▾ score", ["+12.00", "+0.50", "−1.00", "–"])
    sort(qtbot, table, 1)
    assert (heading(), column(table, 1)) == ("▴ score", ["−1.00", "+0.50", "+12.00", "–"])


@pytest.mark.parametrize(
    ("by", "names", "ordered"),
    [
        (1, ["a", "b"], ["b", "a"]),
        (0, ["L2H0", "L10H0", "L2H11", "L2H9"], ["L2H0", "L2H9", "L2H11", "L10H0"]),
    ],
)
def test_other_rows_stay_sorted_and_numbers_in_names_sort_as_numbers(
    qtbot, table, by, names, ordered
):
    sort(qtbot, table, by)
    table.set_rows("head", names, [NumberColumn("score", np.arange(len(names)))])
    assert column(table, 0) == ordered


def test_in_a_narrow_table_names_are_whole_and_numbers_inside(table):
    table.resize(210, 200)
    assert sum(table.columnWidth(n) for n in range(2)) <= table.viewport().width()


def test_columns_of_another_length_are_refused(table):
    with pytest.raises(ValueError, match="2 numbers for 1 names"):
        table.set_rows("head", ["a"], [NumberColumn("score", np.zeros(2))])


def test_names_stay_in_place_while_numbers_are_scrolled(qtbot, table):
    many = [NumberColumn(f"measure {number}", np.arange(4.0)) for number in range(12)]
    table.set_rows("head", ["a", "b", "c", "d"], many)
    bar = table.horizontalScrollBar()
    assert bar.maximum() > 0
    assert not table._frozen.isVisible()
    bar.setValue(bar.maximum())
    assert table._frozen.isVisible()
    with qtbot.waitSignal(table.chosen) as asked:
        click(qtbot, table._frozen, 2)
    assert asked.args == [2]
    bar.setValue(0)
    assert not table._frozen.isVisible()
