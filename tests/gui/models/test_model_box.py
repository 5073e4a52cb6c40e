"""What can be picked, and the box of models: sections, keys, and nothing that opens unseen."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent

from engine.messages import ModelEntry
from gui.models.model_box import ACTIONS, BUNDLED, CACHED, GONE, MODEL, RECENT, ModelBox, choices

LISTED = (
    ModelEntry("attn-2l", "bundled", "two layers"),
    ModelEntry("toy", "toy", "one head"),
    ModelEntry("owner/small", "cache", "downloaded"),
)


def test_models_stand_in_sections_whatever_the_order_they_come_in():
    found = choices(LISTED[::-1], ["/a/b.gguf"])
    assert [(c.section, c.model) for c in found] == [
        (BUNDLED, "toy"),
        (BUNDLED, "attn-2l"),
        (RECENT, "/a/b.gguf"),
        (CACHED, "owner/small"),
    ]


def test_a_path_is_called_by_its_last_part_and_tells_where_it_lies(tmp_path):
    path = tmp_path / "<b>tiny.gguf"
    path.touch()
    (found,) = choices((), [str(path)])
    assert (found.label, found.about, found.missing) == ("<b>tiny.gguf", str(tmp_path), "")
    assert found.source == "file"


def test_a_path_that_is_gone_says_so(tmp_path):
    (found,) = choices((), [str(tmp_path / "gone")])
    assert found.missing == GONE
    assert GONE in found.whole


def test_a_model_in_use_is_among_them_once():
    assert [c.model for c in choices(LISTED[:1], ["/a"], ["/a", "", "attn-2l", "x", "x"])] == [
        "attn-2l",
        "x",
        "/a",
    ]


NAME = "a-model-with-a-rather-long-name.Q4_1.gguf"


@pytest.fixture
def path(tmp_path):
    folder = tmp_path / ("a-long-folder/" * 10)
    folder.mkdir(parents=True)
    (folder / NAME).touch()
    return str(folder / NAME)


@pytest.fixture
def box(qtbot, path):
    box = ModelBox()
    qtbot.addWidget(box)
    box.set_choices(choices(LISTED, [path, "/gone"], ["toy"]), "toy")
    box.show()
    return box


def rows(box):
    return [box.itemText(row) for row in range(box.count())]


def test_it_lists_sections_and_at_its_end_the_ways_to_others(box):
    assert rows(box) == [
        "Comes with Headscope",
        "attn-2l",
        "toy",
        "Opened before",
        NAME,
        "gone",
        "Found on this computer",
        "owner/small",
        "Others",
        *ACTIONS,
    ]
    assert box.currentText() == "toy"


def test_headings_and_what_is_gone_cannot_be_chosen(box):
    model = box.model()
    enabled = [
        box.itemText(row)
        for row in range(box.count())
        if model.flags(model.index(row, 0)) & Qt.ItemFlag.ItemIsEnabled
    ]
    chosen = [text for text in rows(box) if text in enabled]
    assert chosen == [
        "attn-2l",
        "toy",
        NAME,
        "owner/small",
        *ACTIONS,
    ]


def test_arrow_keys_step_through_what_comes_with_headscope_only(qtbot, box):
    picked = []
    box.picked.connect(picked.append)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Up):
        qtbot.keyClick(box, key)
    assert picked == ["attn-2l", "attn-2l"]  # what is shown follows once the model is open


@pytest.mark.parametrize("key", [Qt.Key.Key_O, Qt.Key.Key_D, Qt.Key.Key_End])
def test_letters_choose_nothing_unseen(qtbot, box, key):
    with qtbot.assertNotEmitted(box.picked), qtbot.assertNotEmitted(box.action_picked):
        qtbot.keyClick(box, key)
    assert box.currentText() == "toy"


def test_the_wheel_opens_no_model(qtbot, qapp, box):
    wheel = QWheelEvent(
        QPointF(5, 5),
        QPointF(5, 5),
        QPoint(0, -120),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    with qtbot.assertNotEmitted(box.picked):
        qapp.sendEvent(box, wheel)
    assert box.currentText() == "toy"


def test_a_row_of_the_list_is_chosen_by_keys(qtbot, box, path):
    qtbot.keyClick(box, Qt.Key.Key_Space)
    view = box.view()
    assert view.isVisible()
    with qtbot.waitSignal(box.picked) as told:
        qtbot.keyClick(view, Qt.Key.Key_Down)
        qtbot.keyClick(view, Qt.Key.Key_Return)
    assert told.args == [path]
    assert box.currentData(MODEL) == "toy"


def test_a_row_of_the_list_is_chosen_by_a_click_and_a_heading_by_none(qtbot, box, path):
    picked = []
    box.picked.connect(picked.append)
    box.showPopup()
    view = box.view()
    for row in (0, rows(box).index(NAME)):
        place = view.visualRect(box.model().index(row, 0)).center()
        qtbot.mouseMove(view.viewport(), place)
        qtbot.wait(300)  # a click that comes with the list only opens it
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert picked == [path]


def test_an_action_is_told_and_never_shown_as_the_model(qtbot, box):
    with qtbot.waitSignal(box.action_picked) as told:
        box.activated.emit(rows(box).index(ACTIONS[2]))
    assert told.args == [ACTIONS[2]]
    assert box.currentText() == "toy"


def test_a_long_name_does_not_widen_the_box_and_its_tool_tip_is_literal(box, path):
    box.set_choices(choices(LISTED, [], [path]), path)
    assert box.sizeHint().width() <= 240
    assert path in box.toolTip()
    box.set_choices(choices(LISTED, [], ["/a/<s>.gguf"]), "/a/<s>.gguf")
    assert "/a/&lt;s&gt;.gguf" in box.toolTip()
