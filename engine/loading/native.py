"""From tensors under TransformerLens's names, and its config, to the network that runs them."""

import math
from collections.abc import Mapping
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor
from transformer_lens.config import TransformerBridgeConfig
from transformer_lens.model_bridge import TransformerBridge
from transformer_lens.utilities.tl_checkpoint_conversion import convert_tl_checkpoint

from engine.forward.forward_pass import forward
from engine.job import Job
from engine.loading.architecture import norm_weights
from engine.loading.verify import Own, probe_ids, refusing, verified
from engine.messages import Placing, Refused
from engine.network.device import DTYPES, check_weights, without_numbers
from engine.network.folding import Norm
from engine.network.network import NO_BOS, Network, NormKind
from engine.network.tokens import Tokens
from engine.sources import state_dict
from engine.sources.checkpoint import Checkpoint, Pretrained
from engine.sources.config import SIZES, Config

NORMS: dict[str | None, NormKind] = {
    "LN": "LayerNorm",
    "LNPre": "LayerNorm without parameters",
    "RMS": "RMSNorm",
    "RMSPre": "RMSNorm",
    None: "none",
}

BUFFERS = (".mask", ".IGNORE")
"""Ends of names that are no weights: what a head may see, and what stands where it may not."""

EPS = 1e-5
"""What TransformerLens takes where a config does not say it."""

OLD_LAYERS, OLD_POSITIONS = 6, 8
"""Up to so many layers, the oldest models were stored with their matrices, and with their
positions, as transposes (TransformerLens, `_convert_neel_solu_old_weights`)."""


def native(found: Pretrained, job: Job, placing: Placing) -> Network:
    """Build what runs a state dict, and check that its parts add up."""
    assert found.tokenizer is not None
    config, bos_token = found.config, found.bos_token
    bridge = _bridge(found.title, config, _tensors(found), job, placing)
    reason = "TransformerLens's habit: its config does not say"
    if "default_prepend_bos" in config:
        reason = "its config says so"
    network = Network(
        bridge=bridge,
        tokens=Tokens(found.tokenizer, bos_token, config["d_vocab"]),
        prepend_bos=bool(config.get("default_prepend_bos", True)) and bos_token is not None,
        bos_reason=NO_BOS if bos_token is None else reason,
        parameters=found.parameters,
        **_sizes(config, bridge),
    )
    ids = probe_ids(config["d_vocab"], config["n_ctx"])
    whole = forward(bridge, ids, job)
    own = Own(ids, patterns=tuple(whole.patterns), log_probs=whole.next_log_probs[None])
    return verified(found.title, network, own, job)


def attention_only(checkpoint: Checkpoint) -> Network:
    """Build what runs a model in memory: single precision on the CPU, exact for toys."""
    config, bos_token, habit = checkpoint.config, checkpoint.bos_token, checkpoint.prepend_bos
    tensors = {name: torch.tensor(value) for name, value in checkpoint.tensors.items()}
    bridge = _bridge(checkpoint.name, config, tensors, Job(), Placing())
    trained = f"it was {'trained' if habit else 'not trained'} with it in front"
    return Network(
        bridge=bridge,
        tokens=Tokens(checkpoint.tokenizer, bos_token, config["d_vocab"]),
        prepend_bos=habit,
        bos_reason=NO_BOS if bos_token is None else trained,
        parameters=sum(tensor.size for tensor in checkpoint.tensors.values()),
        **_sizes(config, bridge),
    )


def _bridge(
    title: str, config: Config, tensors: Mapping[str, Tensor], job: Job, placing: Placing
) -> Any:
    """Return a TransformerBridge that holds tensors under TransformerLens's older names."""
    attention_only = bool(config.get("attn_only"))
    cfg = TransformerBridgeConfig(
        **{size: config[size] for size in SIZES},
        d_mlp=None if attention_only else config["d_mlp"],
        attn_only=attention_only,
        # Asked for, and unused without MLPs.
        act_fn="relu" if attention_only else config["act_fn"],
        normalization_type=state_dict.norm_kind(config),
        eps=config.get("eps", EPS),
        positional_embedding_type="standard",
        init_weights=False,
    )
    bridge = TransformerBridge.boot_native(cfg)
    bridge.requires_grad_(False)
    if placing.dtype != "float32":  # the bridge prints a line
        bridge.to(DTYPES[placing.dtype])
    targets = bridge.state_dict()
    for name, target in targets.items():
        # Without these, a model has a bias of zeros, no positions, and inner norms that only scale.
        if name in ("unembed.bias", "pos_embed.weight") or name.endswith("mlp.ln.bias"):
            target.zero_()
        elif name.endswith("mlp.ln.weight"):
            target.fill_(1.0)
    for done, (name, tensor) in enumerate(tensors.items()):
        job.step(done, len(tensors), "reading tensors")
        check_weights(title, [(name, tensor.to(DTYPES[placing.dtype]))], placing)
        for place, converted in convert_tl_checkpoint({name: tensor.float()}, cfg).items():
            targets[place].copy_(converted)
    if placing.device != "cpu":
        bridge.to(placing.device)
    return bridge


def _tensors(found: Pretrained) -> dict[str, Tensor]:
    """Return stored tensors under the names and in the shapes that TransformerLens uses now."""
    stored = _safetensors(found) if found.path.suffix == ".safetensors" else _pickle(found)
    old = found.config.get("architecture") == "neel-solu-old" or any(".norm1." in n for n in stored)
    tensors = dict(
        modern(name, value, found.layers) if old else (name, value)
        for name, value in stored.items()
        if not name.endswith(BUFFERS)
    )
    found_shapes = {name: tuple(value.shape) for name, value in tensors.items()}
    state_dict.check_shapes(found.title, found.path.name, found.config, found_shapes)
    return tensors


def modern(name: str, tensor: Tensor, layers: int) -> tuple[str, Tensor]:
    """Return a tensor of the oldest models (SoLU_*_old) as a newer one would hold it.

    Parameters
    ----------
    name, tensor
        Its old name, and its value.
    layers
        Layers of the model, by which its training code is known.
    """
    name = name.replace("norm", "ln")
    name = f"ln_final.{name.removeprefix('ln.')}" if name.startswith("ln.") else name
    if name == "pos_embed.W_pos":
        return name, tensor.T if layers <= OLD_POSITIONS else tensor
    turned = layers <= OLD_LAYERS and ".W_" in name
    return name, tensor.transpose(-2, -1) if turned else tensor


def _pickle(found: Pretrained) -> dict[str, Tensor]:
    try:
        try:
            # Pages of the file rather than a copy of it, where its format lets that be.
            stored = torch.load(found.path, map_location="cpu", weights_only=True, mmap=True)
        except RuntimeError:
            stored = torch.load(found.path, map_location="cpu", weights_only=True)
    except MemoryError:
        raise
    except Exception as error:  # torch raises whatever a damaged file leads to
        raise Refused(
            f"{found.title}: {found.path.name} cannot be read as weights alone: it is damaged, or "
            "holds other things, which are never run"
        ) from error
    if not isinstance(stored, dict) or not all(
        isinstance(name, str) and isinstance(value, Tensor) for name, value in stored.items()
    ):
        raise Refused(f"{found.title}: {found.path.name} holds no state dict")
    for name, value in stored.items():
        if without := without_numbers(value):
            raise Refused(f"{found.title}: {found.path.name} holds {name[:100]}, {without}")
    return stored


def _safetensors(found: Pretrained) -> dict[str, Tensor]:
    with refusing(f"{found.title}: {found.path.name} is damaged"):
        return load_file(found.path)


def _sizes(config: Config, bridge: Any) -> dict[str, Any]:
    """Return the fields of a Network that a config of TransformerLens's gives."""
    kind = NORMS[state_dict.norm_kind(config)]
    return {size: config[size] for size in SIZES} | {
        "n_kv_heads": config["n_heads"],
        "d_mlp": 0 if config.get("attn_only") else config["d_mlp"],
        "divisors": (math.sqrt(config["d_head"]),) * config["n_layers"],
        "norm": kind,
        "eps": config.get("eps", EPS),
        "layer_norms": tuple(norm_weights(block.ln1) for block in bridge.blocks),
        "final_norm": norm_weights(bridge.ln_final) if kind != "none" else Norm(),
        "position_kind": "none" if config.get("positions") == "none" else "learned",
        "W_pos": bridge.pos_embed.W_pos,
    }
