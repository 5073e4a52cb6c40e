from __future__ import annotations

from importlib.resources import files

import pytest
from tokenizers import Tokenizer

from resources.training.tokenizer import BOS, D_VOCAB, WANTED

MODELS = ("attn-1l", "attn-2l")


@pytest.fixture(params=MODELS)
def tokenizer(request: pytest.FixtureRequest) -> Tokenizer:
    path = files("resources") / "models" / request.param / "tokenizer.json"
    return Tokenizer.from_str(path.read_text(encoding="utf-8"))


def test_both_models_share_one_tokenizer() -> None:
    one, two = (files("resources") / "models" / name / "tokenizer.json" for name in MODELS)
    assert one.read_bytes() == two.read_bytes()


def test_vocabulary_and_bos(tokenizer: Tokenizer) -> None:
    assert tokenizer.get_vocab_size() == D_VOCAB
    assert tokenizer.token_to_id(BOS) == 0
    assert [added.content for added in tokenizer.get_added_tokens_decoder().values()] == [BOS]


@pytest.mark.parametrize("word", WANTED)
def test_wanted_words_are_single_tokens(tokenizer: Tokenizer, word: str) -> None:
    assert len(tokenizer.encode(word).ids) == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I like green tea, so I drink green",
        "def f(x):\n\treturn  x\n",
        "<s> I <3 you </s> <b>x</b> &amp;",
        "💩💩 東京メトロ קריירה (123)",
    ],
)
def test_text_comes_back_and_no_bos_is_added(tokenizer: Tokenizer, text: str) -> None:
    ids = tokenizer.encode(text).ids
    assert 0 not in ids
    assert tokenizer.decode(ids) == text
