"""The trained models that come with Headscope, in resources/models/."""

from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file

from engine.messages import ModelEntry, Refused
from engine.sources.checkpoint import EXAMPLE, Checkpoint
from engine.sources.config import SIZES, Config, check_layers, checked_number, checked_size
from engine.sources.files import Folder
from engine.sources.state_dict import check_shapes
from engine.sources.tokenizer import read_tokenizer

MODEL_TYPE = "headscope-attn-only"
STATED: dict[str, Callable[[object], bool]] = {
    "positions": lambda value: value in ("standard", "none"),
    "normalization": lambda value: value in ("LNPre", None),
    "prepend_bos": lambda value: isinstance(value, bool),
    "bos_token": lambda value: isinstance(value, str | None),
}
"""What a config.json must say besides sizes and eps."""

FILES = ("config.json", "tokenizer.json", "model.safetensors")


def models_folder() -> Path:
    """Return the folder that holds one folder a model."""
    return Path(str(resources.files("resources"))) / "models"


def entries() -> list[ModelEntry]:
    """List the bundled models, reading only their config.json."""
    return [
        ModelEntry(config.parent.name, "bundled", _about(config))
        for config in sorted(models_folder().glob("*/config.json"))
    ]


def load(name: str) -> Checkpoint:
    """Read a bundled model."""
    return read_folder(models_folder() / name)


def read_folder(folder: Path) -> Checkpoint:
    """Read a folder with config.json, tokenizer.json and model.safetensors."""
    own = Folder(folder, folder.name)
    for file in FILES:
        if not own.has(file):
            raise Refused(f"{folder.name} lacks the file {file}")
    config = own.json("config.json") | {"attn_only": True}
    if config.get("model_type") != MODEL_TYPE:
        raise Refused(f"{folder.name}: config.json is not that of a {MODEL_TYPE} model")
    _check(own, config)
    check_shapes(own.title, FILES[-1], config, own.header(folder / FILES[-1]))
    tokenizer = read_tokenizer(folder, folder.name, ours=folder.parent == models_folder())
    if (size := tokenizer.get_vocab_size()) != config["d_vocab"]:
        raise Refused(
            f"{own.title}: tokenizer.json has {size:,} tokens, and config.json means "
            f"{config['d_vocab']:,}"
        )
    try:
        stored = load_file(folder / FILES[-1])
    except (SafetensorError, ValueError, TypeError) as error:
        raise Refused(f"{own.title}: {FILES[-1]} is damaged: {error}") from error
    tensors = {name: value.astype(np.float32) for name, value in stored.items()}
    prepend_bos, bos_token = config["prepend_bos"], config["bos_token"]
    return Checkpoint(folder.name, config, prepend_bos, bos_token, EXAMPLE, tokenizer, tensors)


def _check(folder: Folder, config: Config) -> None:
    check_layers(folder.title, config)
    place = f"{folder.title}: config.json"
    for setting in SIZES:
        checked_size(place, config, setting)
    checked_number(place, config, "eps")
    for setting, allows in STATED.items():
        if setting not in config or not allows(config[setting]):
            folder.damaged("config.json", f"{setting} is {config.get(setting)!r:.50}")


def _about(path: Path) -> str:
    try:
        return _sentence(Folder(path.parent, path.parent.name).json(path.name))
    except (Refused, KeyError, TypeError, ValueError):
        return "damaged: its config.json cannot be read"


def _sentence(config: dict[str, Any]) -> str:
    layers = "1 layer" if config["n_layers"] == 1 else f"{config['n_layers']} layers"
    return (
        f"attention only, trained on text: {layers} of {config['n_heads']} heads, "
        f"{config['d_vocab']:,} tokens"
    )
