"""A model in a folder of Hugging Face's format: config.json, weights, tokenizer.json."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from engine.messages import ModelEntry, Refused
from engine.sources import bundled
from engine.sources.checkpoint import Checkpoint
from engine.sources.pretrained import BYTES, Pretrained, is_there

PEAK = 1.5
"""Memory that reading a folder takes at most, over that of its weights."""

WHOLE = ("model.safetensors", "pytorch_model.bin")
"""Weights in one file; in several, an index of the same name says which tensor is where."""

LONGEST_HEADER = 100_000_000
"""Bytes of a safetensors header that the format allows."""


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
    folder = Path(name).expanduser()
    config = _json(folder, "config.json", "is not a model folder: it has no config.json")
    if config.get("model_type") == bundled.MODEL_TYPE:
        return replace(bundled.read_folder(folder), name=name)
    if not isinstance(config.get("model_type"), str):
        raise Refused(f"{folder.name}: config.json does not say what model_type it is")
    files, shapes = _weights(folder)
    disk = sum(file.stat().st_size for file in files)
    parameters = sum(math.prod(shape) for shape in shapes) if shapes else disk // BYTES
    tokenizer = _tokenizer(folder)
    return Pretrained(
        name=name,
        path=folder,
        parameters=parameters,
        disk=disk,
        peak=int(PEAK * BYTES * parameters),
        tokenizer=tokenizer,
        bos_token=_bos(folder, config, tokenizer),
    )


def _json(folder: Path, file: str, missing: str) -> dict[str, Any]:
    path = folder / file
    if not path.is_file():
        raise Refused(f"{folder.name} {missing}")
    try:
        found = json.loads(path.read_bytes())
    except ValueError as error:
        raise Refused(f"{folder.name}: {file} is damaged: {error}") from error
    if not isinstance(found, dict):
        raise Refused(f"{folder.name}: {file} is damaged: it holds no JSON object")
    return found


def _weights(folder: Path) -> tuple[list[Path], list[list[int]]]:
    """Return the weight files, and the shape of every tensor where they say it."""
    for whole in WHOLE:
        if (folder / whole).is_file():
            files = [folder / whole]
        elif (folder / f"{whole}.index.json").is_file():
            index = _json(folder, f"{whole}.index.json", "has no index")
            if not isinstance(index.get("weight_map"), dict):
                raise Refused(f"{folder.name}: {whole}.index.json is damaged: no weight_map")
            files = [folder / shard for shard in sorted(set(index["weight_map"].values()))]
            for file in files:
                if file.parent != folder or not file.is_file():
                    raise Refused(f"{folder.name} lacks the shard {file.name}")
        else:
            continue
        if whole.endswith(".bin"):
            return files, []
        headers = {file.name: _header(folder, file) for file in files}
        if len(files) > 1:
            for tensor, shard in index["weight_map"].items():
                if tensor not in headers[shard]:
                    raise Refused(f"{folder.name}: {shard} lacks the tensor {tensor}")
        return files, [about["shape"] for header in headers.values() for about in header.values()]
    raise Refused(f"{folder.name} has no weights: neither {' nor '.join(WHOLE)} is in it")


def _header(folder: Path, file: Path) -> dict[str, dict[str, Any]]:
    """Return what a safetensors file says of each tensor, and check that all of it is there."""
    damaged = f"{folder.name}: {file.name} is damaged"
    size = file.stat().st_size
    with file.open("rb") as stream:
        length = int.from_bytes(stream.read(8), "little")
        if not 2 <= length <= min(LONGEST_HEADER, size):
            raise Refused(f"{damaged}: it does not begin as a safetensors file does")
        try:
            header = json.loads(stream.read(length))
            header.pop("__metadata__", None)
            end = max((about["data_offsets"][1] for about in header.values()), default=0)
            shapes = [about["shape"] for about in header.values()]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Refused(f"{damaged}: its header cannot be read") from error
    if 8 + length + end != size:
        raise Refused(
            f"{folder.name}: {file.name} is cut short or overlong: it has {size:,} bytes, and its "
            f"header means {8 + length + end:,}"
        )
    if not all(isinstance(n, int) and n >= 0 for shape in shapes for n in shape):
        raise Refused(f"{damaged}: its header cannot be read")
    return dict(header)


def _tokenizer(folder: Path) -> Tokenizer:
    if not (folder / "tokenizer.json").is_file():
        raise Refused(
            f"{folder.name} lacks tokenizer.json: save it once with transformers' "
            "AutoTokenizer and save_pretrained"
        )
    return bundled.read_tokenizer(folder)


def _bos(folder: Path, config: dict[str, Any], tokenizer: Tokenizer) -> str | None:
    if (folder / "tokenizer_config.json").is_file():
        about = _json(folder, "tokenizer_config.json", "")
        named = about.get("bos_token")
        text = named.get("content") if isinstance(named, dict) else named
        if isinstance(text, str) and tokenizer.token_to_id(text) is not None:
            return text
        if "bos_token" in about:
            return None
    number = config.get("bos_token_id")
    return tokenizer.id_to_token(number) if isinstance(number, int) else None
