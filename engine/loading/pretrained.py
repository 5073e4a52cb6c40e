"""From a model folder or GGUF file to the TransformerBridge that runs it, without a network.

transformers reads the files (never code that lies among them, pickles as weights only), and its
own eager attention is what the bridge is held to.
"""

import pickle
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
import transformers
from tokenizers import Tokenizer
from transformer_lens.model_bridge.sources import build_bridge_from_module
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

from engine.forward.memory import available
from engine.job import Cancelled, Job
from engine.loading import architecture
from engine.loading.config_keys import unread
from engine.loading.gguf_config import check_tensors, completed, notices
from engine.loading.gguf_file import read_once, settle
from engine.loading.native import native
from engine.loading.reference import reference
from engine.loading.verify import refusing, verified
from engine.messages import Placing, Refused, in_bytes
from engine.messages.printing import in_a_line
from engine.network.device import (
    DTYPES,
    check,
    check_room,
    check_weights,
    without_numbers,
)
from engine.network.network import NO_BOS, Network
from engine.network.tokens import Tokens
from engine.sources.checkpoint import Pretrained
from engine.sources.config import check_kind
from engine.sources.files import Folder
from engine.sources.tokenizer import check_vocabulary

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

OFFLINE: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
"""How transformers reads: no connection, and no code that lies among the files."""

TIED = 2.5
"""How many times the numbers of its files a model may have: embeddings are stored once for both."""


class _Read(NamedTuple):
    model: Any
    tokenizer: Tokenizer
    bos_token: str | None
    notices: tuple[str, ...] = ()
    add_bos: bool | None = None


def pretrained(found: Pretrained, job: Job, placing: Placing) -> Network:
    """Build what runs a pretrained model, and check it against the model itself.

    Raises
    ------
    Refused
        If there is no such device, it does not fit in memory, is damaged, has no attention to
        show, or what the bridge makes of it is not what the model does.
    """
    check(placing)
    found.check_fits(available(), placing)
    check_room(found.title, placing.itemsize * found.parameters, placing)
    job.step(0, 4, f"reading {found.parameters:,} parameters")
    if found.layout == "TransformerLens":
        return native(found, job, placing)
    dtype = DTYPES[placing.dtype]
    gguf = found.layout == "GGUF"
    read = _from_gguf(found, job, dtype) if gguf else _from_folder(found, dtype)
    read.model.eval().requires_grad_(False).to(placing.device)
    check_weights(found.title, read.model.named_parameters(), placing)
    rows = read.model.get_input_embeddings().weight.shape[0]
    check_vocabulary(found.title, read.tokenizer, rows)
    job.step(2, 4, "running 16 tokens by transformers")
    own = reference(found.title, read.model, read.tokenizer, read.bos_token, found.context)
    job.step(3, 4, "wrapping the model")
    network = _network(found, read)
    return verified(found.title, network, own, job)


def _from_folder(found: Pretrained, dtype: torch.dtype) -> _Read:
    name = found.title
    try:
        config = transformers.AutoConfig.from_pretrained(found.path, **OFFLINE)
    except Exception as error:  # each model type's config raises its own
        if "trust_remote_code" in str(error):
            raise Refused(
                f"{name} needs Python code that lies in its folder, and Headscope does not run "
                "that: only architectures that transformers itself knows can be opened"
            ) from error
        raise Refused(
            f"{name}: transformers cannot read config.json: {in_a_line(error)}"
        ) from error
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
    with refusing(
        f"{found.title} has no tokenizer.json, and transformers cannot make one of its older files"
    ):
        made = transformers.AutoTokenizer.from_pretrained(found.path, **OFFLINE)
        return made.backend_tokenizer, made.bos_token


def _from_gguf(found: Pretrained, job: Job, dtype: torch.dtype) -> _Read:
    folder, file = found.path.parent, found.path.name
    with read_once(found.path, job) as header:
        with refusing(f"{file}: transformers cannot read it"):
            config = transformers.AutoConfig.from_pretrained(folder, gguf_file=file, **OFFLINE)
        _check_kind(file, config)
        config = completed(file, config, header.keys, header.tensors)
        with refusing(f"{file}: its tokenizer cannot be read"):
            tokenizer = transformers.AutoTokenizer.from_pretrained(
                folder, gguf_file=file, **OFFLINE
            )
        model = _weights(found, config, dtype, gguf_file=file)
        check_tensors(file, header.tensors, header.used)
    backend = tokenizer.backend_tokenizer
    said = notices(header.keys, header.keys["general.architecture"])
    said = (*said, *settle(backend, header.keys))
    word = header.keys.get("tokenizer.ggml.add_bos_token")
    return _Read(model, backend, tokenizer.bos_token, said, word)


def _check_kind(name: str, config: Any) -> None:
    kind = config.model_type
    check_kind(name, {"model_type": kind})
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
    with (
        refusing(f"{name}: transformers cannot build what its config means"),
        torch.device("meta"),
    ):
        meant = transformers.AutoModelForCausalLM.from_config(
            config, trust_remote_code=False, attn_implementation="eager"
        )
        parameters = sum(weights.numel() for weights in meant.parameters())
        buffers = sum(buffer.numel() * buffer.element_size() for buffer in meant.buffers())
    if parameters > TIED * found.parameters:
        raise Refused(
            f"{name}: its config means {parameters:,} parameters, and its weights are "
            f"{found.parameters:,}: one of them is damaged or of another model"
        )
    if dtype.itemsize * parameters + buffers > (free := available()):
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
            **OFFLINE,
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
        said = why if pickled else in_a_line(error)
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


def _network(found: Pretrained, read: _Read) -> Network:
    model, kind = read.model, read.model.config.model_type
    # The bridge cuts joint queries, keys and values apart, and keeps both.
    parameters = sum(weights.numel() for weights in model.parameters())
    with refusing(f"{found.title}: TransformerLens cannot wrap this {kind} model"):
        bridge = build_bridge_from_module(model, type(model).__name__, hf_config=model.config)
        if not all(hasattr(block, "ln1") for block in bridge.blocks):
            raise Refused(
                f"{found.title} is not opened: its heads read the stream without a norm, and "
                f"Headscope does not know {kind} models"
            )
        known = architecture.described(bridge, model)
    tokens = Tokens(read.tokenizer, read.bos_token, known["d_vocab"])
    habit = bool(bridge.cfg.default_prepend_bos)
    return Network(
        bridge=bridge,
        tokens=tokens,
        prepend_bos=habit and read.bos_token is not None,
        bos_reason=_bos_reason(read, tokens, habit),
        parameters=parameters,
        notices=read.notices,
        **known,
    )


def _bos_reason(read: _Read, tokens: Tokens, ours: bool) -> str:
    """Say why a prompt begins with BOS by default, or not: by the files' word, or by ours."""
    if read.bos_token is None:
        return NO_BOS
    # Where its files have no word for it, the tokenizer's own doing tells.
    theirs = read.add_bos if isinstance(read.add_bos, bool) else tokens.adds_bos
    if ours == theirs:
        return f"the model's own tokenizer puts {'it' if ours else 'none'} before a text"
    if ours:
        return "TransformerLens's habit: the model's own tokenizer puts none before a text"
    return "TransformerLens's habit for this architecture: the model's own tokenizer puts it there"
