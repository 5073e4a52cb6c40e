"""What opening a model would take, told before it is opened."""

import psutil
import pytest
import torch
import transformers

from engine import Engine
from engine.messages import EstimateModel, LoadModel, Refused, RunPrompt
from engine.sources import bundled
from tests.engine.conftest import byte_level_tokenizer, write_model
from tests.oracles import hugging_face


class Full:
    available = 200_000


def test_what_does_not_fit_is_told_in_the_sentence_that_refuses_it(tmp_path, monkeypatch):
    hugging_face.write("llama", tmp_path / "mine")
    name = str(tmp_path / "mine")
    monkeypatch.setattr(psutil, "virtual_memory", Full)
    found = Engine().answer(EstimateModel(name))
    with pytest.raises(Refused) as refusal:
        Engine().answer(LoadModel(name))
    assert found.obstacle == str(refusal.value)
    assert found.peak > found.free == 200_000
    assert "195.3 KiB are free; up to " in found.obstacle


def test_a_model_of_headscopes_own_is_not_read(tmp_path, monkeypatch):
    folder = write_model(tmp_path / "own")
    monkeypatch.setattr(bundled, "load_file", lambda path: pytest.fail("weights were read"))
    found = Engine().answer(EstimateModel(str(folder), positions=10))
    assert (found.source, found.patterns) == ("folder", 4 * 2 * 3 * 100)
    assert found.disk == (folder / "model.safetensors").stat().st_size


def test_a_pickle_in_half_precision_is_counted_by_its_config(tmp_path):
    model = hugging_face.write("gpt2", tmp_path / "it").half()
    (tmp_path / "it" / "model.safetensors").unlink()
    model.config.save_pretrained(tmp_path / "it")
    torch.save(model.state_dict(), tmp_path / "it" / "pytorch_model.bin")
    count = sum(tensor.numel() for tensor in model.state_dict().values())
    model.config.dtype = torch.float16
    model.config.save_pretrained(tmp_path / "it")
    found = Engine().answer(EstimateModel(str(tmp_path / "it")))
    assert count <= found.parameters < 1.2 * count


@pytest.mark.parametrize("positions", [0, -1])
def test_positions_that_no_prompt_has_are_refused(positions):
    with pytest.raises(Refused, match="positions must be at least 1"):
        Engine().answer(EstimateModel("toy", positions))


def test_a_tokenizer_in_older_files_is_made_by_transformers(tmp_path):
    torch.manual_seed(0)
    config = transformers.GPT2Config(vocab_size=310, n_embd=48, n_layer=2, n_head=4, n_positions=32)
    transformers.GPT2LMHeadModel(config).save_pretrained(tmp_path)
    tokenizer = byte_level_tokenizer()
    tokenizer.model.save(str(tmp_path))
    assert (tmp_path / "merges.txt").is_file()
    engine = Engine()
    assert engine.answer(EstimateModel(str(tmp_path))).obstacle == ""
    ids = engine.answer(RunPrompt(str(tmp_path), "green tea", prepend_bos=False)).ids.tolist()
    assert ids == tokenizer.encode("green tea").ids
