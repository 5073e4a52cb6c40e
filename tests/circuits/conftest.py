"""One engine a model for the whole session, so that no test waits for a model twice."""

import importlib.resources
from contextlib import nullcontext
from unittest import mock

import pytest

from engine import Engine
from tests.oracles import checkpoint, made_models


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """Return a folder that stands in for the package `resources`, with the made models in it."""
    folder = tmp_path_factory.mktemp("resources")
    made_models.write_all(folder / "models")
    return folder


@pytest.fixture(scope="session")
def answer(made):
    """Ask a question; each model has its own engine, since an engine keeps one open."""
    engines = {}
    files = importlib.resources.files

    def stand_in(package):
        return made if package == "resources" else files(package)

    def ask(question):
        model = question.run.model if getattr(question, "run", None) else question.model
        is_made = (made / "models" / model).exists()
        instead = mock.patch("importlib.resources.files", stand_in) if is_made else nullcontext()
        with instead:
            return engines.setdefault(model, Engine()).answer(question)

    return ask


@pytest.fixture(scope="session")
def raw(made):
    """Return the raw checkpoint of a model by name, read once."""
    read = {}

    def by_name(name):
        if name not in read:
            folder = made / "models" / name
            read[name] = checkpoint.read(folder) if folder.exists() else checkpoint.bundled(name)
        return read[name]

    return by_name
