"""What a tokenizer's file says of batches and of training changes no prompt, whoever made it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import transformers
from tokenizers import Tokenizer
from tokenizers.models import BPE, Unigram

from engine import Engine
from engine.messages import LoadModel, RunPrompt
from engine.network.tokens import Tokens
from engine.sources import bundled
from tests.engine.conftest import byte_level_tokenizer, write_model
from tests.engine.sources import caches, gguf_files, state_dicts
from tests.oracles import hugging_face
from tests.oracles import state_dict as oracle

ROOT = Path(__file__).parents[2]
TEXT = "I like green tea, so I drink green tea"


@pytest.mark.parametrize("cut", [{"max_length": 6}, {"max_length": 6, "direction": "left"}])
def test_a_text_is_read_whole_though_the_file_cuts_it(cut):
    whole = Tokens(byte_level_tokenizer(), None).encode(TEXT)
    tokenizer = byte_level_tokenizer()
    tokenizer.enable_truncation(**cut)
    assert len(tokenizer.encode(TEXT).ids) == 6
    assert Tokens(tokenizer, None).encode(TEXT) == whole


@pytest.mark.parametrize("fill", [{"length": 99}, {"pad_to_multiple_of": 64}])
def test_nothing_is_filled_up_though_the_file_does(fill):
    whole = Tokens(byte_level_tokenizer(), None).encode(TEXT)
    tokenizer = byte_level_tokenizer()
    tokenizer.enable_padding(**fill)
    assert len(tokenizer.encode(TEXT).ids) > len(whole)
    assert Tokens(tokenizer, None).encode(TEXT) == whole


def bpe():
    tokenizer = byte_level_tokenizer()
    return tokenizer, {"dropout": 0.3}


def unigram():
    pieces = [("a", 0.0), ("b", -1.0), ("ab", -1.5), ("aa", -1.0), ("aab", -1.0)]
    return Tokenizer(Unigram(pieces, 0)), {"alpha": 0.5, "nbest_size": 5}


@pytest.mark.parametrize("made", [bpe, unigram])
def test_a_text_is_always_split_alike_though_the_tokenizer_splits_by_chance(made):
    tokenizer, _ = made()
    text = "aabaabaab" * 3 if made is unigram else TEXT
    best = Tokens(tokenizer, None).encode(text)
    tokenizer, chances = made()
    for name, value in chances.items():
        setattr(tokenizer.model, name, value)
    assert len({tuple(tokenizer.encode(text).ids) for _ in range(50)}) > 1
    tokens = Tokens(tokenizer, None)
    assert all(tokens.encode(text) == best for _ in range(50))


def unsettle(file):
    """Let a tokenizer.json cut, fill and split by chance."""
    about = json.loads(file.read_text())
    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.enable_truncation(3)
    tokenizer.enable_padding(length=3)
    about |= {name: json.loads(tokenizer.to_str())[name] for name in ("truncation", "padding")}
    if about["model"]["type"] == "BPE":
        about["model"]["dropout"] = 0.5
    file.write_text(json.dumps(about))


def from_bundled(root, monkeypatch):
    unsettle(write_model(root / "ours") / "tokenizer.json")
    monkeypatch.setattr(bundled, "models_folder", lambda: root)
    return "ours", TEXT


def from_folder(root, _):
    hugging_face.write("llama", root / "mine")
    unsettle(root / "mine" / "tokenizer.json")
    return str(root / "mine"), "w3 w4 w5 w6 w7"


def from_cache(root, monkeypatch):
    from_folder(root, monkeypatch)
    caches.put(root / "hub", "somebody/mine", root / "mine")
    monkeypatch.setenv("HF_HUB_CACHE", str(root / "hub"))
    return "somebody/mine", "w3 w4 w5 w6 w7"


def from_state_dict(root, _):
    about = oracle.config()
    stored = oracle.random(about)
    unsettle(state_dicts.write(root / "mine", about, stored) / "tokenizer.json")
    return str(root / "mine"), "w3 w4 w5 w6 w7"


def unsettle_what_transformers_makes(monkeypatch):
    make = transformers.AutoTokenizer.from_pretrained

    def unsettled(*args, **kwargs):
        made = make(*args, **kwargs)
        made.backend_tokenizer.enable_truncation(3)
        made.backend_tokenizer.enable_padding(length=3)
        made.backend_tokenizer.model.dropout = 0.5
        return made

    monkeypatch.setattr(transformers.AutoTokenizer, "from_pretrained", unsettled)


def from_older_files(root, monkeypatch):
    folder = root / "mine"
    hugging_face.write("llama", folder)
    (folder / "tokenizer.json").unlink()
    BPE({"<|endoftext|>": 0, "a": 1, "b": 2, "ab": 3}, [("a", "b")]).save(str(folder))
    about = {"tokenizer_class": "GPT2Tokenizer", "unk_token": "<|endoftext|>"}
    (folder / "tokenizer_config.json").write_text(json.dumps(about))
    unsettle_what_transformers_makes(monkeypatch)
    return str(folder), "ababababab"


def from_gguf(root, monkeypatch):
    unsettle_what_transformers_makes(monkeypatch)
    return str(gguf_files.write(root / "mine.gguf")), "ababababab"


@pytest.mark.parametrize(
    "road", [from_bundled, from_folder, from_cache, from_state_dict, from_older_files, from_gguf]
)
def test_every_road_by_which_a_tokenizer_comes_settles_it(road, tmp_path, monkeypatch):
    name, text = road(tmp_path, monkeypatch)
    engine = Engine()
    engine.answer(LoadModel(name))
    kept = engine._model.tokens._tokenizer
    assert (kept.truncation, kept.padding) == (None, None)
    assert getattr(kept.model, "dropout", None) is None
    run = engine.answer(RunPrompt(name, text, prepend_bos=False))
    assert "".join(run.labels) == text.replace(" ", "·" if road is from_bundled else "")


def test_a_length_to_fill_up_to_that_no_memory_holds_takes_none(tmp_path):
    hugging_face.write("llama", tmp_path / "mine")
    file = tmp_path / "mine" / "tokenizer.json"
    unsettle(file)
    about = json.loads(file.read_text())
    about["padding"]["strategy"] = {"Fixed": 10**12}
    file.write_text(json.dumps(about))
    # The library ends the process where it cannot have the memory.
    code = "import sys, main; sys.exit(main.main(['ask', 'load-model', '--model', sys.argv[1]]))"
    run = [sys.executable, "-c", code, str(tmp_path / "mine")]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
