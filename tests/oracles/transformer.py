"""Any decoder's forward pass in float64, from the tensors and the config.json of its folder.

One layer for all: what sets an architecture apart is a switch, read from its config. Nothing of
transformers' or TransformerLens's code runs here. Sources: "Attention Is All You Need" (2017) with
norms before the sublayers (GPT-2, 2019), RMSNorm (Zhang and Sennrich, 2019), "RoFormer" (Su et al.,
2021, equation 34), YaRN (Peng et al., 2023, equations 17 to 22), Llama 3.1's and LongRoPE's factors
of the angles, ALiBi (Press et al., 2022), GLU variants (Shazeer, 2020), one key/value head for many
(Shazeer, 2019; Ainslie et al., 2023), windows (Beltagy et al., 2020), experts (Jiang et al., 2024),
caps and norms behind the sublayers (Gemma 2, 2024), parallel sublayers (GPT-J, 2021).
"""

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import torch
from safetensors.torch import load_file
from torch import Tensor

Config = dict

NAMES = (
    (r"^(transformer|gpt_neox|model\.decoder|model)\.", ""),
    (r"^(wte|embed_in|word_embeddings)\b", "embed_tokens"),
    (r"^(wpe|embed_positions)\b", "positions"),
    (r"^(ln_f|norm_f|final_layer_?norm)\b", "norm"),
    (r"^embed_out\b", "lm_head"),
    (r"^(h|blocks)\.", "layers."),
    (r"\.(self_attention|attention|attn\.attention|attn)\.", ".self_attn."),
    (r"\.(c_attn|query_key_value|Wqkv)\b", ".qkv_proj"),
    (r"\.self_attn\.(dense|out_proj|c_proj)\b", ".self_attn.o_proj"),
    (r"\.(ln_1|norm_1|self_attn_layer_norm|ln_attn)\b", ".input_layernorm"),
    (r"\.(ln_2|norm_2|final_layer_norm|ln_mlp)\b", ".post_attention_layernorm"),
    (r"\.ffn\.", ".mlp."),
    (r"\.(mlp\.)?(c_fc|fc_in|fc1|dense_h_to_4h)\b", ".mlp.up_proj"),
    (r"\.(mlp\.)?(c_proj|fc_out|fc2|dense_4h_to_h)\b", ".mlp.down_proj"),
)
"""What one architecture or another calls a tensor, and what Llama calls it."""

LAYER_NORM = (
    *("gpt2", "gpt_neo", "gpt_neox", "gptj", "gpt_bigcode", "codegen", "opt", "bloom", "falcon"),
    *("mpt", "phi", "starcoder2", "cohere", "stablelm", "olmo", "nemotron"),
)
"""Those that centre what they norm; the others divide by the root mean square alone."""
PLUS_ONE = ("gemma", "gemma2", "gemma3_text", "nemotron")
"""Those whose norms store their gain less 1."""
BY_HEAD = ("gpt_neox", "bloom")
"""Those that store query, key and value of a head side by side: [head, 3, d_head] rows."""
NEIGHBOURS = ("gptj", "codegen", "cohere", "glm", "glm4")
"""Those that rotate entries 2 i and 2 i + 1 together; the others i and i + width / 2."""
PARALLEL = ("gptj", "codegen", "phi", "cohere")
"""Those whose MLP always reads the stream that the heads read."""
ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": lambda x: x.clamp(min=0),
    "relu2": lambda x: x.clamp(min=0).square(),
    "silu": lambda x: x / (1 + (-x).exp()),
    "gelu": lambda x: x * (1 + torch.erf(x / math.sqrt(2))) / 2,
    "tanh": lambda x: x * (1 + (math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)).tanh()) / 2,
}


class Norm(NamedTuple):
    """LayerNorm or RMSNorm with a gain [..., width] and a bias."""

    gain: Tensor
    bias: Tensor
    eps: float
    centres: bool

    def scale(self, rows: Tensor) -> Tensor:
        """Return what each row is divided by, [..., 1]."""
        return (self.off(rows).square().mean(-1, keepdim=True) + self.eps).sqrt()

    def off(self, rows: Tensor) -> Tensor:
        """Return rows without what the norm takes off them."""
        return rows - rows.mean(-1, keepdim=True) if self.centres else rows

    def __call__(self, rows: Tensor) -> Tensor:
        """Return rows as the norm leaves them."""
        return self.off(rows) / self.scale(rows) * self.gain + self.bias


class Rotary(NamedTuple):
    """Angles per position [width / 2], the factor of cosines and sines, and who turns with whom."""

    angles: Tensor
    factor: float
    neighbours: bool

    def turn(self, rows: Tensor, places: Tensor) -> Tensor:
        """Turn rows [..., position, d_head] by their places [position]."""
        width = 2 * len(self.angles)
        if self.neighbours:
            first, second = slice(0, width, 2), slice(1, width, 2)
        else:
            first, second = slice(0, width // 2), slice(width // 2, width)
        angle = places[:, None] * self.angles  # [position, width / 2]
        cos, sin = self.factor * angle.cos(), self.factor * angle.sin()
        turned = rows.clone()
        turned[..., first] = rows[..., first] * cos - rows[..., second] * sin
        turned[..., second] = rows[..., first] * sin + rows[..., second] * cos
        return turned


@dataclass(frozen=True, eq=False)
class Layer:
    """One layer: every head has keys and values of its own, shared ones again for each."""

    before: Norm | None  # what the heads read through; None: the stream as it is
    W_Q: Tensor  # [head, d_model, d_head], likewise W_K and W_V
    W_K: Tensor
    W_V: Tensor
    W_O: Tensor  # [head, d_head, d_model]
    b_Q: Tensor  # [head, d_head], likewise b_K and b_V
    b_K: Tensor
    b_V: Tensor
    b_O: Tensor  # [d_model]
    norm_q: Norm | None  # of all queries [position, head * d_head] or of each head's
    norm_k: Norm | None
    rotary: Callable[[int], Rotary] | None  # of a prompt's length
    divisor: float
    slopes: Tensor  # [head]: what a score loses a position of distance
    rounds: bool  # whether slope times position is rounded to bfloat16, before it is divided
    cap: float | None
    window: int | None  # how many positions a query sees, its own the last
    clip: float | None  # what queries, keys and values are clamped to
    after: Norm | None  # of what the heads add together
    mlp_before: Norm | None
    mlp: Callable[[Tensor], Tensor]
    mlp_after: Norm | None
    parallel: bool
    residual: float  # what multiplies whatever a sublayer adds


@dataclass(frozen=True, eq=False)
class Model:
    """A decoder as its folder has it, float64."""

    kind: str
    W_E: Tensor  # [d_vocab, d_model], as it enters the stream
    W_pos: Tensor | None  # [position, d_model]
    layers: tuple[Layer, ...]
    final: Norm
    W_U: Tensor  # [d_model, d_vocab], with a scale of the logits
    b_U: Tensor  # [d_vocab]
    logit_cap: float | None


@dataclass(eq=False)
class Pass:
    """Everything met on the way of one prompt; per-layer lists count layers from 0."""

    ids: Tensor
    streams: list[Tensor] = field(default_factory=list)  # [position, d_model], last: the final one
    reads: list[Tensor] = field(default_factory=list)  # the same as heads read it
    queries: list[Tensor] = field(default_factory=list)  # [head, position, d_head], turned
    keys: list[Tensor] = field(default_factory=list)
    values: list[Tensor] = field(default_factory=list)
    scores: list[Tensor] = field(default_factory=list)  # [head, query, key], -inf where masked
    uncapped: list[Tensor] = field(default_factory=list)  # the same before a cap and a mask
    patterns: list[Tensor] = field(default_factory=list)  # [head, query, key]
    added: list[Tensor] = field(default_factory=list)  # [head, position, d_model] to the stream
    after_scales: list[Tensor] = field(default_factory=list)  # [position, 1]; 1 without a norm
    attention: list[Tensor] = field(default_factory=list)  # [position, d_model]: heads and b_O
    mlps: list[Tensor] = field(default_factory=list)  # [position, d_model], as added
    uncapped_logits: Tensor = field(default_factory=lambda: torch.empty(0))
    logits: Tensor = field(default_factory=lambda: torch.empty(0))  # [position, d_vocab]


def run(model: Model, ids: list[int], off: tuple[tuple[int, int], ...] = ()) -> Pass:
    """Run token ids through a model, the heads `off` (layer, head) writing nothing."""
    seen = Pass(torch.tensor(ids))
    stream = model.W_E[seen.ids]  # [position, d_model]
    if model.W_pos is not None:
        stream = stream + model.W_pos[: len(ids)]
    for number, layer in enumerate(model.layers):
        seen.streams.append(stream)
        silent = [head for at, head in off if at == number]
        attention = _attend(layer, stream, seen, silent)
        read = stream if layer.parallel else stream + attention
        read = layer.mlp_before(read) if layer.mlp_before else read
        mlp = layer.mlp(read)
        mlp = layer.residual * (layer.mlp_after(mlp) if layer.mlp_after else mlp)
        seen.mlps.append(mlp)
        stream = stream + attention + mlp
    seen.streams.append(stream)
    seen.uncapped_logits = model.final(stream) @ model.W_U + model.b_U
    seen.logits = capped(seen.uncapped_logits, model.logit_cap)
    return seen


def _attend(layer: Layer, stream: Tensor, seen: Pass, silent: list[int]) -> Tensor:
    count = len(stream)
    read = layer.before(stream) if layer.before else stream
    q, k, v = (
        torch.einsum("pm,hmd->hpd", read, W) + b[:, None]
        for W, b in ((layer.W_Q, layer.b_Q), (layer.W_K, layer.b_K), (layer.W_V, layer.b_V))
    )  # [head, position, d_head]
    if layer.clip is not None:
        q, k, v = (rows.clamp(-layer.clip, layer.clip) for rows in (q, k, v))
    q, k = normed_heads(layer.norm_q, q), normed_heads(layer.norm_k, k)
    places = torch.arange(count, dtype=torch.float64)
    if layer.rotary:
        rotary = layer.rotary(count)
        q, k = rotary.turn(q, places), rotary.turn(k, places)
    distance = places[:, None] - places  # [query, key]
    rises = alibi(layer, places)  # [head, position]
    uncapped = q @ k.mT / layer.divisor + rises[:, None, :] - rises[:, :, None]
    hidden = (distance < 0) | (distance >= (layer.window or count))
    scores = capped(uncapped, layer.cap).masked_fill(hidden, -math.inf)
    pattern = scores.softmax(-1)
    heads = pattern @ v @ layer.W_O  # [head, position, d_model]
    heads[silent] = 0
    total = heads.sum(0) + layer.b_O
    scale, gain = torch.ones(count, 1, dtype=torch.float64), torch.tensor(layer.residual).double()
    if layer.after:
        scale, gain = layer.after.scale(total), layer.residual * layer.after.gain
    seen.reads.append(read)
    seen.queries.append(q)
    seen.keys.append(k)
    seen.values.append(v)
    seen.uncapped.append(uncapped)
    seen.scores.append(scores)
    seen.patterns.append(pattern)
    seen.after_scales.append(scale)
    seen.added.append(heads / scale * gain)
    seen.attention.append(total / scale * gain)
    return seen.attention[-1]


def alibi(layer: Layer, places: Tensor) -> Tensor:
    """Return what a key's place adds to every score with it, [head, position]."""
    if not layer.rounds:
        return layer.slopes[:, None] * places
    slopes = (layer.slopes * layer.divisor).bfloat16()[:, None]
    return (slopes * places.bfloat16()).double() / layer.divisor


def capped(values: Tensor, cap: float | None) -> Tensor:
    """Return values bent to lie between -cap and cap."""
    return values if cap is None else cap * (values / cap).tanh()


def normed_heads(norm: Norm | None, rows: Tensor) -> Tensor:
    """Return queries or keys [head, position, d_head] through a norm, each head's or all."""
    if norm is None:
        return rows
    heads, count, d_head = rows.shape
    if norm.gain.ndim == 1 and len(norm.gain) != d_head:
        together = rows.transpose(0, 1).reshape(count, heads * d_head)
        return norm(together).view(count, heads, d_head).transpose(0, 1)
    return norm(rows)


def read(folder: Path) -> Model:
    """Read config.json and model.safetensors of a folder."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    tensors = {}
    for name, tensor in load_file(folder / "model.safetensors").items():
        for theirs, ours in NAMES:
            name = re.sub(theirs, ours, name)
        tensors[name] = tensor.double()
    kind, d_model = config["model_type"], _of(config, "hidden_size", "n_embd", "d_model")
    embed = tensors["embed_tokens.weight"]
    unembed = tensors.get("lm_head.weight", embed).T  # [d_model, d_vocab]; tied: the embedding's
    W_E = embed * config.get("embedding_multiplier", 1.0)
    if kind.startswith("gemma"):
        W_E = embed * math.sqrt(d_model)
    if "word_embeddings_layernorm.weight" in tensors:
        W_E = _norm(config, tensors, "word_embeddings_layernorm", d_model)(W_E)
    if "project_in.weight" in tensors:  # OPT: vectors of another width than the stream's
        W_E, unembed = (
            W_E @ tensors["project_in.weight"].T,
            tensors["project_out.weight"].T @ unembed,
        )
    W_pos = tensors.get("positions.weight")
    if kind == "opt" and W_pos is not None:
        W_pos = W_pos[2:]  # its first two rows are for padding
    final = _norm(config, tensors, "norm", d_model)
    d_vocab = unembed.shape[1]
    scale = (config.get("logit_scale") or 1.0) / config.get("logits_scaling", 1.0)
    n_layers = _of(config, "num_hidden_layers", "n_layer", "n_layers", "num_layers")
    return Model(
        kind=kind,
        W_E=W_E,
        W_pos=W_pos,
        layers=tuple(_layer(config, tensors, number, d_model) for number in range(n_layers)),
        final=final,
        W_U=unembed * scale,
        b_U=tensors.get("lm_head.bias", torch.zeros(d_vocab).double()) * scale,
        logit_cap=config.get("final_logit_softcapping"),
    )


def _of(config: Config, *names: str):
    return next(config[name] for name in names if config.get(name) is not None)


def _norm(config: Config, tensors: dict[str, Tensor], name: str, width: int) -> Norm:
    kind, plus = config["model_type"], 1.0 if config["model_type"] in PLUS_ONE else 0.0
    names = ("layer_norm_epsilon", "layer_norm_eps", "rms_norm_eps", "norm_eps", "norm_epsilon")
    return Norm(
        gain=tensors[f"{name}.weight"] + plus if f"{name}.weight" in tensors else torch.ones(width),
        bias=tensors.get(f"{name}.bias", torch.zeros(width).double()),
        eps=next((config[key] for key in names if key in config), 1e-5),
        centres=kind in LAYER_NORM,
    )


def _layer(config: Config, tensors: dict[str, Tensor], number: int, d_model: int) -> Layer:
    kind, at = config["model_type"], f"layers.{number}."
    n_heads = _of(config, "num_attention_heads", "n_head", "n_heads", "num_heads")
    own = {name.removeprefix(at): it for name, it in tensors.items() if name.startswith(at)}
    if kind == "gpt2":  # stored as [input, output]
        own = {name: it.T if it.ndim == 2 else it for name, it in own.items()}
    before = mlp_before = _norm(config, own, "input_layernorm", d_model)
    after = mlp_after = None
    second = "post_attention_layernorm"
    if kind in ("gemma2", "gemma3_text"):
        after = _norm(config, own, second, d_model)
        mlp_before = _norm(config, own, "pre_feedforward_layernorm", d_model)
        mlp_after = _norm(config, own, "post_feedforward_layernorm", d_model)
    elif kind == "olmo2":
        before = mlp_before = None
        after = _norm(config, own, second, d_model)
        mlp_after = _norm(config, own, "post_feedforward_layernorm", d_model)
    elif f"{second}.weight" in own:
        mlp_before = _norm(config, own, second, d_model)
        if kind == "glm4":
            after = _norm(config, own, "post_self_attn_layernorm", d_model)
            mlp_after = _norm(config, own, "post_mlp_layernorm", d_model)
    parallel = kind in PARALLEL or config.get("use_parallel_residual", False)
    if kind == "falcon":
        parallel = config["parallel_attn"] or config["new_decoder_architecture"]
    W_O = own["self_attn.o_proj.weight"]  # [d_model, head * d_head]
    d_head = W_O.shape[1] // n_heads
    parts = _queries_keys_values(config, own, n_heads, d_head)
    return Layer(
        before=before,
        **parts,
        W_O=W_O.T.reshape(n_heads, d_head, d_model),
        b_O=own.get("self_attn.o_proj.bias", torch.zeros(d_model).double()),
        norm_q=_head_norm(config, own, "q", n_heads, d_head),
        norm_k=_head_norm(config, own, "k", n_heads, d_head),
        rotary=_rotary(config, number, d_head),
        divisor=_divisor(config, number, d_head),
        slopes=_slopes(config, n_heads, d_head),
        rounds=kind == "falcon",
        cap=config.get("attn_logit_softcapping"),
        window=_window(config, number),
        clip=config.get("clip_qkv") or config.get("attn_config", {}).get("clip_qkv"),
        after=after,
        mlp_before=mlp_before,
        mlp=_mlp(config, own),
        mlp_after=mlp_after,
        parallel=parallel,
        residual=config.get("residual_multiplier", 1.0),
    )


def _queries_keys_values(
    config: Config, own: dict[str, Tensor], n_heads: int, d_head: int
) -> dict[str, Tensor]:
    found = {}
    kind, shared = config["model_type"], config.get("num_key_value_heads") or n_heads
    if kind == "falcon":
        shared = config["num_kv_heads"]
        if config["multi_query"] and not config["new_decoder_architecture"]:
            shared = 1
    for end, letter in (("weight", "W"), ("bias", "b")):
        if "self_attn.qkv_proj.weight" in own:
            joined = own.get(f"self_attn.qkv_proj.{end}")
            if joined is None:
                joined = torch.zeros(len(own["self_attn.qkv_proj.weight"])).double()
            joined = joined.view(-1, d_head, *joined.shape[1:])  # [places, d_head(, d_model)]
            together = kind in BY_HEAD or (kind == "falcon" and not config["multi_query"])
            if kind == "falcon" and config["new_decoder_architecture"]:
                # [key/value head, its queries and a key and a value]
                groups = joined.view(shared, n_heads // shared + 2, *joined.shape[1:])
                three = groups[:, :-2].flatten(0, 1), groups[:, -2], groups[:, -1]
            elif together:
                three = joined.view(n_heads, 3, *joined.shape[1:]).unbind(1)
            else:
                three = joined.split((n_heads, shared, shared))
        else:
            three = []
            for name in "qkv":
                weight = own[f"self_attn.{name}_proj.weight"]
                one = own.get(f"self_attn.{name}_proj.{end}", torch.zeros(len(weight)).double())
                three.append(one.view(-1, d_head, *one.shape[1:]))
        for name, one in zip("QKV", three, strict=True):
            # Query head h reads key/value head h // (n_heads // shared).
            one = one.repeat_interleave(n_heads // len(one), 0)
            found[f"{letter}_{name}"] = one.mT if letter == "W" else one
    return found


def _head_norm(
    config: Config, own: dict[str, Tensor], name: str, n_heads: int, d_head: int
) -> Norm | None:
    stored = f"self_attn.{name}_norm"
    if f"{stored}.weight" not in own:
        return None
    norm = _norm(config, own, stored, d_head)
    if len(norm.gain) == d_head:
        return norm
    # One norm of all heads together; a shared key comes in as often as it is read.
    gain = norm.gain.view(-1, d_head).repeat_interleave(n_heads * d_head // len(norm.gain), 0)
    return norm._replace(gain=gain.flatten(), bias=torch.zeros(len(gain) * d_head).double())


def _rotary(config: Config, number: int, d_head: int) -> Callable[[int], Rotary] | None:
    about = config.get("rope_parameters")
    if config["model_type"] in ("gptj", "codegen"):
        about = {"rope_theta": 10000.0, "rope_type": "default"}
    stays = config.get("no_rope_layers") and not config["no_rope_layers"][number]
    if about is None or config.get("alibi") or stays:
        return None
    if "rope_theta" not in about:
        about = about[config["layer_types"][number]]
    share = about.get("partial_rotary_factor", config.get("partial_rotary_factor", 1.0))
    width = config.get("rotary_dim") or int(d_head * share)
    exponents = torch.arange(0, width, 2, dtype=torch.float64) / width
    angles = about["rope_theta"] ** -exponents  # [width / 2]
    return lambda count: Rotary(
        *_scaled(about, config, angles, count), config["model_type"] in NEIGHBOURS
    )


def _scaled(about: Config, config: Config, angles: Tensor, count: int) -> tuple[Tensor, float]:
    """Return the angles and the factor of cosines and sines at a prompt's length."""
    kind = about.get("rope_type", "default")
    if kind == "default":
        return angles, 1.0
    if kind == "linear":
        return angles / about["factor"], 1.0
    original = about["original_max_position_embeddings"]
    if kind == "longrope":
        factor = config["max_position_embeddings"] / original
        factors = about["long_factor" if count > original else "short_factor"]
        factors = torch.tensor(factors, dtype=torch.float64)
        return angles / factors, math.sqrt(1 + math.log(factor) / math.log(original))
    factor, turns = about["factor"], original * angles / (2 * math.pi)  # in the original context
    if kind == "llama3":
        low, high = about["low_freq_factor"], about["high_freq_factor"]
        kept = ((turns - low) / (high - low)).clamp(0, 1)  # 1: as it was, 0: divided
        return kept * angles + (1 - kept) * angles / factor, 1.0
    assert kind == "yarn", kind
    width, base = 2 * len(angles), about["rope_theta"]
    bounds = [
        width * math.log(original / (2 * math.pi * about.get(name, usual))) / (2 * math.log(base))
        for name, usual in (("beta_fast", 32), ("beta_slow", 1))
    ]
    low, high = max(math.floor(bounds[0]), 0), min(math.ceil(bounds[1]), width - 1)
    places = torch.arange(len(angles), dtype=torch.float64)
    ramp = ((places - low) / max(high - low, 1e-3)).clamp(0, 1)
    return angles * (1 - ramp) + angles / factor * ramp, 0.1 * math.log(factor) + 1


def _divisor(config: Config, number: int, d_head: int) -> float:
    kind = config["model_type"]
    if kind in ("gemma2", "gemma3_text"):
        return math.sqrt(config["query_pre_attn_scalar"])
    if kind == "granite":
        return 1 / config["attention_multiplier"]
    if kind == "gpt_neo":
        return 1.0
    divisor = math.sqrt(d_head)
    if kind == "mpt" and config["attn_config"].get("softmax_scale"):
        divisor = 1 / config["attn_config"]["softmax_scale"]
    if not config.get("scale_attn_weights", True):
        divisor = 1.0
    return divisor * (number + 1 if config.get("scale_attn_by_inverse_layer_idx") else 1)


def _slopes(config: Config, n_heads: int, d_head: int) -> Tensor:
    kind = config["model_type"]
    if kind == "mpt" and config["attn_config"]["alibi"]:
        # A power of two of them, every second one first where there are fewer heads.
        count = 2 ** math.ceil(math.log2(n_heads))
        steps = torch.arange(1, count + 1).double() * config["attn_config"]["alibi_bias_max"]
        slopes = 2 ** -(steps / count)
        return slopes if count == n_heads else torch.cat([slopes[1::2], slopes[::2]])[:n_heads]
    if kind == "bloom" or config.get("alibi"):
        # Those of a power of two of heads, then every second one of twice as many.
        count = 2 ** math.floor(math.log2(n_heads))
        slopes = 2 ** (-8 * torch.arange(1, count + 1).double() / count)
        between = 2 ** (-8 * torch.arange(1, 2 * count + 1, 2).double() / (2 * count))
        slopes = torch.cat([slopes, between])[:n_heads]
        # Falcon adds them before it divides.
        return slopes / math.sqrt(d_head) if kind == "falcon" else slopes
    return torch.zeros(n_heads).double()


def _window(config: Config, number: int) -> int | None:
    if "attention_layers" in config:
        return config["window_size"] if config["attention_layers"][number] == "local" else None
    if "layer_types" in config and config["layer_types"][number] != "sliding_attention":
        return None
    return config.get("sliding_window")


def _mlp(config: Config, own: dict[str, Tensor]) -> Callable[[Tensor], Tensor]:
    kind = config["model_type"]
    name = {"bloom": "tanh", "mpt": "gelu"}.get(kind) or _of(
        config, "hidden_activation", "hidden_act", "activation_function", "activation"
    )
    act = ACTIVATIONS[{"gelu_new": "tanh", "gelu_pytorch_tanh": "tanh"}.get(name, name)]

    def linear(stored: str) -> Callable[[Tensor], Tensor]:
        weight, bias = own[f"{stored}.weight"], own.get(f"{stored}.bias", 0.0)
        return lambda rows: rows @ weight.T + bias

    if "mlp.gate_up_proj.weight" in own:
        joined, down = linear("mlp.gate_up_proj"), linear("mlp.down_proj")

        def fused(rows: Tensor) -> Tensor:
            gate, up = joined(rows).chunk(2, -1)  # [position, d_mlp] each
            return down(act(gate) * up)

        return fused
    if "block_sparse_moe.gate.weight" in own:
        return _experts(config, act, linear)
    up, down = linear("mlp.up_proj"), linear("mlp.down_proj")
    if "mlp.gate_proj.weight" not in own:
        return lambda rows: down(act(up(rows)))
    gate = linear("mlp.gate_proj")
    return lambda rows: down(act(gate(rows)) * up(rows))


def _experts(config: Config, act, linear) -> Callable[[Tensor], Tensor]:
    at, chosen = "block_sparse_moe.", config["num_experts_per_tok"]
    experts = [
        [linear(f"{at}experts.{number}.w{part}") for part in (1, 2, 3)]
        for number in range(config["num_local_experts"])
    ]
    router = linear(f"{at}gate")

    def mixed(rows: Tensor) -> Tensor:
        share, best = router(rows).softmax(-1).topk(chosen, -1)  # [position, chosen]
        weights = torch.zeros(len(rows), len(experts)).double()
        weights.scatter_(-1, best, share / share.sum(-1, keepdim=True))
        out = [down(act(gate(rows)) * up(rows)) for gate, down, up in experts]
        return torch.einsum("pe,epm->pm", weights, torch.stack(out))

    return mixed
