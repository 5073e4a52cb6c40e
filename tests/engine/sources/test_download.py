"""Downloads from a hub on this computer: what is fetched, what can go wrong, and going on."""

import json
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import huggingface_hub
import pytest
from safetensors.torch import load_file

from engine import Engine
from engine.job import Cancelled, Job
from engine.messages import (
    DownloadModel,
    FindDownload,
    ListModels,
    LoadModel,
    Refused,
    RunPrompt,
)
from engine.sources import hub, hub_cache, questions
from tests.engine.sources import state_dicts
from tests.engine.sources.hub import REVISION, Hub
from tests.engine.sources.refusals import refused
from tests.oracles import hugging_face, state_dict

NAME = "someone/tiny"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("source") / "tiny"
    hugging_face.write("llama", folder)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def server(files, tmp_path, monkeypatch):
    served = Hub()
    served.repositories[NAME] = files | {
        "README.md": b"# tiny",
        "modeling_tiny.py": b"raise SystemExit",
        "pytorch_model.bin": b"pickle" * 1000,
        "onnx/model.onnx": b"x" * 100,
    }
    monkeypatch.setenv("HF_ENDPOINT", served.url)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("HF_TOKEN_PATH", str(tmp_path / "token"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    yield served
    served.close()


@pytest.fixture
def engine():
    return Engine()


def asked_files(server):
    return [path.rpartition("/")[2] for path, _ in server.asked if "/resolve/" in path]


def test_the_size_is_told_before_anything_is_fetched(server, engine, files):
    plan = engine.answer(FindDownload(NAME))
    assert (plan.repository, plan.revision, plan.have) == (NAME, REVISION, 0)
    assert plan.files == (
        "config.json",
        "tokenizer.json",
        "tokenizer_config.json",
        "model.safetensors",
    )
    assert plan.sizes.tolist() == [len(files[name]) for name in plan.files]
    assert plan.free > 0
    assert not hub_cache.root().exists()


def test_a_downloaded_model_is_listed_and_opens_without_the_hub(server, engine, files):
    steps = []
    answer = engine.answer(DownloadModel(NAME), Job(lambda *step: steps.append(step)))
    wanted = ("config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors")
    total = sum(len(files[name]) for name in wanted)
    assert (answer.model, answer.bytes) == (NAME, total)
    assert ("downloading model.safetensors", total) in {(what, of) for _, of, what in steps}
    assert all(0 <= done <= of for done, of, _ in steps)
    assert {*asked_files(server)} == {*wanted}
    server.close()
    names = [entry.name for entry in engine.answer(ListModels()).models if entry.source == "cache"]
    assert names == [NAME]
    assert engine.answer(LoadModel(NAME)).n_layers == 3
    assert engine.answer(RunPrompt(NAME, "w3 w4")).ids.tolist() == [1, 3, 4]


def test_the_cache_is_one_that_the_hubs_own_library_reads(server, engine, files, tmp_path):
    engine.answer(DownloadModel(NAME))
    root = tmp_path / "hub"
    for file in ("config.json", "model.safetensors"):
        path = huggingface_hub.try_to_load_from_cache(NAME, file, cache_dir=root)
        assert Path(path).read_bytes() == files[file]
    (repository,) = huggingface_hub.scan_cache_dir(root).repos
    assert (repository.repo_id, repository.nb_files) == (NAME, 4)
    assert not list(root.rglob("*.incomplete"))


def test_what_stands_beside_an_engine_downloads_while_the_engine_computes(server, engine, files):
    server.rates["model.safetensors"] = len(files["model.safetensors"]) // 2
    beside, far = questions.Beside(), []
    with ThreadPoolExecutor(1) as other:
        job = Job(lambda *step: far.append(step))
        fetched = other.submit(beside.answer, DownloadModel(NAME), job)
        while not any(what == "downloading model.safetensors" for _, _, what in far):
            assert not fetched.done()
            time.sleep(0.01)
        for text in ("ans", "ans 0", "0 ans"):
            engine.answer(RunPrompt("toy", text))
        assert not fetched.done()
        assert fetched.result(timeout=30).model == NAME
    ranges = [asked for path, asked in server.asked if path.endswith("model.safetensors")]
    assert ranges == [None]


def test_what_asks_the_hub_needs_no_torch(python, repository):
    code = "import sys, engine.sources.questions as q; q.Beside(); print('torch' in sys.modules)"
    done = subprocess.run([python, "-c", code], cwd=repository, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("False\n", "")


def test_what_is_here_is_not_fetched_again(server, engine, files):
    total = engine.answer(DownloadModel(NAME)).bytes
    assert engine.answer(FindDownload(NAME)).have == total
    server.asked.clear()
    engine.answer(DownloadModel(NAME))
    # Only the config, to see what the model is.
    assert asked_files(server) == ["config.json"]


def test_a_cancelled_download_stops_at_once_and_goes_on_where_it_was(server, engine, files):
    size = len(files["model.safetensors"])
    server.rates["model.safetensors"] = size // 2

    class Stopping(Job):
        def step(self, done, total, what):
            if what == "downloading model.safetensors" and done > total // 2:
                self.cancel()
                self.stopped = time.monotonic()
            super().step(done, total, what)

    job = Stopping()
    with pytest.raises(Cancelled):
        engine.answer(DownloadModel(NAME), job)
    assert time.monotonic() - job.stopped < 1
    (partial,) = hub_cache.root().rglob("*.incomplete")
    kept = partial.stat().st_size
    assert 0 < kept < size
    assert engine.answer(FindDownload(NAME)).have >= kept
    assert f"`headscope download {NAME}` fetches" in refused(LoadModel(NAME), engine)
    assert NAME not in [entry.name for entry in engine.answer(ListModels()).models]
    server.asked.clear()
    server.rates.clear()
    engine.answer(DownloadModel(NAME))
    ranges = [asked for path, asked in server.asked if path.endswith("model.safetensors")]
    assert ranges == [f"bytes={kept}-"]
    found = next(hub_cache.root().rglob("model.safetensors"))
    assert found.read_bytes() == files["model.safetensors"]


def test_a_connection_that_breaks_is_said_and_what_came_is_kept(server, engine, files):
    server.break_after["model.safetensors"] = 50_000
    text = refused(DownloadModel(NAME), engine)
    assert "what has come is kept, and asking again goes on from there" in text
    (partial,) = hub_cache.root().rglob("*.incomplete")
    kept = partial.read_bytes()
    assert 0 < len(kept) <= 50_000
    assert files["model.safetensors"].startswith(kept)
    server.break_after.clear()
    engine.answer(DownloadModel(NAME))
    assert server.asked[-1][1] == f"bytes={len(kept)}-"
    assert len(load_file(next(hub_cache.root().rglob("model.safetensors")))) > 0


def test_a_file_that_came_damaged_is_thrown_away(server, engine):
    server.spoilt.add("model.safetensors")
    assert "model.safetensors of someone/tiny came damaged" in refused(DownloadModel(NAME), engine)
    assert not list(hub_cache.root().rglob("*.incomplete"))
    assert NAME not in [entry.name for entry in engine.answer(ListModels()).models]


@pytest.mark.parametrize(
    ("name", "error", "says"),
    [
        ("nobody/nothing", None, "has no model nobody/nothing, or it is private"),
        ("gone/model", (404, "RepoNotFound"), "has no model gone/model, or it is private"),
        ("strict/model", (403, "GatedRepo"), "strict/model is gated: accept its terms"),
        ("ill/model", (500, "Broken"), "could not give ill/model (it answered 500)"),
    ],
)
def test_what_the_hub_refuses_is_said_in_plain_words(server, engine, name, error, says):
    if error:
        server.errors[name] = error
    assert says in refused(DownloadModel(name), engine)
    assert not hub_cache.root().exists()


def test_a_model_whose_files_are_gated_is_told_before_its_size(server, engine):
    server.gated_files[NAME] = (403, "GatedRepo")
    assert "is gated" in refused(FindDownload(NAME), engine)


def test_no_network_is_said(server, engine, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    text = refused(FindDownload(NAME), engine)
    assert "there is no connection to the Hugging Face hub" in text
    assert "is kept" not in text  # nothing has come


@pytest.mark.parametrize("name", ["", "-x", "a/b/c", "../x", "/tmp/x", "a b", "x" * 300, "a--b"])
def test_what_is_no_name_on_the_hub_is_refused_and_not_asked_for(server, engine, name):
    assert "is no name on the Hugging Face hub" in refused(FindDownload(name), engine)
    assert server.asked == []


def test_a_full_disk_is_told_before_anything_is_fetched(server, monkeypatch):
    monkeypatch.setattr(hub, "disk_free", lambda: 1000)
    wanted = [hub.Wanted(NAME, REVISION, "model.safetensors", 5_000_000, "a" * 64)]
    monkeypatch.setattr(hub, "find", lambda name: wanted)
    with pytest.raises(Refused, match=r"someone/tiny needs 4.8 MiB more on the disk, and 1000 byt"):
        hub.download(NAME)
    assert not hub_cache.root().exists()


def test_what_is_no_decoder_is_told_before_it_is_fetched(server, engine, files):
    config = json.loads(files["config.json"])
    for kind, architecture, says in (
        ("mamba", "MambaForCausalLM", "has no attention to show"),
        ("bert", "BertForMaskedLM", "open a decoder"),
    ):
        changed = json.dumps(config | {"model_type": kind, "architectures": [architecture]})
        server.repositories["a/b"] = files | {"config.json": changed.encode()}
        assert says in refused(FindDownload("a/b"), engine)


def test_a_legacy_name_is_fetched_with_its_tokenizer(server, engine, tmp_path):
    about = state_dict.config(attn_only=True, tokenizer_name="NeelNanda/digits")
    folder = state_dicts.write(tmp_path / "its", about, state_dict.random(about), tokenizer=False)
    legacy = "NeelNanda/Attn_Only_2L512W_C4_Code"
    server.repositories[legacy] = {it.name: it.read_bytes() for it in folder.iterdir()}
    state_dicts.write_tokenizer(tmp_path / "digits")
    digits = {it.name: it.read_bytes() for it in (tmp_path / "digits").iterdir()}
    server.repositories["NeelNanda/digits"] = digits
    plan = engine.answer(FindDownload("attn-only-2l"))
    assert plan.repository == legacy
    assert plan.files[:2] == ("config.json", "model_final.pth")
    assert "NeelNanda/digits/tokenizer.json" in plan.files
    assert engine.answer(DownloadModel("attn-only-2l")).model == "attn-only-2l"
    facts = engine.answer(LoadModel("attn-only-2l"))
    assert (facts.name, facts.n_layers, facts.prepend_bos) == ("attn-only-2l", 2, True)
    (entry,) = [it for it in engine.answer(ListModels()).models if it.source == "cache"]
    assert entry.name == "attn-only-2l"


@pytest.mark.parametrize(
    ("names", "files"),
    [
        (
            ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"],
            ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"],
        ),
        (["model-evil.safetensors", "run.py"], []),
    ],
)
def test_shards_are_needed_and_code_is_not(names, files):
    all_of_it = ["config.json", "tokenizer.json", "model.safetensors.index.json", *names]
    assert hub.needed("a/b", all_of_it) == [*all_of_it[:3], *files]


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (["x.gguf"], "it has GGUF files: fetch one from its page"),
        (["config.json", "tokenizer.json"], "has no weights"),
        (["config.json", "model.safetensors"], "has no tokenizer"),
    ],
)
def test_a_repository_without_a_model_is_refused(names, says):
    with pytest.raises(Refused, match=says):
        hub.needed("a/b", names)


def test_the_command_tells_the_size_shows_progress_and_how_to_open(server, python, repository):
    done = subprocess.run(
        [python, "main.py", "download", NAME],
        cwd=repository,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (
        0,
        f"{NAME} is on this computer: headscope --model {NAME}\n",
    )
    assert f"{NAME}: 4 files, " in done.stderr.splitlines()[0]
    assert "(100 %)" in done.stderr


def test_the_command_is_stopped_by_ctrl_c_and_says_that_it_goes_on(
    server, python, repository, files
):
    server.rates["model.safetensors"] = len(files["model.safetensors"]) // 4
    process = subprocess.Popen(
        [python, "main.py", "download", NAME],
        cwd=repository,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell that runs the tests in the background has them ignore it, and heirs do too.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    line = process.stderr.readline()
    while "model.safetensors" not in line:
        line = process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "")
    assert f"stopped: what has come is kept, and headscope download {NAME} goes on" in err
    assert len(list(hub_cache.root().rglob("*.incomplete"))) == 1
