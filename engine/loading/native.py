"""From a TransformerLens state dict and its config to the TransformerBridge that runs it."""

import math
from collections.abc import Iterator
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor
from transformer_lens.config import TransformerBridgeConfig
from transformer_lens.model_bridge import TransformerBridge
from transformer_lens.utilities.tl_checkpoint_conversion import convert_tl_checkpoint

from engine.folding import Norm
from engine.forward.forward_pass import forward
from engine.job import Job
from engine.loading.verify import Own, settled
from engine.messages import Placing, Refused
from engine.network.device import DTYPES, check_weights, to_cpu_float32, without_numbers
from engine.network.network import NO_BOS, Network, NormKind
from engine.sources import state_dict
from engine.sources.checkpoint import Pretrained
from engine.sources.config import Config

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

PROBE = 16
"""Tokens that an opened model is checked on."""

OLD_LAYERS, OLD_POSITIONS = 6, 8
"""Up to so many layers, the oldest models were stored with their matrices, and with their
positions, as transposes (TransformerLens, `_convert_neel_solu_old_weights`)."""


def native(found: Pretrained, job: Job, placing: Placing) -> Network:
    """Build what runs a state dict, and check that its parts add up.

    Parameters
    ----------
    found : Pretrained
        The state dict, looked over.
    job : Job
        Steps between tensors.
    placing : Placing
        Where it is to run, and in which precision.

    Raises
    ------
    Refused
        If the file is damaged, or its tensors are not those of the config.
    """
    cfg = _config(found.config)
    bridge = TransformerBridge.boot_native(cfg)
    bridge.requires_grad_(False).to(DTYPES[placing.dtype])
    _fill(bridge.state_dict(), found, cfg, job, placing)
    bridge.to(placing.device)
    network = _network(found, bridge)
    return settled(found.title, network, _own(found, bridge, job), job)


def _config(config: Config) -> TransformerBridgeConfig:
    return TransformerBridgeConfig(
        n_layers=config["n_layers"],
        n_heads=config["n_heads"],
        d_model=config["d_model"],
        d_head=config["d_head"],
        d_mlp=None if config.get("attn_only") else config["d_mlp"],
        d_vocab=config["d_vocab"],
        n_ctx=config["n_ctx"],
        attn_only=bool(config.get("attn_only")),
        # Asked for, and unused without MLPs.
        act_fn="relu" if config.get("attn_only") else config["act_fn"],
        normalization_type=state_dict.norm_kind(config),
        eps=config.get("eps", EPS),
        positional_embedding_type="standard",
        init_weights=False,
    )


def _fill(
    targets: dict[str, Tensor], found: Pretrained, cfg: Any, job: Job, placing: Placing
) -> None:
    """Copy stored tensors to where the bridge keeps them, one at a time."""
    shapes = state_dict.shapes(found.config)
    lacking = set(shapes)
    # A model without these is one whose bias is zeros, and whose inner norm only scales.
    for name, target in targets.items():
        if name == "unembed.bias" or name.endswith("mlp.ln.bias"):
            target.zero_()
        elif name.endswith("mlp.ln.weight"):
            target.fill_(1.0)
    for name, tensor in _tensors(found):
        job.step(len(shapes) - len(lacking), len(shapes), "reading tensors")
        if name not in shapes:
            raise Refused(
                f"{found.title}: {found.path.name} holds {name[:100]}, and config.json means a "
                "model without it"
            )
        if tuple(tensor.shape) != shapes[name]:
            raise Refused(
                f"{found.title}: {name} is {tuple(tensor.shape)}, and config.json means "
                f"{shapes[name]}"
            )
        check_weights(found.title, [(name, tensor.to(DTYPES[placing.dtype]))], placing)
        for target, converted in convert_tl_checkpoint({name: tensor.float()}, cfg).items():
            targets[target].copy_(converted)
        lacking.discard(name)
    lacking.discard("unembed.b_U")
    if lacking:
        raise Refused(
            f"{found.title}: {found.path.name} lacks {len(lacking)} of the model's tensors, such "
            f"as {min(lacking)}"
        )


def _tensors(found: Pretrained) -> Iterator[tuple[str, Tensor]]:
    """Yield each stored tensor under the name and in the shape that TransformerLens uses now."""
    stored = _safetensors(found) if found.path.suffix == ".safetensors" else _pickle(found)
    old = found.config.get("architecture") == "neel-solu-old" or any(".norm1." in n for n in stored)
    for name, value in stored.items():
        if not name.endswith(BUFFERS):
            yield modern(name, value, found.layers) if old else (name, value)


def modern(name: str, tensor: Tensor, layers: int) -> tuple[str, Tensor]:
    """Return a tensor of the oldest models (SoLU_*_old) as a newer one would hold it.

    Parameters
    ----------
    name : str
        Its old name.
    tensor : Tensor
        Its value.
    layers : int
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
    try:
        return load_file(found.path)
    except MemoryError:
        raise
    except Exception as error:  # safetensors and torch each raise their own
        raise Refused(f"{found.title}: {found.path.name} is damaged: {error}") from error


def _network(found: Pretrained, bridge: Any) -> Network:
    config, blocks = found.config, bridge.blocks
    assert found.tokenizer is not None
    kind = NORMS[state_dict.norm_kind(config)]
    return Network(
        bridge=bridge,
        tokenizer=found.tokenizer,
        bos_token=found.bos_token,
        prepend_bos=bool(config.get("default_prepend_bos", True)) and found.bos_token is not None,
        n_layers=config["n_layers"],
        n_heads=config["n_heads"],
        n_kv_heads=config["n_heads"],
        d_model=config["d_model"],
        d_head=config["d_head"],
        d_vocab=config["d_vocab"],
        d_mlp=0 if config.get("attn_only") else config["d_mlp"],
        n_ctx=config["n_ctx"],
        parameters=found.parameters,
        divisors=(math.sqrt(config["d_head"]),) * config["n_layers"],
        norm=kind,
        eps=config.get("eps", EPS),
        layer_norms=tuple(_norm(block.ln1) for block in blocks),
        final_norm=_norm(bridge.ln_final) if kind != "none" else Norm(),
        positions="learned",
        W_pos=bridge.pos_embed.W_pos,
        bos_reason=_bos_reason(found),
    )


def _bos_reason(found: Pretrained) -> str:
    if found.bos_token is None:
        return NO_BOS
    stated = "default_prepend_bos" in found.config
    return "its config says so" if stated else "TransformerLens's habit: its config does not say"


def _norm(norm: Any) -> Norm:
    inner = norm.original_component
    gain, bias = (getattr(inner, name, None) for name in ("weight", "bias"))
    return Norm(*(None if held is None else to_cpu_float32(held) for held in (gain, bias)))


def _own(found: Pretrained, bridge: Any, job: Job) -> Own:
    """Return what the model makes of a few tokens, which its parts are then to add up to."""
    chance = torch.Generator().manual_seed(0)
    count = min(PROBE, found.config["n_ctx"])
    ids = tuple(torch.randint(found.config["d_vocab"], (count,), generator=chance).tolist())
    passed = forward(bridge, ids, job)
    return Own(ids=ids, patterns=tuple(passed.patterns), log_probs=passed.next_log_probs[None])
