"""One logit as a sum over the parts of the model that write to the stream."""

from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from engine.circuits.places import Place, place, target_of
from engine.job import Job
from engine.messages import Head, LogitAttribution, LogitParts, Refused
from engine.model import Model


class _Contrast(NamedTuple):
    """What is taken off the target: a column of W_U, its logit, and what it is called."""

    column: Float[Tensor, " d_model"] | float
    logit: float
    bias: float
    label: str


def logit_attribution(model: Model, request: LogitAttribution, job: Job) -> LogitParts:
    """Split a logit into what embedding, position, every head, every MLP and the biases give to it.

    Direct logit attribution: each part of the final stream times the target's column of the folded
    W_U, over the scale that the final norm has on this run ("A Mathematical Framework for
    Transformer Circuits", Elhage et al., 2021, "The path expansion trick"; the frozen scale as in
    TransformerLens's `logit_attrs`). A head's part is exactly A (X W_V + b_V) W_O, what is gone
    when it is off, over the scale of a norm that follows the heads, frozen too. Where a model caps
    its logits, the logit is the one before that. Parts are summed in float64.
    """
    here = place(model, request.run, request.position, job)
    target = target_of(model, request.target, here.logits)
    contrast = _contrast(model, request, here)
    column = model.vocabulary.unembedding(target).double() - contrast.column  # [d_model]
    column = column / here.final_scale
    labels, values, heads, sources = _entering(model, here, column)
    shown = model.tokens.labelled(here.passed.ids[: here.position + 1])
    scales = [float(here.passed.output_scale(n)[here.position]) for n in range(model.n_layers)]
    written = torch.zeros(model.d_model, dtype=torch.float64)
    for layer in range(model.n_layers):
        read = model.read(here.passed.streams[layer][: len(shown)]).double()
        for number in range(model.n_heads):
            head = Head(layer, number)
            job.step(layer * model.n_heads + number, model.n_layers * model.n_heads, "attributing")
            pattern = here.passed.patterns[layer][number, here.position, : len(shown)]
            parts = pattern.double() / scales[layer] * _given(model, here, head, read, column)
            if request.split == "heads":
                parts, places = parts.sum()[None], [-1]
                labels.append(head.name)
            else:
                places = list(range(len(shown)))
                labels += [f"{head.name} ← {at} {label}" for at, label in enumerate(shown)]
            values.append(parts)
            sources += places
            heads += [head] * len(places)
        if here.passed.mlps:
            labels.append(f"MLP {layer}")
            values.append((here.passed.mlps[layer][here.position].double() @ column)[None])
            heads.append(None)
            sources.append(-1)
        written += model.written_bias(layer).double() / scales[layer]
    bias = float(model.vocabulary.logit_biases()[target]) - contrast.bias
    values.append((written @ column + bias)[None])
    parts = torch.cat(values)
    total, logit = float(parts.sum()), float(here.logits[target]) - contrast.logit
    return LogitParts(
        labels=(*labels, "biases"),
        values=parts.numpy(),
        heads=(*heads, None),
        sources=np.array([*sources, -1]),
        total=total,
        logit=logit,
        remainder=logit - total,
        target_id=target,
        target_label=model.tokens.labels[target],
        contrast_label=contrast.label,
        position=here.position,
        final_scale=here.final_scale,
        logit_cap=model.logit_cap,
    )


def _contrast(model: Model, request: LogitAttribution, here: Place) -> _Contrast:
    if request.contrast_token is not None:
        if request.contrast != "none":
            raise Refused("a contrast token and contrast mean exclude each other: leave one out")
        token = model.tokens.resolve(request.contrast_token)
        bias = float(model.vocabulary.logit_biases()[token])
        column = model.vocabulary.unembedding(token).double()
        return _Contrast(column, float(here.logits[token]), bias, model.tokens.labels[token])
    if request.contrast == "mean":
        bias = float(model.vocabulary.logit_biases().double().mean())
        column = model.vocabulary.mean_unembedding().double()
        return _Contrast(column, float(here.logits.double().mean()), bias, "mean")
    return _Contrast(0.0, 0.0, 0.0, "none")


def _given(
    model: Model,
    here: Place,
    head: Head,
    read: Float[Tensor, "source d_model"],
    column: Float[Tensor, " d_model"],
) -> Float[Tensor, " source"]:
    """Return (X W_V + b_V) W_O c: what attending to a source with 1 gives; 0 for a head off."""
    if head in here.passed.heads_off:
        return torch.zeros(len(read), dtype=torch.float64)
    weights = model.head(head)
    # From the right: vectors only, where what is moved would be a matrix.
    onto = weights.W_O.double() @ column
    given: Tensor = read @ (weights.W_V.double() @ onto) + weights.b_V.double() @ onto
    return given


def _entering(
    model: Model, here: Place, column: Float[Tensor, " d_model"]
) -> tuple[list[str], list[Tensor], list[Head | None], list[int]]:
    """Start the lists of labels, values, heads and sources with what enters the first layer."""
    at = here.position
    token = here.passed.ids[at]
    values = [model.vocabulary.embedded((token,)).double() @ column]
    if not model.learned_positions:
        return ["embedding"], values, [None], [-1]
    values.append(model.positions(at + 1)[at:].double() @ column)
    return ["embedding", "positions"], values, [None, None], [-1, -1]
