"""How text is cut before merges, as a GGUF file names it, where transformers' reader does not know.

A file holds the vocabulary and merges, and of the rest names only: by them llama.cpp knows how text
is split, whether a space is put before it, and whether a word of the vocabulary is merged at all.
"""

from collections.abc import Mapping
from typing import Any

from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers
from transformers.integrations.gguf.gguf_tokenizer_mapping import GGUF_PRE_TOKENIZER_SPLITS

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
    """Have a tokenizer cut text as its file says, and return what of it cannot be followed.

    Parameters
    ----------
    tokenizer : Tokenizer
        What transformers made of the file.
    keys : mapping
        The file's keys and values; none for long lists.
    """
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
