"""What a user installs: the wheel, built from a copy of the tree, without a network."""

import configparser
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from engine import __version__

ROOT = Path(__file__).parents[2]
PACKAGED = ("engine", "gui", "resources")
BUILD_FILES = ("main.py", "pyproject.toml", "README.md", "LICENSE")


def source_files(package: str) -> set[str]:
    """Files of a package as they lie in the tree, relative to its root."""
    return {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    tree = tmp_path_factory.mktemp("tree")
    for name in BUILD_FILES:
        shutil.copy(ROOT / name, tree / name)
    for name in PACKAGED:
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    # A folder that must not slip in.
    shutil.copytree(ROOT / "tests" / "packaging", tree / "tests" / "packaging")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", "dist", "."],
        cwd=tree,
        check=True,
        capture_output=True,
    )
    (path,) = (tree / "dist").glob("*.whl")
    return zipfile.ZipFile(path)


def test_the_wheel_holds_main_and_the_three_packages_and_nothing_else(
    wheel: zipfile.ZipFile,
) -> None:
    top = {name.split("/")[0] for name in wheel.namelist()}
    ours = {name for name in top if not name.endswith((".dist-info", ".data"))}
    assert ours == {"main.py", *PACKAGED}


@pytest.mark.parametrize("package", PACKAGED)
def test_every_file_of_a_package_is_in_the_wheel(wheel: zipfile.ZipFile, package: str) -> None:
    packed = {name for name in wheel.namelist() if name.startswith(f"{package}/")}
    assert packed == source_files(package)


@pytest.mark.parametrize("name", ["attn-1l", "attn-2l"])
def test_the_trained_models_are_in_the_wheel(wheel: zipfile.ZipFile, name: str) -> None:
    for file in ("config.json", "tokenizer.json", "model.safetensors", "MODEL_CARD.md"):
        assert wheel.getinfo(f"resources/models/{name}/{file}").file_size > 0


def test_the_wheel_installs_a_command_named_headscope(wheel: zipfile.ZipFile) -> None:
    (path,) = (name for name in wheel.namelist() if name.endswith("entry_points.txt"))
    entries = configparser.ConfigParser()
    entries.read_string(wheel.read(path).decode())
    assert dict(entries["console_scripts"]) == {"headscope": "main:program"}


def test_the_wheel_has_the_version_that_the_program_says(wheel: zipfile.ZipFile) -> None:
    (path,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    assert f"\nVersion: {__version__}\n" in wheel.read(path).decode()


@pytest.mark.parametrize("package", ["engine", "gui"])
def test_the_wheel_says_that_its_packages_are_typed(wheel: zipfile.ZipFile, package: str) -> None:
    assert f"{package}/py.typed" in wheel.namelist()


def test_the_wheel_installs_a_desktop_entry_and_its_icons(wheel: zipfile.ZipFile) -> None:
    share = f"headscope-{__version__}.data/data/share"
    names = {name for name in wheel.namelist() if name.startswith(share)}
    icons = {
        f"{share}/icons/hicolor/{path.parent.name}/apps/{path.name}"
        for path in (ROOT / "resources" / "icons").glob("*/headscope.*")
    }
    assert len(icons) == 10
    assert names == {f"{share}/applications/headscope.desktop", *icons}
    assert (
        wheel.read(f"{share}/applications/headscope.desktop")
        == (ROOT / "resources" / "headscope.desktop").read_bytes()
    )


def test_the_wheel_carries_the_licence(wheel: zipfile.ZipFile) -> None:
    (path,) = (name for name in wheel.namelist() if name.endswith("licenses/LICENSE"))
    assert b"The Headscope authors" in wheel.read(path)


def test_the_unpacked_wheel_answers_a_question(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    wheel.extractall(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", "import main; raise SystemExit(main.main())", "models"],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(tmp_path), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert {"toy", "attn-1l", "attn-2l"} <= set(done.stdout.split())
