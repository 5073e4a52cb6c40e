"""Text to token ids, and ids to labels that never lie: literal, distinct, printable."""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Literal

from tokenizers import Tokenizer
from tokenizers.models import WordLevel

from engine.job import Job
from engine.messages import Refused, Specials

STAND_INS = {" ": "·", "\n": "↵", "\t": "⇥"}
MAX_LISTED = 12
SPELT = 2**14
"""Tokens whose labels are made between two steps: some 40 milliseconds of work."""
LOW_LINE = "▁"
UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)
"""Characters that count as printing and leave no ink: variation selectors, fillers, blanks."""


class Tokens:
    """A model's vocabulary.

    Parameters
    ----------
    tokenizer
        Tokenizer of the model, nobody else's from now on: it is settled, and how it reads special
        tokens changes.
    bos_token
        Text of the beginning-of-sequence token, if there is one.
    d_vocab
        Rows of W_E; those beyond the tokenizer's tokens are labelled `[id N]`.
    """

    def __init__(
        self, tokenizer: Tokenizer, bos_token: str | None, d_vocab: int | None = None
    ) -> None:
        self._d_vocab = tokenizer.get_vocab_size() if d_vocab is None else d_vocab
        _settle(tokenizer)
        self._tokenizer, self._job = tokenizer, Job()
        added = tokenizer.get_added_tokens_decoder()
        self._added = frozenset(added)
        self.special_ids = frozenset(index for index, token in added.items() if token.special)
        """Ids of control tokens such as BOS."""
        self.bos_id = None if bos_token is None else tokenizer.token_to_id(bos_token)

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def adds_bos(self) -> bool:
        """Whether the tokenizer itself puts BOS before a text: what it puts around none tells."""
        return self.bos_id is not None and self._tokenizer.encode("").ids[:1] == [self.bos_id]

    def spell(self, job: Job) -> None:
        """Make the text and label of every token, which takes long, once, with steps of the job."""
        self._job = job
        try:
            assert len(self.labels) == len(self._pieces)
        finally:
            self._job = Job()

    def _ids_in_parts(self, what: str) -> Iterator[int]:
        for index in range(self._d_vocab):
            if index % SPELT == 0:
                self._job.step(index, self._d_vocab, what)
            yield index

    @cached_property
    def _pieces(self) -> tuple[bytes, ...]:
        byte_of = _byte_of_character() if self._spelling == "bytes" else {}
        # Added tokens are written as they are, where the others are spelt byte by byte.
        literal = self.special_ids | (self._added if byte_of else frozenset())
        pieces = []
        for index in self._ids_in_parts("reading tokens"):
            token = self._tokenizer.id_to_token(index)
            if token is None:
                piece = b""
            elif index in self._lone_bytes:
                piece = bytes.fromhex(token[3:5])
            elif index not in literal and byte_of and all(letter in byte_of for letter in token):
                piece = bytes(byte_of[letter] for letter in token)
            elif index not in literal and self._spelling == "spaces":
                piece = token.replace(LOW_LINE, " ").encode()
            else:
                piece = token.encode()
            pieces.append(piece)
        return tuple(pieces)

    @cached_property
    def _spelling(self) -> Literal["bytes", "spaces", "text"]:
        """How tokens are spelt: a character a byte, `▁` for a space, or as they are."""
        made = self._tokenizer
        # Without a decoder, what makes tokens of a text says how they are spelt.
        parts = [made.normalizer, made.pre_tokenizer] if made.decoder is None else [made.decoder]
        state = b"".join(part.__getstate__() for part in parts if part is not None)
        if b'"ByteLevel"' in state:
            return "bytes"
        return "spaces" if LOW_LINE.encode() in state or b'"Metaspace"' in state else "text"

    @cached_property
    def _lone_bytes(self) -> frozenset[int]:
        """Ids of sentencepiece's `<0x41>`: what no other token holds is read byte by byte."""
        if self._spelling != "spaces":
            return frozenset()
        ids = (self._tokenizer.token_to_id(f"<0x{byte:02X}>") for byte in range(256))
        return frozenset(index for index in ids if index is not None) - self.special_ids

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Text of each token in the order of ids; '' for a piece that is not whole UTF-8."""
        return tuple(_decoded(piece) for piece in self._pieces)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """What is shown for each token in the order of ids; no two are equal.

        Space is `·`, newline `↵`, tab `⇥`, an incomplete UTF-8 piece its bytes, any other
        character that cannot be seen its code point. Of tokens that would look the same, all but
        one carry their id.
        """
        pieces, texts = self._pieces, self.texts
        plain = [
            _label(pieces[index], texts[index]) if pieces[index] else f"[id {index}]"
            for index in self._ids_in_parts("labelling tokens")
        ]
        claimed: dict[str, int] = {}
        shared = {label for label, count in Counter(plain).items() if count > 1}
        for index, label in enumerate(plain):
            if label in shared:
                held = claimed.setdefault(label, index)
                if self._claim(index, label) < self._claim(held, label):
                    claimed[label] = index
        return tuple(
            f"{label}#{index}" if label in shared and claimed[label] != index else label
            for index, label in enumerate(plain)
        )

    def _claim(self, index: int, label: str) -> int:
        # ` ` is met far more often than a literal `·`, and `E6` or `A` as text than as a byte.
        text = self.texts[index]
        if not text or index in self._lone_bytes:
            return 2
        return 1 if text == label else 0

    @cached_property
    def _ids(self) -> dict[str, int]:
        # Reversed: of equal texts the lowest id stays, a byte only where nothing else has its text.
        order = sorted(range(len(self)), key=lambda index: (index in self._lone_bytes, index))
        return {self.texts[index]: index for index in reversed(order) if self.texts[index]}

    def encode(self, text: str, specials: Specials = "tokens") -> list[int]:
        """Return the ids of a text; nothing is put before or after it.

        Parameters
        ----------
        text : str
            The text.
        specials : Specials
            What a special token such as `<|BOS|>` in the text is read as: that one token, as
            transformers does, or plain text.

        Raises
        ------
        Refused
            If the text is not Unicode, holds a word that a word-by-word vocabulary lacks, or a
            special token that cannot be read as plain text.
        """
        try:
            text.encode()
        except UnicodeEncodeError:
            raise Refused("the text holds a lone surrogate, which is not Unicode text") from None
        if isinstance(self._tokenizer.model, WordLevel):
            self._check_words(text)
        self._tokenizer.encode_special_tokens = specials == "text"
        try:
            ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        except Exception as error:  # the library raises no narrower class
            raise Refused(f"this model's tokenizer cannot read the text: {error}") from error
        if specials == "text" and (stuck := self._specials_of(text, ids)):
            # Some tokenizers find any token of the vocabulary in a text, special ones too.
            raise Refused(
                f"{self.texts[stuck[0]]!r} cannot be read as plain text by this model's "
                "tokenizer: read special tokens as tokens"
            )
        return ids

    def spelt(self, text: str, ids: Sequence[int]) -> str | None:
        """Return what ids spell where that is not the text that they were read from; else none.

        Where tokens are spelt as they are, nothing says which spaces were between them, so that
        spaces are not compared.
        """
        if self._spelling == "text":
            spelt: str = self._tokenizer.decode(list(ids), skip_special_tokens=False)
            return None if _closed(spelt) == _closed(text) else spelt
        spelt = b"".join(self._pieces[index] for index in ids).decode(errors="replace")
        return None if spelt == text else spelt

    def specials_in(self, text: str) -> int:
        """Return how many special tokens a text holds."""
        return len(self._specials_of(text, self.encode(text)))

    def resolve(self, token: int | str) -> int:
        """Return the id of one token.

        Parameters
        ----------
        token : int or str
            An id, or the token's text; a text that is not a token may be `#id`.

        Raises
        ------
        Refused
            If it is not exactly one token; the sentence names the pieces, or says how to write
            a token that was given as it is shown.
        """
        if isinstance(token, int):
            return self._checked(token)
        if token in self._ids:
            return self._ids[token]
        if match := re.fullmatch(r"#(\d+)", token):
            return self._checked(int(match[1]))
        if not token:
            raise Refused("the token is empty: type its text, or its id as #id")
        if token in self.labels:
            raise Refused(self._how_to_write(token, self.labels.index(token)))
        ids = self.encode(token)
        if len(ids) == 1:
            self._check_is(token, ids[0])
            return ids[0]
        if not ids:
            raise Refused(f"{token!r} is no token of this model: {self._listed()}")
        pieces = " ".join(self.labelled(ids[:MAX_LISTED])) + " …" * (len(ids) > MAX_LISTED)
        spaced = " " + token
        hint = f"; {spaced!r}, with a space before it, is one" * (spaced in self._ids)
        if re.fullmatch(r"[0-9]{1,9}", token) and int(token) < len(self):
            hint += f"; the token with this id is #{int(token)}"
        raise Refused(f"{token!r} is {len(ids)} tokens, not one: {pieces}{hint}")

    def labelled(self, ids: Iterable[int]) -> tuple[str, ...]:
        """Return the labels of some ids."""
        return tuple(self.labels[index] for index in ids)

    def _specials_of(self, text: str, ids: list[int]) -> list[int]:
        # What stands for an unknown character is special as well, and nobody has typed it.
        return [i for i in ids if i in self.special_ids and self.texts[i] in text]

    def _check_words(self, text: str) -> None:
        for index in self.special_ids:
            text = text.replace(self.texts[index], " ")
        for word in text.split():
            if self._tokenizer.token_to_id(word) is None:
                raise Refused(f"{word!r} is none of this model's tokens: {self._listed()}")

    def _check_is(self, token: str, index: int) -> None:
        """Refuse what a tokenizer makes another text of: in small letters, or unknown."""
        spelt = self.spelt(token, [index]) or token
        # A space that is put before a text is no other text; nor is another way to write an é.
        if (
            unicodedata.normalize("NFC", spelt).strip()
            != unicodedata.normalize("NFC", token).strip()
        ):
            raise Refused(
                f"{token!r} is no token of this model, whose tokenizer reads it as "
                f"{self.labels[index]!r}: write #{index} for that one"
            )

    def _how_to_write(self, label: str, index: int) -> str:
        text = self.texts[index]
        how = f"write its id, #{index}"
        if " " in text and text.isprintable() and self._ids[text] == index:
            how = f"· stands for a space, so write {json.dumps(text, ensure_ascii=False)}"
        return f"{label!r} is how a token is shown, not its text: {how}"

    def _checked(self, index: int) -> int:
        if not 0 <= index < len(self):
            raise Refused(f"there is no token #{index}: ids go from 0 to {len(self) - 1}")
        return index

    def _listed(self) -> str:
        more = f" and {len(self) - MAX_LISTED:,} more" * (len(self) > MAX_LISTED)
        return ", ".join(self.labels[:MAX_LISTED]) + more


def _settle(tokenizer: Tokenizer) -> None:
    """Make a tokenizer read the whole of a text, and the same text always alike.

    What its file says of batches and of training is switched off: a length to cut or fill texts
    to, and the chance by which BPE and Unigram split a word in other ways than the best one.
    """
    tokenizer.no_truncation()
    tokenizer.no_padding()
    for chance in ("dropout", "alpha", "nbest_size"):
        if getattr(tokenizer.model, chance, None) is not None:
            setattr(tokenizer.model, chance, None)


def _closed(text: str) -> str:
    return "".join(text.split())


def _decoded(piece: bytes) -> str:
    try:
        return piece.decode()
    except UnicodeDecodeError:
        return ""


def _label(piece: bytes, text: str) -> str:
    if not text:
        return piece.hex(" ").upper()
    # A mark at the beginning would be drawn over whatever stands before the label.
    shown = [_code_point(text[0]) if unicodedata.category(text[0])[0] == "M" else _seen(text[0])]
    return "".join([*shown, *map(_seen, text[1:])])


def _seen(character: str) -> str:
    seen = character.isprintable() and not UNSEEN.match(character)
    return STAND_INS.get(character) or (character if seen else _code_point(character))


def _code_point(character: str) -> str:
    return f"U+{ord(character):04X}"


def _byte_of_character() -> dict[str, int]:
    # GPT-2's byte-level BPE writes a byte that prints as its Latin-1 character, and the others,
    # in order, as the characters from U+0100 on.
    printing = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = [byte for byte in range(256) if byte not in printing]
    return {chr(byte): byte for byte in printing} | {
        chr(0x100 + place): byte for place, byte in enumerate(others)
    }
