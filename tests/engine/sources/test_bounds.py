"""What is in a model's files is bounded, in size, type and range, before anything is made of it."""

import json
import os
import struct
import zipfile

import pytest
import torch

from engine import Engine
from engine.messages import EstimateModel, LoadModel, Refused, RunPrompt
from engine.sources import gguf
from engine.sources.config import check_numbers
from engine.sources.files import Folder
from engine.sources.tokenizer import read_tokenizer
from tests.engine.sources import gguf_files, state_dicts
from tests.engine.sources.refusals import change, refused
from tests.oracles import hugging_face, state_dict


@pytest.fixture
def folder(tmp_path):
    hugging_face.write("llama", tmp_path / "mine")
    return tmp_path / "mine"


@pytest.mark.parametrize("file", ["config.json", "generation_config.json", "anything.else"])
def test_a_pipe_in_a_folder_is_not_read(folder, file):
    (folder / file).unlink(missing_ok=True)
    os.mkfifo(folder / file)
    assert refused(folder) == f"{file} is a pipe or a device, not a file: only files are read"


@pytest.mark.parametrize("request_", [LoadModel, EstimateModel])
def test_a_config_without_end_is_not_read(folder, request_):
    (folder / "config.json").unlink()
    (folder / "config.json").symlink_to("/dev/zero")
    assert "config.json is a pipe or a device" in refused(request_(str(folder)))


@pytest.mark.parametrize("file", ["config.json", "tokenizer.json", "vocab.json"])
def test_a_text_of_gigabytes_is_not_read(folder, file):
    (folder / file).touch()
    os.truncate(folder / file, 2**32)
    assert file in refused(folder)


@pytest.mark.parametrize(
    "shape", [[2**62] * 3000, [10**400], [1.5], ["3"], None, [-1, 2], [[1]], {"a": 1}]
)
def test_a_header_whose_shape_is_none_is_damaged(tmp_path, shape):
    header = json.dumps({"w": {"dtype": "F32", "shape": shape, "data_offsets": [0, 4]}}).encode()
    file = tmp_path / "model.safetensors"
    file.write_bytes(struct.pack("<Q", len(header)) + header + bytes(4))
    with pytest.raises(Refused, match="header cannot be read"):
        Folder(tmp_path, "mine").header(file)


def test_a_header_of_gigabytes_is_not_read(tmp_path):
    file = tmp_path / "model.safetensors"
    file.write_bytes(struct.pack("<Q", 2**31))
    os.truncate(file, 2**33)
    with pytest.raises(Refused, match="does not begin as a safetensors file does"):
        Folder(tmp_path, "mine").header(file)


def test_a_pickle_that_grows_as_it_is_unpacked_is_not_read(folder):
    weights = torch.zeros(2**22)
    (folder / "model.safetensors").unlink()
    torch.save({"w": weights}, folder / "plain.bin")
    plain = zipfile.ZipFile(folder / "plain.bin")
    with zipfile.ZipFile(folder / "pytorch_model.bin", "w", zipfile.ZIP_DEFLATED) as packed:
        for name in plain.namelist():
            packed.writestr(name, plain.read(name))
    assert "its parts are compressed" in refused(folder)


# --- tokenizers


def rules(count, content="aa", pattern=None):
    rule = {"type": "Replace", "pattern": pattern or {"String": "a"}, "content": content}
    return {"type": "Sequence", "normalizers": [rule] * count}


@pytest.mark.parametrize(
    "normalizer",
    [
        rules(30),
        rules(1, "b" * 10_000),
        rules(2, "bb" * 50, {"Regex": "."}),
        {"type": "Sequence", "normalizers": [rules(6), rules(6)]},
    ],
)
def test_rules_that_make_a_text_grow_without_end_are_refused(folder, normalizer):
    why = "could make a text more than 1,000 times as long"
    change(folder / "tokenizer.json", normalizer=normalizer)
    assert f"the rules of its normalizer {why}" in refused(folder)
    # JSON has other ways to write a letter.
    path = folder / "tokenizer.json"
    path.write_text(path.read_text().replace('"Replace"', '"\\u0052eplace"'))
    assert f"the rules of its normalizer {why}" in refused(folder)
    decoder = {"type": "Sequence", "decoders": normalizer["normalizers"]}
    change(folder / "tokenizer.json", normalizer=None, decoder=decoder)
    assert f"the rules of its decoder {why}" in refused(folder)


@pytest.mark.parametrize("normalizer", [rules(9), rules(100, "b"), rules(1, "\u2581")])
def test_rules_of_usual_kinds_are_followed(folder, normalizer):
    change(folder / "tokenizer.json", normalizer=normalizer)
    assert Engine().answer(LoadModel(str(folder))).d_vocab > 0


def test_a_tokenizer_over_which_the_library_panics_is_refused(folder):
    # A map of letters that is cut short: Rust's panic is no Exception of Python's.
    damaged = {"type": "Precompiled", "precompiled_charsmap": "AAAA/wAA"}
    change(folder / "tokenizer.json", normalizer=damaged)
    for request in (LoadModel, EstimateModel):
        assert "tokenizer.json is damaged" in refused(request(str(folder)))


def test_a_tokenizer_that_breaks_the_process_that_tries_it_is_refused(folder, monkeypatch):
    monkeypatch.setattr("engine.sources.trial.__file__", str(folder / "trial.py"))
    (folder / "trial.py").write_text("import os; os.abort()")
    with pytest.raises(Refused, match="breaks down or takes memory without end"):
        read_tokenizer(folder, "mine")
    monkeypatch.setattr("engine.sources.tokenizer.SECONDS", 0.2)
    (folder / "trial.py").write_text("import time; time.sleep(60)")
    with pytest.raises(Refused, match="takes more than"):
        read_tokenizer(folder, "mine")


def test_an_empty_vocabulary_is_refused(folder):
    empty = {"type": "WordLevel", "vocab": {}, "unk_token": "w0"}
    change(folder / "tokenizer.json", model=empty)
    assert "its tokenizer has no tokens" in refused(folder)


def test_a_text_that_a_tokenizer_cannot_read_is_refused(folder):
    about = json.loads((folder / "tokenizer.json").read_text())
    words = [[word, -1.0] for word in about["model"]["vocab"]]
    unigram = {"type": "Unigram", "vocab": words, "unk_id": None}
    change(folder / "tokenizer.json", model=unigram)
    with pytest.raises(Refused, match="tokenizer cannot read the text"):
        Engine().answer(RunPrompt(str(folder), "\u6771"))


# --- numbers


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sliding_window", "4"),
        ("sliding_window", [1, "2"]),
        ("rms_norm_eps", "1e-5"),
        ("rms_norm_eps", -1),
        ("rms_norm_eps", float("nan")),
        ("hidden_size", 1.5),
        ("hidden_size", True),
        ("num_hidden_layers", 10**40),
        ("max_position_embeddings", 0),
        ("bos_token_id", "1"),
        ("anything", float("inf")),
        ("anything", {"deep": [1, {"er": 1e300}]}),
    ],
)
def test_numbers_of_another_type_or_out_of_range_are_named(folder, name, value):
    change(folder / "config.json", **{name: value})
    assert "config.json is damaged: " in refused(folder)


@pytest.mark.parametrize(
    "config", [{"sliding_window": None}, {"sliding_window": -1}, {"eos_token_id": [1, 2]}, {}]
)
def test_what_configs_really_say_is_let_through(config):
    check_numbers("a config", config)


@pytest.mark.parametrize(("name", "value"), [("eps", "4"), ("eps", None), ("n_ctx", "8")])
def test_numbers_of_a_transformer_lens_config_are_named(tmp_path, name, value):
    about = state_dict.config()
    state_dicts.write(tmp_path / "mine", about | {name: value}, state_dict.random(about))
    assert f"config.json is damaged: {name} is {value!r}" in refused(tmp_path / "mine")


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda held: held.to("meta"), "has a shape and no numbers"),
        (lambda held: held.to_sparse(), "is no plain table of numbers"),
    ],
)
def test_tensors_without_numbers_are_named(tmp_path, made, said):
    about = state_dict.config()
    stored = state_dict.random(about)
    stored["embed.W_E"] = made(stored["embed.W_E"])
    state_dicts.write(tmp_path / "mine", about, stored)
    assert said in refused(tmp_path / "mine")


def test_a_gguf_file_of_no_positions_is_refused(tmp_path, monkeypatch):
    path = gguf_files.write(tmp_path / "small.gguf")
    data = path.read_bytes()
    key = data.index(b"llama.context_length") + len("llama.context_length") + 4
    path.write_bytes(data[:key] + bytes(4) + data[key + 4 :])
    with pytest.raises(Refused, match="context_length is 0"):
        gguf.load(str(path))
