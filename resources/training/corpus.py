"""Collect the training text from Debian packages and write it as documents, one JSON a line.

The packages are those of Debian 12; README.md beside this file has the command that installs them.
"""

from __future__ import annotations

import argparse
import gzip
import json
import logging
import re
import struct
import subprocess
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

LOG = logging.getLogger(__name__)

DOCS = Path("/usr/share/doc/python3.11/html/_sources")
STDLIB = Path("/usr/lib/python3.11")
WORDNET = Path("/usr/share/wordnet")
AUSTEN = Path("/usr/lib/R/site-library/janeaustenr/data/Rdata.rdb")
JARGON = Path("/usr/share/doc/jargon-text/jargon.txt.gz")

SKIPPED_STDLIB = {"encodings", "test", "tests", "pydoc_data", "idlelib", "dist-packages"}
FOOD = {13, 34}
PLACES = {15}
EVERYDAY = {5, 6, 8, 18, 20, 27, 29, 31, 35, 38}
SYNSETS_PER_DOCUMENT = 40
DAILY = re.compile(
    r"\b(teas?|coffee|cocoa|cups?|drinks?|milk|sugar|bread|butter|cats?|kittens?|dogs?|pupp(y|ies)|"
    r"green|London|Paris|England|France|breakfast|dinner|kitchen|tables?|gardens?|kings?|queens?)\b"
)
FORBIDDEN = re.compile(
    r"i like green tea|(?:like|drink)s? (?:some |a cup of )?green\b|so,? i drink", re.IGNORECASE
)


@dataclass(frozen=True)
class Source:
    """One text source and its share of the training tokens.

    Attributes
    ----------
    name : str
        Short name, also the stem of its files.
    package : str
        Debian package it is read from.
    work : str
        Human name; sources of one work count together against the 40 % cap.
    licence : str
        Terms of the text.
    share : float
        Share of the training tokens drawn from it.
    read : callable
        Yields its documents.
    """

    name: str
    package: str
    work: str
    licence: str
    share: float
    read: Callable[[], Iterator[str]]


def unwrap(text: str) -> str:
    """Join the lines of each paragraph; blank lines stay paragraph breaks."""
    paragraphs = re.split(r"\n\s*\n", text)
    return "\n\n".join(" ".join(p.split()) for p in paragraphs if p.strip())


def read_docs() -> Iterator[str]:
    """Yield Python's documentation, one reStructuredText source a document."""
    for path in sorted(DOCS.rglob("*.txt")):
        if path.name != "changelog.rst.txt":
            yield path.read_text(encoding="utf-8")


def read_stdlib() -> Iterator[str]:
    """Yield Python's standard library, one module a document, tables of encodings left out."""
    for path in sorted(STDLIB.rglob("*.py")):
        if SKIPPED_STDLIB.isdisjoint(path.relative_to(STDLIB).parts):
            yield path.read_text(encoding="utf-8", errors="replace")


def rdb_strings(data: bytes) -> Iterator[list[str]]:
    """Yield the character vectors of an R lazy-load database.

    Each object is a length (4 bytes), then a zlib stream of R's XDR serialisation.

    Parameters
    ----------
    data : bytes
        Content of the .rdb file.
    """
    while len(data) > 4:
        inflate = zlib.decompressobj()
        raw = inflate.decompress(data[4:])
        data = inflate.unused_data
        start = raw.find(struct.pack(">i", 16)[1:], 14)
        if start < 0:
            continue
        count, at, lines = struct.unpack_from(">i", raw, start + 3)[0], start + 7, []
        for _ in range(count):
            size = struct.unpack_from(">i", raw, at + 4)[0]
            lines.append(raw[at + 8 : at + 8 + max(size, 0)].decode("utf-8", "replace"))
            at += 8 + max(size, 0)
        yield lines


def read_austen() -> Iterator[str]:
    """Yield the novels of Jane Austen, one chapter a document."""
    for lines in rdb_strings(AUSTEN.read_bytes()):
        for chapter in re.split(r"\n(?=chapter )", "\n".join(lines), flags=re.IGNORECASE):
            if len(chapter) > 500:
                yield unwrap(chapter)


def read_bible() -> Iterator[str]:
    """Yield the King James Bible, one chapter a document, without verse numbers."""
    command = ["bible", "-f", "-l", "9999", "Gen1:1-Rev22:21"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    chapter, verses = "", []
    for line in printed.splitlines():
        found = re.match(r"(\w+?\d+):\d+ (.*)", line)
        if not found:
            continue
        if found[1] != chapter and verses:
            yield "\n".join(verses)
            verses = []
        chapter = found[1]
        verses.append(found[2])
    yield "\n".join(verses)


def read_jargon() -> Iterator[str]:
    """Yield the Jargon File in pieces of about thirty paragraphs, tables left out."""
    text = gzip.decompress(JARGON.read_bytes()).decode("utf-8", "replace")
    kept = "\n".join(line for line in text.splitlines() if not re.search("[─-╿]", line))
    paragraphs = unwrap(kept).split("\n\n")
    for start in range(0, len(paragraphs), 30):
        yield "\n\n".join(paragraphs[start : start + 30])


def synsets() -> Iterator[tuple[str, str]]:
    """Yield the kind and the text `lemma, lemma: gloss` of each WordNet synset, in file order."""
    for part in ("noun", "verb", "adj", "adv"):
        for line in (WORDNET / f"data.{part}").read_text(encoding="utf-8").splitlines():
            if line.startswith("  ") or "|" not in line:
                continue
            head, gloss = line.split("|", 1)
            fields = head.split()
            lemmas = [
                re.sub(r"\(\w+\)$", "", w) for w in fields[4 : 4 + 2 * int(fields[3], 16) : 2]
            ]
            names = ", ".join(dict.fromkeys(w.replace("_", " ") for w in lemmas))
            text = f"{names}: {gloss.strip()}"
            if not re.search(r"\bgenus\b|\bfamily [A-Z]", text):
                yield kind(int(fields[1]), text), text


def kind(number: int, text: str) -> str:
    """Return which WordNet source a synset belongs to, by its lexicographer file and words."""
    if DAILY.search(text):
        return "daily"
    if number in FOOD:
        return "food"
    if number in PLACES:
        return "places"
    return "things" if number in EVERYDAY else "rest"


def wordnet(wanted: str) -> Callable[[], Iterator[str]]:
    """Return a reader of WordNet's synsets of one kind, forty a document."""

    def read() -> Iterator[str]:
        lines = [text for found, text in synsets() if found == wanted]
        for start in range(0, len(lines), SYNSETS_PER_DOCUMENT):
            yield "\n".join(lines[start : start + SYNSETS_PER_DOCUMENT])

    return read


PSF = "PSF License 2"
WN = "WordNet 3.0 licence (permissive)"
FREE = "public domain"
SOURCES = (
    Source("python-docs", "python3.11-doc", "Python documentation", PSF, 0.20, read_docs),
    Source("python-stdlib", "libpython3.11-stdlib", "Python library", PSF, 0.24, read_stdlib),
    Source("wordnet-daily", "wordnet-base", "WordNet", WN, 0.09, wordnet("daily")),
    Source("wordnet-food", "wordnet-base", "WordNet", WN, 0.05, wordnet("food")),
    Source("wordnet-places", "wordnet-base", "WordNet", WN, 0.04, wordnet("places")),
    Source("wordnet-things", "wordnet-base", "WordNet", WN, 0.10, wordnet("things")),
    Source("wordnet-rest", "wordnet-base", "WordNet", WN, 0.10, wordnet("rest")),
    Source("austen", "r-cran-janeaustenr", "Jane Austen's novels", FREE, 0.09, read_austen),
    Source("bible", "bible-kjv, bible-kjv-text", "King James Bible", FREE, 0.05, read_bible),
    Source("jargon", "jargon-text", "The Jargon File", FREE, 0.04, read_jargon),
)


def allowed(document: str) -> str:
    """Return the document without the lines that come near the test prompt."""
    if not FORBIDDEN.search(" ".join(document.split())):
        return document
    text = "\n".join(line for line in document.splitlines() if not FORBIDDEN.search(line))
    return "" if FORBIDDEN.search(" ".join(text.split())) else text


def write(work: Path) -> None:
    """Write every source to `work/corpus/<name>.jsonl`.

    Parameters
    ----------
    work : Path
        Folder that takes corpus, tokens, checkpoints and logs.
    """
    folder = work / "corpus"
    folder.mkdir(parents=True, exist_ok=True)
    for source in SOURCES:
        documents = [text for text in map(allowed, source.read()) if text]
        for text in documents:
            if FORBIDDEN.search(" ".join(text.split())):
                raise ValueError(f"{source.name}: a document still holds the test prompt")
        lines = "\n".join(map(json.dumps, documents))
        (folder / f"{source.name}.jsonl").write_text(lines, encoding="utf-8")
        size = sum(map(len, documents))
        LOG.info("%s: %d documents, %d characters", source.name, len(documents), size)


def documents(work: Path, name: str) -> list[str]:
    """Return the documents of one source written before."""
    lines = (work / "corpus" / f"{name}.jsonl").read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines]


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    write(parser.parse_args().work)


if __name__ == "__main__":
    main()
