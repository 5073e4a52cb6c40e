"""`headscope download`: the size first, then progress on standard error."""

import sys

from engine.job import Job
from engine.messages import DownloadModel, FindDownload, Refused, in_bytes, printable
from engine.sources import cache
from engine.sources.download import download_model, find_download

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

    Parameters
    ----------
    words : list of str
        What follows `download`: the model's name on the hub, or TransformerLens's.

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
        f"{in_bytes(plan.free)} are free in {cache.root()}\n"
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
