"""The tree as the documents describe it."""

import ast
import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

from gui.platform.system import PACKAGES

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def pins() -> dict[str, str]:
    """Pinned version of each distribution, by normalised name."""
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pairs = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in pairs}


def test_what_is_packaged_is_what_lies_at_the_root() -> None:
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"benchmarks"}
    assert packages == {"engine", "gui", "resources"}
    assert (ROOT / "main.py").is_file()


def test_every_declared_requirement_is_pinned_within_its_range() -> None:
    extras = PROJECT["project"]["optional-dependencies"].values()
    wanted = [*PROJECT["project"]["dependencies"], *(line for lines in extras for line in lines)]
    for line in wanted:
        requirement = Requirement(line)
        version = pins()[re.sub(r"[-_.]+", "-", requirement.name).lower()]
        assert version in requirement.specifier, line


def test_constraints_hold_exact_versions_and_no_addresses() -> None:
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        assert line.startswith("#") or re.fullmatch(r"[\w.-]+==[\w.]+", line), line


def test_the_readme_and_ci_name_the_same_system_libraries_as_the_check() -> None:
    for name in ("README.md", ".ci/run"):
        words = set((ROOT / name).read_text().split())
        assert set(PACKAGES.split()) <= words, name


def test_links_between_documents_lead_somewhere() -> None:
    for document in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", document.read_text()):
            if "://" not in target:
                assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_the_oracles_import_nothing_of_what_they_judge() -> None:
    for path in (ROOT / "tests" / "oracles").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            found = {name.split(".")[0] for name in names} & {"engine", "gui", "main"}
            assert not found, f"{path.name}:{node.lineno}"
