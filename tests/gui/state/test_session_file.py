"""A session file: everything comes back, and whatever is wrong with one is one sentence."""

import contextlib
import json
import os
import subprocess
from dataclasses import fields, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.messages import MEASURES, Head, Pair, Refused
from gui.state import session_file
from gui.state.selection import OVQuestion, QKQuestion, Selection
from gui.state.session_file import Favourite, SavedSession, WindowState

numbers = st.integers(0, 2**31 - 1)
heads = st.builds(Head, numbers, numbers)
names = st.text(min_size=1)
ways, sides = st.sampled_from(["output", "source"]), st.sampled_from(["query", "key"])
sources = st.sampled_from(["token", "token+mlp0", "position"])
selections = st.builds(
    Selection,
    model=names,
    text=st.text(st.characters()),
    prepend_bos=st.none() | st.booleans(),
    head=heads,
    head_chosen=st.booleans(),
    query=st.none() | numbers,
    source=st.none() | numbers,
    kind=st.sampled_from(["pattern", "scores", "value-weighted"]),
    measure=st.sampled_from(["pattern", *MEASURES]),
    looking=st.sampled_from(["attends to", "attended by"]),
    hide_bos=st.booleans(),
    ov=st.builds(OVQuestion, st.none() | numbers, ways, sources),
    qk=st.builds(QKQuestion, st.none() | numbers, sides, sources),
    pair=st.none() | st.builds(Pair, heads, heads),
    heads_off=st.lists(heads, min_size=1).map(tuple),
    difference=st.booleans(),
    composition=st.sampled_from(["q", "k", "v"]),
)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
sessions = st.builds(
    SavedSession,
    selection=selections,
    window=st.builds(WindowState, st.text(), st.lists(st.text()).map(tuple), st.text(), st.text()),
    favourites=st.lists(st.builds(Favourite, names, heads, st.text())).map(tuple),
    board=st.lists(json_values, max_size=3),
    file=st.text(),
)
FULL = SavedSession(
    Selection(
        text="“green” tea\n💩",
        head=Head(1, 3),
        head_chosen=True,
        query=4,
        source=2,
        pair=Pair(Head(0, 2), Head(1, 1)),
        heads_off=(Head(0, 2),),
        difference=True,
    ),
    WindowState("Compose", ("Prompt", "Heads"), "AAAA", "BBBB"),
    (Favourite("attn-2l", Head(1, 1), "copies"),),
    [{"panel": "Attention", "letter": "a"}],
)


def test_the_test_makes_every_field_of_a_selection():
    made = {"model", "text", "prepend_bos", "head", "head_chosen", "query", "source", "kind"}
    made |= {"measure", "looking", "hide_bos", "ov", "qk", "pair", "heads_off", "difference"}
    made |= {"composition"}
    later = {field.name for field in fields(Selection)} - made
    # Fields that came later have a default, so that files of an older version open.
    assert Selection(**{}) == Selection()
    record = json.loads(session_file.encode(FULL))
    for name in later:
        del record["selection"][name]
    assert session_file.decode(json.dumps(record).encode()) == FULL


@settings(deadline=None, max_examples=150)
@given(sessions)
def test_a_session_comes_back_equal(saved):
    assert session_file.decode(session_file.encode(saved)) == saved


def test_a_file_can_be_read_by_people(tmp_path):
    path = tmp_path / "tea.headscope.json"
    session_file.write(path, FULL)
    text = path.read_text(encoding="utf-8")
    assert '"headscope": "session",\n "version": 1' in text
    assert '"text": "“green” tea\\n💩"' in text
    assert '"head": "1.3"' in text
    assert "file" not in json.loads(text)
    assert session_file.read(path) == FULL


def test_what_was_not_there_yet_in_an_older_file_has_its_default():
    record = {"headscope": "session", "version": 1, "selection": {"text": "old"}}
    assert session_file.decode(json.dumps(record).encode()) == SavedSession(Selection(text="old"))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"headscope": "figure"},
            'it is no session: it does not begin with "headscope": "session"',
        ),
        ({"version": 2}, "saved by a newer Headscope .format 2, and this one reads up to 1."),
        ({"version": "1"}, "its version is not a number"),
        ({"version": True}, "its version is not a number"),
        ({"version": 0}, "its version is not a number"),
        ({"colour": 1}, "a session has no field 'colour'"),
        ({"board": {}}, "its board is not a list"),
        ({"window": []}, r"'window' cannot be \[\]: it is an object with layout"),
        ({"favourites": [{"model": "toy"}]}, "favourites needs the field 'head'"),
        ({"favourites": [{"model": "", "head": "0.0"}]}, "'model' is empty"),
        ({"selection": {"text": 3}}, "'text' cannot be 3: it is text"),
        ({"selection": {"model": ""}}, "'model' is empty"),
        ({"selection": {"kind": "patterns"}}, "kind is pattern, scores or value-weighted"),
        ({"selection": {"measure": "x"}}, "there is no measure 'x'"),
        ({"selection": {"query": -1}}, "-1 is no position, token or head"),
        ({"selection": {"head": "0.99999999999"}}, "99999999999 is no position, token or head"),
        ({"selection": {"pair": {"earlier": "0.1"}}}, "pair needs the field 'later'"),
        ({"selection": {"difference": True}}, "with no head switched off"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(change, sentence):
    record = json.loads(session_file.encode(FULL))
    if "selection" in change:
        record["selection"] = change["selection"]
    else:
        record |= change
    with pytest.raises(Refused, match=sentence) as refused:
        session_file.decode(json.dumps(record).encode())
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "it is not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"headscope": ' + b"9" * 10_000, "a number in it is too long"),
        (b'{"headscope": NaN}', "NaN is not JSON"),
        (b"\xff\xfe{}", "not text in UTF-8"),
        (b"[]", "it is no session"),
    ],
)
def test_what_is_no_session_is_said(data, sentence):
    with pytest.raises(Refused, match=sentence):
        session_file.decode(data)


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_damage_of_any_kind_is_refused_or_read_but_never_anything_else(data):
    """Bytes cut, changed or put in; and any value of the file replaced by any other."""
    whole = session_file.encode(FULL)
    if data.draw(st.booleans()):
        start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(whole))] * 2)))
        damaged = whole[:start] + data.draw(st.binary(max_size=8)) + whole[end:]
    else:
        record = json.loads(whole)
        place = record
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            key = data.draw(st.sampled_from(keys))
            inside = place[key]
            if not inside or not isinstance(inside, (dict, list)) or data.draw(st.booleans()):
                break
            place = inside
        place[key] = data.draw(json_values)
        damaged = json.dumps(record).encode()
    with contextlib.suppress(Refused):
        read = session_file.decode(damaged)
        assert isinstance(read, SavedSession)
        assert session_file.decode(session_file.encode(read)) == read


def test_a_file_that_cannot_be_opened_or_written_is_named(tmp_path):
    with pytest.raises(Refused, match=r"cannot open .*none.headscope.json: No such file"):
        session_file.read(tmp_path / "none.headscope.json")
    with pytest.raises(Refused, match=r"cannot open .*: Is a directory"):
        session_file.read(tmp_path)
    with pytest.raises(Refused, match=r"cannot save .*missing.*: No such file"):
        session_file.write(tmp_path / "missing" / "a.headscope.json", FULL)
    with pytest.raises(Refused, match="null byte"):
        session_file.read(tmp_path / "a\0b")


def test_a_save_that_fails_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = tmp_path / "a.headscope.json"
    session_file.write(path, FULL)

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(Refused, match=f"cannot save {path}: No space left on device"):
        session_file.write(path, replace(FULL, board=[]))
    assert session_file.read(path) == FULL
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path):
    real, link = tmp_path / "real.headscope.json", tmp_path / "link.headscope.json"
    session_file.write(real, SavedSession())
    link.symlink_to(real)
    session_file.write(link, FULL)
    assert link.is_symlink()
    assert session_file.read(real) == FULL


def test_a_session_is_named_by_its_file(tmp_path):
    assert session_file.name_of(tmp_path / "tea.headscope.json") == "tea"
    assert session_file.is_session(tmp_path / "Tea.Headscope.JSON")
    assert not session_file.is_session(tmp_path / "tea.json")


def test_reading_a_session_imports_no_qt_and_no_torch(python, repository, tmp_path):
    path = tmp_path / "a.headscope.json"
    session_file.write(path, FULL)
    code = (
        "import sys; from pathlib import Path; from gui.state import session_file;"
        f"session_file.read(Path({str(path)!r}));"
        "print({'PySide6', 'torch', 'matplotlib'} & set(sys.modules))"
    )
    done = subprocess.run([python, "-c", code], cwd=repository, capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("set()", "")
