"""A TransformerLens state dict with its config, as its legacy models are stored."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from engine.bounded_file import check_regular
from engine.messages import Refused
from engine.sources import hub_cache
from engine.sources.checkpoint import BYTES, Pretrained
from engine.sources.config import LARGEST, SIZES, Config, check_layers, checked_number, checked_size
from engine.sources.files import Folder, Missing
from engine.sources.tokenizer import check_vocabulary

PEAK = 2.2
"""Memory that reading one takes at most, over that of its weights: file and model at once."""

NORMS = {"LN": 2, "LNPre": 0, "RMS": 1, "RMSPre": 0, None: 0}
"""Kinds of norms that can be shown, and how many vectors each has."""

ACTIVATIONS = ("gelu", "gelu_new", "relu", "silu", "solu", "solu_ln")
"""What an MLP may compute."""

ONLY = {
    "shortformer_pos": (False, None),
    "positional_embedding_type": ("standard",),
    "attention_dir": ("causal",),
    "attn_types": (None,),
    "use_local_attn": (False, None),
    "use_attn_scale": (True,),
    "scale_attn_by_inverse_layer_idx": (False,),
    "attn_scores_soft_cap": (-1, -1.0, 0, None),
    "output_logits_soft_cap": (-1, -1.0, 0, None),
    "final_rms": (False, None),
    "parallel_attn_mlp": (False,),
    "gated_mlp": (False,),
    "num_experts": (None,),
    "use_qk_norm": (False,),
    "use_normalization_before_and_after": (False,),
}
"""What settings must be where a config has them; others are of models that this cannot show."""

REASONS = {
    "shortformer_pos": "adds positions to what queries and keys read, and not to the stream "
    "(shortformer)",
    "positional_embedding_type": "has other positions than learned ones ({value})",
}
"""What a setting means, for the ones that are met most."""


def look_over(name: str, folder: Folder, config: Config) -> Pretrained:
    """Look over a folder with TransformerLens's config.json and weights under its names."""
    check(folder.title, config)
    weights = _weights(folder)
    if weights.suffix == ".safetensors":
        folder.header(weights)
    else:
        folder.check_pickle(weights)
    parameters = sum(math.prod(shape) for shape in shapes(config).values())
    where, tokenizer = _tokenizer(folder, config)
    check_vocabulary(folder.title, tokenizer, config["d_vocab"])
    return Pretrained(
        name=name,
        title=folder.title,
        path=weights,
        layout="TransformerLens",
        parameters=parameters,
        disk=check_regular(weights),
        peak=int(PEAK * BYTES * parameters),
        layers=config["n_layers"],
        heads=config["n_heads"],
        context=config["n_ctx"],
        tokenizer=tokenizer,
        bos_token=where.bos(config, tokenizer),
        config=config,
    )


def check(title: str, config: Config) -> None:
    """Refuse a config that is damaged, or of a model that cannot be shown."""
    for name in SIZES if config.get("attn_only") else (*SIZES, "d_mlp"):
        checked_size(f"{title}: config.json", config, name)
    if "eps" in config:
        checked_number(f"{title}: config.json", config, "eps")
    check_layers(title, config)
    for setting, allowed in ONLY.items():
        value = config.get(setting, allowed[0])
        if value not in allowed:
            reason = REASONS.get(setting, "has {setting} {value}")
            what = reason.format(setting=setting, value=str(value)[:50])
            raise Refused(f"{title} {what}, which Headscope cannot show")
    norm = _norm(config)
    if not (isinstance(norm, str) or norm is None) or norm not in NORMS:
        raise Refused(f"{title} has the norm {norm!r:.50}, which Headscope does not know")
    if not config.get("attn_only") and config.get("act_fn") not in ACTIVATIONS:
        raise Refused(
            f"{title} has the activation {config.get('act_fn')!r:.50} in its MLPs: Headscope knows "
            f"{', '.join(ACTIVATIONS)}"
        )
    if config.get("n_key_value_heads") not in (None, config["n_heads"]):
        raise Refused(f"{title} shares keys and values among heads: open the original model")
    if config.get("d_vocab_out", -1) not in (-1, config["d_vocab"]):
        raise Refused(f"{title} guesses from other tokens than it reads, which cannot be shown")
    scale = config.get("attn_scale", -1)
    plain = (
        isinstance(scale, int | float)
        and abs(scale) < LARGEST
        and (scale <= 0 or math.isclose(scale, math.sqrt(config["d_head"]), rel_tol=1e-6))
    )
    if not plain:
        raise Refused(f"{title} divides scores by {scale!r:.50} instead of the root of d_head")


def norm_kind(config: Config) -> str | None:
    """Return the norm of a checked config, as TransformerLens calls it."""
    found: str | None = _norm(config)
    return found


def shapes(config: Config) -> dict[str, tuple[int, ...]]:
    """Return the name and shape of every tensor that a model of a checked config has."""
    heads, d_model, d_head = config["n_heads"], config["d_model"], config["d_head"]
    vectors = ("w", "b")[: NORMS[norm_kind(config)]]
    found: dict[str, tuple[int, ...]] = {
        "embed.W_E": (config["d_vocab"], d_model),
    }
    if config.get("positions") != "none":
        found["pos_embed.W_pos"] = (config["n_ctx"], d_model)
    for layer in range(config["n_layers"]):
        at = f"blocks.{layer}."
        found |= {f"{at}ln1.{vector}": (d_model,) for vector in vectors}
        found |= {f"{at}attn.W_{name}": (heads, d_model, d_head) for name in "QKV"}
        found |= {f"{at}attn.b_{name}": (heads, d_head) for name in "QKV"}
        found |= {f"{at}attn.W_O": (heads, d_head, d_model), f"{at}attn.b_O": (d_model,)}
        if config.get("attn_only"):
            continue
        d_mlp = config["d_mlp"]
        found |= {f"{at}ln2.{vector}": (d_model,) for vector in vectors}
        found |= {f"{at}mlp.W_in": (d_model, d_mlp), f"{at}mlp.b_in": (d_mlp,)}
        found |= {f"{at}mlp.W_out": (d_mlp, d_model), f"{at}mlp.b_out": (d_model,)}
        if config["act_fn"] == "solu_ln" and vectors:
            found |= {f"{at}mlp.ln.w": (d_mlp,), f"{at}mlp.ln.b": (d_mlp,)}
    found |= {f"ln_final.{vector}": (d_model,) for vector in vectors}
    return found | {
        "unembed.W_U": (d_model, config["d_vocab"]),
        "unembed.b_U": (config["d_vocab"],),
    }


def check_shapes(title: str, file: str, config: Config, found: Mapping[str, Sequence[int]]) -> None:
    """Refuse stored tensors whose names or shapes are not those of a checked config."""
    wanted = shapes(config)
    if strange := found.keys() - wanted.keys():
        raise Refused(
            f"{title}: {file} holds {min(strange)[:100]}, and config.json means a model without it"
        )
    for name, shape in wanted.items():
        if name in found and tuple(found[name]) != shape:
            raise Refused(f"{title}: {name} is {tuple(found[name])}, and config.json means {shape}")
    if lacking := wanted.keys() - found.keys() - {"unembed.b_U"}:
        raise Refused(
            f"{title}: {file} lacks {len(lacking)} of the model's tensors, such as {min(lacking)}"
        )


def _norm(config: Config) -> Any:
    return config.get("normalization", config.get("normalization_type"))


def _weights(folder: Folder) -> Path:
    """Return the file that holds the weights; of several, the one of the end of training."""
    try:
        files = sorted(folder.path.iterdir())
    except OSError as error:
        raise Refused(f"{folder.title} cannot be read: {error.strerror}") from error
    suffixes = (".pth", ".pt", ".safetensors")
    found = [file for file in files if file.suffix in suffixes and folder.has(file.name)]
    final = [file for file in found if file.stem.endswith("final")]
    if not found:
        raise Missing(f"{folder.title} has no weights: neither *.pth nor *.safetensors is in it")
    if len(final or found) > 1:
        names = ", ".join(file.name for file in found[:4])
        raise Refused(f"{folder.title} has several files of weights ({names}): leave one of them")
    return (final or found)[0]


def _tokenizer(folder: Folder, config: Config) -> tuple[Folder, Tokenizer]:
    """Return the folder that a tokenizer was found in, and the tokenizer."""
    if folder.has("tokenizer.json"):
        return folder, folder.tokenizer()
    named = config.get("tokenizer_name")
    if not isinstance(named, str) or not named:
        raise Missing(
            f"{folder.title} has no tokenizer.json, and its config.json names no tokenizer",
            "put one into it",
        )
    cached = hub_cache.folder(named)
    if cached is None or not cached.has("tokenizer.json"):
        raise Missing(
            f"{folder.title} reads text with the tokenizer {named}, which is not on this computer",
            f"`headscope download {named}` fetches it, or put its tokenizer.json into the folder",
        )
    return cached, cached.tokenizer()
