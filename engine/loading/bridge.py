"""From raw weights of an attention-only model to the TransformerBridge that runs them."""

import math
from typing import Any

import torch
from transformer_lens.config import TransformerBridgeConfig
from transformer_lens.model_bridge import TransformerBridge

from engine.folding import Norm
from engine.messages import Placing
from engine.network.device import check_weights
from engine.network.network import NO_BOS, Network
from engine.sources.checkpoint import Checkpoint


def attention_only(checkpoint: Checkpoint) -> Network:
    """Build what runs a checkpoint.

    Parameters
    ----------
    checkpoint : Checkpoint
        Raw weights and sizes.
    """
    weights = ((name, torch.as_tensor(value)) for name, value in checkpoint.tensors.items())
    check_weights(checkpoint.name, weights, Placing())
    made = bridge(checkpoint)
    return Network(
        bridge=made,
        tokenizer=checkpoint.tokenizer,
        bos_token=checkpoint.bos_token,
        prepend_bos=checkpoint.prepend_bos,
        n_layers=checkpoint.n_layers,
        n_heads=checkpoint.n_heads,
        n_kv_heads=checkpoint.n_heads,
        d_model=checkpoint.d_model,
        d_head=checkpoint.d_head,
        d_vocab=checkpoint.d_vocab,
        d_mlp=0,
        n_ctx=checkpoint.n_ctx,
        parameters=sum(tensor.size for tensor in checkpoint.tensors.values()),
        divisors=(math.sqrt(checkpoint.d_head),) * checkpoint.n_layers,
        norm="LayerNorm without parameters" if checkpoint.normalized else "none",
        eps=checkpoint.eps,
        layer_norms=(Norm(),) * checkpoint.n_layers,
        final_norm=Norm(),
        positions="learned" if checkpoint.learned_positions else "none",
        W_pos=made.pos_embed.W_pos,
        bos_reason=_bos_reason(checkpoint),
    )


def _bos_reason(checkpoint: Checkpoint) -> str:
    if checkpoint.bos_token is None:
        return NO_BOS
    return f"it was {'trained' if checkpoint.prepend_bos else 'not trained'} with it in front"


def bridge(checkpoint: Checkpoint) -> Any:
    """Build a TransformerBridge that holds a checkpoint's weights.

    Parameters
    ----------
    checkpoint : Checkpoint
        Raw weights and sizes.
    """
    config = TransformerBridgeConfig(
        n_layers=checkpoint.n_layers,
        n_heads=checkpoint.n_heads,
        d_model=checkpoint.d_model,
        d_head=checkpoint.d_head,
        d_vocab=checkpoint.d_vocab,
        n_ctx=checkpoint.n_ctx,
        attn_only=True,
        act_fn="relu",  # asked for, and unused without MLPs
        normalization_type="LNPre" if checkpoint.normalized else None,
        eps=checkpoint.eps,
        positional_embedding_type="standard",
        init_weights=False,
    )
    made = TransformerBridge.boot_native(config)
    tensors = {name: torch.tensor(value) for name, value in checkpoint.tensors.items()}
    # boot_native knows no model without positions: a table of zeros is the same.
    no_positions = torch.zeros(checkpoint.n_ctx, checkpoint.d_model)
    state = {
        "embed.weight": tensors["embed.W_E"],
        "pos_embed.weight": tensors.get("pos_embed.W_pos", no_positions),
        "unembed.weight": tensors["unembed.W_U"].T,
        "unembed.bias": tensors["unembed.b_U"],
    }
    for layer in range(checkpoint.n_layers):
        at = f"blocks.{layer}.attn."
        for name in "QKV":
            # [head, d_model, d_head] -> [head * d_head, d_model]
            state[f"{at}{name.lower()}.weight"] = tensors[f"{at}W_{name}"].mT.flatten(0, 1)
            state[f"{at}{name.lower()}.bias"] = tensors[f"{at}b_{name}"].flatten()
        state[f"{at}o.weight"] = tensors[f"{at}W_O"].flatten(0, 1).T  # [d_model, head * d_head]
        state[f"{at}o.bias"] = tensors[f"{at}b_O"]
    made.load_state_dict(state, strict=True)
    made.requires_grad_(False)
    return made
