"""From a model folder or GGUF file to the TransformerBridge that runs it, without a network.

transformers reads the files (never code that lies among them, pickles as weights only), and its
own eager attention is what the bridge is held to.
"""

import pickle
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import psutil
import torch
import transformers
from tokenizers import Tokenizer
from torch import Tensor
from transformer_lens.model_bridge.sources import build_bridge_from_module
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

from engine.job import Cancelled, Job
from engine.loading import architecture, reference
from engine.loading.config_keys import unread
from engine.loading.gguf_config import check_tensors, completed, notices
from engine.loading.gguf_file import read_once, settle
from engine.loading.native import native
from engine.loading.verify import SHARE, Own, allowed, share, verified
from engine.messages import Placing, Refused, in_bytes
from engine.network.device import (
    DTYPES,
    OUT_OF_MEMORY,
    check,
    check_room,
    check_weights,
    to_cpu_float32,
    without_numbers,
)
from engine.network.folding import Norm
from engine.network.network import NO_BOS, Network, NormKind, Positions
from engine.sources.checkpoint import Pretrained
from engine.sources.config import WITHOUT_ATTENTION
from engine.sources.files import Folder

# Neither a terminal nor a log is the place: progress has its own road, the job.
transformers.utils.logging.disable_progress_bar()

ATTENTION = ("full_attention", "sliding_attention", "chunked_attention", "attention")
"""Kinds of layers, as a config names them, that have patterns to show."""

NO_PARAMETERS = re.compile(
    # Frequencies, cosines and sines of a rotation, slopes, and masks, which a model makes itself.
    r"(.*\.)?(rotary_emb\.(inv_freq|cos_cached|sin_cached)|alibi|position_ids"
    r"|(attn|attention)\.(attention\.)?(masked_bias|bias|causal_mask))"
    # Heads for something else than the next token.
    r"|(score|classifier|v_head|value_head)\..*"
)
"""Names of tensors that are stored with some models and are none of their weights."""

TIED = 2.5
"""How many times the numbers of its files a model may have: embeddings are stored once for both."""

PROBE = 16
"""Tokens that a model answers before and after it is wrapped."""


class _Read(NamedTuple):
    model: Any
    tokenizer: Tokenizer
    bos_token: str | None
    notices: tuple[str, ...] = ()
    add_bos: bool | None = None


def pretrained(found: Pretrained, job: Job, placing: Placing) -> Network:
    """Build what runs a pretrained model, and check it against the model itself.

    Parameters
    ----------
    found : Pretrained
        The folder or file.
    job : Job
        Steps between the parts of reading, none of which can be stopped.
    placing : Placing
        Where it is to run, and in which precision.

    Raises
    ------
    Refused
        If there is no such device, it does not fit in memory, is damaged, has no attention to
        show, or what the bridge makes of it is not what the model does.
    """
    check(placing)
    found.check_fits(psutil.virtual_memory().available, placing)
    check_room(found.title, placing.itemsize * found.parameters, placing)
    job.step(0, 4, f"reading {found.parameters:,} parameters")
    if found.layout == "TransformerLens":
        return native(found, job, placing)
    dtype = DTYPES[placing.dtype]
    gguf = found.layout == "GGUF"
    read = _from_gguf(found, job, dtype) if gguf else _from_folder(found, dtype)
    read.model.eval().requires_grad_(False).to(placing.device)
    check_weights(found.title, read.model.named_parameters(), placing)
    _check_vocabulary(found, read)
    job.step(2, 4, "running 16 tokens by transformers")
    own = _own(found, read)
    job.step(3, 4, "wrapping the model")
    network = _network(found, read)
    return verified(found.title, network, own, job)


def _from_folder(found: Pretrained, dtype: torch.dtype) -> _Read:
    name = found.title
    try:
        config = transformers.AutoConfig.from_pretrained(
            found.path, local_files_only=True, trust_remote_code=False
        )
    except Exception as error:  # each model type's config raises its own
        if "trust_remote_code" in str(error):
            raise Refused(
                f"{name} needs Python code that lies in its folder, and Headscope does not run "
                "that: only architectures that transformers itself knows can be opened"
            ) from error
        raise Refused(f"{name}: transformers cannot read config.json: {_line(error)}") from error
    _check_kind(name, config)
    folder = Folder(found.path, name)
    stated = folder.json("config.json")
    if left := unread(config, stated):
        raise Refused(
            f"{name} is not opened: config.json says {ascii(left[0])[1:-1][:100]}, which "
            f"transformers' {config.model_type} models do not heed, and its numbers may follow "
            "from it"
        )
    if folder.has("adapter_config.json"):
        raise Refused(
            f"{name} is not opened: it holds an adapter beside the model, which would not be "
            "applied: open the model merged with it, or without its files"
        )
    said = _code(name, config, stated)
    tokenizer, bos_token = found.tokenizer, found.bos_token
    if tokenizer is None:
        tokenizer, bos_token = _older_tokenizer(found)
    about = "tokenizer_config.json"
    word = folder.json(about).get("add_bos_token") if folder.has(about) else None
    return _Read(_weights(found, config, dtype), tokenizer, bos_token, said, word)


def _code(name: str, config: Any, stated: Mapping[str, Any]) -> tuple[str, ...]:
    """Say which code a config names that is not run; refuse another model's than is run instead.

    Models that came with code of their own and were taken over by transformers still name it.
    """
    ours = MODEL_FOR_CAUSAL_LM_MAPPING_NAMES[config.model_type]
    code = stated.get("auto_map")
    code = code if isinstance(code, Mapping) else {}
    theirs = str(code.get("AutoModelForCausalLM", ours)).rpartition(".")[2]
    named = stated.get("architectures") or [ours]
    for one in (theirs, *(named if ours not in named else ())):
        if str(one).lower() != ours.lower():
            raise Refused(
                f"{name} is not opened: its config.json means the class {ascii(one)[:100]}, and "
                f"a {config.model_type} model would be run as transformers' {ours}"
            )
    if not code:
        return ()
    first = code.get("AutoModelForCausalLM", next(iter(code.values())))
    return (
        f"the folder names Python code ({ascii(first)[:100]}), which is not run: it is run as "
        f"transformers' own {ours}",
    )


def _older_tokenizer(found: Pretrained) -> tuple[Tokenizer, str | None]:
    """Let transformers make a tokenizer of vocab.json, merges.txt or tokenizer.model."""
    try:
        made = transformers.AutoTokenizer.from_pretrained(
            found.path, local_files_only=True, trust_remote_code=False
        )
        return made.backend_tokenizer, made.bos_token
    except Exception as error:  # packages that are missing and files that are damaged alike
        raise Refused(
            f"{found.title} has no tokenizer.json, and transformers cannot make one of its older "
            f"files: {_line(error)}"
        ) from error


def _from_gguf(found: Pretrained, job: Job, dtype: torch.dtype) -> _Read:
    folder, file = found.path.parent, found.path.name
    with read_once(found.path, job) as header:
        try:
            config = transformers.AutoConfig.from_pretrained(
                folder, gguf_file=file, local_files_only=True
            )
        except Exception as error:
            raise Refused(f"{file}: transformers cannot read it: {_line(error)}") from error
        _check_kind(file, config)
        config = completed(file, config, header.keys, header.tensors)
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(
                folder, gguf_file=file, local_files_only=True, trust_remote_code=False
            )
        except Exception as error:
            raise Refused(f"{file}: its tokenizer cannot be read: {_line(error)}") from error
        model = _weights(found, config, dtype, gguf_file=file)
        check_tensors(file, header.tensors, header.used)
    backend = tokenizer.backend_tokenizer
    said = notices(header.keys, header.keys["general.architecture"])
    said = (*said, *settle(backend, header.keys))
    word = header.keys.get("tokenizer.ggml.add_bos_token")
    return _Read(model, backend, tokenizer.bos_token, said, word)


def _check_kind(name: str, config: Any) -> None:
    kind = config.model_type
    if kind in WITHOUT_ATTENTION:
        raise Refused(f"{name} is a {kind} model, which has no attention to show")
    layers = getattr(config, "layer_types", None) or getattr(config, "layers_block_type", None)
    others = sorted({layer for layer in layers or () if layer not in ATTENTION})
    if others:
        raise Refused(
            f"{name} is a {kind} model, some of whose layers have no attention to show "
            f"({', '.join(others)})"
        )
    if kind not in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES or getattr(
        config, "is_encoder_decoder", False
    ):
        raise Refused(
            f"{name} is a {kind} model, which does not read left to right to guess the next token: "
            "open a decoder"
        )
    if clip := architecture.clip(config):
        raise Refused(
            f"{name} is not opened: it clips queries, keys and values to {clip:g}, so that no "
            "circuit follows from its weights alone"
        )


def _check_size(found: Pretrained, config: Any, dtype: torch.dtype) -> None:
    """Refuse a config that means a far larger model than the files hold.

    transformers would make up what is missing by chance, which takes memory without end.
    """
    name = found.title
    try:
        with torch.device("meta"):
            meant = transformers.AutoModelForCausalLM.from_config(
                config, trust_remote_code=False, attn_implementation="eager"
            )
        parameters = sum(weights.numel() for weights in meant.parameters())
        buffers = sum(buffer.numel() * buffer.element_size() for buffer in meant.buffers())
    except OUT_OF_MEMORY:
        raise
    except Exception as error:  # each architecture has its own way of not being built
        raise Refused(
            f"{name}: transformers cannot build what its config means: {_line(error)}"
        ) from error
    if parameters > TIED * found.parameters:
        raise Refused(
            f"{name}: its config means {parameters:,} parameters, and its weights are "
            f"{found.parameters:,}: one of them is damaged or of another model"
        )
    if dtype.itemsize * parameters + buffers > (free := psutil.virtual_memory().available):
        raise Refused(
            f"{name}: its config means tables of {in_bytes(buffers)} beside its weights, and "
            f"{in_bytes(free)} are free"
        )


def _weights(found: Pretrained, config: Any, dtype: torch.dtype, **where: Any) -> Any:
    _check_size(found, config, dtype)
    name = found.title
    try:
        loaded: Any = transformers.AutoModelForCausalLM.from_pretrained(
            found.path.parent if where else found.path,
            config=config,
            local_files_only=True,
            trust_remote_code=False,
            weights_only=True,
            dtype=dtype,
            attn_implementation="eager",
            output_loading_info=True,
            **where,
        )
    except Cancelled:
        raise
    except MemoryError as error:
        raise Refused(f"there is not enough memory to read {name}") from error
    except Exception as error:  # torch, safetensors and transformers each raise their own
        # What torch says of a pickle ends in how to have it run.
        pickled = "weights_only" in str(error) or isinstance(error, pickle.UnpicklingError)
        why = "the file is damaged, or holds other things, which are never run"
        said = why if pickled else _line(error)
        raise Refused(f"{name}: its weights cannot be read: {said}") from error
    model, info = loaded
    if left := [key for key in info["unexpected_keys"] if not NO_PARAMETERS.fullmatch(key)]:
        raise Refused(
            f"{name} is not opened: {len(left)} of its tensors have no place in transformers' "
            f"{type(model).__name__}, such as {ascii(min(left))[1:-1][:100]}"
        )
    if info["missing_keys"]:
        first, count = min(info["missing_keys"]), len(info["missing_keys"])
        raise Refused(f"{name}: its weights lack {count} of the model's tensors, such as {first}")
    if info["mismatched_keys"]:
        key, stored, wanted = min(info["mismatched_keys"])
        raise Refused(f"{name}: {key} is {tuple(stored)}, and config.json means {tuple(wanted)}")
    for key, weights in model.named_parameters():
        if without := without_numbers(weights):
            raise Refused(f"{name}: its weights hold {key}, {without}")
    return model


def _check_vocabulary(found: Pretrained, read: _Read) -> None:
    rows = read.model.get_input_embeddings().weight.shape[0]
    size = read.tokenizer.get_vocab_size()
    if not size:
        raise Refused(f"{found.title}: its tokenizer has no tokens")
    if size > rows:
        raise Refused(
            f"{found.title}: its tokenizer has {size:,} tokens, and the model only {rows:,}: "
            "the tokenizer is another model's"
        )


def _own(found: Pretrained, read: _Read) -> Own:
    """Return what the model makes of 16 tokens before anything wraps it.

    transformers has up to two ways of attention: sdpa, which models are trained and used with, and
    eager, which alone shows patterns. They must agree.

    Raises
    ------
    Refused
        If it cannot be run, or the two ways differ.
    """
    chance = torch.Generator().manual_seed(0)
    first = None if read.bos_token is None else read.tokenizer.token_to_id(read.bos_token)
    context = getattr(read.model.config, "max_position_embeddings", None) or PROBE
    count = min(PROBE, context)
    ids = torch.randint(read.tokenizer.get_vocab_size(), (count,), generator=chance).tolist()
    ids = ids if first is None else [first, *ids[1:]]
    given = torch.tensor([ids], device=read.model.device)
    eager = _answered(found, read.model, given, "eager")
    if read.model._supports_sdpa:
        meant = _answered(found, read.model, given, "sdpa")
        apart = _apart(eager, meant)
        if getattr(read.model.config, "alibi", False):
            once = _adding_once(read.model)
            mended = _answered(found, read.model, given, "eager")
            if (found_apart := _apart(mended, meant)) < apart:
                eager, apart = mended, found_apart
            else:
                for handle in once:
                    handle.remove()
        if not apart <= allowed(eager.logits.dtype, SHARE, "attention"):
            raise Refused(
                f"{found.title} is not opened: the two ways in which transformers computes its "
                f"attention (eager and sdpa) differ by {apart:.1e} of what a layer writes, and "
                "patterns are to be had of the first alone"
            )
    patterns = eager.attentions or ()
    if not patterns or any(pattern is None for pattern in patterns):
        raise Refused(f"{found.title}: its attention patterns cannot be read by transformers")
    return Own(
        ids=tuple(ids),
        patterns=tuple(to_cpu_float32(pattern[0]) for pattern in patterns),
        log_probs=to_cpu_float32(eager.logits[0]).log_softmax(-1),
        masks=_masks(found, read.model),
    )


def _masks(found: Pretrained, model: Any) -> tuple[Tensor, ...]:
    """Return where the last positions of the longest prompt may look, layer by layer."""
    try:
        return tuple(
            reference.visible_keys(model, model.config.num_hidden_layers, found.context or PROBE)
        )
    except OUT_OF_MEMORY:
        raise
    except Exception as error:  # each architecture has its own way of not telling
        raise Refused(
            f"{found.title} is not opened: how far back its queries look in a long prompt cannot "
            f"be found out: {_line(error)}"
        ) from error


def _adding_once(model: Any) -> list[Any]:
    """Let Falcon's eager attention add ALiBi once: its mask holds that already, as for sdpa."""

    def none(block: Any, given: Any, named: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        return given, named | {"alibi": torch.zeros_like(named["alibi"])}

    blocks = model.base_model.h
    return [block.register_forward_pre_hook(none, with_kwargs=True) for block in blocks]


def _answered(found: Pretrained, model: Any, given: Tensor, attention: str) -> Any:
    """Run transformers' model by one of its ways of attention; it is left with eager."""
    try:
        model.config._attn_implementation = attention
        return model(
            given,
            output_attentions=attention == "eager",
            output_hidden_states=True,
            use_cache=False,
        )
    except OUT_OF_MEMORY:
        raise
    except Exception as error:  # each architecture has its own way of not running
        raise Refused(f"{found.title}: transformers cannot run it: {_line(error)}") from error
    finally:
        model.config._attn_implementation = "eager"


def _apart(eager: Any, meant: Any) -> float:
    """Return how far two runs are apart: the largest share between any two layers, or after all."""
    pairs = zip(
        (*eager.hidden_states, eager.logits), (*meant.hidden_states, meant.logits), strict=True
    )
    return max(share(to_cpu_float32(one), to_cpu_float32(other)) for one, other in pairs)


def _network(found: Pretrained, read: _Read) -> Network:
    name, model = found.title, read.model
    # The bridge cuts joint queries, keys and values apart, and keeps both.
    parameters = sum(weights.numel() for weights in model.parameters())
    try:
        bridge = build_bridge_from_module(model, type(model).__name__, hf_config=model.config)
        cfg, blocks = bridge.cfg, bridge.blocks
        if not all(hasattr(block, "ln1") for block in blocks):
            raise Refused(
                f"{name} is not opened: its heads read the stream without a norm, and Headscope "
                f"does not know {model.config.model_type} models"
            )
        layer_norms = tuple(_norm(block.ln1) for block in blocks)
        scale = architecture.logit_scale(model.config)
        final_norm = _scaled(_norm(bridge.ln_final), scale, cfg.d_model)
        W_pos = _table(bridge, cfg)
        heads = len(blocks[0].attn.W_K)
    except (Refused, *OUT_OF_MEMORY):
        raise
    except Exception as error:  # each adapter has its own way of not fitting
        raise Refused(
            f"{name}: TransformerLens cannot wrap this {model.config.model_type} model: "
            f"{_line(error)}"
        ) from error
    _leave_unscaled(blocks)
    kinds: dict[str, Positions] = {"rotary": "rotary", "alibi": "ALiBi", "standard": "learned"}
    kind: NormKind = "RMSNorm" if blocks[0].ln1.uses_rms_norm else "LayerNorm"
    return Network(
        bridge=bridge,
        tokenizer=read.tokenizer,
        bos_token=read.bos_token,
        prepend_bos=bool(cfg.default_prepend_bos) and read.bos_token is not None,
        n_layers=cfg.n_layers,
        n_heads=cfg.n_heads,
        n_kv_heads=heads,
        d_model=cfg.d_model,
        d_head=cfg.d_head,
        d_vocab=bridge.embed.W_E.shape[0],
        d_mlp=_d_mlp(cfg),
        n_ctx=cfg.n_ctx,
        parameters=parameters,
        divisors=tuple(
            architecture.divisor(block.attn.original_component, cfg) for block in blocks
        ),
        norm=kind,
        eps=_eps(blocks[0].ln1),
        layer_norms=layer_norms,
        final_norm=final_norm,
        position_kind=kinds.get(cfg.positional_embedding_type, "none"),
        W_pos=W_pos,
        embed_norm=_norm(bridge.embed_ln) if hasattr(bridge, "embed_ln") else None,
        rotations=architecture.rotations(bridge, model),
        slopes=architecture.slopes(cfg.n_heads)
        if cfg.positional_embedding_type == "alibi"
        else None,
        windows=architecture.windows(model.config, cfg.n_layers),
        chunks=architecture.chunks(model.config, cfg.n_layers),
        score_cap=architecture.score_cap(blocks[0].attn),
        logit_cap=architecture.logit_cap(model.config),
        logit_scale=scale,
        output_norms=_output_norms(blocks, architecture.residual_factor(model.config), cfg.d_model),
        mlp_factor=architecture.residual_factor(model.config),
        unlike_weights=architecture.unlike_weights(model.config),
        notices=read.notices,
        bos_reason=_bos_reason(read, bool(cfg.default_prepend_bos)),
    )


def _leave_unscaled(blocks: Any) -> None:
    """Let scores be as they are where a GPT-2 says so: the bridge divides them all the same."""
    for block in blocks:
        inner = block.attn.original_component
        if getattr(inner, "scale_attn_weights", True) is False:
            block.attn.hook_attn_scores.register_forward_hook(
                lambda _, __, scores, back=inner.head_dim**0.5: scores * back
            )


def _bos_reason(read: _Read, ours: bool) -> str:
    """Say why a prompt begins with BOS by default, or not: by the files' word, or by ours."""
    if read.bos_token is None:
        return NO_BOS
    # What it puts around no text at all tells where its files have no word for it.
    added = read.tokenizer.encode("").ids[:1] == [read.tokenizer.token_to_id(read.bos_token)]
    theirs = read.add_bos if isinstance(read.add_bos, bool) else added
    if ours == theirs:
        return f"the model's own tokenizer puts {'it' if ours else 'none'} before a text"
    if ours:
        return "TransformerLens's habit: the model's own tokenizer puts none before a text"
    return "TransformerLens's habit for this architecture: the model's own tokenizer puts it there"


def _norm(norm: Any) -> Norm:
    inner = norm.original_component
    gain, bias = (getattr(inner, name, None) for name in ("weight", "bias"))
    gain, bias = (None if held is None else to_cpu_float32(held) for held in (gain, bias))
    return Norm(1 + gain if gain is not None and norm.uses_weight_offset else gain, bias)


def _scaled(norm: Norm, factor: float, d_model: int) -> Norm:
    """Return a norm whose output is multiplied by a factor."""
    if factor == 1:
        return norm
    gain = torch.ones(d_model) if norm.gain is None else norm.gain
    return Norm(factor * gain, None if norm.bias is None else factor * norm.bias)


def _output_norms(blocks: Any, factor: float, d_model: int) -> tuple[Norm, ...]:
    """Return what multiplies what each layer's heads write; none where nothing does."""
    if any(hasattr(block, "ln1_post") for block in blocks):
        return tuple(_norm(block.ln1_post) for block in blocks)
    return () if factor == 1 else (_scaled(Norm(), factor, d_model),) * len(blocks)


def _eps(norm: Any) -> float:
    inner = norm.original_component
    # OLMo's norm has no attribute that says it.
    return float(getattr(inner, "eps", getattr(inner, "variance_epsilon", 1e-5)))


def _table(bridge: Any, cfg: Any) -> Tensor:
    table = getattr(bridge, "pos_embed", None)
    if table is None:
        return torch.zeros(1, cfg.d_model).expand(cfg.n_ctx, -1)
    skipped = getattr(table.original_component, "offset", 0)  # OPT's first two rows are never used
    rows: Tensor = table.original_component.weight[skipped : skipped + cfg.n_ctx]
    return rows


def _d_mlp(cfg: Any) -> int:
    return int(cfg.d_mlp or 0)


def _line(error: Exception) -> str:
    """Return what an exception says, on one short line."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 200 else f"{text[:199]}…"
