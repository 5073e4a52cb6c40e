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


def test_more_positions_than_the_model_reads_are_refused_by_their_number(tmp_path):
    hugging_face.write("llama", tmp_path / "llama")
    write_model(tmp_path / "own")
    for folder, context in (("llama", 64), ("own", 40)):
        name = str(tmp_path / folder)
        for positions in (context + 1, 10**12):
            with pytest.raises(Refused, match=f"positions must be at most {context}, which is "):
                Engine().answer(EstimateModel(name, positions))
        found = Engine().answer(EstimateModel(name, context))
        assert (found.positions, found.context) == (context, context)
        assert Engine().answer(EstimateModel(name)).positions == context
        assert Engine().answer(LoadModel(name)).n_ctx == context


def test_a_model_that_does_not_say_how_much_it_reads_is_asked_for_no_absurd_number(tmp_path):
    hugging_face.write("bloom", tmp_path / "it")
    name = str(tmp_path / "it")
    found = Engine().answer(EstimateModel(name))
    assert (found.positions, found.context) == (256, 0)
    assert Engine().answer(EstimateModel(name, 100_000)).patterns == 4 * 3 * 6 * 10**10
    with pytest.raises(Refused, match="positions must be at most 10,000,000, which is what models"):
        Engine().answer(EstimateModel(name, 10**12))


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
