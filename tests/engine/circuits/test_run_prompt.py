"""Special tokens and BOS in a prompt: which are read as such, and that there is one BOS."""

import pytest
from tokenizers import normalizers

from engine import Engine
from engine.messages import Head, OVTokens, Refused, RunPrompt
from engine.sources import bundled
from tests.engine.conftest import byte_level_tokenizer, write_model

BOS = "<|BOS|>"


def test_a_typed_special_token_is_told_by_its_place(engine):
    run = engine.answer(RunPrompt("random", f" tea{BOS} tea"))
    assert run.labels == (BOS, "·tea", BOS, "·tea")
    assert run.special.tolist() == [True, False, True, False]
    assert (run.prepended_bos, run.begins_with_bos, run.typed_specials) == (True, True, 1)


def test_read_as_text_it_is_none_but_still_counted(engine):
    run = engine.answer(RunPrompt("random", f"I like{BOS} tea", specials="text"))
    assert run.special.tolist() == [True] + [False] * (len(run.ids) - 1)
    assert "".join(run.labels[1:]) == f"I·like{BOS}·tea"
    assert run.typed_specials == 1


@pytest.mark.parametrize("asked", [None, True, False])
def test_a_text_that_begins_with_bos_is_given_no_second_one(engine, asked):
    run = engine.answer(RunPrompt("random", f"{BOS}I like tea", asked))
    assert run.ids.tolist() == engine.answer(RunPrompt("random", "I like tea")).ids.tolist()
    assert (run.prepended_bos, run.begins_with_bos) == (False, True)


def test_bos_that_is_plain_text_is_given_one(engine):
    run = engine.answer(RunPrompt("random", f"{BOS} tea", specials="text"))
    assert run.ids.tolist().count(0) == 1
    assert (run.prepended_bos, run.begins_with_bos) == (True, True)


def test_without_bos_nothing_is_special(engine):
    run = engine.answer(RunPrompt("random", "I like tea", prepend_bos=False))
    assert not run.special.any()
    assert (run.prepended_bos, run.begins_with_bos, run.typed_specials) == (False, False, 0)


def test_bos_alone_is_a_prompt_of_one_token(engine):
    assert engine.answer(RunPrompt("random", BOS)).ids.tolist() == [0]


def test_a_special_token_can_be_asked_about_by_its_text_or_id(engine):
    named, numbered = (
        engine.answer(OVTokens("random", Head(0, 0), token)) for token in (BOS, "#0")
    )
    assert named.token_id == numbered.token_id == 0


def test_a_word_by_word_vocabulary_reads_its_bos_between_words_or_refuses_to_spell_it():
    engine = Engine()
    bos = engine.answer(RunPrompt("toy-induction", "A")).labels[0]
    run = engine.answer(RunPrompt("toy-induction", f"{bos}A {bos} B"))
    assert run.labels == (bos, "A", bos, "B")
    assert not run.prepended_bos
    with pytest.raises(Refused, match="cannot be read as plain text"):
        engine.answer(RunPrompt("toy-induction", f"{bos} A", specials="text"))


def test_what_the_tokens_spell_is_told_where_it_is_not_the_text(tmp_path, monkeypatch):
    folder = write_model(tmp_path / "lower")
    tokenizer = byte_level_tokenizer()
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.save(str(folder / "tokenizer.json"))
    monkeypatch.setattr(bundled, "models_folder", lambda: tmp_path)
    engine = Engine()
    for bos in (True, False):
        assert engine.answer(RunPrompt("lower", "Green tea", bos)).spelt == "green tea"
        assert engine.answer(RunPrompt("lower", "green tea", bos)).spelt is None
