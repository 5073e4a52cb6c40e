"""Model folders, by path or by their name in the Hugging Face cache, in any of three formats."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.messages import ModelEntry, Refused, in_bytes
from engine.sources import bundled, hub_cache, state_dict
from engine.sources.checkpoint import BYTES, Checkpoint, Pretrained, is_there
from engine.sources.config import (
    CONTEXT,
    HEADS,
    LAYERS,
    about,
    check_kind,
    check_numbers,
    is_decoder,
    is_state_dict,
    size,
)
from engine.sources.files import SLOW_TOKENIZERS, Folder, Missing

PEAK = 1.5
"""Memory that reading a folder takes at most, over that of its weights."""


def has(name: str) -> bool:
    """Return whether a name is the path of a folder."""
    return is_there(name, Path.is_dir)


def load(name: str) -> Checkpoint | Pretrained:
    """Look a model folder over: every file there, whole and of one model."""
    path = Path(name).expanduser()
    return look_over(name, Folder(path, path.absolute().name))


def look_over(name: str, folder: Folder) -> Checkpoint | Pretrained:
    """Look a folder over that is opened by another name than its path's."""
    config = folder.json("config.json", "is not a model folder: it has no config.json")
    if config.get("model_type") == bundled.MODEL_TYPE:
        return replace(bundled.read_folder(folder.path), name=name)
    if is_state_dict(config):
        return state_dict.look_over(name, folder, config)
    if not isinstance(config.get("model_type"), str):
        raise Refused(f"{folder.title}: config.json does not say what model_type it is")
    check_numbers(f"{folder.title}: config.json", config)
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


def cached_entries() -> list[ModelEntry]:
    """List the models of the cache that can be opened, reading no weights."""
    try:
        kept = sorted(path.name for path in hub_cache.root().iterdir())
    except OSError:
        return []
    found = []
    for directory in kept:
        repository = directory.removeprefix("models--").replace("--", "/", 1)
        if directory == repository or not hub_cache.is_repository(repository):
            continue
        files = hub_cache.folder(repository)
        entry = None if files is None else _entry(repository, files)
        found += [] if entry is None else [entry]
    return found


def is_cached(name: str) -> bool:
    """Return whether anything of a model is in the cache."""
    repository = hub_cache.on_hub(name)
    if not hub_cache.is_repository(repository):
        return False
    place = hub_cache.place(repository)
    try:
        return any((place / part).is_dir() for part in ("snapshots", "blobs"))
    except OSError:
        return False


def load_cached(name: str) -> Checkpoint | Pretrained:
    """Look a model of the cache over: every file there, whole and of one model."""
    files = hub_cache.folder(name)
    if files is None:
        raise _part_of(name, f"{name} lacks config.json")
    try:
        return look_over(name, files)
    except Missing as missing:
        raise _part_of(name, missing.what) from missing


def _part_of(name: str, missing: str) -> Refused:
    return Refused(
        f"not all of {name} is in the Hugging Face cache of this computer: {missing} "
        f"(`headscope download {name}` fetches what is not there)"
    )


def _entry(repository: str, files: Folder) -> ModelEntry | None:
    """Return the line of a model, or none for what cannot be opened."""
    try:
        config = files.json("config.json")
        if not is_decoder(config):
            return None
        if is_state_dict(config):
            weights = [path for path in files.path.iterdir() if path.suffix == ".pth"]
            tokenizer = config.get("tokenizer_name")
            held = hub_cache.folder(tokenizer) if isinstance(tokenizer, str) else None
            reads = any(it is not None and it.has("tokenizer.json") for it in (files, held))
        else:
            weights = list[Path](files.weight_files()[0])
            reads = any(map(files.has, ("tokenizer.json", *SLOW_TOKENIZERS)))
        if not (weights and reads):
            return None
        disk = sum(path.stat().st_size for path in weights)
    except (Refused, OSError):
        return None
    return ModelEntry(hub_cache.short(repository), "cache", f"{about(config)}, {in_bytes(disk)}")
