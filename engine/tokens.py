"""Text to token ids, and ids to labels that never lie: literal, distinct, printable."""

import json
import re
from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from typing import Literal

from tokenizers import Tokenizer
from tokenizers.models import WordLevel

from engine.messages import Refused

STAND_INS = {" ": "·", "\n": "↵", "\t": "⇥"}
MAX_LISTED = 12
LOW_LINE = "▁"


class Tokens:
    """A model's vocabulary.

    Text is always read literally: `<|BOS|>` typed in a prompt is those seven characters, and only
    the BOS switch puts a control token in front. As a single token it can be named all the same.

    Parameters
    ----------
    tokenizer
        Tokenizer of the model; from now on it reads special tokens in a text as plain text.
    bos_token
        Text of the beginning-of-sequence token, if there is one.
    d_vocab
        Rows of W_E; those beyond the tokenizer's tokens are labelled `[id N]`.
    """

    def __init__(
        self, tokenizer: Tokenizer, bos_token: str | None, d_vocab: int | None = None
    ) -> None:
        self._d_vocab = tokenizer.get_vocab_size() if d_vocab is None else d_vocab
        tokenizer.encode_special_tokens = True
        self._tokenizer = tokenizer
        self._special = {
            index: token.content
            for index, token in tokenizer.get_added_tokens_decoder().items()
            if token.special
        }
        self.bos_id = None if bos_token is None else tokenizer.token_to_id(bos_token)

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def special_ids(self) -> frozenset[int]:
        """Ids of control tokens such as BOS."""
        return frozenset(self._special)

    @cached_property
    def _pieces(self) -> tuple[bytes, ...]:
        raw = [self._tokenizer.id_to_token(index) for index in range(self._d_vocab)]
        kind = _spelling(self._tokenizer)
        byte_of = _byte_of_character() if kind == "bytes" else {}
        pieces = []
        for index, token in enumerate(raw):
            if token is None:
                piece = b""
            elif index in self._special:
                piece = self._special[index].encode()
            elif kind == "bytes" and all(character in byte_of for character in token):
                piece = bytes(byte_of[character] for character in token)
            elif kind == "spaces" and (byte := re.fullmatch("<0x([0-9A-F]{2})>", token)):
                piece = bytes.fromhex(byte[1])
            else:
                piece = (token.replace(LOW_LINE, " ") if kind == "spaces" else token).encode()
            pieces.append(piece)
        return tuple(pieces)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Text of each token in the order of ids; '' for a piece that is not whole UTF-8."""
        return tuple(_decoded(piece) for piece in self._pieces)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """What is shown for each token in the order of ids; no two are equal.

        Space is `·`, newline `↵`, tab `⇥`, an incomplete UTF-8 piece its bytes, any other
        character that does not print its code point. Of tokens that would look the same, all but
        one carry their id.
        """
        plain = [
            _label(piece, text) if piece else f"[id {index}]"
            for index, (piece, text) in enumerate(zip(self._pieces, self.texts, strict=True))
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
        # ` ` is met far more often than a literal `·`, and `E6` as text than as a lone byte.
        text = self.texts[index]
        if not text:
            return 2
        return 1 if text == label else 0

    @cached_property
    def _ids(self) -> dict[str, int]:
        # Reversed, so that of equal texts the lowest id stays.
        return {text: index for index, text in reversed(list(enumerate(self.texts))) if text}

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text, without any control token.

        Raises
        ------
        Refused
            If the text is not Unicode, or holds a word that a word-by-word vocabulary lacks.
        """
        try:
            text.encode()
        except UnicodeEncodeError:
            raise Refused("the text holds a lone surrogate, which is not Unicode text") from None
        if isinstance(self._tokenizer.model, WordLevel):
            for word in text.split():
                if self._tokenizer.token_to_id(word) is None:
                    raise Refused(f"{word!r} is none of this model's tokens: {self._listed()}")
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return ids

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


def _spelling(tokenizer: Tokenizer) -> Literal["bytes", "spaces", "text"]:
    """Return how tokens are spelt: a character a byte, `▁` for a space, or as they are."""
    state = b"" if tokenizer.decoder is None else tokenizer.decoder.__getstate__()
    if b'"ByteLevel"' in state:
        return "bytes"
    return "spaces" if LOW_LINE.encode() in state or b'"Metaspace"' in state else "text"


def _decoded(piece: bytes) -> str:
    try:
        return piece.decode()
    except UnicodeDecodeError:
        return ""


def _label(piece: bytes, text: str) -> str:
    if not text:
        return piece.hex(" ").upper()
    return "".join(STAND_INS.get(c) or (c if c.isprintable() else f"U+{ord(c):04X}") for c in text)


def _byte_of_character() -> dict[str, int]:
    # GPT-2's byte-level BPE writes a byte that prints as its Latin-1 character, and the others,
    # in order, as the characters from U+0100 on.
    printing = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = [byte for byte in range(256) if byte not in printing]
    return {chr(byte): byte for byte in printing} | {
        chr(0x100 + place): byte for place, byte in enumerate(others)
    }
