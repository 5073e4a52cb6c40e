"""Models of real shapes, MLPs included, whose weights are random: ours, and plain transformers'."""

import tempfile
from pathlib import Path
from typing import Any, Literal

import torch
import transformers
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit

from engine.model import Model
from engine.sources import load

Shape = Literal["SmolLM2-135M", "GPT-2 small", "24 x 16 heads"]

CONFIGS: dict[Shape, tuple[str, dict[str, Any]]] = {
    "SmolLM2-135M": (
        "Llama",
        {
            "vocab_size": 49_152,
            "hidden_size": 576,
            "intermediate_size": 1536,
            "num_hidden_layers": 30,
            "num_attention_heads": 9,
            "num_key_value_heads": 3,
            "max_position_embeddings": 2048,
            "tie_word_embeddings": True,
        },
    ),
    "GPT-2 small": ("GPT2", {}),
    "24 x 16 heads": (
        "Llama",
        {
            "vocab_size": 150_000,
            "hidden_size": 1024,
            "intermediate_size": 2816,
            "num_hidden_layers": 24,
            "num_attention_heads": 16,
            "num_key_value_heads": 16,
            "max_position_embeddings": 2048,
            "tie_word_embeddings": True,
        },
    ),
}


def plain(shape: Shape) -> Any:
    """Return transformers' own model, eager, the same at every call."""
    name, sizes = CONFIGS[shape]
    torch.manual_seed(0)
    config = getattr(transformers, f"{name}Config")(**sizes, attn_implementation="eager")
    return getattr(transformers, f"{name}ForCausalLM" if name == "Llama" else f"{name}LMHeadModel")(
        config
    ).eval()


def opened(shape: Shape) -> Model:
    """Return the same model, opened from a folder as any other."""
    with tempfile.TemporaryDirectory() as folder:
        # A name that a message can hold: the folder's own is random.
        at = Path(folder) / shape.replace(" ", "-")
        made = plain(shape)
        made.save_pretrained(at)
        words = {f"w{number}": number for number in range(made.config.vocab_size)}
        tokenizer = Tokenizer(WordLevel(words, unk_token="w0"))
        tokenizer.pre_tokenizer = WhitespaceSplit()
        tokenizer.save(str(at / "tokenizer.json"))
        del made
        return Model(load(str(at)))
