import copy
import json
import types
import typing

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import Engine
from engine.messages import (
    QUESTIONS,
    Attention,
    Head,
    MeasuredHeads,
    Patterns,
    Refused,
    RunPrompt,
    SingularValues,
)
from engine.messages.plain import field_types
from engine.messages.records import checked, request_from_json, request_to_json, result_to_json

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


def values(type_):
    options = typing.get_args(type_)
    if typing.get_origin(type_) is tuple:
        return st.lists(values(options[0]), max_size=3).map(tuple)
    if typing.get_origin(type_) is typing.Literal:
        return st.sampled_from(options)
    if typing.get_origin(type_) in (typing.Union, types.UnionType):
        return st.one_of(*[values(option) for option in options])
    simple = {
        int: st.integers(-(2**40), 2**40),
        str: text,
        bool: st.booleans(),
        type(None): st.none(),
        Head: st.builds(Head, st.integers(0, 99), st.integers(0, 99)),
    }
    return simple[type_] if type_ in simple else messages(type_)


def messages(kind):
    return st.builds(kind, **{name: values(type_) for name, type_ in field_types(kind).items()})


# beartype, which looks at the messages as they are made, picks an item of a tuple at random.
@pytest.mark.filterwarnings("ignore:Do not use the `random` module")
@pytest.mark.parametrize("question", QUESTIONS)
@settings(max_examples=30)
@given(data=st.data())
def test_a_request_comes_back_from_json_as_it_was(question, data):
    request = data.draw(messages(QUESTIONS[question]))
    record = json.loads(json.dumps(request_to_json(request), allow_nan=False))
    assert record["question"] == question
    assert request_from_json(record) == request


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        ([], 'a request is a JSON object with a "question"'),
        ({}, 'with a "question"'),
        ({"question": "heads"}, "there is no question 'heads': there are .*attention"),
        ({"question": 3}, "there is no question 3"),
        ({"question": "load-model"}, "load-model needs the field 'model'"),
        ({"question": "load-model", "model": 3}, "field 'model' cannot be 3: it is text"),
        ({"question": "load-model", "model": "toy", "x": 1}, "no field 'x': it has model"),
        ({"question": "spectrum", "model": "toy", "head": 0}, 'it is a head such as "0.3"'),
        ({"question": "spectrum", "model": "toy", "head": "zero"}, "'zero' is not a head"),
        ({"question": "spectrum", "model": "toy", "head": "0.0", "circuit": "o"}, "ov or qk, not"),
        ({"question": "head-scores", "model": "toy", "seed": True}, "it is a whole number"),
        ({"question": "head-scores", "model": "toy", "seed": 1.5}, "it is a whole number"),
        ({"question": "run-prompt", "model": "toy", "text": "", "heads_off": "0.1"}, "a list of h"),
        ({"question": "run-prompt", "model": "toy", "text": "", "heads_off": [1]}, 'such as "0.3"'),
        ({"question": "attention", "run": "tea", "layer": 0}, "'run' cannot be \"tea\": it is an"),
        ({"question": "attention", "run": {"text": "tea"}, "layer": 0}, "run needs .*'model'"),
    ],
)
def test_a_record_that_is_no_request_is_refused_by_name(record, sentence):
    with pytest.raises(Refused, match=sentence):
        request_from_json(record)


def test_words_are_read_whatever_their_case():
    record = {"question": "Spectrum", "model": "toy", "head": "L0H0", "circuit": "QK"}
    assert request_from_json(record) == QUESTIONS["spectrum"]("toy", Head(0, 0), "qk")


def careless(request, **given):
    """Return a request with fields of wrong types, which beartype lets nobody make in tests."""
    made = copy.copy(request)
    for name, value in given.items():
        object.__setattr__(made, name, value)
    return made


ATTENTION = Attention(RunPrompt("toy", "ans"), 0)


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        (None, "an object of type NoneType is no question: ask with one of engine.messages"),
        (careless(ATTENTION, kind="value"), "kind is pattern, scores or value-weighted, not 'va"),
        (careless(ATTENTION, layer=0.0), "the field 'layer' cannot be 0.0: it is a whole number"),
        (careless(ATTENTION, run="toy"), "'run' cannot be \"toy\": it is an object with model, te"),
        (careless(ATTENTION.run, text=b"ans"), "the field 'text' cannot be .*: it is text"),
        (careless(ATTENTION.run, heads_off=((0, 0),)), 'cannot be .*: it is a head such as "0.3"'),
        (careless(ATTENTION.run, k=None), "the field 'k' cannot be null: it is a whole number"),
    ],
)
def test_a_field_of_the_wrong_type_is_refused_by_name(request_, sentence):
    with pytest.raises(Refused, match=sentence):
        checked(request_)


def test_the_engine_answers_no_misspelt_word():
    with pytest.raises(Refused, match="circuit is ov or qk, not 'vo'"):
        Engine().answer(careless(QUESTIONS["spectrum"]("toy", Head(0, 0)), circuit="vo"))


def test_what_numpy_and_lists_hold_is_read_as_what_it_means():
    head = Head(0, 0)
    spectrum = QUESTIONS["spectrum"]("toy", head, "ov")
    assert checked(careless(spectrum, circuit="OV")) == spectrum
    assert checked(careless(ATTENTION, layer=np.int64(0))) == ATTENTION
    run = RunPrompt("toy", "ans", heads_off=(head,))
    assert checked(careless(run, heads_off=[head])) == run


def test_numbers_that_json_lacks_become_null():
    values = np.array([[[1.5, np.nan], [np.inf, -np.inf]]])
    record = result_to_json(Patterns(("a", "b"), values, values[0] == 1.5, float("nan")))
    assert record["values"] == [[[1.5, None], [None, None]]]
    assert record["mask"] == [[True, False], [False, False]]
    assert record["divisor"] is None


def test_measures_are_an_object_of_lists_in_json():
    scores = {"induction": np.array([0.5, np.nan]), "entropy": np.array([1.0, 2.0])}
    record = result_to_json(MeasuredHeads((Head(0, 0), Head(0, 1)), scores, None))
    assert record == {
        "heads": ["0.0", "0.1"],
        "scores": {"induction": [0.5, None], "entropy": [1.0, 2.0]},
        "length": None,
        "begins": None,
        "prompt_begins": None,
    }


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_numbers_keep_their_full_precision(value):
    array = np.array([value], np.float32)
    record = json.loads(json.dumps(result_to_json(SingularValues(array, (), 0.0, 0.0, 1, None))))
    assert np.float32(record["singular_values"][0]) == array[0]
