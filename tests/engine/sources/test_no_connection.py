"""Every kind of local model opens where connections are forbidden, and runs no code."""

import ctypes.util
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from engine import Engine
from engine.messages import EstimateModel, ListModels, LoadModel, Refused, RunPrompt
from tests.engine.sources import connections, gguf_files, state_dicts
from tests.engine.sources.caches import put
from tests.oracles import hugging_face, state_dict

LLM = os.environ.get("HEADSCOPE_LLM", "")

GUARD = """
import os, sys
from tests.engine.sources import connections

def refuse(what):
    print(f"a connection was tried: {what}", file=sys.__stderr__, flush=True)
    os._exit(99)

connections.forbid(refuse)
import main
sys.exit(main.main(sys.argv[1:]))
"""


@pytest.fixture
def no_connection():
    tried = []

    def refuse(what):
        tried.append(what)
        raise AssertionError(f"a connection was tried: {what}")

    with connections.forbidden(refuse):
        yield
    assert tried == []


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Make one model of every kind, and return what each is opened as."""
    folder = tmp_path_factory.mktemp("models")
    hugging_face.write("llama", folder / "llama")
    put(folder / "hub", "someone/tiny", folder / "llama")
    about = state_dict.config(tokenizer_name="NeelNanda/digits")
    bare = folder / "bare"
    state_dicts.write(bare, about, state_dict.random(about), tokenizer=False)
    put(folder / "hub", "NeelNanda/GELU_2L512W_C4_Code", bare)
    state_dicts.write_tokenizer(folder / "digits")
    put(folder / "hub", "NeelNanda/digits", folder / "digits")
    only = state_dict.config("LNPre", attn_only=True)
    state_dicts.write(folder / "state-dict", only, state_dict.random(only))
    root = Path(__file__).parents[3] / "resources" / "models"
    gguf_files.write(folder / "small.gguf")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_CACHE", str(folder / "hub"))
        yield {
            "bundled": "attn-1l",
            "toy": "toy",
            "own folder": str(root / "attn-1l"),
            "folder": str(folder / "llama"),
            "cache": "someone/tiny",
            "legacy": "gelu-2l",
            "state dict": str(folder / "state-dict"),
            "GGUF": str(folder / "small.gguf"),
        }


KINDS = ("bundled", "toy", "own folder", "folder", "cache", "legacy", "state dict", "GGUF")
PROMPTS = {"toy": "ans", "bundled": "tea", "own folder": "tea", "GGUF": "abc"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_local_model_is_estimated_opened_and_run_without_a_connection(
    models, no_connection, kind
):
    engine, name = Engine(), models[kind]
    estimate = engine.answer(EstimateModel(name))
    facts = engine.answer(LoadModel(name))
    assert estimate.obstacle == ""
    # What a bridge adds of its own: a table of no positions, a bias of zeros.
    assert estimate.parameters == pytest.approx(facts.parameters, rel=0.02)
    assert estimate.patterns == 4 * facts.n_layers * facts.n_heads * min(256, facts.n_ctx) ** 2
    assert estimate.memory <= estimate.peak
    assert len(engine.answer(RunPrompt(name, PROMPTS.get(kind, "w3 w4"))).ids) > 0


def test_models_are_listed_without_a_connection(models, no_connection):
    names = {entry.name for entry in Engine().answer(ListModels()).models}
    assert {"attn-1l", "toy", "someone/tiny", "gelu-2l"} <= names


@pytest.mark.parametrize("name", ["gpt2", "a/b", "attn-only-2l", "/nowhere", "x.gguf", "", "\0"])
def test_a_name_that_is_not_there_tries_no_connection(models, no_connection, name):
    for request in (LoadModel(name), EstimateModel(name)):
        with pytest.raises(Refused):
            Engine().answer(request)


def guarded(python, repository, *words, lines=""):
    return subprocess.run(
        [python, "-c", GUARD, *words],
        cwd=repository,
        input=lines,
        capture_output=True,
        text=True,
    )


def test_the_command_line_makes_no_connection(models, python, repository, monkeypatch):
    # Even where somebody wants libraries to be online.
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    lines = [json.dumps({"question": "load-model", "model": name}) for name in models.values()]
    done = guarded(python, repository, "ask", "-", lines="\n".join(lines))
    assert (done.returncode, done.stderr) == (0, "")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["result"]["name"] for answer in answers] == list(models.values())


def test_the_guard_would_tell_and_says_of_what(models, python, repository):
    done = guarded(python, repository, "download", "someone/tiny")
    assert done.returncode == 99
    assert done.stderr.startswith("a connection was tried: subprocess.Popen (")
    assert "engine.sources.hub" in done.stderr
    assert " by download.py:" in done.stderr


def connect():
    with socket.socket() as one:
        one.connect(("127.0.0.1", 9))


@pytest.mark.parametrize(
    ("connecting", "event"),
    [
        (lambda: socket.create_connection(("127.0.0.1", 9)), "socket.getaddrinfo"),
        (connect, "socket.connect"),
        (lambda: socket.gethostbyname("localhost"), "socket.gethostbyname"),
        (lambda: os.system("true"), "os.system"),
        (lambda: subprocess.run([sys.executable, "-c", ""]), "subprocess.Popen"),
    ],
)
def test_each_way_to_connect_is_told_by_its_name(connecting, event):
    told = []

    def refuse(what):
        told.append(what)
        raise PermissionError(what)

    with connections.forbidden(refuse), pytest.raises(PermissionError):
        connecting()
    assert told[0].startswith(f"{event} (")
    assert f" by {Path(__file__).name}:" in told[0]


def test_a_process_of_the_standard_library_is_no_connection(no_connection):
    # What torch's import does where it is built for a GPU: ldconfig or gcc is run.
    ctypes.util.find_library("c")


@pytest.mark.llm
@pytest.mark.skipif(not Path(LLM).is_file(), reason="HEADSCOPE_LLM names no GGUF file")
def test_a_real_gguf_file_opens_without_a_connection(no_connection):
    engine = Engine()
    estimate, facts = engine.answer(EstimateModel(LLM)), engine.answer(LoadModel(LLM))
    assert (estimate.source, estimate.parameters) == ("file", facts.parameters)
    assert estimate.patterns == 4 * 30 * 9 * 256**2
