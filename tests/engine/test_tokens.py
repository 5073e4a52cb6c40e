import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, decoders, normalizers, pre_tokenizers, processors
from tokenizers.models import BPE, Unigram, WordPiece

from engine.job import Cancelled, Job
from engine.messages import Refused
from engine.network import tokens as tokens_module
from engine.network.tokens import Tokens
from engine.sources import toys
from gui.widgets.fields import VocabularyIndex
from tests.engine.conftest import byte_level_tokenizer

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]))
AWKWARD = ["👩🏽‍🚀 ❤️ 🇫🇷", "קריירה (123)", "مرحبا بالعالم", "  two  spaces ", "a\tb\r\n"]


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


def test_labels_are_made_in_parts_once_and_can_be_cancelled(tokens, monkeypatch):
    monkeypatch.setattr(tokens_module, "SPELT", 100)
    seen = []

    class Stopping(Job):
        def step(self, done, total, what):
            if (done, what) == (200, "labelling tokens"):
                self.cancel()
            super().step(done, total, what)

    again = Tokens(byte_level_tokenizer(), "<|BOS|>")
    with pytest.raises(Cancelled):
        again.spell(Stopping())
    again.spell(Job(lambda *step: seen.append(step)))
    parts = range(0, len(tokens), 100)
    assert seen == [(start, len(tokens), "labelling tokens") for start in parts]
    assert (again.labels, again.texts) == (tokens.labels, tokens.texts)
    again.spell(Job(lambda *step: seen.append(step)))
    assert len(seen) == len(parts)


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


@given(ANY_TEXT)
@example(AWKWARD[0])
@example(AWKWARD[1])
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


def test_a_special_token_typed_in_a_text_is_that_one_token(tokens):
    ids = tokens.encode("<|BOS|> tea<|BOS|>")
    assert tokens.labelled(ids) == ("<|BOS|>", "·tea", "<|BOS|>")
    assert ids[0] == ids[2] == tokens.bos_id == tokens.resolve("<|BOS|>")
    assert tokens.specials_in("<|BOS|> tea<|BOS|>") == 2
    assert tokens.specials_in("<|BOS| tea") == 0


def test_a_special_token_can_be_read_as_plain_text_and_then_as_a_token_again(tokens):
    ids = tokens.encode("<|BOS|>", "text")
    assert tokens.bos_id not in ids
    assert "".join(tokens.texts[i] for i in ids) == "<|BOS|>"
    assert tokens.specials_in("<|BOS|>") == 1
    assert tokens.encode("<|BOS|>") == [tokens.bos_id]


def test_nothing_is_put_around_a_text_by_the_tokenizer_s_own_template():
    tokenizer = byte_level_tokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<|BOS|> $A <|BOS|>", special_tokens=[("<|BOS|>", 0)]
    )
    assert tokenizer.encode(" tea").ids.count(0) == 2
    for specials in ("tokens", "text"):
        assert 0 not in Tokens(tokenizer, "<|BOS|>").encode(" tea", specials)


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


PIECES = ["▁", "▁tea", "▁te", "te", "tea", "t", "e", "a", "A", "41", "4", "1", "·", "▁▁", "é"]
SPECIAL = ["<unk>", "<s>", "</s>"]
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def sentencepiece(kind, begins_with_space):
    """Make a small tokenizer as transformers converts sentencepiece's, byte fallback included."""
    pieces = [*SPECIAL, *BYTES, *PIECES]
    if kind == "unigram":
        made = Tokenizer(Unigram([(piece, -len(piece) / 9) for piece in pieces], 0, True))
        made.pre_tokenizer = pre_tokenizers.Metaspace(
            prepend_scheme="first" if begins_with_space else "never", split=False
        )
    else:
        merges = [("t", "e"), ("te", "a"), ("▁", "te"), ("▁", "tea"), ("▁", "▁"), ("4", "1")]
        numbers = {piece: number for number, piece in enumerate(pieces)}
        made = Tokenizer(BPE(numbers, merges, unk_token="<unk>", byte_fallback=True, fuse_unk=True))
        prepend = [normalizers.Prepend("▁")] if begins_with_space else []
        made.normalizer = normalizers.Sequence([*prepend, normalizers.Replace(" ", "▁")])
    made.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    )
    made.add_special_tokens(SPECIAL)
    return Tokens(made, "<s>")


KINDS = [(kind, begins) for kind in ("bpe", "unigram") for begins in (False, True)]
MADE = {kind: sentencepiece(*kind) for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
@given(text=ANY_TEXT.filter(lambda text: "▁" not in text))
@example(text=AWKWARD[0])
@example(text=AWKWARD[1])
@example(text=" tea A  tea é\n")
def test_the_tokens_of_a_sentencepiece_text_are_its_bytes_and_the_space_put_before(kind, text):
    tokens, (model, begins) = MADE[kind], kind
    put = begins and text and not (model == "unigram" and text.startswith(" "))
    pieces = b"".join(tokens._pieces[i] for i in tokens.encode(text))
    assert pieces == (" " * bool(put) + text).encode()


@pytest.mark.parametrize("kind", KINDS)
def test_sentencepiece_tokens_are_labelled_by_their_spaces_and_bytes(kind):
    tokens = MADE[kind]
    assert tokens.labelled(tokens.encode(" tea")[-1:]) == ("·tea",)
    assert tokens.labelled(tokens.encode("🍵")[-4:]) == ("F0", "9F", "8D", "B5")
    assert tokens.labelled(tokens.encode("tea\n")[-1:]) == ("↵",)
    assert tokens.labels[1] == "<s>"


@pytest.mark.parametrize("kind", KINDS)
def test_a_lone_byte_gives_way_to_the_token_that_its_text_is_read_as(kind):
    tokens = MADE[kind]
    byte, letter = len(SPECIAL) + 0x41, len(SPECIAL) + len(BYTES) + PIECES.index("A")
    assert (tokens.texts[byte], tokens.texts[letter]) == ("A", "A")
    assert (tokens.labels[letter], tokens.labels[byte]) == ("A", f"A#{byte}")
    assert tokens.resolve("A") == tokens.encode("A")[-1] == letter
    assert tokens.labels[len(SPECIAL) + 0x42] == "B"


@pytest.mark.parametrize("kind", KINDS)
def test_a_special_token_of_a_sentencepiece_model_is_read_as_text_or_refused(kind):
    tokens = MADE[kind]
    assert tokens.encode("<s>tea")[0] == tokens.bos_id
    assert tokens.specials_in("<s>tea ☃ <unk>") == 2
    if kind[0] == "bpe":
        assert tokens.bos_id not in tokens.encode("<s>tea", "text")
    else:  # finds any token of the vocabulary, control tokens among them
        with pytest.raises(Refused, match=r"'<s>' cannot be read as plain text .* as tokens"):
            tokens.encode("<s>tea", "text")


def test_a_character_without_a_token_is_no_special_token_that_somebody_typed():
    made = Tokenizer(Unigram([("<unk>", 0.0), ("▁", -1.0), ("tea", -1.0)], 0, False))
    made.decoder = decoders.Metaspace()
    made.add_special_tokens(["<unk>"])
    tokens = Tokens(made, None)
    assert tokens.encode("tea☃", "text") == [2, 0]
    assert tokens.specials_in("tea☃") == 0


def added(**how):
    tokenizer = byte_level_tokenizer()
    tokenizer.add_tokens([AddedToken("<mask>", special=False, **how)])
    return tokenizer


def normalizing(*steps):
    tokenizer = byte_level_tokenizer()
    tokenizer.normalizer = normalizers.Sequence(list(steps))
    return tokenizer


def word_pieces():
    vocabulary = {"[UNK]": 0, "play": 1, "##ing": 2, "tea": 3, ".": 4}
    tokenizer = Tokenizer(WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    return tokenizer


def undecoded(pre_tokenizer):
    tokenizer = byte_level_tokenizer()
    if isinstance(pre_tokenizer, pre_tokenizers.Metaspace):
        tokenizer = Tokenizer(Unigram([("<unk>", 0.0), ("▁tea", -1.0), ("▁", -2.0)], 0))
    tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizer, None
    return tokenizer


lower, strip_accents = normalizers.Lowercase(), normalizers.StripAccents()


@pytest.mark.parametrize(
    ("made", "text", "spelt"),
    [
        (added(), "tea <mask> tea", None),
        (added(rstrip=True), "tea <mask>  tea", "tea <mask>tea"),
        (added(lstrip=True), "tea  <mask> tea", "tea<mask> tea"),
        (added(lstrip=True), "tea<mask>tea", None),
        (added(single_word=True), "tea <mask>tea", None),
        (normalizing(lower), "green tea", None),
        (normalizing(lower), "Green Tea", "green tea"),
        (normalizing(normalizers.NFD(), strip_accents), "café", "cafe"),
        (normalizing(normalizers.Prepend("_")), "tea", "_tea"),
        (normalizing(normalizers.Replace("tea", "")), "tea", ""),
        (normalizing(normalizers.NFC()), "e\u0301", "\xe9"),
        (word_pieces(), "playing tea .", None),
        (word_pieces(), "Playing tea", "playing tea"),
        (word_pieces(), "playing coffee", "playing [UNK]"),
        (undecoded(pre_tokenizers.ByteLevel(add_prefix_space=False)), "green tea", None),
        (undecoded(pre_tokenizers.ByteLevel(add_prefix_space=True)), "green tea", " green tea"),
        (undecoded(pre_tokenizers.Metaspace()), "tea tea", " tea tea"),
        (undecoded(pre_tokenizers.Metaspace()), "tea coffee", " tea <unk>"),
        (toys.load("toy").tokenizer, "result  = 0", None),
    ],
)
def test_what_tokens_spell_is_told_where_it_is_not_the_text(made, text, spelt):
    tokens = Tokens(made, None)
    assert tokens.spelt(text, tokens.encode(text)) == spelt


@pytest.mark.parametrize(
    ("made", "typed", "read"),
    [
        (normalizing(lower), " TEA", "·tea"),
        (word_pieces(), "Tea", "tea"),
        (word_pieces(), "☕", "[UNK]"),
    ],
)
def test_a_token_that_the_tokenizer_makes_another_of_is_refused_by_that_one(made, typed, read):
    tokens = Tokens(made, None)
    with pytest.raises(Refused, match=rf"'{typed}' .* reads it as '{re.escape(read)}': write #\d+"):
        tokens.resolve(typed)
    assert tokens.labels[tokens.resolve(read.replace("·", " "))] == read


@pytest.mark.parametrize("kind", KINDS)
def test_a_space_put_before_a_token_makes_no_other_of_it(kind):
    tokens = MADE[kind]
    assert tokens.texts[tokens.resolve(" te")] == " te"
    assert tokens.resolve("e") == tokens.encode("e")[-1]


def vocabularies():
    """Return vocabularies of every spelling, with tokens that are hard to tell apart in them."""
    awkward = byte_level_tokenizer()
    awkward.train_from_iterator([" ".join(AWKWARD)] * 20, _trainer(["<|BOS|>", "·", "E6", "♥#9"]))
    awkward.add_tokens([AddedToken("<tool_é>", special=False), AddedToken("  ", special=False)])
    padded = Tokens(awkward, "<|BOS|>", awkward.get_vocab_size() + 5)
    return [*MADE.values(), Tokens(byte_level_tokenizer(), "<|BOS|>"), padded]


@pytest.mark.parametrize("tokens", vocabularies())
def test_every_label_is_distinct_and_finds_its_token_when_it_is_typed(tokens):
    index = VocabularyIndex(tokens.texts, tokens.labels)
    assert len(set(tokens.labels)) == len(tokens)
    for number, (text, label) in enumerate(zip(tokens.texts, tokens.labels, strict=True)):
        assert label.isprintable()
        assert label.strip() == label != ""
        # A label that happens to be another token's text is that token: texts come first.
        found = tokens._ids.get(label, number)
        assert index.find(label) == found
        assert index.find(f"#{number}") == tokens.resolve(f"#{number}") == number
        if label in tokens._ids:
            assert tokens.resolve(label) == found
        if text:
            assert index.find(text) == tokens.resolve(text)


def test_added_tokens_are_spelt_as_they_are_where_others_are_spelt_byte_by_byte():
    tokenizer = byte_level_tokenizer()
    tokenizer.add_tokens([AddedToken("<é>", special=False), AddedToken("Ġ", special=False)])
    tokens = Tokens(tokenizer, None)
    for text in ("<é>", "Ġ"):
        assert [tokens.texts[i] for i in tokens.encode(text)] == [text]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("❤\ufe0f", "❤U+FE0F"),
        ("\ufe0f", "U+FE0F"),
        ("\u05b7", "U+05B7"),
        (" \u094d", "·\u094d"),
        ("e\u0301", "e\u0301"),
        ("\u200f", "U+200F"),
        ("\u3164", "U+3164"),
        ("קר", "קר"),
        ("👩", "👩"),
    ],
)
def test_what_leaves_no_ink_or_stands_on_another_character_shows_its_code_point(text, label):
    tokenizer = byte_level_tokenizer()
    tokenizer.add_tokens([text])
    tokens = Tokens(tokenizer, None)
    assert tokens.labels[tokens.resolve(text)] == label
