"""The trained models that come with Headscope, in resources/models/."""

from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from engine.messages import ModelEntry, Refused
from engine.sources.checkpoint import Checkpoint
from engine.sources.config import check_layers, checked_number, checked_size
from engine.sources.files import Folder
from engine.sources.tokenizer import read_tokenizer

EXAMPLE = "I like green tea, so I drink green"
MODEL_TYPE = "headscope-attn-only"
SIZES = ("n_layers", "n_heads", "d_model", "d_head", "d_vocab", "n_ctx")
SETTINGS: dict[str, tuple[type, ...]] = {
    "prepend_bos": (bool,),
    "bos_token": (str, type(None)),
}
"""What a config.json must say beside sizes, and as what."""

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
    """Read a bundled model.

    Parameters
    ----------
    name : str
        One of the names that `entries` lists.
    """
    return read_folder(models_folder() / name)


def read_folder(folder: Path) -> Checkpoint:
    """Read a folder with config.json, tokenizer.json and model.safetensors.

    Raises
    ------
    Refused
        If a file is missing or damaged, or the weights do not have the sizes of the config.
    """
    own = Folder(folder, folder.name)
    for file in FILES:
        if not own.has(file):
            raise Refused(f"{folder.name} lacks the file {file}")
    config = own.json("config.json")
    if config.get("model_type") != MODEL_TYPE:
        raise Refused(f"{folder.name}: config.json is not that of a {MODEL_TYPE} model")
    own.header(folder / "model.safetensors")
    tokenizer = read_tokenizer(folder, folder.name, ours=folder.parent == models_folder())
    try:
        stored = load_file(folder / "model.safetensors")
        checkpoint = _checkpoint(folder.name, config, tokenizer, stored)
    except SafetensorError as error:
        raise Refused(f"{folder.name}: model.safetensors is damaged: {error}") from error
    except (KeyError, ValueError, TypeError) as error:
        raise Refused(f"{folder.name}: config.json is damaged: {error}") from error
    _check(checkpoint)
    return checkpoint


def _checkpoint(
    name: str, config: dict[str, Any], tokenizer: Tokenizer, stored: dict[str, Any]
) -> Checkpoint:
    check_layers(name, config)
    place = f"{name}: config.json"
    for setting in SIZES:
        checked_size(place, config, setting)
    for setting, kinds in SETTINGS.items():
        if type(config[setting]) not in kinds:
            raise ValueError(f"{setting} is {config[setting]!r:.50}")
    return Checkpoint(
        name=name,
        n_layers=config["n_layers"],
        n_heads=config["n_heads"],
        d_model=config["d_model"],
        d_head=config["d_head"],
        d_vocab=config["d_vocab"],
        n_ctx=config["n_ctx"],
        learned_positions={"standard": True, "none": False}[config["positions"]],
        normalized={"LNPre": True, None: False}[config["normalization"]],
        eps=checked_number(place, config, "eps"),
        prepend_bos=config["prepend_bos"],
        bos_token=config["bos_token"],
        example=EXAMPLE,
        tokenizer=tokenizer,
        tensors={key: value.astype(np.float32) for key, value in stored.items()},
    )


def _check(checkpoint: Checkpoint) -> None:
    for name, shape in checkpoint.shapes().items():
        if name not in checkpoint.tensors:
            raise Refused(f"{checkpoint.name}: model.safetensors lacks {name}")
        found = checkpoint.tensors[name].shape
        if found != shape:
            raise Refused(f"{checkpoint.name}: {name} is {found}, and config.json means {shape}")
    size = checkpoint.tokenizer.get_vocab_size()
    if size != checkpoint.d_vocab:
        raise Refused(
            f"{checkpoint.name}: tokenizer.json has {size:,} tokens, and config.json means "
            f"{checkpoint.d_vocab:,}"
        )


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
