"""Folders that hold a TransformerLens state dict, for tests."""

import json

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit

from tests.oracles import state_dict

WORDS = [f"w{number}" for number in range(state_dict.SIZES["d_vocab"])]


def write_tokenizer(folder, words=WORDS):
    """Write a word-by-word tokenizer whose w1 is BOS, as NeelNanda's says it."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer(WordLevel({word: place for place, word in enumerate(words)}))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "GPTNeoXTokenizer"}')
    (folder / "special_tokens_map.json").write_text('{"bos_token": "w1"}')


def write(folder, about, stored, file="model_final.pth", tokenizer=True):
    """Write a config, its tensors, and a tokenizer."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(about))
    if file.endswith(".safetensors"):
        save_file(stored, folder / file)
    else:
        torch.save(stored, folder / file)
    if tokenizer:
        write_tokenizer(folder)
    return folder
