"""Tokenizers that transformers makes of a GGUF file, set to what the file says of them."""

import pytest
from tokenizers import Tokenizer, normalizers, pre_tokenizers
from tokenizers.models import BPE

from engine.loading.gguf_file import settle

VOCABULARY = {"▁": 0, "a": 1, "b": 2}


def pieces(tokenizer, text):
    return tokenizer.encode(text, add_special_tokens=False).tokens


def metaspace():
    made = Tokenizer(BPE(VOCABULARY, []))
    made.pre_tokenizer = pre_tokenizers.Metaspace("▁", "first", False)
    return made


def prepending():
    made = Tokenizer(BPE(VOCABULARY, []))
    made.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    return made


@pytest.mark.parametrize("make", [metaspace, prepending])
@pytest.mark.parametrize(("word", "first"), [(True, ["▁"]), (None, ["▁"]), (False, [])])
def test_a_space_is_put_first_unless_the_file_says_otherwise(make, word, first):
    tokenizer = make()
    keys = {"tokenizer.ggml.model": "llama", "tokenizer.ggml.add_space_prefix": word}
    said = settle(tokenizer, {key: value for key, value in keys.items() if value is not None})
    assert said == ()
    assert pieces(tokenizer, "a b") == [*first, "a", "▁", "b"]


@pytest.mark.parametrize("key", ["precompiled_charsmap", "remove_extra_whitespaces"])
def test_a_rewriting_of_text_that_is_not_done_is_said(key):
    keys = {"tokenizer.ggml.model": "llama", f"tokenizer.ggml.{key}": True}
    (said,) = settle(metaspace(), keys)
    assert key in said
