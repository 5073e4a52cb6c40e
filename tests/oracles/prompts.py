"""Prompts of every kind that a trained model is judged on."""

from tests.oracles.checkpoint import Checkpoint

TEA = "I like green tea, so I drink green"
PROMPTS = {
    "tea": TEA,
    "one token": "return",
    "code": "def f(x, y):\n\tresult = x + 1\n    return result\n",
    "emoji": "💩💩💩💩",
    "cjk": "東京メトロ",
    "right to left": "קריירה (123)",
    "markup": "<s> I <3 you </s> <b>x</b> &amp;",
    "dollars": "cost $5, $$, $\\foo$ and R&D",
}


def filling(checkpoint: Checkpoint) -> str:
    """Return a text that, with BOS, fills the model's context to the last token."""
    words = [f" the {word} of" for word in " ".join(PROMPTS.values()).split(" ")]
    text = ""
    for word in words * 20:
        if len(checkpoint.encode(text + word)) > checkpoint.n_ctx:
            break
        text += word
    while len(checkpoint.encode(text)) < checkpoint.n_ctx:
        text += " the"
    assert len(checkpoint.encode(text)) == checkpoint.n_ctx
    return text
