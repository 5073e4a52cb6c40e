"""What can be picked: sections, recent paths, and those that are gone."""

from engine.messages import ModelEntry
from gui.models.model_box import BUNDLED, CACHED, GONE, RECENT, choices

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
