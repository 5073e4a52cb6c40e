"""Prompts and tokens that models are judged on."""

from tests.oracles.checkpoint import TRAINED, Checkpoint

TEA = "I like green tea, so I drink green"
FULL = "(a text that fills the context)"
IN_WORDS = (
    TEA,
    "return",
    "def f(x, y):\n\tresult = x + 1\n    return result\n",
    "💩💩💩💩",
    "東京メトロ",
    "קריירה (123)",
    "<s> I <3 you </s> <b>x</b> &amp;",
    "cost $5, $$, $\\foo$ and R&D",
)
IN_RANDOM = ("w3 w9 w3 w17 w36 w9 w9 w21 w4", "w7")


def of(name: str) -> tuple[str, ...]:
    """Return the prompts for a model."""
    return (*IN_WORDS, FULL) if name in TRAINED else IN_RANDOM


def tokens(name: str) -> tuple[str, ...]:
    """Return some single tokens of a model."""
    return (" tea", "return", " in") if name in TRAINED else ("w3", "w20", "w36")


def text(checkpoint: Checkpoint, prompt: str) -> str:
    """Return the prompt, or in place of FULL a text that with BOS fills the context."""
    if prompt != FULL:
        return prompt
    words = [f" the {word} of" for word in " ".join(IN_WORDS).split(" ")]
    filled = ""
    for word in words * 20:
        if len(checkpoint.encode(filled + word)) > checkpoint.n_ctx:
            break
        filled += word
    while len(checkpoint.encode(filled)) < checkpoint.n_ctx:
        filled += " the"
    assert len(checkpoint.encode(filled)) == checkpoint.n_ctx
    return filled
