"""Models made by hand: the toys of "Attention in tensor notation".

The text writes each matrix as TransformerLens's transpose; here they have TransformerLens's shapes.
Each layer has one head. In the two-layer toys the first head looks one position back by a clock of
64 hours: each position is a point of the unit circle, a query is that point turned back by one
hour, and the position before is nearer to it than any other by `CLIFF` nats.
"""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit

from engine.messages import ModelEntry
from engine.sources.checkpoint import Checkpoint

Matrix = npt.NDArray[np.float32]

LONGEST = 64
"""Tokens of the longest prompt of a toy: positions on the clock."""

CLIFF = 30.0
"""Nats between the position before and its neighbours: e^-30 is nothing in single precision."""

MATCH, COPY = 30.0, 12.0
"""Score of a matching tag in nats, and the logit that a copied token gets."""

WORDS = ("result", "=", "0", "ans", "return")
INDUCTION_WORDS = ("<|BOS|>", *"ABCDEFGH")
SLOTS = np.array(
    [[1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 0], [1, -1, 0, 0], [0, 0, 0, 1]], np.float32
)
"""The notepad of each word, [word, slot]: is a name, which name, is another word, is `return`."""


def entries() -> list[ModelEntry]:
    """List the toys."""
    return [ModelEntry(name, "toy", about) for name, (about, _) in TOYS.items()]


def load(name: str) -> Checkpoint:
    """Make one of the toys that `entries` lists."""
    return TOYS[name][1](name)


def _one_layer(name: str) -> Checkpoint:
    """Make section 1's five-token head; W_U reads what the embedding writes."""
    layer = {
        "W_Q": np.array([[0, 0], [0, 0], [0, 0], [2, 1]], np.float32),
        "W_K": np.array([[1, 0], [0, 1], [0, 0], [0, 0]], np.float32),
        "W_V": np.array([[0, 1], [1, 0], [0, 0], [0, 0]], np.float32),
        "W_O": np.array([[0, 1, 0, 0], [1, 0, 0, 0]], np.float32),
    }
    if name == "toy-sharp":
        layer["W_Q"] *= 3
    return _checkpoint(name, WORDS, SLOTS, SLOTS.T, [layer], example=" ".join(WORDS))


def _pair(name: str) -> Checkpoint:
    """Make section 7's pair.

    Slots 0 to 3 are section 1's (is a name, which name, another word, `return`), 4 and 5 hold the
    name bits of the token before, 6 and 7 the clock. The second head's W_V reads the name bits from
    both places, so that its own OV circuit and the product with the first head's are both section
    1's copy matrix; its W_Q and W_K are section 1's.
    """
    embed = _zeros(5, 8)
    embed[:, :4] = SLOTS
    names = [0, 1]
    first = _one_back(8, 2, 6) | {"W_V": _reads(8, 2, names), "W_O": _reads(8, 2, [4, 5]).T}
    W_Q, W_V = _zeros(8, 2), _zeros(8, 2)
    W_Q[3] = 2, 1
    W_V[[1, 5], 0] = 1
    W_V[[0, 4], 1] = 1
    second = {"W_Q": W_Q, "W_K": _reads(8, 2, names), "W_V": W_V, "W_O": _reads(8, 2, [1, 0]).T}
    return _checkpoint(
        name, WORDS, embed, embed.T, [first, second],
        positions=_clock(8, 6), example=" ".join(WORDS),
    )  # fmt: skip


def _induction(name: str) -> Checkpoint:
    """Make section 8's induction head.

    Each token has one slot in each of three blocks: `is` (the token here), `before` (the tag that
    the first head writes: the token one back) and `next` (what the second head copies, and W_U
    reads). The clock follows. The second head's query reads `is` and its key reads `before`: a
    score only where the tag is the token at the query.
    """
    n = len(INDUCTION_WORDS)
    width = 3 * n + 2
    here, before, following = (list(range(block * n, (block + 1) * n)) for block in range(3))
    embed, unembed = _zeros(n, width), _zeros(width, n)
    embed[range(n), here] = 1
    unembed[following, range(n)] = 1
    first = _one_back(width, n, 3 * n) | {
        "W_V": _reads(width, n, here),
        "W_O": _reads(width, n, before).T,
    }
    second = {
        "W_Q": MATCH * math.sqrt(n) * _reads(width, n, here),
        "W_K": _reads(width, n, before),
        "W_V": _reads(width, n, here),
        "W_O": COPY * _reads(width, n, following).T,
    }
    return _checkpoint(
        name, INDUCTION_WORDS, embed, unembed, [first, second],
        positions=_clock(width, 3 * n), bos=INDUCTION_WORDS[0], example="A B C D A",
    )  # fmt: skip


def _reads(d_model: int, d_head: int, slots: Sequence[int]) -> Matrix:
    """Return a matrix [d_model, d_head] whose column i reads slot i of the list."""
    matrix = _zeros(d_model, d_head)
    matrix[slots, range(len(slots))] = 1
    return matrix


def _one_back(d_model: int, d_head: int, clock: int) -> dict[str, Matrix]:
    """Return W_Q and W_K of a head that looks one position back by the clock's two slots."""
    hour = 2 * math.pi / LONGEST
    # q . k is strength * cos(distance from one back), divided by sqrt(d_head).
    strength = CLIFF * math.sqrt(d_head) / (1 - math.cos(hour))
    W_Q = _zeros(d_model, d_head)
    W_Q[clock, :2] = math.cos(hour), -math.sin(hour)
    W_Q[clock + 1, :2] = math.sin(hour), math.cos(hour)
    return {"W_Q": strength * W_Q, "W_K": _reads(d_model, d_head, [clock, clock + 1])}


def _clock(d_model: int, first: int) -> Matrix:
    """Return W_pos [position, d_model]: the hand of the clock in two slots."""
    angles = 2 * np.pi * np.arange(LONGEST) / LONGEST
    positions = _zeros(LONGEST, d_model)
    positions[:, first], positions[:, first + 1] = np.cos(angles), np.sin(angles)
    return positions


def _zeros(*shape: int) -> Matrix:
    return np.zeros(shape, np.float32)


def _checkpoint(
    name: str,
    words: Sequence[str],
    embed: Matrix,
    unembed: Matrix,
    layers: Sequence[Mapping[str, Matrix]],
    *,
    positions: Matrix | None = None,
    bos: str | None = None,
    example: str,
) -> Checkpoint:
    """Return a model without norms and biases whose layers have one head each.

    Matrices are [d_vocab, d_model], [d_model, d_vocab], [d_model, d_head] for W_Q, W_K and W_V,
    [d_head, d_model] for W_O, and [LONGEST, d_model] for positions; `bos` begins every prompt.
    """
    d_vocab, d_model = embed.shape
    d_head = layers[0]["W_Q"].shape[1]
    tensors = {"embed.W_E": embed, "unembed.W_U": unembed, "unembed.b_U": _zeros(d_vocab)}
    if positions is not None:
        tensors["pos_embed.W_pos"] = positions
    for layer, weights in enumerate(layers):
        at = f"blocks.{layer}.attn."
        tensors |= {f"{at}{matrix}": value[None] for matrix, value in weights.items()}
        tensors |= {f"{at}b_{x}": _zeros(1, d_head) for x in "QKV"}
        tensors[f"{at}b_O"] = _zeros(d_model)
    tokenizer = Tokenizer(WordLevel({word: index for index, word in enumerate(words)}))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    if bos is not None:
        tokenizer.add_special_tokens([bos])
    config = {
        "n_layers": len(layers),
        "n_heads": 1,
        "d_model": d_model,
        "d_head": d_head,
        "d_vocab": d_vocab,
        "n_ctx": LONGEST,
        "attn_only": True,
        "positions": "none" if positions is None else "standard",
        "normalization": None,
        "eps": 0.0,
    }
    return Checkpoint(name, config, bos is not None, bos, example, tokenizer, tensors)


TOYS: dict[str, tuple[str, Callable[[str], Checkpoint]]] = {
    "toy": ('the five-token head of "Attention in tensor notation"', _one_layer),
    "toy-sharp": ("the same with W_Q tripled, as an induction head's", _one_layer),
    "toy-2l": ("the five-token head over a previous-token head (section 7)", _pair),
    "toy-induction": ("induction by hand, every weight readable (section 8)", _induction),
}
"""What a list says of each toy, and what makes it."""
