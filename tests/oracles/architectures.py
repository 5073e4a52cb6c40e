"""Traits of architectures, dense and in float64, from their definitions and the stored tensors.

A norm after the heads and caps ("Gemma 2", 2024), slopes ("Train Short, Test Long", Press et al.,
2022), rotation of neighbours ("RoFormer", Su et al., 2021, equation 34), windows ("Longformer",
Beltagy et al., 2020), one key/value head ("Fast Transformer Decoding", Shazeer, 2019). What enters
each module is caught on its way through transformers' own pass.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from tests.oracles.hugging_face import D_MODEL, LAYERS

LOCAL = (5, None, 5)
HALVES = {"width": 12, "divisor": 12**0.5}
ABOUT = {
    "gemma2": {
        "plus": 1.0,
        "embed": D_MODEL**0.5,
        "divisor": 17**0.5,
        "width": 10,
        "windows": LOCAL,
        "cap": 3.0,
        "logit_cap": 5.0,
        "post": "post_attention_layernorm",
    },
    "gemma3": {
        "plus": 1.0,
        "embed": D_MODEL**0.5,
        "divisor": 17**0.5,
        "windows": LOCAL,
        "post": "post_attention_layernorm",
        "qk_norm": True,
    },
    "glm4": {
        "width": 6,
        "neighbours": True,
        "divisor": 10**0.5,
        "post": "post_self_attn_layernorm",
    },
    "bloom": {
        "divisor": 8**0.5,
        "slopes": (1 / 4, 1 / 16, 1 / 64, 1 / 256, 1 / 2, 1 / 8),
        "norm": "input_layernorm",
    },
    "mpt": {
        "divisor": 12**0.5,
        "slopes": (1 / 4, 1 / 16, 1 / 64, 1 / 256),
        "norm": "norm_1",
        "final": "norm_f",
    },
    "gptj": HALVES | {"width": 8, "neighbours": True, "norm": "ln_1"},
    "neo": {"divisor": 1.0, "norm": "ln_1", "windows": (None, 5, None)},
    "bigcode": {"divisor": 12**0.5, "norm": "ln_1"},
    "falcon": HALVES,
    "starcoder2": HALVES | {"windows": (5, 5, 5)},
    "cohere": HALVES | {"neighbours": True, "base": 500000.0, "logit_scale": 1 / 16},
    "granite": HALVES | {"divisor": 5.0, "embed": 2.0, "residual": 0.4, "logit_scale": 1 / 3},
    "qwen2-windows": HALVES | {"windows": (None, 5, 5)},
    "smollm3": HALVES | {"still": (1,), "base": 2000000.0},
    "stablelm": HALVES | {"width": 6},
    "phi3": HALVES | {"windows": (5, 5, 5)},
    "olmo": HALVES | {"eps": 1e-5},
    "mixtral": HALVES | {"base": 1000000.0},
    "nemotron": HALVES | {"width": 6, "plus": 1.0},
}
"""What the definition of each says that its tensors do not."""


class Seen(NamedTuple):
    """What transformers' own pass made of some tokens, float64."""

    streams: list[Tensor]
    summed: list[Tensor]
    patterns: list[Tensor]
    read: Tensor
    logits: Tensor


def seen(model, kind, ids):
    """Run transformers' model: streams before each layer, what its post norm is given, patterns."""
    kept, hooks = {"streams": [], "summed": [], "read": []}, []

    def catching(name):
        return lambda module, given: kept[name].append(given[0][0].double())

    for block in blocks(model):
        hooks.append(block.register_forward_pre_hook(catching("streams")))
        if "post" in ABOUT[kind]:
            norm = getattr(block, ABOUT[kind]["post"])
            hooks.append(norm.register_forward_pre_hook(catching("summed")))
    hooks.append(model.get_output_embeddings().register_forward_pre_hook(catching("read")))
    with torch.inference_mode():
        out = model(torch.tensor([ids]), output_attentions=True, use_cache=False)
    for hook in hooks:
        hook.remove()
    patterns = [pattern[0].double() for pattern in out.attentions]
    return Seen(kept["streams"], kept["summed"], patterns, kept["read"][0], out.logits[0].double())


def blocks(model):
    """Return a model's layers."""
    base = model.base_model
    for name in ("layers", "h", "blocks"):
        if hasattr(base, name):
            return getattr(base, name)
    raise AssertionError("no layers")


def head(model, kind, layer, number):
    """Return what is stored of one head, and its traits, as a dict."""
    about, block, base = ABOUT[kind], blocks(model)[layer], model.base_model
    norm = getattr(block, about.get("norm", "input_layernorm"))
    final = getattr(base, about.get("final", "ln_f" if hasattr(base, "ln_f") else "norm"), None)
    d_head, found = _matrices(model, kind, block, number)
    W_E = model.get_input_embeddings().weight.double() * about.get("embed", 1.0)
    layer_norm = isinstance(norm, torch.nn.LayerNorm) or kind in ("cohere", "olmo")
    plus = about.get("plus", 0.0)
    zeros = torch.zeros(D_MODEL, dtype=torch.float64)
    gains = [getattr(one, "weight", zeros + 1).double() + plus for one in (norm, final)]
    bias = getattr(norm, "bias", None)
    found |= {
        "gain": gains[0],
        "bias": zeros if bias is None else bias.double(),
        "final_gain": gains[1] * about.get("logit_scale", 1.0),
        "eps": about.get("eps") or getattr(norm, "eps", None) or norm.variance_epsilon,
        "layer_norm": layer_norm,
        "W_U": model.get_output_embeddings().weight.double().T,
        "d_head": d_head,
        "divisor": about["divisor"],
        "slope": about["slopes"][number] if "slopes" in about else 0.0,
        "width": 0 if layer in about.get("still", ()) else about.get("width", 0),
        "neighbours": about.get("neighbours", False),
        "base": about.get("base", 10000.0),
        "window": about.get("windows", (None,) * LAYERS)[layer],
        "cap": about.get("cap"),
    }
    if kind == "bloom":
        first = base.word_embeddings_layernorm
        W_E = W_E - W_E.mean(-1, keepdim=True)
        W_E = W_E / (W_E.square().mean(-1, keepdim=True) + first.eps).sqrt()
        W_E = W_E * first.weight.double() + first.bias.double()
    # What multiplies an output entry by entry, wherever a norm's scale does not.
    found["after"] = torch.full((D_MODEL,), about.get("residual", 1.0), dtype=torch.float64)
    if "post" in about:
        found["after"] = getattr(block, about["post"]).weight.double() + plus
        post = getattr(block, about["post"])
        found["post_eps"] = getattr(post, "eps", None) or post.variance_epsilon
    return found | {"W_E": W_E}


def _matrices(model, kind, block, number):
    if kind in ("bloom", "falcon"):
        one, out = block.self_attention.query_key_value, block.self_attention.dense
        d_head = 8 if kind == "bloom" else 12
        places = {"Q": 3 * number, "K": 3 * number + 1, "V": 3 * number + 2}
        if kind == "falcon":
            places = {"Q": number, "K": 4, "V": 5}
        parts = {name: _rows(one, place, d_head) for name, place in places.items()}
    elif kind == "mpt":
        one, out, d_head = block.attn.Wqkv, block.attn.out_proj, 12
        parts = {name: _rows(one, 4 * n + number, d_head) for n, name in enumerate("QKV")}
    elif kind == "phi3":
        one, out, d_head = block.self_attn.qkv_proj, block.self_attn.o_proj, 12
        places = {"Q": number, "K": 4 + number // 2, "V": 6 + number // 2}
        parts = {name: _rows(one, place, d_head) for name, place in places.items()}
    elif kind == "bigcode":
        one, out, d_head = block.attn.c_attn, block.attn.c_proj, 12
        places = {"Q": number, "K": 4, "V": 5}
        parts = {name: _rows(one, place, d_head) for name, place in places.items()}
    else:
        within = getattr(block, "self_attn", None) or block.attn
        within = getattr(within, "attention", within)
        out = getattr(within, "o_proj", None) or within.out_proj
        d_head = out.weight.shape[1] // 4
        shared = within.k_proj.weight.shape[0] // d_head
        parts = {"Q": _rows(within.q_proj, number, d_head)}
        for name in "KV":
            projection = getattr(within, f"{name.lower()}_proj")
            parts[name] = _rows(projection, number * shared // 4, d_head)
    found = {}
    for name, (weight, bias) in parts.items():
        found |= {f"W_{name}": weight, f"b_{name}": bias}
    columns = slice(number * d_head, (number + 1) * d_head)
    return d_head, found | {"W_O": out.weight[:, columns].double().T}


def _rows(linear, place, d_head):
    rows = slice(place * d_head, (place + 1) * d_head)
    zeros = torch.zeros(d_head, dtype=torch.float64)
    bias = zeros if linear.bias is None else linear.bias[rows].double()
    return linear.weight[rows].double().T, bias


def read(stored, streams):
    """Return streams through the norm before the heads, its bias left out."""
    if stored["layer_norm"]:
        streams = streams - streams.mean(-1, keepdim=True)
    scale = (streams.square().mean(-1, keepdim=True) + stored["eps"]).sqrt()
    return streams / scale * stored["gain"]


def moved(stored, streams):
    """Return (X W_V + b_V) W_O times what multiplies it next, a norm's scale left out."""
    values = (read(stored, streams) + stored["bias"]) @ stored["W_V"] + stored["b_V"]
    return values @ stored["W_O"] * stored["after"]


def scale_after(stored, run, layer):
    """Return what the norm after a layer's heads divides by at each position; 1 without one."""
    if "post_eps" not in stored:
        return torch.ones(len(run.read), dtype=torch.float64)
    return (run.summed[layer].square().mean(-1) + stored["post_eps"]).sqrt()


def added(stored, run, layer, number):
    """Return what one head adds to the stream at every position."""
    given = run.patterns[layer][number] @ moved(stored, run.streams[layer])
    return given / scale_after(stored, run, layer)[:, None]


def to_logits(stored, vectors):
    """Return vectors times the final norm's weights and W_U, before its scale and a cap."""
    if stored["layer_norm"]:
        vectors = vectors - vectors.mean(-1, keepdim=True)
    logits = (vectors * stored["final_gain"]) @ stored["W_U"]
    return logits - logits.mean(-1, keepdim=True)


def ov(stored):
    """Return [source token, output token] of the OV circuit."""
    read_alone = read(stored, stored["W_E"])
    return to_logits(stored, read_alone @ stored["W_V"] @ stored["W_O"] * stored["after"])


def turned(stored, vectors, positions):
    """Turn each row of queries or keys by its position."""
    width = stored["width"]
    if not width:
        return vectors
    near, rest = vectors[..., :width].clone(), vectors[..., width:]
    angle = positions[:, None] * stored["base"] ** (
        -torch.arange(0, width, 2, dtype=torch.float64) / width
    )
    first, second = slice(0, width // 2), slice(width // 2, width)
    if stored["neighbours"]:
        first, second = slice(0, width, 2), slice(1, width, 2)
    one, other = near[..., first].clone(), near[..., second].clone()
    near[..., first] = one * angle.cos() - other * angle.sin()
    near[..., second] = one * angle.sin() + other * angle.cos()
    return torch.cat([near, rest], -1)


def qk(stored, offset, biases):
    """Return scores [query token, key token] at a distance, before a cap."""
    rows = read(stored, stored["W_E"])
    none = torch.zeros(len(rows), dtype=torch.float64)
    queries, keys = _queries_and_keys(stored, rows, biases)
    queries, keys = turned(stored, queries, none + offset), turned(stored, keys, none)
    return queries @ keys.T / stored["divisor"] - stored["slope"] * offset


def scores(stored, streams):
    """Return scores [query, key] on a run, capped; not a number where a query may not look."""
    places = torch.arange(len(streams), dtype=torch.float64)
    queries, keys = _queries_and_keys(stored, read(stored, streams), True)
    found = turned(stored, queries, places) @ turned(stored, keys, places).T / stored["divisor"]
    distance = places[:, None] - places
    found = found - stored["slope"] * distance
    if stored["cap"]:
        found = stored["cap"] * torch.tanh(found / stored["cap"])
    return found.masked_fill(hidden(stored, len(streams)), torch.nan)


def hidden(stored, count):
    """Return where a query may not look."""
    places = torch.arange(count)
    distance = places[:, None] - places
    beyond = distance >= (stored["window"] or count)
    return (distance < 0) | beyond


def _queries_and_keys(stored, rows, biases):
    queries, keys = rows @ stored["W_Q"], rows @ stored["W_K"]
    if biases:
        queries = queries + stored["bias"] @ stored["W_Q"] + stored["b_Q"]
        keys = keys + stored["bias"] @ stored["W_K"] + stored["b_K"]
    return queries, keys
