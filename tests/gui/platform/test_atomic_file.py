"""What is there already when a file is written: links, rights, other kinds of file, remains."""

import errno
import os
import re
import socket
import stat
import subprocess
from pathlib import Path

import pytest

from engine.messages import Refused
from gui.platform import atomic_file

REMAINS = f".headscope-{'0' * 16}.part"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def umask():
    before = os.umask(0o027)
    yield
    os.umask(before)


def test_a_new_file_may_be_read_by_those_whom_the_user_lets(tmp_path, umask):
    atomic_file.write(tmp_path / "new", b"1")
    assert mode(tmp_path / "new") == 0o640


@pytest.mark.parametrize("rights", [0o600, 0o644, 0o664, 0o640])
def test_a_file_that_is_written_again_keeps_its_rights(tmp_path, umask, rights):
    path = tmp_path / "kept"
    path.write_bytes(b"0")
    path.chmod(rights)
    atomic_file.write(path, b"1")
    assert (path.read_bytes(), mode(path)) == (b"1", rights)


def test_nobody_else_can_read_a_private_file_while_it_is_written(tmp_path, monkeypatch, umask):
    path, seen = tmp_path / "private", []
    path.write_bytes(b"0")
    path.chmod(0o600)
    fsync = os.fsync

    def look(handle):
        seen.append(stat.S_IMODE(os.fstat(handle).st_mode))
        fsync(handle)

    monkeypatch.setattr(atomic_file.os, "fsync", look)
    atomic_file.write(path, b"1")
    assert seen == [0o600]


def test_an_attribute_of_a_file_is_kept(tmp_path):
    path = tmp_path / "kept"
    path.write_bytes(b"0")
    try:
        os.setxattr(path, "user.note", b"mine")
    except (AttributeError, OSError):
        pytest.skip("this file system keeps no attributes")
    atomic_file.write(path, b"1")
    assert os.getxattr(path, "user.note") == b"mine"


def test_the_time_of_a_file_is_that_of_its_writing(tmp_path):
    path = tmp_path / "kept"
    path.write_bytes(b"0")
    os.utime(path, (1, 1))
    atomic_file.write(path, b"1")
    assert path.stat().st_mtime > 10**9


def test_a_file_that_is_protected_is_not_written(tmp_path, monkeypatch):
    path = tmp_path / "protected"
    path.write_bytes(b"0")
    monkeypatch.setattr(atomic_file.os, "access", lambda *_: False)  # as root, nothing is protected
    with pytest.raises(PermissionError) as raised:
        atomic_file.write(path, b"1")
    assert raised.value.filename == str(path)
    assert path.read_bytes() == b"0"


@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_a_link_and_what_it_leads_to_is_written(tmp_path, there):
    (tmp_path / "far").mkdir()
    target, first, path = tmp_path / "far" / "it", tmp_path / "far" / "other", tmp_path / "link"
    if there:
        target.write_bytes(b"0")
    first.symlink_to("it")
    path.symlink_to(first)
    atomic_file.write(path, b"1")
    assert path.is_symlink()
    assert first.is_symlink()
    assert target.read_bytes() == b"1"
    assert names(tmp_path / "far") == ["it", "other"]


def test_links_that_go_round_are_an_error_that_names_the_file(tmp_path):
    path, other = tmp_path / "one", tmp_path / "other"
    path.symlink_to(other)
    other.symlink_to(path)
    with pytest.raises(OSError, match="symbolic links") as raised:
        atomic_file.write(path, b"1")
    assert raised.value.filename == str(path)
    assert names(tmp_path) == ["one", "other"]


def test_another_name_of_the_file_keeps_what_was_there(tmp_path):
    path, backup = tmp_path / "file", tmp_path / "backup"
    path.write_bytes(b"0")
    backup.hardlink_to(path)
    atomic_file.write(path, b"1")
    assert (path.read_bytes(), backup.read_bytes()) == (b"1", b"0")


def pipe(path):
    os.mkfifo(path)


def device(path):
    path.symlink_to("/dev/null")


def socket_(path):
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def folder(path):
    path.mkdir()


@pytest.mark.parametrize("made", [pipe, device, socket_, folder])
def test_what_is_no_file_is_refused_and_stays(tmp_path, made):
    path = tmp_path / "it.pdf"
    made(path)
    before = path.lstat()
    for act in (atomic_file.check, lambda at: atomic_file.write(at, b"1")):
        with pytest.raises(Refused, match=r"it\.pdf is a (folder|pipe or a device): name a file"):
            act(path)
    assert os.path.samestat(path.lstat(), before)
    assert names(tmp_path) == ["it.pdf"]


def test_standard_output_that_is_a_pipe_is_refused(python, repository, tmp_path):
    path = tmp_path / "out.png"
    path.symlink_to("/dev/stdout")
    code = (
        "import pathlib; from gui.platform import atomic_file as it; it.check(pathlib.Path({!r}))"
    )
    run = [python, "-c", code.format(str(path))]
    done = subprocess.run(run, cwd=repository, capture_output=True, text=True)
    assert "out.png is a pipe or a device: name a file" in done.stderr


@pytest.mark.parametrize("letter", ["x", "é"])
def test_a_name_of_any_legal_length_can_be_written(tmp_path, letter):
    longest = os.pathconf(tmp_path, "PC_NAME_MAX")
    path = tmp_path / (letter * (longest // len(letter.encode())))
    atomic_file.write(path, b"1")
    assert path.read_bytes() == b"1"
    assert names(tmp_path) == [path.name]


def test_a_link_that_somebody_planted_beside_the_file_is_not_followed(tmp_path, monkeypatch):
    victim, path = tmp_path / "victim", tmp_path / "it"
    victim.write_bytes(b"theirs")
    (tmp_path / f".it.{os.getpid()}.part").symlink_to(victim)
    (tmp_path / REMAINS).symlink_to(victim)
    atomic_file.write(path, b"1")
    monkeypatch.setattr(atomic_file.os, "urandom", bytes)  # even where the name is guessed
    with pytest.raises(FileExistsError):
        atomic_file.write(path, b"2")
    assert (victim.read_bytes(), path.read_bytes()) == (b"theirs", b"1")


def test_no_two_files_are_written_under_the_same_name_in_between(tmp_path, monkeypatch):
    seen, fsync = [], os.fsync

    def look(handle):
        seen.extend(name for name in names(tmp_path) if name.endswith(".part"))
        fsync(handle)

    monkeypatch.setattr(atomic_file.os, "fsync", look)
    for _ in range(3):
        atomic_file.write(tmp_path / "it", b"1")
    assert len(set(seen)) == 3


def test_a_disk_that_is_full_leaves_what_was_there_and_nothing_beside_it(tmp_path, monkeypatch):
    path = tmp_path / "it"
    path.write_bytes(b"0")

    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(atomic_file.os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as raised:
        atomic_file.write(path, b"1")
    assert raised.value.filename == str(path)
    assert path.read_bytes() == b"0"
    assert names(tmp_path) == ["it"]


def test_what_a_killed_process_left_is_removed_when_a_file_is_written_beside_it(tmp_path):
    (tmp_path / REMAINS).write_bytes(b"half of")
    atomic_file.write(tmp_path / "it", b"1")
    assert names(tmp_path) == ["it"]


def test_what_is_being_written_and_what_is_not_ours_is_left_alone(tmp_path, monkeypatch):
    others = [".notes.part", ".headscope-notes.part", "headscope-0123456789abcdef.part"]
    for name in others:
        (tmp_path / name).write_bytes(b"theirs")
    os.mkfifo(tmp_path / REMAINS)
    fsync, nested = os.fsync, []

    def write_another(handle):
        if not nested:
            nested.append(True)
            atomic_file.write(tmp_path / "another", b"2")
        fsync(handle)

    monkeypatch.setattr(atomic_file.os, "fsync", write_another)
    atomic_file.write(tmp_path / "it", b"1")
    assert names(tmp_path) == sorted([*others, REMAINS, "another", "it"])
    assert (tmp_path / "it").read_bytes() == b"1"


def test_what_another_user_left_is_left_alone(tmp_path, monkeypatch):
    (tmp_path / REMAINS).write_bytes(b"half of")
    monkeypatch.setattr(atomic_file.os, "geteuid", lambda: 12345)
    atomic_file.write(tmp_path / "it", b"1")
    assert names(tmp_path) == [REMAINS, "it"]


def test_a_file_taken_for_a_dead_process_s_is_begun_anew(tmp_path, monkeypatch):
    lock, made = atomic_file._lock, []

    def lose(handle):
        made.append(handle)
        if len(made) == 1:
            (part,) = (path for path in tmp_path.iterdir() if path.suffix == ".part")
            part.unlink()
        elif len(made) == 2:
            (part,) = (path for path in tmp_path.iterdir() if path.suffix == ".part")
            part.unlink()
            raise BlockingIOError
        lock(handle)

    monkeypatch.setattr(atomic_file, "_lock", lose)
    atomic_file.write(tmp_path / "it", b"1")
    assert len(made) == 3
    assert names(tmp_path) == ["it"]
    assert Path(tmp_path / "it").read_bytes() == b"1"


def test_where_there_are_no_locks_files_are_written_and_remains_stay(tmp_path, monkeypatch):
    def none(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(atomic_file, "_lock", none)
    (tmp_path / REMAINS).write_bytes(b"half of")
    atomic_file.write(tmp_path / "it", b"1")
    assert names(tmp_path) == [REMAINS, "it"]


WRITES = re.compile(
    r"""\.write_(text|bytes)\(|\bopen\(.*["'][wax]\+?b?["']|\bO_CREAT\b|mkstemp|NamedTemporaryFile"""
    r"""|\.save\(str|\bsavefig\(|\bQSaveFile\b|\bdump\("""
)
WRITERS = {
    "gui/platform/atomic_file.py",
    "engine/cli/console.py",  # /dev/null
    "engine/sources/hub.py",  # of the hub's cache, into which nothing of gui reaches
}


def test_every_file_is_written_by_this_writer(repository):
    found = {
        path.relative_to(repository).as_posix()
        for folder in ("engine", "gui", "docs")
        for path in (repository / folder).rglob("*.py")
        if WRITES.search(path.read_text(encoding="utf-8"))
    }
    assert found == WRITERS
    assert not WRITES.search((repository / "main.py").read_text(encoding="utf-8"))
