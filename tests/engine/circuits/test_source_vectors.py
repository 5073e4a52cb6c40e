import pytest

from engine.messages import Head, OVTokens, QKTokens, Refused, RunPrompt

RUN = RunPrompt("random", "I like tea")
HEAD = Head(1, 1)
REFUSED = [
    ({"token": 5, "source": "token+mlp0"}, "random has no MLP"),
    ({}, "name a token, or use source position"),
    ({"source": "position", "run": RUN}, "needs a prompt .* and a position"),
    ({"source": "position", "position": 1}, "needs a prompt .* and a position"),
    ({"source": "position", "run": RUN, "position": 1, "token": 5}, "name no token"),
    ({"token": 5, "run": RUN, "position": 1}, "go with source position only"),
    ({"source": "position", "run": RUN, "position": 99}, r"no position 99 .* go from 0 to \d+"),
    ({"source": "position", "run": RUN, "position": -99}, r"from -1 back to -\d+"),
    (
        {"source": "position", "run": RunPrompt("other", "a"), "position": 0},
        "the prompt is for other, and the question is about random",
    ),
]


@pytest.mark.parametrize("kind", [OVTokens, QKTokens])
@pytest.mark.parametrize(("given", "sentence"), REFUSED)
def test_combinations_that_mean_nothing_are_refused(engine, kind, given, sentence):
    with pytest.raises(Refused, match=sentence):
        engine.answer(kind("random", HEAD, **given))


def test_every_token_as_a_source_has_no_position(engine):
    request = OVTokens("random", HEAD, source="position", run=RUN, position=0, direction="source")
    with pytest.raises(Refused, match="direction output with source position"):
        engine.answer(request)


@pytest.mark.parametrize("kind", [OVTokens, QKTokens])
def test_a_negative_position_counts_from_the_end(engine, kind):
    length = len(engine.answer(RUN).ids)
    from_start, from_end = (
        engine.answer(kind("random", HEAD, source="position", run=RUN, position=position))
        for position in (length - 1, -1)
    )
    assert from_start.token_id == from_end.token_id == engine.answer(RUN).ids[-1]
    assert from_start.values.tolist() == from_end.values.tolist()


def test_the_stream_at_a_position_is_not_the_bare_token(engine):
    at = engine.answer(OVTokens("random", HEAD, source="position", run=RUN, position=2))
    bare = engine.answer(OVTokens("random", HEAD, int(at.token_id)))
    assert (at.source, bare.source) == ("position", "token")
    assert at.value != pytest.approx(bare.value, rel=1e-3)
