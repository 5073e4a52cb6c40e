"""Files from outside are read within bounds, and nothing but files is read."""

import os
from pathlib import Path

import pytest

from engine import bounded_file
from engine.messages import Refused


def test_a_file_within_the_bound_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    (tmp_path / "link").symlink_to("a")
    assert bounded_file.read(tmp_path / "link", 5) == b"12345"


def test_a_larger_file_is_refused_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"123456")
    with pytest.raises(Refused, match="a is larger than 5 bytes"):
        bounded_file.read(tmp_path / "a", 5)


@pytest.mark.timeout(20)
def test_pipes_and_endless_devices_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    for name in ("pipe", "zero"):
        with pytest.raises(Refused, match=f"{name} is a pipe or a device"):
            bounded_file.read(tmp_path / name, 5)


def test_a_folder_and_a_missing_file_are_errors_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        bounded_file.read(tmp_path, 5)
    with pytest.raises(FileNotFoundError):
        bounded_file.read(tmp_path / "none", 5)
