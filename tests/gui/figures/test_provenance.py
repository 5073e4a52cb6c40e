"""What a figure's file says it was made from can be asked again."""

import json

import pytest

from engine.messages import Attention, Head, HeadScores, RunPrompt
from engine.records import request_from_json
from gui.figures import provenance

HEADS_OFF = (Head(0, 2), Head(1, 3))


@pytest.mark.parametrize(
    "request_",
    [
        Attention(RunPrompt("attn-2l", "so green", heads_off=HEADS_OFF), 1, "scores"),
        HeadScores("attn-2l", heads_off=HEADS_OFF),
    ],
)
def test_a_question_with_heads_off_comes_back_the_same(request_):
    assert request_from_json(json.loads(json.dumps(provenance.question(request_)))) == request_
