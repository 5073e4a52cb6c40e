"""The files of a model folder, each looked over before anything is read of it."""

import json
import math
import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, NoReturn

from tokenizers import Tokenizer

from engine import bounded_file
from engine.messages import Refused, in_bytes
from engine.sources.tokenizer import read_tokenizer

WHOLE = ("model.safetensors", "pytorch_model.bin")
"""Weights in one file; in several, an index of the same name says which tensor is where."""

LONGEST_JSON = 2**24
"""Bytes of a JSON file that is no tokenizer: the longest are indexes of thousands of tensors."""

LONGEST_TEXT = 2**28
"""Bytes of any file that a library reads whole: a tokenizer, or a list of its parts."""

LONGEST_HEADER = 2**25
"""Bytes of a safetensors header: some 200,000 tensors. The format allows three times that."""

MOST_AXES = 8
"""Of a tensor."""

DENSEST = 2
"""Numbers that a byte of a safetensors file holds at most."""

TEXTS = (".json", ".txt", ".model", ".jinja")
"""Ends of names of files that are read whole."""

SLOW_TOKENIZERS = ("vocab.json", "tokenizer.model", "spiece.model", "vocab.txt")
"""What a tokenizer is stored in where there is no tokenizer.json."""


class Missing(Refused):
    """A file that a model needs is not there.

    Parameters
    ----------
    what : str
        What is missing.
    hint : str, optional
        What to do about it in a folder; in the cache it is fetched.
    """

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(f"{what}: {hint}" if hint else what)
        self.what = what


@dataclass(frozen=True)
class Folder:
    """A folder, and what sentences call it."""

    path: Path
    title: str

    def damaged(self, file: str, why: object) -> NoReturn:
        """Refuse a file that is not as it must be."""
        raise Refused(f"{self.title}: {file} is damaged: {why}")

    def json(self, file: str, missing: str = "") -> dict[str, Any]:
        """Read a file that holds a JSON object.

        Parameters
        ----------
        file : str
            Its name.
        missing : str, optional
            What the folder is or has not where the file is missing.

        Raises
        ------
        Missing
            If it is not there.
        Refused
            If it cannot be read, or holds something else.
        """
        try:
            found = json.loads(bounded_file.read(self.path / file, LONGEST_JSON))
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
            raise Missing(f"{self.title} {missing or f'lacks {file}'}") from error
        except OSError as error:
            raise Refused(f"{self.title}: {file} cannot be read: {error.strerror}") from error
        except (ValueError, RecursionError) as error:
            self.damaged(file, error)
        if not isinstance(found, dict):
            self.damaged(file, "it holds no JSON object")
        return found

    def check_files(self) -> None:
        """Refuse a folder with files that no library could read to their end.

        A library opens what it knows by name, so each is looked at, whether or not it is asked for.
        """
        try:
            names = sorted(os.listdir(self.path))
            for name in names:
                if not (self.path / name).exists() or (self.path / name).is_dir():
                    continue
                size = bounded_file.check_regular(self.path / name)
                if name.endswith(TEXTS) and size > LONGEST_TEXT:
                    raise Refused(
                        f"{self.title}: {name} has {in_bytes(size)}, more than any such file"
                    )
        except OSError as error:
            where = PurePath(error.filename or self.title).name
            raise Refused(f"{self.title}: {where} cannot be read: {error.strerror}") from error

    def has(self, file: str) -> bool:
        """Return whether a file is there; a link that leads nowhere is not."""
        try:
            return (self.path / file).is_file()
        except (OSError, ValueError):  # a name that no file can have
            return False

    def weight_files(self) -> tuple[tuple[Path, ...], Mapping[str, str]]:
        """Return the weight files, and the file of each tensor where there are several.

        Raises
        ------
        Missing
            If there are none, or a shard is not there.
        Refused
            If the index is damaged, or names a file of another folder.
        """
        for whole in WHOLE:
            index = f"{whole}.index.json"
            if self.has(whole):
                return (self.path / whole,), {}
            if not self.has(index):
                continue
            where = self.json(index).get("weight_map")
            if (
                not isinstance(where, dict)
                or not where
                or not all(isinstance(it, str) for it in where.values())
            ):
                self.damaged(index, "it has no weight_map")
            for shard in sorted(set(where.values())):
                if Path(shard).name != shard or not self.has(shard):
                    raise Missing(f"{self.title} lacks the shard {Path(shard).name[:100]}")
            return tuple(self.path / shard for shard in sorted(set(where.values()))), where
        for whole in WHOLE:
            stem, _, end = whole.rpartition(".")
            if any(self.path.glob(f"{stem}-*-of-*.{end}")):
                raise Missing(
                    f"{self.title} lacks {whole}.index.json, which says which tensor is in which "
                    "of its shards"
                )
        raise Missing(f"{self.title} has no weights: neither {' nor '.join(WHOLE)} is in it")

    def check_pickle(self, file: Path) -> None:
        """Refuse a file of torch's that is larger once it is unpacked: torch itself packs none."""
        with bounded_file.open_regular(file) as stream:
            if stream.read(4) != b"PK\x03\x04":  # as before torch 1.6
                return
            try:
                parts = zipfile.ZipFile(stream).infolist()
            except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
                self.damaged(file.name, error)
        if any(part.compress_type != zipfile.ZIP_STORED for part in parts):
            self.damaged(file.name, "its parts are compressed, which torch does not do")

    def tensors(self, files: tuple[Path, ...], where: Mapping[str, str]) -> dict[str, list[int]]:
        """Return the shape of each tensor of safetensors files, reading their headers only."""
        headers = {file.name: self.header(file) for file in files}
        for tensor, shard in where.items():
            if tensor not in headers[shard]:
                raise Refused(f"{self.title}: {shard} lacks the tensor {tensor[:100]}")
        return {name: shape for header in headers.values() for name, shape in header.items()}

    def header(self, file: Path) -> dict[str, list[int]]:
        """Return the shape of each tensor of one safetensors file, and check that all is there."""
        with bounded_file.open_regular(file) as stream:
            size = os.fstat(stream.fileno()).st_size
            length = int.from_bytes(stream.read(8), "little")
            if not 2 <= length <= min(LONGEST_HEADER, size):
                self.damaged(file.name, "it does not begin as a safetensors file does")
            text = stream.read(length)
        try:
            header = json.loads(text)
            header.pop("__metadata__", None)
            shapes = {name: about["shape"] for name, about in header.items()}
            spans = {name: about["data_offsets"] for name, about in header.items()}
            ends = [span[1] for span in spans.values()]
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
            self.damaged(file.name, "its header cannot be read")
        counted = [*ends, *(n for shape in shapes.values() for n in _listed(shape))]
        if not all(type(number) is int and 0 <= number < 2**63 for number in counted):
            self.damaged(file.name, "its header cannot be read")
        if 8 + length + max(ends, default=0) != size:
            raise Refused(
                f"{self.title}: {file.name} is cut short or overlong: it has {size:,} bytes, and "
                f"its header means {8 + length + max(ends, default=0):,}"
            )
        for name, shape in shapes.items():
            start, end = spans[name][0], spans[name][1]
            if type(start) is not int or math.prod(shape) > DENSEST * (end - start):
                self.damaged(file.name, f"{name[:100]} has more numbers than bytes for them")
        return shapes

    def tokenizer(self) -> Tokenizer:
        """Read tokenizer.json.

        Raises
        ------
        Missing
            If it is not there.
        Refused
            If it is damaged.
        """
        if not self.has("tokenizer.json"):
            raise Missing(
                f"{self.title} lacks tokenizer.json",
                "save it once with transformers' AutoTokenizer and save_pretrained",
            )
        return read_tokenizer(self.path, self.title)

    def bos(self, config: Mapping[str, Any], tokenizer: Tokenizer) -> str | None:
        """Return the text of the beginning-of-sequence token; none without one."""
        for file in ("tokenizer_config.json", "special_tokens_map.json"):
            about = self.json(file) if self.has(file) else {}
            named = about.get("bos_token")
            text = named.get("content") if isinstance(named, dict) else named
            if isinstance(text, str) and tokenizer.token_to_id(text) is not None:
                return text
            if "bos_token" in about:
                return None
        number = config.get("bos_token_id")
        if not isinstance(number, int) or not 0 <= number < tokenizer.get_vocab_size():
            return None
        return tokenizer.id_to_token(number)


def _listed(shape: object) -> list[object]:
    return shape if isinstance(shape, list) and len(shape) <= MOST_AXES else [None]
