"""Small random models in the folder format, no two of their sizes equal."""

import json

import numpy as np
import pytest
from hypothesis import settings
from safetensors.numpy import save_file
from tokenizers import Tokenizer, decoders, pre_tokenizers, trainers
from tokenizers.models import BPE

from engine import Engine
from engine.model import Model
from engine.sources import bundled

# What a test asserts never depends on how busy the computer is.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

SIZES = {"n_layers": 2, "n_heads": 3, "d_model": 20, "d_head": 6, "n_ctx": 40}
TEXT = "I like green tea, so I drink green tea. 東京メトロ 東京 💩 \t tab\n return result = 0 ans"


def byte_level_tokenizer(vocab_size=300):
    tokenizer = Tokenizer(BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=["<|BOS|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([TEXT] * 20, trainer)
    return tokenizer


def write_model(folder, *, normalization="LNPre", positions="standard", seed=0, **sizes):
    tokenizer = byte_level_tokenizer()
    config = SIZES | {
        "model_type": "headscope-attn-only",
        "d_vocab": tokenizer.get_vocab_size(),
        "positions": positions,
        "normalization": normalization,
        "eps": 1e-5,
        "attn_only": True,
        "prepend_bos": True,
        "bos_token": "<|BOS|>",
    }
    config |= sizes
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(config))
    tokenizer.save(str(folder / "tokenizer.json"))
    chance = np.random.default_rng(seed)
    heads, width, d_head = config["n_heads"], config["d_model"], config["d_head"]
    shapes = {
        "embed.W_E": (config["d_vocab"], width),
        "unembed.W_U": (width, config["d_vocab"]),
        "unembed.b_U": (config["d_vocab"],),
    }
    if positions == "standard":
        shapes["pos_embed.W_pos"] = (config["n_ctx"], width)
    for layer in range(config["n_layers"]):
        at = f"blocks.{layer}.attn."
        shapes |= {f"{at}W_{x}": (heads, width, d_head) for x in "QKV"}
        shapes |= {f"{at}b_{x}": (heads, d_head) for x in "QKV"}
        shapes |= {f"{at}W_O": (heads, d_head, width), f"{at}b_O": (width,)}
    tensors = {n: chance.normal(0, 0.5, shape).astype(np.float16) for n, shape in shapes.items()}
    save_file(tensors, folder / "model.safetensors")
    return folder


@pytest.fixture(scope="session")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("models")
    write_model(root / "random")
    write_model(root / "other", seed=1)
    write_model(root / "plain", normalization=None, positions="none")
    return root


@pytest.fixture(scope="session")
def model(folders):
    return Model(bundled.read_folder(folders / "random"))


@pytest.fixture
def engine(folders, monkeypatch):
    """Return an engine whose bundled models are the random ones."""
    monkeypatch.setattr(bundled, "models_folder", lambda: folders)
    return Engine()
