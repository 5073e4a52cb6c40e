"""A model in a folder: Hugging Face's format, Headscope's own or TransformerLens's."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.messages import ModelEntry, Refused
from engine.sources import bundled, state_dict, values
from engine.sources.checkpoint import Checkpoint
from engine.sources.config import CONTEXT, HEADS, LAYERS, check_kind, is_state_dict, size
from engine.sources.files import SLOW_TOKENIZERS, Folder
from engine.sources.pretrained import BYTES, Pretrained, is_there

PEAK = 1.5
"""Memory that reading a folder takes at most, over that of its weights."""


def entries() -> list[ModelEntry]:
    """List nothing: folders are opened by their path."""
    return []


def has(name: str) -> bool:
    """Return whether a name is the path of a folder."""
    return is_there(name, Path.is_dir)


def load(name: str) -> Checkpoint | Pretrained:
    """Look a model folder over: every file there, whole and of one model.

    Parameters
    ----------
    name : str
        Path of the folder.

    Raises
    ------
    Refused
        If it is no model folder, or a file is missing, damaged or cut short.
    """
    path = Path(name).expanduser()
    return look_over(name, Folder(path, path.absolute().name))


def look_over(name: str, folder: Folder) -> Checkpoint | Pretrained:
    """Look a folder over that is opened by another name than its path's.

    Parameters
    ----------
    name : str
        What the model is opened as.
    folder : Folder
        Where its files are.

    Raises
    ------
    Refused
        If it is no model folder, or a file is missing, damaged or cut short.
    """
    config = folder.json("config.json", "is not a model folder: it has no config.json")
    if config.get("model_type") == bundled.MODEL_TYPE:
        return replace(bundled.read_folder(folder.path), name=name)
    if is_state_dict(config):
        return state_dict.look_over(name, folder, config)
    if not isinstance(config.get("model_type"), str):
        raise Refused(f"{folder.title}: config.json does not say what model_type it is")
    values.check(f"{folder.title}: config.json", config)
    check_kind(folder.title, config)
    folder.check_files()
    files, where = folder.weight_files()
    disk = sum(file.stat().st_size for file in files)
    if files[0].suffix == ".safetensors":
        parameters = sum(math.prod(shape) for shape in folder.tensors(files, where).values())
    else:
        for file in files:
            folder.check_pickle(file)
        parameters = disk // _stored_bytes(config)
    # Where there is no tokenizer.json, transformers makes a tokenizer of older files.
    older = not folder.has("tokenizer.json") and any(map(folder.has, SLOW_TOKENIZERS))
    tokenizer = None if older else folder.tokenizer()
    return Pretrained(
        name=name,
        title=folder.title,
        path=folder.path,
        layout="transformers",
        parameters=parameters,
        disk=disk,
        peak=int(PEAK * BYTES * parameters),
        layers=size(config, LAYERS),
        heads=size(config, HEADS),
        context=size(config, CONTEXT),
        tokenizer=tokenizer,
        bos_token=None if tokenizer is None else folder.bos(config, tokenizer),
    )


def _stored_bytes(config: dict[str, Any]) -> int:
    """Return about how many bytes a number takes in a file that does not say it."""
    kind = config.get("dtype", config.get("torch_dtype"))
    return 2 if kind in ("float16", "bfloat16") else BYTES
