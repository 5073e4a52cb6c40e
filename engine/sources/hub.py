"""A process of its own that asks the Hugging Face hub: the only code that makes a connection.

`python -m engine.sources.hub find|download NAME` prints JSON lines: {"step": [done, total, what]},
then {"answer": …} or {"refused": "…"}. It ends when its standard input does, so that it never
outlives who started it. Of a repository only the files that a model needs are fetched, never code.
What has come of a file stays beside it as `.incomplete`, and the next download goes on from there,
whoever stopped this one.
"""

import errno
import hashlib
import io
import json
import os
import re
import shutil
import sys
import threading
import time
from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

from huggingface_hub import HfApi, constants, hf_hub_url
from huggingface_hub.errors import (
    DisabledRepoError,
    GatedRepoError,
    HfHubHTTPError,
    RepositoryNotFoundError,
)
from huggingface_hub.file_download import http_get
from huggingface_hub.utils import (
    WeakFileLock,
    build_hf_headers,
    get_session,
    hf_raise_for_status,
)

from engine.messages import Refused, in_bytes
from engine.messages.printing import in_a_line
from engine.sources import hub_cache
from engine.sources.config import check_kind, is_state_dict
from engine.sources.files import WHOLE

TIMEOUT = 20.0
"""Seconds that the hub may take to answer a question."""

PIECE = 2**15
"""Bytes that are written at once: what a download that is stopped can lose."""

PAUSE = 0.1
"""Seconds between two reports of progress."""


class Wanted(NamedTuple):
    """A file on the hub, and where the cache keeps it."""

    repository: str
    revision: str
    file: str
    size: int
    digest: str

    @property
    def blob(self) -> Path:
        """Where its contents are kept."""
        return hub_cache.place(self.repository) / "blobs" / self.digest

    @property
    def partial(self) -> Path:
        """Where they are kept as long as they are not all there."""
        return self.blob.with_name(f"{self.digest}.incomplete")

    @property
    def pointer(self) -> Path:
        """Where a model's files are looked for."""
        return hub_cache.place(self.repository) / "snapshots" / self.revision / self.file

    @property
    def here(self) -> int:
        """Bytes of it on this computer."""
        for path in (self.pointer, self.blob):
            if _size(path) == self.size:
                return self.size
        return min(_size(self.partial), self.size)


def find(name: str) -> list[Wanted]:
    """Ask the hub which files a model has, and return those that are needed."""
    repository = hub_cache.on_hub(name)
    wanted = _files(repository)
    if wanted[0].file != "config.json":
        return wanted
    config = _read(wanted[0])
    check_kind(name, config)
    tokenizer = config.get("tokenizer_name")
    held = any(it.file == "tokenizer.json" for it in wanted)
    if is_state_dict(config) and not held and isinstance(tokenizer, str):
        wanted += [it for it in _files(tokenizer) if it.file.startswith(("token", "special"))]
    return wanted


def download(name: str) -> int:
    """Fetch what is not here yet of a model, and return the size of all of it."""
    wanted = find(name)
    total = sum(it.size for it in wanted)
    left, free = total - sum(it.here for it in wanted), disk_free()
    if left > free:
        raise Refused(
            f"{name} needs {in_bytes(left)} more on the disk, and {in_bytes(free)} are free in "
            f"{hub_cache.root()}: make room there"
        )
    done = 0
    for file in wanted:
        _fetch(file, done, total)
        done += file.size
        _say(step=[done, total, f"downloading {file.file}"])
    for repository, revision in {(it.repository, it.revision) for it in wanted}:
        _write(hub_cache.place(repository) / "refs" / "main", revision)
    return total


def disk_free() -> int:
    """Return the bytes that are free where the cache is, or is going to be."""
    place = hub_cache.root().absolute()
    while not place.exists():
        place = place.parent
    return shutil.disk_usage(place).free


def _files(repository: str) -> list[Wanted]:
    info = HfApi().model_info(repository, files_metadata=True, timeout=TIMEOUT)
    have = {it.rfilename: it for it in info.siblings or ()}
    revision, found = info.sha or "", []
    for file in needed(repository, have.keys()):
        about = have[file]
        digest = about.lfs.sha256 if about.lfs else about.blob_id
        # These become names of files here.
        if not re.fullmatch("[0-9a-f]{40,64}", f"{digest}") or not re.fullmatch(
            "[0-9a-f]{40}", revision
        ):
            raise Refused(f"the hub's answer about {repository} cannot be understood")
        found.append(Wanted(repository, revision, file, int(about.size or 0), f"{digest}"))
    return found


def _read(wanted: Wanted) -> dict[str, Any]:
    url = hf_hub_url(wanted.repository, wanted.file, revision=wanted.revision)
    answer = get_session().get(url, headers=build_hf_headers(), timeout=TIMEOUT)
    hf_raise_for_status(answer)
    try:
        found = answer.json()
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise Refused(f"{wanted.repository}: config.json is damaged: it holds no JSON object")
    return found


def _fetch(wanted: Wanted, before: int, total: int) -> None:
    if _size(wanted.pointer) == wanted.size:
        return
    if _size(wanted.blob) != wanted.size:
        wanted.partial.parent.mkdir(parents=True, exist_ok=True)
        locks = hub_cache.root() / ".locks" / hub_cache.place(wanted.repository).name
        locks.mkdir(parents=True, exist_ok=True)
        with WeakFileLock(locks / f"{wanted.digest}.lock"):
            _complete(wanted, before, total)
    wanted.pointer.parent.mkdir(parents=True, exist_ok=True)
    wanted.pointer.unlink(missing_ok=True)
    try:
        wanted.pointer.symlink_to(os.path.relpath(wanted.blob, wanted.pointer.parent))
    except OSError:  # Windows allows links to few; the cache then has no blob, as the hub's own
        os.replace(wanted.blob, wanted.pointer)


def _complete(wanted: Wanted, before: int, total: int) -> None:
    if _size(wanted.partial) > wanted.size:
        wanted.partial.unlink()
    with _Counted(wanted, before, total) as stream:
        start = stream.seek(0, os.SEEK_END)
        _say(step=[before + start, total, f"downloading {wanted.file}"])
        http_get(
            hf_hub_url(wanted.repository, wanted.file, revision=wanted.revision),
            stream,
            resume_size=start,
            headers=build_hf_headers(),
            expected_size=wanted.size,
        )
    if _digest(wanted) != wanted.digest:
        wanted.partial.unlink()
        raise Refused(
            f"{wanted.file} of {wanted.repository} came damaged and was thrown away: download it "
            "again"
        )
    os.replace(wanted.partial, wanted.blob)


class _Counted(io.FileIO):
    """A file that says how much of it there is."""

    def __init__(self, wanted: Wanted, before: int, total: int) -> None:
        # Not "ab": where the hub cannot resume, the file begins anew.
        super().__init__(wanted.partial, "r+" if wanted.partial.exists() else "w+")
        self._what, self._before, self._total = f"downloading {wanted.file}", before, total
        self._said = 0.0

    def write(self, data: Any, /) -> int:
        view = memoryview(data)
        written = 0
        while written < len(view):
            written += super().write(view[written:]) or 0
        if time.monotonic() - self._said > PAUSE:
            self._said = time.monotonic()
            _say(step=[self._before + self.tell(), self._total, self._what])
        return written


def _digest(wanted: Wanted) -> str:
    """Return what a file's contents are called: by git's rule or by large file storage's."""
    git = len(wanted.digest) == 40
    made = hashlib.sha1(usedforsecurity=False) if git else hashlib.sha256()
    if git:
        made.update(f"blob {wanted.size}\0".encode())
    with wanted.partial.open("rb") as stream:
        while piece := stream.read(2**20):
            made.update(piece)
    return made.hexdigest()


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{os.urandom(8).hex()}.new")
    with beside.open("x") as stream:  # never what somebody put there, such as a link
        stream.write(text)
    os.replace(beside, path)


def _in_words(command: str, name: str, error: Exception) -> str:
    """Return what failed, for somebody who only wanted a model."""
    again = "what has come is kept, and asking again goes on from there"
    if command == "find":
        again = "nothing was fetched, ask again"
    if isinstance(error, GatedRepoError):
        return (
            f"{name} is gated: accept its terms on its page on the Hugging Face hub, sign in with "
            "`hf auth login`, and ask again"
        )
    if isinstance(error, RepositoryNotFoundError):
        return (
            f"the Hugging Face hub has no model {name}, or it is private: check the name, or sign "
            "in with `hf auth login`"
        )
    if isinstance(error, DisabledRepoError):
        return f"the Hugging Face hub has disabled {name}"
    if isinstance(error, HfHubHTTPError):
        status = error.response.status_code
        return f"the Hugging Face hub could not give {name} (it answered {status}): {again}"
    if type(error).__module__.startswith("httpx"):
        return (
            f"there is no connection to the Hugging Face hub, or it broke off: {again} "
            f"({type(error).__name__})"
        )
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return f"the disk is full: make room in {hub_cache.root()}; {again}"
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename} cannot be written: {error.strerror}"
    if isinstance(error, OSError):
        what = "the question about" if command == "find" else "the download of"
        return f"{what} {name} broke off: {again}"
    what = "asking for" if command == "find" else "the download of"
    return f"{what} {name} failed: {in_a_line(error, kind=True)}"


def _say(**record: Any) -> None:
    sys.stdout.write(json.dumps(record) + "\n")
    sys.stdout.flush()


def _end_with_parent() -> None:
    sys.stdin.read()
    os._exit(1)


TOKENIZER = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
)

OLDER = ("vocab.json", "merges.txt", "tokenizer.model", "spiece.model", "vocab.txt")
"""What transformers makes a tokenizer of where there is no tokenizer.json."""


def needed(repository: str, names: Collection[str]) -> list[str]:
    """Return the files to download, the smaller ones first."""
    tokenizer = [name for name in TOKENIZER if name in names]
    if "tokenizer.json" not in names:
        tokenizer += [name for name in OLDER if name in names]
    if "config.json" not in names:
        if "tokenizer.json" in names:
            return tokenizer
        hint = ""
        if any(name.endswith(".gguf") for name in names):
            hint = "; it has GGUF files: fetch one from its page, and open it by its path"
        raise Refused(f"{repository} has no config.json, so it is no model to open{hint}")
    weights = _weights(names)
    if not weights:
        raise Refused(
            f"{repository} has no weights that can be read: neither {' nor '.join(WHOLE)} nor a "
            "TransformerLens *_final.pth"
        )
    if not tokenizer and not weights[0].endswith(".pth"):
        raise Refused(f"{repository} has no tokenizer, so no text could be read with it")
    return ["config.json", *tokenizer, *weights]


def _weights(names: Collection[str]) -> list[str]:
    for whole in WHOLE:
        if whole in names:
            return [whole]
        stem, dot, suffix = whole.rpartition(".")
        index = f"{whole}.index.json"
        if index in names:
            shard = re.compile(rf"{stem}-\d+-of-\d+{re.escape(dot + suffix)}")
            return [index, *sorted(name for name in names if shard.fullmatch(name))]
    final = sorted(name for name in names if name.endswith("final.pth") and "/" not in name)
    return final[:1]


def main(command: str, name: str) -> None:
    """Answer one question on standard output."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    constants.DOWNLOAD_CHUNK_SIZE = PIECE
    try:
        if command == "find":
            wanted = find(name)
            first = wanted[0].repository
            files = [
                it.file if it.repository == first else f"{it.repository}/{it.file}" for it in wanted
            ]
            _say(
                answer={
                    "repository": first,
                    "revision": wanted[0].revision,
                    "files": files,
                    "sizes": [it.size for it in wanted],
                    "have": sum(it.here for it in wanted),
                    "free": disk_free(),
                }
            )
        else:
            _say(answer={"bytes": download(name)})
    except Refused as refusal:
        _say(refused=str(refusal))
    except Exception as error:  # the hub, the network and the disk each have their own
        _say(refused=_in_words(command, name, error))
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:3])
