"""Models by their name in the Hugging Face cache, and TransformerLens's names for them."""

import os
import subprocess

import pytest
from transformer_lens.supported_models import MODEL_ALIASES

from engine import Engine, sources
from engine.messages import EstimateModel, ListModels, LoadModel, RunPrompt
from engine.sources import folder, hub_cache
from tests.engine.sources import state_dicts
from tests.engine.sources.caches import REVISIONS, put
from tests.engine.sources.refusals import refused
from tests.oracles import hugging_face, state_dict

DIGITS = "NeelNanda/gpt-neox-tokenizer-digits"


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"


@pytest.fixture(scope="module")
def llama(tmp_path_factory):
    hugging_face.write("llama", folder := tmp_path_factory.mktemp("source") / "llama")
    return folder


def listed():
    models = Engine().answer(ListModels()).models
    return {entry.name: entry.about for entry in models if entry.source == "cache"}


@pytest.mark.parametrize(
    ("environment", "place"),
    [
        ({"HF_HUB_CACHE": "/a/hub", "HF_HOME": "/b"}, "/a/hub"),
        ({"HF_HOME": "/b"}, "/b/hub"),
        ({"XDG_CACHE_HOME": "/c"}, "/c/huggingface/hub"),
        ({"HOME": "/d"}, "/d/.cache/huggingface/hub"),
    ],
)
def test_the_cache_is_where_huggingface_hub_looks_for_it(monkeypatch, environment, place, python):
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert str(hub_cache.root()) == place
    code = "from huggingface_hub import constants; print(constants.HF_HUB_CACHE)"
    theirs = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=60)
    assert theirs.stdout.strip() == place


@pytest.mark.parametrize("name", ["someone/tiny", "gpt2"])
def test_a_model_in_the_cache_is_listed_and_opens_by_its_name(root, llama, name):
    put(root, name, llama)
    about = listed()
    assert about.keys() == {name}
    assert about[name].startswith("llama: 3 layers of 6 heads, 101 tokens, ")
    engine = Engine()
    assert engine.answer(LoadModel(name)).name == name
    assert engine.answer(RunPrompt(name, "w3 w4")).ids.tolist() == [1, 3, 4]
    found = engine.answer(EstimateModel(name, positions=10))
    assert (found.source, found.patterns) == ("cache", 4 * 3 * 6 * 10**2)


def test_transformer_lens_names_of_hub_models_open_too(root, llama):
    put(root, "EleutherAI/pythia-70m", llama)
    assert sources.load("pythia-70m").title == "pythia-70m"


def test_main_is_opened_or_else_the_newest(root, llama, tmp_path):
    other = tmp_path / "other"
    hugging_face.write("gpt2", other)
    first = put(root, "a/b", llama, REVISIONS[0], ref="")
    second = put(root, "a/b", other, REVISIONS[1], ref="")
    for path, seconds in ((first, 100), (second, 200)):
        os.utime(path, (seconds, seconds))
    assert hub_cache.folder("a/b").path == second
    (root / "models--a--b" / "refs").mkdir()
    (root / "models--a--b" / "refs" / "main").write_text(REVISIONS[0])
    assert hub_cache.folder("a/b").path == first


@pytest.mark.parametrize("file", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_model_that_is_not_all_there_says_so_and_is_not_listed(root, llama, file):
    snapshot = put(root, "someone/tiny", llama)
    (snapshot / file).resolve().unlink()
    text = refused("someone/tiny")
    assert "not all of someone/tiny is in the Hugging Face cache" in text
    assert "`headscope download someone/tiny` fetches what is not there" in text
    assert listed() == {}


def test_a_download_that_was_broken_off_says_so(root):
    (root / "models--someone--tiny" / "blobs").mkdir(parents=True)
    assert "not all of someone/tiny is in the Hugging Face cache" in refused("someone/tiny")


def test_what_is_no_decoder_is_not_listed_and_refused_by_its_kind(root, tmp_path):
    for kind in ("bert", "mamba"):
        hugging_face.write(kind, tmp_path / kind)
        put(root, f"a/{kind}", tmp_path / kind)
    put(root, "a/tokenizer", state_dicts_tokenizer(tmp_path))
    assert listed() == {}
    assert "open a decoder" in refused("a/bert")
    assert "has no attention to show" in refused("a/mamba")


def state_dicts_tokenizer(tmp_path):
    state_dicts.write_tokenizer(tmp_path / "words")
    return tmp_path / "words"


@pytest.mark.parametrize("content", ["{", "[]", '{"architectures": 3}', '{"architectures": [3]}'])
def test_a_damaged_model_hides_no_other(root, llama, content):
    put(root, "a/good", llama)
    (put(root, "a/bad", llama) / "config.json").unlink()
    (root / "models--a--bad" / "snapshots" / REVISIONS[0] / "config.json").write_text(content)
    (root / "models--").mkdir()
    (root / "models--..--..").mkdir()
    (root / "version.txt").write_text("1")
    assert listed().keys() == {"a/good"}


def test_a_listed_name_means_the_cache_though_a_folder_is_called_so(
    root, llama, tmp_path, monkeypatch
):
    put(root, "gpt2", llama)
    (tmp_path / "gpt2").mkdir()
    monkeypatch.chdir(tmp_path)
    assert Engine().answer(LoadModel("gpt2")).n_layers == 3
    assert "has no config.json" in refused("./gpt2")


def test_a_model_in_headscopes_own_format_opens_from_the_cache(root, repository):
    put(root, "a/own", repository / "resources" / "models" / "attn-1l")
    assert Engine().answer(LoadModel("a/own")).name == "a/own"


def test_names_are_those_of_transformer_lens():
    for repository, names in MODEL_ALIASES.items():
        for name in names:
            assert hub_cache.on_hub(name) == repository
    assert hub_cache.on_hub("ATTN-ONLY-2L") == "NeelNanda/Attn_Only_2L512W_C4_Code"
    assert hub_cache.short("NeelNanda/SoLU_1L_v9_old") == "solu-1l-pile"
    assert hub_cache.short("gpt2") == "gpt2"


@pytest.mark.parametrize(
    ("name", "repository", "settings"),
    [
        ("attn-only-2l", "NeelNanda/Attn_Only_2L512W_C4_Code", {"attn_only": True}),
        ("gelu-2l", "NeelNanda/GELU_2L512W_C4_Code", {}),
        ("solu-2l", "NeelNanda/SoLU_2L512W_C4_Code", {"act_fn": "solu_ln"}),
    ],
)
def test_a_legacy_name_opens_with_the_cached_tokenizer(root, tmp_path, name, repository, settings):
    about = state_dict.config(**settings, tokenizer_name=DIGITS)
    folder = state_dicts.write(tmp_path / "it", about, state_dict.random(about), tokenizer=False)
    put(root, repository, folder)
    text = refused(name)
    assert f"with the tokenizer {DIGITS}, which is not on this computer" in text
    assert f"`headscope download {name}` fetches" in text
    assert listed() == {}
    put(root, DIGITS, state_dicts_tokenizer(tmp_path))
    assert listed()[name].startswith("TransformerLens: 2 layers of 3 heads, 31 tokens, ")
    engine = Engine()
    assert (engine.answer(LoadModel(name)).name, engine.answer(LoadModel(name)).n_layers) == (
        name,
        2,
    )
    assert engine.answer(RunPrompt(name, "w3 w4")).ids.tolist() == [1, 3, 4]
    assert engine.answer(LoadModel(repository)).n_layers == 2


def test_shortformer_models_are_refused_by_what_they_do(root, tmp_path):
    about = state_dict.config(attn_only=True) | {"shortformer_pos": True}
    folder = state_dicts.write(tmp_path / "it", about, state_dict.random(about))
    put(root, "NeelNanda/Attn-Only-2L512W-Shortformer-6B-big-lr", folder)
    assert refused("attn-only-2l-demo") == (
        "attn-only-2l-demo adds positions to what queries and keys read, and not to the stream "
        "(shortformer), which Headscope cannot show"
    )


@pytest.mark.parametrize("name", ["gpt2", "HuggingFaceTB/SmolLM2-135M", "attn-only-2l"])
def test_a_name_that_is_not_there_says_offline_how_it_is_fetched(root, name):
    text = refused(name)
    assert f"`headscope download {name}`" in text
    assert ("on this computer, and nothing is downloaded" in text) is (name != "gpt2")


def test_listing_reads_no_weights_and_imports_no_torch(root, llama, python, repository):
    put(root, "a/b", llama)
    weights = next((root / "models--a--b" / "snapshots").rglob("model.safetensors")).resolve()
    weights.chmod(0)
    code = (
        "import sys, main; status = main.main(['models']);"
        "print({'torch', 'huggingface_hub', 'transformer_lens'} & set(sys.modules))"
    )
    done = subprocess.run(
        [python, "-c", code], cwd=repository, capture_output=True, text=True, timeout=60
    )
    assert any(line.startswith("a/b ") for line in done.stdout.splitlines())
    assert done.stdout.splitlines()[-1] == "set()"


def test_the_cache_can_be_absent(root):
    assert folder.cached_entries() == []
