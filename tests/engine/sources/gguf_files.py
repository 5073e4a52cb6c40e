"""Small random GGUF files, for tests."""

import gguf
import numpy as np

D_VOCAB, D_MODEL, D_MLP, LAYERS, HEADS, KV_HEADS, D_HEAD = 96, 48, 80, 2, 4, 2, 12


def write(path, seed=0):
    """Write a Llama of random numbers with a byte-level vocabulary."""
    chance = np.random.default_rng(seed)
    file = gguf.GGUFWriter(path, "llama")
    file.add_block_count(LAYERS)
    file.add_context_length(64)
    file.add_embedding_length(D_MODEL)
    file.add_feed_forward_length(D_MLP)
    file.add_head_count(HEADS)
    file.add_head_count_kv(KV_HEADS)
    file.add_rope_dimension_count(D_HEAD)
    file.add_rope_freq_base(10000.0)
    file.add_layer_norm_rms_eps(1e-5)
    file.add_vocab_size(D_VOCAB)
    words = ["<|bos|>", *(chr(33 + number) for number in range(D_VOCAB - 3)), "ab"]
    words.append("<|endoftext|>")  # transformers would add it
    file.add_tokenizer_model("gpt2")
    file.add_token_list(words)
    file.add_token_types([3] + [1] * (D_VOCAB - 2) + [3])
    file.add_token_merges(["a b"])
    file.add_bos_token_id(0)
    file.add_eos_token_id(0)
    shapes = {"token_embd": (D_VOCAB, D_MODEL), "output": (D_VOCAB, D_MODEL)}
    for layer in range(LAYERS):
        shapes |= {
            f"blk.{layer}.attn_q": (HEADS * D_HEAD, D_MODEL),
            f"blk.{layer}.attn_k": (KV_HEADS * D_HEAD, D_MODEL),
            f"blk.{layer}.attn_v": (KV_HEADS * D_HEAD, D_MODEL),
            f"blk.{layer}.attn_output": (D_MODEL, HEADS * D_HEAD),
            f"blk.{layer}.ffn_gate": (D_MLP, D_MODEL),
            f"blk.{layer}.ffn_up": (D_MLP, D_MODEL),
            f"blk.{layer}.ffn_down": (D_MODEL, D_MLP),
        }
    for name, shape in shapes.items():
        file.add_tensor(f"{name}.weight", chance.normal(0, 0.3, shape).astype(np.float32))
    norms = ["output_norm"]
    norms += [f"blk.{layer}.{name}_norm" for layer in range(LAYERS) for name in ("attn", "ffn")]
    for name in norms:
        file.add_tensor(f"{name}.weight", chance.normal(1, 0.1, D_MODEL).astype(np.float32))
    file.write_header_to_file()
    file.write_kv_data_to_file()
    file.write_tensors_to_file()
    file.close()
    return path


def convert(model, path, architecture, fields=None, tensors=None, about=None, merges=()):
    """Write a model of transformers' own as llama.cpp's converter would, in single precision.

    Parameters
    ----------
    model : PreTrainedModel
        The model.
    path : Path
        The file.
    architecture : str
        As GGUF names it.
    fields : dict, optional
        More keys of the architecture and their values, or other values; none leaves one out.
    tensors : dict, optional
        More tensors by their whole names, or other ones; none leaves one out.
    about : dict, optional
        More keys, by their whole names.
    merges : sequence, optional
        Pairs of characters that are one token, put in the place of others.
    """
    config, layers = model.config, model.config.num_hidden_layers
    stored = {}
    names = gguf.get_tensor_name_map(
        next(key for key, name in gguf.MODEL_ARCH_NAMES.items() if name == architecture), layers
    )
    for name, tensor in model.state_dict().items():
        stem, _, end = name.rpartition(".")
        if name == "lm_head.weight" and config.tie_word_embeddings:
            continue
        value = tensor.float().numpy()
        # Bloom is converted without the head on it, by names that begin otherwise.
        place = names.get_name(stem) or names.get_name(stem.removeprefix("transformer."))
        stored[f"{place}.{end}"] = _stored(architecture, config, stem, end, value)
    stored = {
        name: value for name, value in (stored | (tensors or {})).items() if value is not None
    }
    width = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    turn = getattr(config, "rope_parameters", None) or {}
    turn = turn.get("full_attention", turn)
    shared = getattr(config, "num_key_value_heads", config.num_attention_heads)
    own = {
        "block_count": layers,
        "context_length": getattr(config, "max_position_embeddings", 64),
        "embedding_length": config.hidden_size,
        "feed_forward_length": getattr(config, "intermediate_size", None)
        or getattr(config, "ffn_hidden_size", None)
        or getattr(config, "n_inner", None)
        or 4 * config.hidden_size,
        "attention.head_count": config.num_attention_heads,
        "attention.head_count_kv": 1 if getattr(config, "multi_query", False) else shared,
        "attention.key_length": width,
        "attention.value_length": width,
        "vocab_size": config.vocab_size,
    }
    for setting in ("layer_norm_eps", "layer_norm_epsilon", "norm_epsilon", "norm_eps"):
        if hasattr(config, setting):
            own["attention.layer_norm_epsilon"] = getattr(config, setting)
    if hasattr(config, "rms_norm_eps"):
        own["attention.layer_norm_rms_epsilon"] = config.rms_norm_eps
    if turn:
        own["rope.freq_base"] = turn["rope_theta"]
        own["rope.dimension_count"] = int(width * turn.get("partial_rotary_factor", 1.0))
    own = {key: value for key, value in (own | (fields or {})).items() if value is not None}
    file = gguf.GGUFWriter(path, architecture)
    for key, value in own.items():
        _add(file, f"{architecture}.{key}", value)
    _vocabulary(file, config.vocab_size, merges)
    for key, value in (about or {}).items():
        _add(file, key, value)
    for name, value in stored.items():
        file.add_tensor(name, np.ascontiguousarray(value, dtype=np.float32))
    file.write_header_to_file()
    file.write_kv_data_to_file()
    file.write_tensors_to_file()
    file.close()
    return path


def _add(file, key, value):
    if isinstance(value, bool):
        file.add_bool(key, value)
    elif isinstance(value, int):
        file.add_uint32(key, value)
    elif isinstance(value, float):
        file.add_float32(key, value)
    elif isinstance(value, str):
        file.add_string(key, value)
    else:
        file.add_array(key, value)


def _vocabulary(file, count, merges):
    """Add a byte-level vocabulary: single characters, `ab`, and some that nothing merges to."""
    words = ["<|bos|>", *(chr(33 + number) for number in range(min(count, 94) - 3)), "ab"]
    words += [pair.replace(" ", "") for pair in merges]
    words += [f"!{chr(33 + number)}" for number in range(count - len(words) - 3)]
    words += ["<mask>", "<pad>", "<|endoftext|>"]  # transformers would add them
    file.add_tokenizer_model("gpt2")
    file.add_token_list(words)
    file.add_token_types([3] + [1] * (count - 4) + [3, 3, 3])
    file.add_pad_token_id(count - 2)
    file.add_token_merges(["a b", *merges])
    file.add_bos_token_id(0)
    file.add_eos_token_id(0)


def _stored(architecture, config, stem, end, value):
    """Return a tensor as llama.cpp lays it out."""
    heads = config.num_attention_heads
    if architecture == "llama" and stem.endswith(("q_proj", "k_proj")):
        # Neighbours are turned together there, and halves in transformers.
        count = heads if stem.endswith("q_proj") else config.num_key_value_heads
        halves = value.reshape(count, 2, len(value) // count // 2, *value.shape[1:])
        return halves.swapaxes(1, 2).reshape(value.shape)
    if architecture in ("gemma2", "gemma3", "nemotron") and stem.endswith("norm"):
        return value + 1 if end == "weight" else value
    if architecture == "nemotron" and "layernorm" in stem and end == "weight":
        return value + 1
    if architecture in ("gemma2", "gemma3") and "layernorm" in stem:
        return value + 1
    if architecture == "gpt2" and end == "weight" and value.ndim == 2 and ".h." in stem:
        return value.T
    if architecture == "bloom" and "query_key_value" in stem:
        parts = value.reshape(heads, 3, config.hidden_size // heads, *value.shape[1:])
        return parts.swapaxes(0, 1).reshape(value.shape)
    return value
