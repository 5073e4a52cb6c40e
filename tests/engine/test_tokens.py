import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.messages import Refused
from engine.sources import toys
from engine.tokens import Tokens
from tests.engine.conftest import byte_level_tokenizer


@pytest.fixture(scope="module")
def tokens():
    return Tokens(byte_level_tokenizer(), "<|BOS|>")


@pytest.fixture(scope="module")
def toy():
    return Tokens(toys.load("toy").tokenizer, None)


def test_labels_are_distinct_and_printable(tokens):
    assert len(set(tokens.labels)) == len(tokens.labels) == len(tokens)
    assert all(label.isprintable() and label for label in tokens.labels)


def test_labels_show_what_a_page_would_swallow(tokens):
    shown = {text: tokens.labels[tokens.resolve(text)] for text in (" ", "\n", "\t", " tea", "A")}
    assert shown == {" ": "·", "\n": "↵", "\t": "⇥", " tea": "·tea", "A": "A"}


def test_other_characters_that_do_not_print_show_their_code_point(tokens):
    assert tokens.labels[tokens.resolve("\x07")] == "U+0007"


def test_incomplete_characters_show_their_bytes(tokens):
    labels = [tokens.labels[i] for i in tokens.encode("é")]
    assert labels == ["C3", "A9"]


def test_a_literal_stand_in_does_not_look_like_what_it_stands_for():
    tokenizer = byte_level_tokenizer()
    tokenizer.train_from_iterator(["· ·"], _trainer(["<|BOS|>", "·", "E6"]))
    tokens = Tokens(tokenizer, "<|BOS|>")
    literal, space = tokens.resolve("·"), tokens.resolve(" ")
    assert (tokens.labels[space], tokens.labels[literal]) == ("·", f"·#{literal}")
    assert tokens.labels[tokens.resolve("E6")] == "E6"
    assert len(set(tokens.labels)) == len(tokens)


def _trainer(special):
    from tokenizers import pre_tokenizers, trainers

    alphabet = pre_tokenizers.ByteLevel.alphabet()
    return trainers.BpeTrainer(
        vocab_size=300, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_the_tokens_of_any_text_are_its_bytes_and_nothing_else(text):
    tokens = _shared()
    assert b"".join(tokens._pieces[i] for i in tokens.encode(text)) == text.encode()


def _shared(kept=[]):  # noqa: B006
    kept or kept.append(Tokens(byte_level_tokenizer(), "<|BOS|>"))
    return kept[0]


def test_every_token_with_a_text_is_found_by_it_and_every_token_by_its_id(tokens):
    for index, text in enumerate(tokens.texts):
        assert tokens.resolve(index) == index
        if text:
            assert tokens.resolve(text) == index
        else:
            assert tokens.resolve(f"#{index}") == index


def test_a_control_token_typed_in_a_prompt_is_plain_text(tokens):
    ids = tokens.encode("<|BOS|>")
    assert tokens.bos_id not in ids
    assert "".join(tokens.texts[i] for i in ids) == "<|BOS|>"
    assert tokens.resolve("<|BOS|>") == tokens.bos_id


def test_a_token_that_is_several_is_refused_with_its_pieces(tokens):
    with pytest.raises(Refused, match=r"' teapot' is 4 tokens, not one: ·tea p o t$"):
        tokens.resolve(" teapot")
    with pytest.raises(Refused, match=r"'green' is .* tokens, not one: .*' green', with a space"):
        tokens.resolve("green")
    with pytest.raises(Refused, match=r"'100' is .* tokens, not one: .*; .* this id is #100$"):
        tokens.resolve("100")
    with pytest.raises(Refused, match=r"'100000' is \d+ tokens, not one: [\d ]+$"):
        tokens.resolve("100000")


def test_a_token_written_as_it_is_shown_is_refused_with_how_to_write_it(tokens):
    with pytest.raises(
        Refused, match=r"'·tea' is how .*: · stands for a space, so write \" tea\"$"
    ):
        tokens.resolve("·tea")
    for label in ("↵", "A9", "U+0007"):
        index = tokens.labels.index(label)
        with pytest.raises(Refused, match=rf"is how a token is shown, .* its id, #{index}$"):
            tokens.resolve(label)
    with pytest.raises(Refused, match=r"'·teapot' is \d+ tokens, not one: "):
        tokens.resolve("·teapot")


def test_a_label_that_is_also_a_token_s_text_is_that_token():
    tokenizer = byte_level_tokenizer()
    tokenizer.train_from_iterator(["· ·"], _trainer(["<|BOS|>", "·"]))
    tokens = Tokens(tokenizer, "<|BOS|>")
    assert tokens.texts[tokens.resolve("·")] == "·"


@pytest.mark.parametrize("token", [-1, 300, "#300"])
def test_an_id_out_of_range_is_refused_with_the_range(tokens, token):
    with pytest.raises(Refused, match=r"ids go from 0 to 299"):
        tokens.resolve(token)


def test_an_empty_token_is_refused(tokens):
    with pytest.raises(Refused, match="the token is empty"):
        tokens.resolve("")


def test_the_toy_splits_on_spaces_and_lists_its_tokens_when_it_knows_no_word(toy):
    assert toy.encode("result = 0 ans return") == [0, 1, 2, 3, 4]
    assert toy.labels == ("result", "=", "0", "ans", "return")
    with pytest.raises(Refused, match=r"'Ans' is none .* result, =, 0, ans, return"):
        toy.resolve("Ans")
