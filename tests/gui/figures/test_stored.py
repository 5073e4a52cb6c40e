"""Files that are no figures of ours, however they are made: refused at once, in bounded memory."""

import io
import os
import socket
import subprocess
import zipfile
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from engine.messages import Refused
from gui.figures import board_file, files, provenance, stored
from gui.session import stored_answers
from gui.state import file_kinds, session_file
from tests.gui.figures import samples

LARGE = 80 * 2**20
READ = """
import resource, sys
from pathlib import Path
from engine.messages import Refused
from gui.figures import stored
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    print(stored.record(Path(sys.argv[1])))
except Refused as refused:
    print(refused)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def png(kind, length, data):
    return b"\x89PNG\r\n\x1a\n" + length.to_bytes(4, "big") + kind + data


def pdf_of_escapes():
    return b"%PDF-1.4\n<< /Subject (" + b"\\(" * (LARGE // 2) + b") >>"


def pdf_of_subjects():
    return b"%PDF-1.4\n" + b"/Subject (" * (LARGE // 10)


def svg_attribute():
    return b"<svg a='" + b"x" * LARGE + b"'/>"


def svg_elements():
    return b"<svg>" + b"<g/>" * (LARGE // 4)


def svg_entities():
    lines = [f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12)]
    text = '<!DOCTYPE svg [<!ENTITY a0 "lol">' + "".join(lines) + "]>"
    about = "<d:description>&a11;</d:description>"
    return f"{text}<svg xmlns:d='http://purl.org/dc/elements/1.1/'>{about}</svg>".encode()


def png_text():
    return png(b"tEXt", LARGE, b"x" * LARGE)


def png_chunks():
    return png(b"abcd", 0, bytes(4)) + (bytes(4) + b"abcd" + bytes(4)) * (LARGE // 12)


def npz_members():
    # A table of contents of a million lines, none of which is there.
    line = b"PK\x01\x02" + bytes(24) + (1).to_bytes(2, "little") + bytes(16) + b"x"
    lines = LARGE // len(line)
    end = b"PK\x05\x06" + bytes(8) + (lines * len(line)).to_bytes(4, "little") + bytes(6)
    return line * lines + end


def npz_bomb():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("record.npy", bytes(10 * LARGE))
    return file.getvalue()


@pytest.mark.parametrize(
    ("suffix", "made"),
    [
        ("pdf", pdf_of_escapes),
        ("pdf", pdf_of_subjects),
        ("svg", svg_attribute),
        ("svg", svg_elements),
        ("svg", svg_entities),
        ("png", png_text),
        ("png", png_chunks),
        ("npz", npz_members),
        ("npz", npz_bomb),
        ("json", lambda: b"[" + b"[]," * (LARGE // 3)),
        ("json", lambda: b"[" + b"[]," * (LARGE // 4) + b"0]"),
        ("json", lambda: b'"' + b"x" * LARGE + b'"'),
    ],
)
def test_a_large_file_takes_bounded_memory(python, repository, tmp_path, suffix, made):
    path = tmp_path / f"f.{suffix}"
    path.write_bytes(made())
    run = [python, "-c", READ, str(path)]
    done = subprocess.run(run, cwd=repository, capture_output=True, text=True, check=True)
    told, grown = done.stdout.splitlines()
    assert told.startswith(("f.json is larger than 64.0 MiB", f"f.{suffix} holds no question"))
    # An 80 MB PDF is read whole, and searched by pieces of at most 16 MB.
    assert int(grown) < 400, "MiB"


@pytest.mark.parametrize("suffix", stored.READABLE)
@pytest.mark.parametrize("kind", ["pipe", "device", "socket"])
def test_what_is_no_regular_file_is_refused_and_not_waited_for(tmp_path, suffix, kind):
    path = tmp_path / f"f{suffix}"
    make(path, kind)
    for read in (stored.record, board_file.is_board, board_file.read, provenance.read):
        if kind == "socket":
            with pytest.raises(OSError, match=r"No such device"):
                read(path)
        else:
            with pytest.raises(Refused, match="is a pipe or a device"):
                read(path)
    assert file_kinds.kind_of(path) is None


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_neither_are_sessions_texts_and_stored_answers(tmp_path, kind):
    path = tmp_path / "f.headscope.json"
    make(path, kind)
    for read in (session_file.read, partial(session_file.read, own=True), board_file.read):
        with pytest.raises(Refused, match=r"cannot open f\.headscope\.json: .* a pipe or a device"):
            read(path)
    with pytest.raises(Refused, match="is a pipe or a device"):
        file_kinds.read_text(path)
    request, _ = samples.attention()
    assert stored_answers._read(path, request) is None


def make(path, kind):
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(str(path))


def headers():
    """Yield NPY files whose headers are damaged, each in its own way."""
    file = io.BytesIO()
    np.lib.format.write_array(file, np.array("{}"), allow_pickle=False)
    good = file.getvalue()
    begin, text = good[:10], good[10:]
    yield b""
    yield good[:20]
    yield begin + b"\xff" * len(text)
    for header in (
        b"{'descr': '<U2', 'fortran_order': False, 'shape': ((), }",
        b"{'descr': '<U2', 'fortran_order': False, 'shape': (-1,), }",
        b"{'descr': '<U2', 'fortran_order': False, 'shape': (10**12,), }",
        b"{'descr': '<U2', 'fortran_order': False, 'shape': (1000000000000,), }",
        b"{'descr': '<U99999999999', 'fortran_order': False, 'shape': (), }",
        b"{'descr': [('a', '<U2'), 3], 'fortran_order': False, 'shape': (), }",
        b"{'descr': '|O', 'fortran_order': False, 'shape': (), }",
        b"{'descr': ',', 'fortran_order': False, 'shape': (1L,), }",
        b"(" * 5000,
        b"'''",
        b"\\\n",
    ):
        yield b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + b"{\0\0\0}\0\0\0"


@pytest.mark.parametrize("npy", list(headers()))
@pytest.mark.parametrize("way", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_an_archive_whose_header_is_damaged_holds_no_question(tmp_path, npy, way):
    path = tmp_path / "f.npz"
    with zipfile.ZipFile(path, "w", way) as archive:
        archive.writestr("record.npy", npy)
    with pytest.raises(Refused, match=r"f\.npz holds no question"):
        stored.record(path)


def test_an_archive_with_any_byte_changed_is_read_or_refused(tmp_path):
    path = tmp_path / "f.npz"
    files.write(*samples.attention(), path)
    whole, read = path.read_bytes(), 0
    chance = np.random.default_rng(0)
    for place in [*range(60), *range(len(whole) - 700, len(whole)), *chance.integers(0, 9000, 200)]:
        damaged = bytearray(whole)
        damaged[place % len(whole)] ^= int(chance.integers(1, 256))
        path.write_bytes(damaged)
        try:
            read += "request" in stored.record(path)
        except Refused as refused:
            assert "holds no question" in str(refused)  # noqa: PT017
    assert read > 20  # of what is no part of the record


@pytest.mark.parametrize("suffix", [".pdf", ".svg"])
def test_the_question_is_found_whatever_the_prompt_writes(tmp_path, suffix):
    text = r"/Subject (a) \) \\ ((( <dc:description> ]]> &amp; %PDF"
    request, result = samples.attention()
    request = replace(request, run=replace(request.run, text=text))
    path = tmp_path / f"f{suffix}"
    files.write(request, result, path)
    assert stored.record(path)["request"]["run"]["text"] == text
