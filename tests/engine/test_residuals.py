"""Every answer of every architecture against a float64 pass of its stored tensors.

The pass is tests/oracles/transformer.py: neither transformers' nor TransformerLens's code. The
prompt has 41 tokens, longer than the windows; gains of norms and biases are random.
"""

import pytest

from engine.messages import LoadModel, Refused
from tests.engine import residuals
from tests.engine.residuals import QUESTIONS, Opened
from tests.oracles.hugging_face import FURTHER, KINDS

CLOSED = ("olmo2",)
"""Those that the float64 pass reads and the engine refuses: heads without a norm before them."""
JUDGED = (*KINDS, *FURTHER, *CLOSED)
ADDS_ALIBI_TWICE = ("falcon-rw", "falcon-rw-12")
"""Those whose eager attention is not the model as trained: Falcon's mask holds its slopes too."""

RUN = (
    *("run-prompt", "heads off", "attention", "scores", "value-weighted", "thumbnails"),
    *("destination-row", "head-scores (prompt)", "logit-lens", "ov-tokens (position)"),
    *("head-output", "logit-attribution", "virtual-head", "workings"),
)
ROUNDED = ("falcon-rw-12",)
"""Those whose slopes are no powers of two, and are rounded to bfloat16 as they are multiplied: what
a run gives is asked, but for scores, of which a row is only known up to a number."""
NOT_WRAPPED = ("falcon-new", "opt-projected")
"""Those that the float64 pass reads and the bridge cannot run."""


@pytest.fixture(scope="module", params=JUDGED)
def it(request, tmp_path_factory):
    return Opened(request.param, tmp_path_factory.mktemp("models") / request.param)


def wrong(it):
    """Return the answers that lie farther off than they may, and by how much."""
    found = {}
    for question, pairs in QUESTIONS.items():
        if it.kind in residuals.ALIKE and question in residuals.SPECTRA:
            continue
        if it.kind in ROUNDED and question not in {*RUN} - {"scores", "workings"}:
            continue
        if residuals.refused(question, it):
            with pytest.raises(Refused):
                residuals.worst(pairs(it))
            continue
        try:
            residual = residuals.worst(pairs(it))
        except (AssertionError, Refused) as reason:
            found[question] = str(reason)
        else:
            if residual > it.tolerance(question):
                found[question] = residual
    return found


def test_answers_are_those_of_the_float64_pass(it):
    if it.kind in (*CLOSED, *NOT_WRAPPED):
        with pytest.raises(Refused):
            it.ask(LoadModel(it.name))
        return
    assert wrong(it) == {}


def test_transformers_own_attention_is_the_float64_pass(it):
    apart = residuals.of_transformers(it)
    wrong = {attention for attention, share in apart.items() if share > residuals.SINGLE}
    assert "eager" in apart
    assert wrong == ({"eager"} if it.kind in ADDS_ALIBI_TWICE else set())
