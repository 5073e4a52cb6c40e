import time
import typing
from collections.abc import Mapping
from dataclasses import fields, is_dataclass

import numpy as np
import pytest

from engine import Engine
from engine.cache import size_of
from engine.circuits import COMPUTATIONS
from engine.engine import frozen
from engine.job import Cancelled, Job
from engine.messages import (
    QUESTIONS,
    Attention,
    Composition,
    DestinationRow,
    Direction,
    DirectPath,
    Eigenvalues,
    EstimateModel,
    Head,
    HeadOutput,
    HeadScores,
    ListModels,
    LoadModel,
    LogitAttribution,
    LogitLens,
    OVTokens,
    Pair,
    PositionQK,
    QKTokens,
    Receipts,
    Refused,
    Request,
    Result,
    RunPrompt,
    SkipTrigrams,
    Spectrum,
    Thumbnails,
    TokenTable,
    VirtualHead,
    Vocabulary,
    Workings,
)
from engine.sources.questions import WITHOUT_MODEL

RUN = RunPrompt("random", "I like green tea")
HEAD = Head(1, 2)
ASKED = [
    ListModels(),
    LoadModel("random"),
    Vocabulary("random"),
    RUN,
    Attention(RUN, 1),
    Attention(RUN, 0, "scores"),
    Attention(RUN, 1, "value-weighted"),
    Thumbnails(RUN, 4),
    OVTokens("random", HEAD, 7),
    OVTokens("random", HEAD, 7, direction="source"),
    OVTokens("random", HEAD, source="position", run=RUN, position=-1),
    QKTokens("random", HEAD, 7, side="key", biases=True),
    Spectrum("random", HEAD, "qk", dense=True),
    Direction("random", HEAD, "qk", index=1),
    HeadScores("random", sequences=2, run=RUN),
    SkipTrigrams("random", HEAD, 5),
    DirectPath("random", 7),
    HeadOutput(RUN, HEAD),
    LogitAttribution(RUN, split="sources"),
    VirtualHead(RUN, Head(0, 1), HEAD, 7),
    Composition("random", "k"),
    Eigenvalues("random", HEAD),
    DestinationRow(RUN),
    LogitLens(RUN, 3),
    Workings(RUN, HEAD),
    Receipts(RUN, HEAD),
    PositionQK("random", HEAD, 5),
    EstimateModel("random"),
]


def same(a, b):
    for field in fields(a):
        x, y = getattr(a, field.name), getattr(b, field.name)
        np.testing.assert_equal(x, y, err_msg=field.name)


def test_every_question_has_a_computation_or_needs_no_model():
    assert set(QUESTIONS.values()) == set(COMPUTATIONS) | set(WITHOUT_MODEL)
    assert not set(COMPUTATIONS) & set(WITHOUT_MODEL)


def test_the_unions_name_every_question_and_every_answer():
    computed = (COMPUTATIONS | WITHOUT_MODEL).values()
    answers = {typing.get_type_hints(made)["return"] for made in computed}
    assert set(typing.get_args(Request)) == set(QUESTIONS.values())
    named = {part for answer in answers for part in typing.get_args(answer) or (answer,)}
    assert set(typing.get_args(Result)) == named


def arrays(value):
    """Yield every array of an answer, however deep."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from arrays(part)
    elif isinstance(value, Mapping):
        yield from arrays(tuple(value.values()))
    elif is_dataclass(value):
        for field in fields(value):
            yield from arrays(getattr(value, field.name))


@pytest.mark.parametrize("request_", ASKED, ids=lambda r: type(r).__name__)
def test_arrays_are_read_only_and_belong_to_the_answer(engine, request_):
    for array in arrays(engine.answer(request_)):
        assert not array.flags.writeable
        assert array.base is None


def test_arrays_inside_tuples_inside_an_answer_are_copied_and_counted():
    array = np.zeros(1000)
    ranking = Pair((array[:500], (array,)), TokenTable(("a",), array[500:], None))
    kept = frozen(ranking)
    assert type(kept) is Pair
    assert len(list(arrays(kept))) == 3
    for found in arrays(kept):
        assert not found.flags.writeable
        assert found.base is None
    assert array.flags.writeable
    assert size_of(kept) >= 8 * 2000


def test_what_holds_no_array_is_kept_as_it_is():
    labels = ("a", ("b", 1.0, None))
    assert frozen(labels) is labels


def test_an_answer_does_not_depend_on_what_was_asked_before(engine):
    fresh = {request: Engine().answer(request) for request in ASKED[2:8]}
    for request in reversed(ASKED[2:8]):
        engine.answer(LoadModel("other"))
        same(engine.answer(request), fresh[request])


def test_a_head_that_a_model_lacks_is_refused_before_anything_is_run(engine):
    engine.check_head(Attention(RUN, 1), Head(1, 2))
    with pytest.raises(Refused, match=r"random has heads 0\.0 to 1\.2 \(layer\.head\), not 1\.3"):
        engine.check_head(Attention(RUN, 1), Head(1, 3))


def test_the_same_question_is_answered_from_the_cache(engine):
    assert engine.answer(Attention(RUN, 1)) is engine.answer(Attention(RUN, 1))


def test_an_answer_larger_than_the_budget_is_given_and_not_kept(engine, monkeypatch):
    monkeypatch.setattr("engine.engine.CACHE_BYTES", 0)
    engine = Engine()
    first = engine.answer(Attention(RUN, 1))
    second = engine.answer(Attention(RUN, 1))
    assert first is not second
    same(first, second)


def test_a_refusal_leaves_the_engine_and_its_model_in_use(engine):
    engine.answer(LoadModel("random"))
    opened = engine._model
    with pytest.raises(Refused, match=r"there are other, plain, random, toy, toy-sharp"):
        engine.answer(LoadModel("nowhere"))
    assert engine._model is opened
    engine.answer(Attention(RUN, 0))


def test_a_model_that_was_described_before_is_opened_again(engine):
    facts = engine.answer(LoadModel("random"))
    engine.answer(LoadModel("other"))
    same(engine.answer(LoadModel("random")), facts)
    assert engine._model.name == "random"


def test_a_model_that_was_described_before_and_is_gone_is_refused(engine, monkeypatch):
    engine.answer(LoadModel("random"))
    engine.answer(LoadModel("other"))
    monkeypatch.setattr("engine.sources.SOURCES", ())
    with pytest.raises(Refused):
        engine.answer(LoadModel("random"))


def test_a_misspelt_model_is_answered_with_the_one_that_was_meant(engine):
    with pytest.raises(Refused, match="did you mean random"):
        engine.answer(LoadModel("randon"))


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        (Attention(RUN, 2), "random has layers 0 to 1, not 2"),
        (Attention(RUN, -1), "layers 0 to 1, not -1"),
        (Attention(RunPrompt("toy", "ans"), 1), "toy has only layer 0, not 1"),
        (Spectrum("random", Head(0, 3)), "heads 0.0 to 1.2"),
        (Spectrum("toy", Head(0, 3)), "only head 0.0"),
        (Spectrum("random", HEAD, offset=1), "random has learned positions: leave offset at 0"),
        (QKTokens("toy", Head(0, 0), "ans", offset=-1), "toy has no positions"),
        (RunPrompt("random", "", False), "the prompt is empty: type something, or turn BOS on"),
        (RunPrompt("toy", " "), "the prompt is empty: type something"),
        (RunPrompt("toy", "ans", True), "no beginning-of-sequence token"),
        (RunPrompt("toy", "ans what 0"), "'what' is none of this model's tokens: result, =, 0,"),
        (RunPrompt("random", "a" * 5000), r"5,001 tokens long, and random reads at most 40"),
        (RunPrompt("random", "a" * 50_000), "50,000 characters long, .* at most 40 tokens"),
        (RunPrompt("random", "a", k=0), "k.* must be at least 1, not 0"),
        (RunPrompt("random", "\ud800"), "lone surrogate"),
        (Thumbnails(RUN, 0), "size.* must be at least 1"),
        (HeadScores("random", sequences=0), "sequences must be 1 to 1000, not 0"),
        (Direction("random", HEAD, index=6), "singular values 0 to 5, not 6"),
        (Direction("toy", Head(0, 0), "qk", index=1), "zero to rounding .* rank 1"),
    ],
)
def test_what_cannot_be_answered_is_refused_in_one_sentence(engine, request_, sentence):
    with pytest.raises(Refused, match=sentence) as caught:
        engine.answer(request_)
    assert "\n" not in str(caught.value)


def test_an_empty_prompt_with_bos_runs_the_bos_alone(engine):
    answer = engine.answer(RunPrompt("random", ""))
    assert (answer.ids.tolist(), answer.prepended_bos, len(answer.loss)) == ([0], True, 0)


def test_a_cancelled_question_stops_and_the_engine_answers_the_next(engine):
    class Stopping(Job):
        def step(self, done, total, what):
            if done == 1:
                self.cancel()
            super().step(done, total, what)

    for request in (HeadScores("random", seed=5), Thumbnails(RunPrompt("random", "new text"))):
        with pytest.raises(Cancelled):
            engine.answer(request, Stopping())
    assert engine.answer(Thumbnails(RunPrompt("random", "new text"))).block == 1


def test_progress_is_reported_with_words(engine):
    seen = []
    engine.answer(HeadScores("random", seed=6), Job(lambda *step: seen.append(step)))
    assert seen[0] == (0, 1, "opening random")
    assert (3, 8, "running random tokens") in seen


@pytest.mark.parametrize(
    "request_",
    [
        RunPrompt("attn-2l", "I like green tea, " * 42),
        Attention(RunPrompt("attn-2l", "so I drink green " * 50), 1, "value-weighted"),
        OVTokens("attn-2l", HEAD, 500, direction="source"),
        QKTokens("attn-2l", HEAD, 500),
        HeadScores("attn-2l", run=RunPrompt("attn-2l", "so I drink green " * 50)),
        SkipTrigrams("attn-2l", HEAD, 1000),
        PositionQK("attn-2l", HEAD, 256),
        Workings(RunPrompt("attn-2l", "so I drink green " * 50), HEAD),
        Receipts(RunPrompt("attn-2l", "so I drink green " * 50), HEAD),
    ],
    ids=lambda r: type(r).__name__,
)
def test_steps_of_the_largest_bundled_model_are_close_enough_to_cancel_in_time(request_):
    engine = Engine()
    engine.answer(LoadModel("attn-2l"))
    engine.answer(Vocabulary("attn-2l"))
    times = [time.thread_time()]
    engine.answer(request_, Job(lambda *step: times.append(time.thread_time())))
    times.append(time.thread_time())
    # Seconds of this thread's own work: a busy computer changes nothing.
    assert max(np.diff(times)) < 0.2


def test_a_negative_seed_is_refused():
    with pytest.raises(Refused, match="seed must be 0 or more, not -1"):
        Engine().answer(HeadScores("toy", seed=-1))


@pytest.mark.parametrize(
    "error",
    [
        SystemExit(3),
        MemoryError(),
        # What a panic of Rust's is raised as.
        type("PanicException", (BaseException,), {})("index out of bounds:\nthe len is 0"),
    ],
)
@pytest.mark.parametrize("request_", [LoadModel("random"), RUN, ListModels()])
def test_whatever_leaves_a_question_ends_it_in_a_sentence(engine, monkeypatch, request_, error):
    def broken(*_):
        raise error

    monkeypatch.setattr("engine.sources.load", broken)
    monkeypatch.setattr("engine.engine.answer", broken)
    with pytest.raises(Refused) as raised:
        engine.answer(request_)
    assert "\n" not in str(raised.value)
    monkeypatch.undo()


def test_a_model_that_leads_a_library_astray_is_refused_with_what_it_said(engine, monkeypatch):
    def broken(*_):
        raise TypeError("'<' not supported between instances of 'str' and 'int'")

    monkeypatch.setattr("engine.sources.load", broken)
    with pytest.raises(Refused, match=r"a file of it is damaged.*'<' not"):
        engine.answer(LoadModel("random"))
