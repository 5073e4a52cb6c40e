"""Models in the Hugging Face cache of this computer, by their names on the hub."""

from pathlib import Path

from engine.messages import ModelEntry, Refused, in_bytes
from engine.sources import cache, config, folder, legacy
from engine.sources.checkpoint import Checkpoint
from engine.sources.files import SLOW_TOKENIZERS, Folder, Missing
from engine.sources.pretrained import Pretrained


def entries() -> list[ModelEntry]:
    """List the models of the cache that can be opened, reading no weights."""
    try:
        kept = sorted(path.name for path in cache.root().iterdir())
    except OSError:
        return []
    found = []
    for directory in kept:
        repository = directory.removeprefix("models--").replace("--", "/", 1)
        if directory == repository or not cache.is_repository(repository):
            continue
        files = cache.folder(repository)
        entry = None if files is None else _entry(repository, files)
        found += [] if entry is None else [entry]
    return found


def has(name: str) -> bool:
    """Return whether anything of a model is in the cache."""
    repository = legacy.on_hub(name)
    if not cache.is_repository(repository):
        return False
    place = cache.place(repository)
    try:
        return any((place / part).is_dir() for part in ("snapshots", "blobs"))
    except OSError:
        return False


def load(name: str) -> Checkpoint | Pretrained:
    """Look a model of the cache over: every file there, whole and of one model.

    Parameters
    ----------
    name : str
        Its name on the hub, or TransformerLens's.

    Raises
    ------
    Refused
        If a file is missing, damaged or cut short, or it is no model that can be shown.
    """
    files = cache.folder(name)
    if files is None:
        raise _part_of(name, f"{name} lacks config.json")
    try:
        return folder.look_over(name, files)
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
        about = files.json("config.json")
        if not config.is_decoder(about):
            return None
        if config.is_state_dict(about):
            weights = [path for path in files.path.iterdir() if path.suffix == ".pth"]
            tokenizer = about.get("tokenizer_name")
            held = cache.folder(tokenizer) if isinstance(tokenizer, str) else None
            reads = any(it is not None and it.has("tokenizer.json") for it in (files, held))
        else:
            weights = list[Path](files.weight_files()[0])
            reads = any(map(files.has, ("tokenizer.json", *SLOW_TOKENIZERS)))
        if not (weights and reads):
            return None
        disk = sum(path.stat().st_size for path in weights)
    except (Refused, OSError):
        return None
    return ModelEntry(legacy.short(repository), "cache", f"{config.about(about)}, {in_bytes(disk)}")
