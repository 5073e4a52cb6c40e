"""Downloads that the user asked for, made by a process of their own (`engine.sources.hub`).

This program never makes a connection, and a download that is cancelled ends at once. `fetch` is
`headscope download`: the size first, then progress on standard error.
"""

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from engine.job import Job
from engine.messages import (
    Downloaded,
    DownloadModel,
    DownloadPlan,
    FindDownload,
    Refused,
    in_bytes,
    printable,
)
from engine.sources import hub_cache

PAUSE = 0.05
"""Seconds between two looks at whether the question was cancelled."""


def find_download(request: FindDownload, job: Job) -> DownloadPlan:
    """Ask the hub what downloading a model would take."""
    answer = _ask("find", request.repository, job)
    return DownloadPlan(
        repository=answer["repository"],
        revision=answer["revision"],
        files=tuple(answer["files"]),
        sizes=np.array(answer["sizes"], dtype=np.int64),
        have=answer["have"],
        free=answer["free"],
    )


def download_model(request: DownloadModel, job: Job) -> Downloaded:
    """Download a model into the Hugging Face cache; what has come is kept if it is cancelled.

    Raises
    ------
    Refused
        If there is no such model, no room for it, or the connection broke off.
    Cancelled
        If the job was cancelled.
    """
    answer = _ask("download", request.repository, job)
    return Downloaded(model=request.repository, bytes=answer["bytes"])


def _ask(command: str, name: str, job: Job) -> dict[str, Any]:
    if not hub_cache.is_repository(hub_cache.on_hub(name)):
        raise Refused(
            f"{name[:200]!r} is no name on the Hugging Face hub: they are like gpt2 or owner/name"
        )
    job.step(0, 1, "asking the Hugging Face hub")
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "engine.sources.hub", command, name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=_environment(),
        text=True,
        encoding="utf-8",
    )
    assert process.stdin is not None
    assert process.stdout is not None
    lines: queue.Queue[str | None] = queue.Queue()
    reader = threading.Thread(target=_read, args=(process.stdout, lines), daemon=True)
    reader.start()
    try:
        return _answer(command, name, lines, job)
    finally:
        process.kill()
        process.wait()
        reader.join()
        process.stdin.close()
        process.stdout.close()


def _read(stream: Iterable[str], lines: "queue.Queue[str | None]") -> None:
    try:
        for line in stream:
            lines.put(line)
    finally:
        lines.put(None)


def _answer(command: str, name: str, lines: "queue.Queue[str | None]", job: Job) -> dict[str, Any]:
    step: tuple[int, int, str] = (0, 1, "asking the Hugging Face hub")
    while True:
        job.step(*step)
        try:
            line = lines.get(timeout=PAUSE)
        except queue.Empty:
            continue
        if line is None:
            if command == "find":
                raise Refused(f"asking for {name} ended before its time: ask again")
            raise Refused(
                f"the download of {name} ended before its time: what has come is kept, and asking "
                "again goes on from there"
            )
        record = json.loads(line)
        if "refused" in record:
            raise Refused(record["refused"])
        if "answer" in record:
            found: dict[str, Any] = record["answer"]
            return found
        done, total, what = record["step"]
        step = (done, total, what)


def _environment() -> dict[str, str]:
    kept = {name: it for name, it in os.environ.items() if name != "TRANSFORMERS_OFFLINE"}
    return kept | {
        "HF_HUB_OFFLINE": "0",
        "HF_HUB_CACHE": str(hub_cache.root()),
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "PYTHONUTF8": "1",
    }


HELP = """\
usage: headscope download NAME

Fetch a model from the Hugging Face hub, such as gpt2 or owner/name, or by TransformerLens's own
name. The size is said first. What has come is kept if it is stopped by Ctrl+C, and the same line
goes on from there. This is the one command that makes a connection; the model is then opened
offline, by headscope --model NAME.
"""

TENTH = 10
"""Percent between two lines of progress where they are not written over one another."""


def fetch(words: list[str]) -> str:
    """Download a model, and return the sentence that says how it is opened; or the help.

    Raises
    ------
    Refused
        If there is no such model, no room for it, or the connection broke off.
    KeyboardInterrupt
        If it was stopped; what has come is kept.
    """
    if words and words[0] in ("-h", "--help"):
        return HELP
    if len(words) != 1 or words[0].startswith("-"):
        raise Refused(
            "download takes the name of one model on the Hugging Face hub: headscope download gpt2"
        )
    (name,) = words
    plan = find_download(FindDownload(name), Job())
    here = f", of which {in_bytes(plan.have)} are here already" if plan.have else ""
    sys.stderr.write(
        f"{printable(plan.repository)}: {len(plan.files)} files, "
        f"{in_bytes(int(plan.sizes.sum()))}{here}; "
        f"{in_bytes(plan.free)} are free in {hub_cache.root()}\n"
    )
    progress = _Progress()
    try:
        download_model(DownloadModel(name), Job(progress.report))
    except KeyboardInterrupt:
        sys.stderr.write(
            f"\nstopped: what has come is kept, and headscope download {name} goes on from there\n"
        )
        raise
    finally:
        progress.end()
    return f"{name} is on this computer: headscope --model {name}\n"


class _Progress:
    """Progress in bytes on standard error: one line in a terminal, else one line a tenth."""

    def __init__(self) -> None:
        self._over = sys.stderr.isatty()
        self._said = -1

    def report(self, done: int, total: int, what: str) -> None:
        """Say how far it is, where that is news."""
        percent = 100 * done // max(total, 1)
        news = percent if self._over else percent // TENTH
        if total > 1 and news != self._said:
            line = printable(f"{what}: {in_bytes(done)} of {in_bytes(total)} ({percent} %)")
            sys.stderr.write(f"\r{line:79}" if self._over else f"{line}\n")
            sys.stderr.flush()
            self._said = news

    def end(self) -> None:
        """Leave the line."""
        if self._over and self._said >= 0:
            sys.stderr.write("\n")
