"""Models of GPT-2-small's shape whose weights are random."""

import math

import numpy as np
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit

from engine.model import Model
from engine.sources.checkpoint import Checkpoint
from engine.sources.state_dict import shapes

D_MODEL, D_HEAD, D_VOCAB, N_CTX = 768, 64, 50_257, 1024


def random_model(
    n_layers: int, n_heads: int, d_model: int = D_MODEL, d_vocab: int = D_VOCAB
) -> Model:
    """Return an open model with so many layers and heads, the same at every call."""
    words = {f"w{number}": number for number in range(d_vocab)}
    tokenizer = Tokenizer(WordLevel(words, unk_token="w0"))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    config = {
        "n_layers": n_layers,
        "n_heads": n_heads,
        "d_model": d_model,
        "d_head": D_HEAD,
        "d_vocab": d_vocab,
        "n_ctx": N_CTX,
        "attn_only": True,
        "normalization": "LNPre",
        "eps": 1e-5,
    }
    draw = np.random.default_rng(0)
    tensors = {
        name: draw.standard_normal(shape, np.float32) / math.sqrt(d_model)
        for name, shape in shapes(config).items()
    }
    name = f"random {n_layers} x {n_heads}"
    return Model(Checkpoint(name, config, False, None, "w1", tokenizer, tensors))
