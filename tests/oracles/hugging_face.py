"""Small random models of transformers' own, no two of their sizes equal, and their raw weights.

Judged by transformers' eager attention, and by dense float64 products of the tensors as they are
stored: W_Q as [d_model, d_head], the papers' and TransformerLens's transposes not assumed.
"""

import json

import torch
import transformers
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit

D_VOCAB, D_MODEL, D_MLP, LAYERS, N_CTX = 101, 48, 80, 3, 64

LLAMA = {
    "vocab_size": D_VOCAB,
    "hidden_size": D_MODEL,
    "intermediate_size": D_MLP,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": N_CTX,
}
ROPE = {"rope_theta": 10000.0}
LLAMA3 = ROPE | {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16,
}
YARN = ROPE | {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16}
GQA = {"num_attention_heads": 6, "head_dim": 10}

KINDS = {
    "llama": ("Llama", LLAMA | GQA | {"rope_parameters": ROPE | {"rope_type": "default"}}),
    "llama-biased-scaled": (
        "Llama",
        LLAMA | GQA | {"attention_bias": True, "mlp_bias": True, "rope_parameters": LLAMA3},
    ),
    "llama-yarn": ("Llama", LLAMA | GQA | {"rope_parameters": YARN}),
    "llama-tied": ("Llama", LLAMA | GQA | {"tie_word_embeddings": True}),
    "gpt2": (
        "GPT2",
        {
            "vocab_size": D_VOCAB,
            "n_embd": D_MODEL,
            "n_layer": LAYERS,
            "n_head": 4,
            "n_inner": D_MLP,
            "n_positions": N_CTX,
        },
    ),
    "neox": ("GPTNeoX", LLAMA | {"rotary_pct": 0.5, "num_key_value_heads": 4}),
    "neox-sequential": (
        "GPTNeoX",
        LLAMA | {"rotary_pct": 0.5, "num_key_value_heads": 4, "use_parallel_residual": False},
    ),
    "gemma": ("Gemma", LLAMA | {"num_key_value_heads": 1, "head_dim": 10}),
    "qwen2": ("Qwen2", LLAMA),
    "qwen3": ("Qwen3", LLAMA | {"head_dim": 10}),
    "mistral": ("Mistral", LLAMA | {"sliding_window": 5}),
    "phi": ("Phi", LLAMA | {"partial_rotary_factor": 0.5, "num_key_value_heads": 4}),
    "opt": (
        "OPT",
        {k: v for k, v in LLAMA.items() if k != "num_key_value_heads"}
        | {"ffn_dim": D_MLP, "word_embed_proj_dim": D_MODEL},
    ),
}
SIZES = {"vocab_size": D_VOCAB, "hidden_size": D_MODEL}
GPT = {
    "vocab_size": D_VOCAB,
    "n_embd": D_MODEL,
    "n_layer": LAYERS,
    "n_head": 4,
    "n_inner": D_MLP,
    "n_positions": N_CTX,
}
GEMMA = LLAMA | {"head_dim": 10, "sliding_window": 5, "query_pre_attn_scalar": 17}
LOCAL = ["sliding_attention", "full_attention", "sliding_attention"]
TRAITS = {
    "gemma2": (
        "Gemma2",
        GEMMA | {"attn_logit_softcapping": 3.0, "final_logit_softcapping": 5.0},
    ),
    "gemma3": ("Gemma3Text", GEMMA | {"layer_types": LOCAL}),
    "glm4": ("Glm4", LLAMA | {"head_dim": 10, "pad_token_id": 0, "partial_rotary_factor": 0.6}),
    "bloom": ("Bloom", SIZES | {"n_layer": LAYERS, "n_head": 6}),
    "mpt": (
        "Mpt",
        {"vocab_size": D_VOCAB, "d_model": D_MODEL, "n_layers": LAYERS, "n_heads": 4}
        | {"max_seq_len": N_CTX, "expansion_ratio": 2},
    ),
    "gptj": ("GPTJ", GPT | {"rotary_dim": 8}),
    "neo": (
        "GPTNeo",
        SIZES
        | {"num_layers": LAYERS, "num_heads": 4, "intermediate_size": D_MLP, "window_size": 5}
        | {"attention_types": [[["global", "local", "global"], 1]]}
        | {"max_position_embeddings": N_CTX},
    ),
    "bigcode": ("GPTBigCode", GPT),
    "falcon": (
        "Falcon",
        SIZES
        | {"num_hidden_layers": LAYERS, "num_attention_heads": 4, "multi_query": True}
        | {"parallel_attn": True, "bias": False, "ffn_hidden_size": D_MLP}
        | {"max_position_embeddings": N_CTX},
    ),
    "starcoder2": ("Starcoder2", LLAMA | {"sliding_window": 5}),
    "cohere": ("Cohere", LLAMA),
    "granite": (
        "Granite",
        LLAMA
        | {"embedding_multiplier": 2.0, "residual_multiplier": 0.4}
        | {"attention_multiplier": 0.2, "logits_scaling": 3.0},
    ),
    "qwen2-windows": (
        "Qwen2",
        LLAMA | {"use_sliding_window": True, "sliding_window": 5, "max_window_layers": 1},
    ),
    "smollm3": ("SmolLM3", LLAMA | {"no_rope_layer_interval": 2, "pad_token_id": 0}),
    "stablelm": ("StableLm", LLAMA | {"partial_rotary_factor": 0.5, "use_qkv_bias": True}),
    "phi3": ("Phi3", LLAMA | {"sliding_window": 5, "pad_token_id": 0}),
    "olmo": ("Olmo", LLAMA),
    "mixtral": ("Mixtral", LLAMA | {"num_local_experts": 5, "num_experts_per_tok": 2}),
    "nemotron": ("Nemotron", LLAMA | {"partial_rotary_factor": 0.5}),
}
"""One or more traits each that the others have not; see tests/oracles/transformer.py."""

KINDS |= TRAITS
FALCON = TRAITS["falcon"][1]
MPT = TRAITS["mpt"][1]
PHI3 = LLAMA | {"pad_token_id": 0, "original_max_position_embeddings": 20}
FURTHER = {
    "glm": ("Glm", LLAMA | {"head_dim": 10, "pad_token_id": 0, "partial_rotary_factor": 0.6}),
    "falcon-rw": (
        "Falcon",
        FALCON | {"multi_query": False, "parallel_attn": False, "bias": True, "alibi": True},
    ),
    "falcon-rw-12": (
        "Falcon",
        FALCON
        | {"num_attention_heads": 12, "multi_query": False, "parallel_attn": False, "alibi": True},
    ),
    "falcon-biased": ("Falcon", FALCON | {"bias": True, "parallel_attn": False}),
    "falcon-new": ("Falcon", FALCON | {"new_decoder_architecture": True, "num_kv_heads": 2}),
    "mpt-scaled": ("Mpt", MPT | {"n_heads": 6, "attn_config": {"softmax_scale": 0.3}}),
    "gpt2-by-layer": ("GPT2", GPT | {"scale_attn_by_inverse_layer_idx": True}),
    "gpt2-unscaled": ("GPT2", GPT | {"scale_attn_weights": False}),
    "llama-linear": (
        "Llama",
        LLAMA | GQA | {"rope_parameters": ROPE | {"rope_type": "linear", "factor": 4.0}},
    ),
    "mistral-far": ("Mistral", LLAMA | {"sliding_window": 20}),
    "phi3-longrope": (
        "Phi3",
        PHI3
        | {
            "rope_parameters": ROPE
            | {"rope_type": "longrope", "original_max_position_embeddings": 20}
            | {"short_factor": [1.0, 1.1, 1.2, 1.3, 1.4, 1.5]}
            | {"long_factor": [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]}
        },
    ),
    "stablelm-parallel": (
        "StableLm",
        LLAMA | {"partial_rotary_factor": 0.5, "use_qkv_bias": True, "use_parallel_residual": True},
    ),
    "opt-projected": (
        "OPT",
        {k: v for k, v in LLAMA.items() if k != "num_key_value_heads"}
        | {"ffn_dim": D_MLP, "word_embed_proj_dim": 20},
    ),
}
"""Variants of these, judged by tests/oracles/transformer.py alone."""
REFUSED = {
    "olmo2": ("Olmo2", LLAMA),
    "gpt-oss": ("GptOss", LLAMA | {"num_local_experts": 5, "num_experts_per_tok": 2}),
    "codegen": ("CodeGen", GPT | {"n_ctx": N_CTX, "rotary_dim": 8}),
    "helium": ("Helium", LLAMA | {"head_dim": 12}),
    "olmo-clipped": ("Olmo", LLAMA | {"clip_qkv": 8.0}),
    "mpt-clipped": (
        "Mpt",
        {"vocab_size": D_VOCAB, "d_model": D_MODEL, "n_layers": 2, "n_heads": 4}
        | {"attn_config": {"clip_qkv": 6.0}},
    ),
    "mamba": ("Mamba", {"vocab_size": D_VOCAB, "hidden_size": D_MODEL, "num_hidden_layers": 2}),
    "bert": ("Bert", LLAMA),
}
WORDS = [f"w{number}" for number in range(D_VOCAB)]
IDS = [1, 20, 33, 7, 20, 33, 90, 4, 55, 56, 20]
TEXT = " ".join(WORDS[i] for i in IDS[1:])
"""A prompt with words that come again, and its tokens behind BOS."""


def make(kind, scale=0.3, sizes=None):
    """Return a model in eval mode, all of its tensors random, the norms' and biases' too."""
    name, own = (KINDS | FURTHER | REFUSED)[kind]
    sizes = own if sizes is None else sizes
    head = "LMHeadModel" if name in ("GPT2", "Bert") else "ForCausalLM"
    cls = name.removesuffix("Text") + head
    config = getattr(transformers, f"{name}Config")(**sizes)
    config._attn_implementation = "eager"
    torch.manual_seed(0)
    model = getattr(transformers, cls)(config).eval()
    chance = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for tensor in model.parameters():
            noise = scale * torch.randn(tensor.shape, generator=chance)
            tensor.copy_(noise + (tensor if tensor.ndim == 1 else 0))
    return model.requires_grad_(False)


def write(kind, folder, bos="w1"):
    """Save a model as a folder with a word-by-word tokenizer, and return it."""
    model = make(kind)
    model.save_pretrained(folder)
    tokenizer = Tokenizer(WordLevel({word: place for place, word in enumerate(WORDS)}))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"bos_token": bos}))
    return model


def own(model, ids):
    """Return a model's eager patterns, [layer, head, query, key], and log-probabilities."""
    with torch.inference_mode():
        out = model(torch.tensor([ids]), output_attentions=True, use_cache=False)
    return torch.stack(out.attentions)[:, 0], out.logits[0].log_softmax(-1)


def raw(model, kind, layer, number):
    """Return what is stored of one head, float64, as a dict; a missing tensor as zeros or ones."""
    base = model.base_model
    d_head = getattr(model.config, "head_dim", None) or D_MODEL // model.config.num_attention_heads
    rows = slice(number * d_head, (number + 1) * d_head)
    zeros, found = torch.zeros(d_head, dtype=torch.float64), {}
    if kind == "gpt2":
        block, norm, final = base.h[layer], base.h[layer].ln_1, base.ln_f
        W, b = block.attn.c_attn.weight.T, block.attn.c_attn.bias
        for place, name in enumerate("QKV"):
            one = slice(place * D_MODEL + rows.start, place * D_MODEL + rows.stop)
            found |= {f"W_{name}": W[one].T, f"b_{name}": b[one]}
        found["W_O"] = block.attn.c_proj.weight[rows]
        W_E = base.wte.weight
    elif kind.startswith("neox"):
        block = base.layers[layer]
        norm, final, W_E = block.input_layernorm, base.final_layer_norm, base.embed_in.weight
        qkv = block.attention.query_key_value
        for place, name in enumerate("QKV"):
            start = (3 * number + place) * d_head
            one = slice(start, start + d_head)
            found |= {f"W_{name}": qkv.weight[one].T, f"b_{name}": qkv.bias[one]}
        found["W_O"] = block.attention.dense.weight[:, rows].T
    else:
        block = base.layers[layer]
        norm, final, W_E = block.input_layernorm, base.norm, base.embed_tokens.weight
        kv = number // (model.config.num_attention_heads // model.config.num_key_value_heads)
        theirs = slice(kv * d_head, (kv + 1) * d_head)
        for name, one in (("Q", rows), ("K", theirs), ("V", theirs)):
            linear = getattr(block.self_attn, f"{name.lower()}_proj")
            found[f"W_{name}"] = linear.weight[one].T
            found[f"b_{name}"] = zeros if linear.bias is None else linear.bias[one]
        found["W_O"] = block.self_attn.o_proj.weight[:, rows].T
    scale = D_MODEL**0.5 if kind == "gemma" else 1.0
    plus = 1.0 if kind == "gemma" else 0.0
    none = torch.zeros_like(norm.weight)
    found |= {
        "W_E": scale * W_E,
        "W_U": model.get_output_embeddings().weight.T,
        "gain": norm.weight + plus,
        "bias": getattr(norm, "bias", None) if hasattr(norm, "bias") else none,
        "final_gain": final.weight + plus,
        "eps": getattr(norm, "eps", None) or norm.variance_epsilon,
        "layer_norm": hasattr(norm, "bias"),
        "d_head": d_head,
    }
    return {
        name: value.double() if isinstance(value, torch.Tensor) else value
        for name, value in found.items()
    }


def normed(head, streams):
    """Return streams through the norm before the heads, its weights included."""
    if head["layer_norm"]:
        streams = streams - streams.mean(-1, keepdim=True)
    scale = (streams.square().mean(-1, keepdim=True) + head["eps"]).sqrt()
    return streams / scale * head["gain"] + head["bias"]


def ov(head):
    """Return [source token, output token], b_V left out, each output less its mean after a LN."""
    read = normed(head, head["W_E"]) - head["bias"]
    written = read @ head["W_V"] @ head["W_O"]
    if head["layer_norm"]:
        written = written - written.mean(-1, keepdim=True)
    logits = (written * head["final_gain"]) @ head["W_U"]
    return logits - logits.mean(-1, keepdim=True)


def turned(vectors, position, width, base=10000.0):
    """Turn the first `width` entries by a position ("RoFormer", Su et al., 2021, equation 34)."""
    half = width // 2
    angle = position * base ** (-torch.arange(half, dtype=torch.float64) / half)
    cos, sin = torch.cat([angle.cos()] * 2), torch.cat([angle.sin()] * 2)
    near = vectors[..., :width]
    other = torch.cat([-near[..., half:], near[..., :half]], -1)
    return torch.cat([near * cos + other * sin, vectors[..., width:]], -1)


def qk(head, width, offset, biases, base=10000.0):
    """Return scores [query token, key token] at a distance, divided by sqrt(d_head)."""
    read, kept = normed(head, head["W_E"]), 1.0 if biases else 0.0
    # The norm's bias is one of the biases: it moves into b_Q and b_K.
    read = read - (1 - kept) * head["bias"]
    queries = read @ head["W_Q"] + kept * head["b_Q"]
    keys = read @ head["W_K"] + kept * head["b_K"]
    if width:
        queries, keys = turned(queries, offset, width, base), turned(keys, 0, width, base)
    return queries @ keys.T / head["d_head"] ** 0.5
