"""One engine a model for the whole session, so that no test waits for a model twice."""

import pytest

from engine import Engine
from engine.messages import LoadModel
from tests.oracles import checkpoint


def _model_of(question):
    return question.run.model if getattr(question, "run", None) else question.model


@pytest.fixture(scope="session")
def answer():
    """Ask a question; each model has its own engine, since an engine keeps one open."""
    engines = {}

    def ask(question):
        model = _model_of(question)
        if model not in engines:
            engines[model] = Engine()
            engines[model].answer(LoadModel(model))
        return engines[model].answer(question)

    return ask


@pytest.fixture(scope="session")
def raw():
    """Return the raw checkpoint of a model by name, read once."""
    read = {}

    def by_name(name):
        if name not in read:
            read[name] = checkpoint.bundled(name)
        return read[name]

    return by_name
