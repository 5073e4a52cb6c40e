"""Read a GGUF file once for transformers, and settle how its tokenizer cuts text.

A file holds the vocabulary and merges, and of the rest names only: by them llama.cpp knows how text
is split, whether a space is put before it, and whether a word of the vocabulary is merged at all.
"""

import contextlib
import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers
from transformers import modeling_gguf_pytorch_utils
from transformers.integrations.gguf.gguf_tokenizer_mapping import GGUF_PRE_TOKENIZER_SPLITS

from engine.job import Job
from engine.loading.gguf_config import FACTORS
from engine.loading.verify import refusing
from engine.messages import Refused


@dataclass(frozen=True)
class Header:
    """What a file says of itself, and what became of its tensors.

    Attributes
    ----------
    keys
        Its keys and their values; none for lists of tokens and the like.
    tensors
        The names of its tensors, and the numbers of those that divide rotary frequencies.
    used
        Names of tensors that transformers found a module for, once it has read them.
    """

    keys: dict[str, Any]
    tensors: dict[str, list[float] | None]
    used: set[str] = field(default_factory=set)


@contextlib.contextmanager
def read_once(path: Path, job: Job) -> Iterator[Header]:
    """Let transformers share one reading of a file, and one table of names for all its modules.

    It reads the header three times, seconds each for a real vocabulary, and makes the table once
    for every module: together two thirds of the time that opening took.
    """
    try:
        import gguf
    except ImportError as error:
        raise Refused("to open a GGUF file, install the package gguf: pip install gguf") from error

    class Reader(_originals()[0]):  # type: ignore[misc]
        # An array that is no memmap is sliced in a third of the time.
        @property
        def data(self) -> Any:
            return self._data

        @data.setter
        def data(self, mapped: Any) -> None:
            self._data = np.asarray(mapped)

    places = modeling_gguf_pytorch_utils
    original, name_map, bar, find_places = _originals()
    with refusing(f"{path.name} is damaged or cut short"):
        reader = Reader(path)
        end = max((tensor.data_offset + tensor.n_bytes for tensor in reader.tensors), default=0)
        header = Header(
            {key: _value(key, held) for key, held in reader.fields.items()},
            {
                it.name: gguf.dequantize(it.data, it.tensor_type).ravel().astype(float).tolist()
                if it.name in FACTORS
                else None
                for it in reader.tensors
            },
        )
    if end > path.stat().st_size:
        raise Refused(f"{path.name} is cut short: its tensors end at byte {end:,}")
    gguf.GGUFReader = lambda asked, *rest: reader
    gguf.get_tensor_name_map = functools.cache(name_map)
    places.tqdm = functools.partial(_stepping, job)

    def found_places(*asked: Any, **more: Any) -> dict[str, str]:
        found: dict[str, str] = find_places(*asked, **more)
        header.used.update(found)
        return found

    places.get_gguf_hf_weights_map = found_places
    try:
        yield header
    finally:
        gguf.GGUFReader, gguf.get_tensor_name_map = original, name_map
        places.tqdm, places.get_gguf_hf_weights_map = bar, find_places


@functools.cache
def _originals() -> tuple[Any, Any, Any, Any]:
    """Return what is put aside while a file is read, as it was before the first.

    A reading that never ends leaves its own in their place.
    """
    import gguf

    places = modeling_gguf_pytorch_utils
    return gguf.GGUFReader, gguf.get_tensor_name_map, places.tqdm, places.get_gguf_hf_weights_map


def _value(key: str, held: Any) -> Any:
    return None if key.startswith("tokenizer.") and len(held.data) > 1 else held.contents()


def _stepping(job: Job, tensors: Sequence[Any], desc: str = "") -> Iterator[Any]:
    for place, tensor in enumerate(tensors):
        job.step(place, len(tensors), "reading tensors")
        yield tensor


GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
DIGITS = r"\p{N}"
WORDS = r" ?[^(\s|.,!?…。，、।۔،)]+"  # the stops of several scripts

SPLITS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("gpt-2", "phi-2", "mpt", "olmo", "jais", "gigachat", "mellum", "roberta-bpe", "exaone4"),
        (GPT2,),
    ),
    **dict.fromkeys(
        ("smollm", "starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b"),
        (DIGITS, GPT2),
    ),
    **dict.fromkeys(
        ("stablelm2", "hunyuan"),
        (GGUF_PRE_TOKENIZER_SPLITS["qwen2"],),
    ),
    **dict.fromkeys(("glm4", "chatglm-bpe"), (GGUF_PRE_TOKENIZER_SPLITS["llama-bpe"],)),
    **dict.fromkeys(("bloom", "poro-chat", "gpt3-finnish"), (WORDS,)),
    "viking": (WORDS, DIGITS),
    "falcon": (r"[\p{P}\$\+<=>\^~\|`]+", GPT2, r"[0-9][0-9][0-9]"),
    "deepseek-coder": (
        r"[\r\n]",
        r"\s?\p{L}+",
        r"\s?\p{P}+",
        "[一-龥\u0800-一가-\ud7ff]+",
        DIGITS,
    ),
}
"""What text is cut by, one after the other, under names that transformers does not know."""

WHOLE_WORDS = (
    *("llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1", "pixtral", "midm-2.0"),
    *("lfm2", "jina-v5-nano", "tekken"),
)
"""Names under which a word that is a token is that token, whatever its merges say."""

HEEDED = (
    *("model", "pre", "tokens", "token_type", "token_type_count", "scores", "merges"),
    *("add_bos_token", "add_eos_token", "add_sep_token", "add_space_prefix"),
)
"""Keys of a tokenizer that are read, or that change no token of a text."""


def settle(tokenizer: Tokenizer, keys: Mapping[str, Any]) -> tuple[str, ...]:
    """Have a tokenizer cut text as its file says, and return what of it cannot be followed."""
    own = {
        key.removeprefix("tokenizer.ggml."): value
        for key, value in keys.items()
        if key.startswith("tokenizer.") and not key.startswith("tokenizer.chat_template")
    }
    said = []
    if own.get("model") == "gpt2":
        said += _split(tokenizer, own.get("pre"))
    elif own.get("model") == "llama" and own.get("add_space_prefix") is False:
        # Gemma's and others' that put none before have no Metaspace to say so.
        if isinstance(tokenizer.pre_tokenizer, pre_tokenizers.Metaspace):
            tokenizer.pre_tokenizer = pre_tokenizers.Metaspace("▁", "never", False)
        elif tokenizer.normalizer is not None:
            tokenizer.normalizer = normalizers.Replace(" ", "▁")
    for key, value in own.items():
        read = key in HEEDED or key.endswith(("_token_id", "_token_ids"))
        if not read and value not in (False, 0, "", "default"):
            shown = ascii(key)[1:-1][:60]
            said.append(f"text is not rewritten as the file's tokenizer says by {shown}")
    return tuple(said)


def _split(tokenizer: Tokenizer, name: object) -> list[str]:
    if name in WHOLE_WORDS:
        tokenizer.model.ignore_merges = True
    if name in GGUF_PRE_TOKENIZER_SPLITS:
        return []
    if name in SPLITS:
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [
                *(pre_tokenizers.Split(Regex(one), "isolated") for one in SPLITS[str(name)]),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
            ]
        )
        return []
    which = "does not say how" if name is None else f"says by {ascii(name)[:60]} how"
    unknown = "" if name is None else ", a name that is not known here"
    return [
        f"the file {which} text is cut before it is made tokens{unknown}: it is cut as GPT-2 does, "
        "and the model may have been trained on other tokens of the same text"
    ]
