"""What parts, heads and pairs of heads add to the logits on a prompt, and the logits by layer."""

from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from engine.circuits.attention import value_output
from engine.circuits.prompt import Readout, read_out, target_of
from engine.circuits.ranking import ends, rank_of
from engine.circuits.spectra import positivity
from engine.job import Job
from engine.messages import (
    Head,
    HeadOutput,
    LayerGuesses,
    LogitAttribution,
    LogitLens,
    LogitParts,
    OutputRanking,
    Refused,
    VirtualHead,
    VirtualHeadParts,
)
from engine.model import Model
from engine.network import factored


def head_output(model: Model, request: HeadOutput, job: Job) -> OutputRanking:
    """Rank the vocabulary by what a head's output at a position adds to the logits.

    The output is row q of A (X W_V + b_V) W_O with the pattern that the model itself used, read
    through the folded W_U: "One attention head, taken apart", "A head moves information", and "A
    Mathematical Framework for Transformer Circuits" (Elhage et al., 2021), "Attention heads as
    information movement", over what a norm after the heads divides by on this run. b_O and the
    final norm's scale are left out; `final_scale` is what the norm divides by there.
    """
    model.check_head(request.head)
    here = read_out(model, request.run, request.position, job)
    target = target_of(model, request.target, here.logits)
    layer, number = request.head
    forward_pass, count = here.forward_pass, here.position + 1
    row = forward_pass.patterns[layer][number, here.position, :count]
    row = row / forward_pass.output_scale(layer)[here.position]
    given = value_output(model, forward_pass, request.head)[:count]  # [source, d_model]
    values = model.vocabulary.logits((row @ given)[:, None], job)[:, 0] + 0.0  # no negative zeros
    by_source = row * (given @ model.vocabulary.unembedding(target)) + 0.0
    return OutputRanking(
        **ends(model, values, request.k)._asdict(),
        target_id=target,
        target_label=model.tokens.labels[target],
        rank=rank_of(values, target),
        value=float(values[target]),
        by_source=by_source.numpy(),
        source_labels=model.tokens.labelled(forward_pass.ids[:count]),
        position=here.position,
        d_vocab=model.d_vocab,
        final_scale=here.final_scale,
    )


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
    here = read_out(model, request.run, request.position, job)
    target = target_of(model, request.target, here.logits)
    contrast = _contrast(model, request, here)
    column = model.vocabulary.unembedding(target).double() - contrast.column  # [d_model]
    column = column / here.final_scale
    labels, values, heads, sources = _entering(model, here, column)
    shown = model.tokens.labelled(here.forward_pass.ids[: here.position + 1])
    scales = [
        float(here.forward_pass.output_scale(n)[here.position]) for n in range(model.n_layers)
    ]
    written = torch.zeros(model.d_model, dtype=torch.float64)
    for layer in range(model.n_layers):
        read = model.read(here.forward_pass.streams[layer][: len(shown)]).double()
        for number in range(model.n_heads):
            head = Head(layer, number)
            job.step(layer * model.n_heads + number, model.n_layers * model.n_heads, "attributing")
            pattern = here.forward_pass.patterns[layer][number, here.position, : len(shown)]
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
        if here.forward_pass.mlps:
            labels.append(f"MLP {layer}")
            values.append((here.forward_pass.mlps[layer][here.position].double() @ column)[None])
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


def _contrast(model: Model, request: LogitAttribution, here: Readout) -> _Contrast:
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
    here: Readout,
    head: Head,
    read: Float[Tensor, "source d_model"],
    column: Float[Tensor, " d_model"],
) -> Float[Tensor, " source"]:
    """Return (X W_V + b_V) W_O c: what attending to a source with 1 gives; 0 for a head off."""
    if head in here.forward_pass.heads_off:
        return torch.zeros(len(read), dtype=torch.float64)
    weights = model.head(head)
    # From the right: vectors only, where what is moved would be a matrix.
    onto = weights.W_O.double() @ column
    given: Tensor = read @ (weights.W_V.double() @ onto) + weights.b_V.double() @ onto
    return given


def _entering(
    model: Model, here: Readout, column: Float[Tensor, " d_model"]
) -> tuple[list[str], list[Tensor], list[Head | None], list[int]]:
    """Start the lists of labels, values, heads and sources with what enters the first layer."""
    at = here.position
    token = here.forward_pass.ids[at]
    values = [model.vocabulary.embedded((token,)).double() @ column]
    if not model.learned_positions:
        return ["embedding"], values, [None], [-1]
    values.append(model.positions(at + 1)[at:].double() @ column)
    return ["embedding", "positions"], values, [None, None], [-1, -1]


def logit_lens(model: Model, request: LogitLens, job: Job) -> LayerGuesses:
    """Read the stream with the final norm and W_U before the first layer and after each.

    The method is the logit lens ("interpreting GPT: the logit lens", nostalgebraist, 2020); the
    norm's scale is that of the stream at each stage, and the last stage is the model's own guess.
    """
    forward_pass = model.run(request.run, job)
    stages = (*forward_pass.streams, forward_pass.final)
    biases = model.vocabulary.logit_biases(centre=False)
    found = []
    for place, stream in enumerate(stages):
        for at, vector in enumerate(model.read(stream)):
            job.step(place * len(stream) + at, len(stages) * len(stream), "reading each layer")
            said = model.vocabulary.logits(vector[:, None], Job(), centre=False)[:, 0]
            logits = model.capped(said + biases)
            found.append(ends(model, logits.log_softmax(-1), request.k))
    shape = (len(stages), len(forward_pass.ids), -1)
    labels = [end.labels for end in found]
    width = len(forward_pass.ids)
    return LayerGuesses(
        stages=("embedding", *(f"layer {layer}" for layer in range(model.n_layers))),
        source_labels=model.tokens.labelled(forward_pass.ids),
        ids=np.stack([end.ids for end in found]).reshape(shape),
        labels=tuple(
            tuple(labels[place * width : (place + 1) * width]) for place in range(len(stages))
        ),
        log_probs=np.stack([end.values for end in found]).reshape(shape),
    )


def check_order(earlier: Head, later: Head) -> None:
    """Refuse two heads of which the later cannot read the earlier."""
    if earlier.layer >= later.layer:
        raise Refused(
            f"head {later} is not in a later layer than {earlier}, so that it cannot read what "
            "that one writes"
        )


def virtual_head(model: Model, request: VirtualHead, job: Job) -> VirtualHeadParts:
    """Compose the patterns and the OV circuits of two heads.

    (A2 x W_OV2)(A1 x W_OV1) = A2 A1 x W_OV1 W_OV2 in row convention, a head again: "A Mathematical
    Framework for Transformer Circuits" (Elhage et al., 2021), "Virtual attention heads". With a
    norm between the layers the contribution is exactly A2 diag(1/s) A1, s the scale that the later
    layer's norm has on this run; where a norm follows the heads, A1 and A2 are over its scale at
    the query. The share is (c . v) / (v . v), v what the later head gives, A2 (X W_V2 + b_V2) W_O2,
    and c the part of it that reads what the earlier one gives, its b_V included: all parts of what
    is read, and b_V2, sum to 1.
    """
    earlier, later = request.earlier, request.later
    W_OV_1, W_OV_2 = model.W_OV(earlier), model.W_OV(later)
    check_order(earlier, later)
    token = model.tokens.resolve(request.token)
    forward_pass = model.run(request.run, job)
    first, second = (forward_pass.patterns[head.layer][head.number] for head in (earlier, later))
    stream = forward_pass.streams[later.layer]
    scale = model.scale(stream)[:, None] * forward_pass.output_scale(earlier.layer)[:, None]
    after = forward_pass.output_scale(later.layer)[:, None]
    weights = model.head(later)
    output = second @ value_output(model, forward_pass, later) / after  # [query, d_model]
    through = first @ value_output(model, forward_pass, earlier) / scale @ weights.W_V
    given = second @ through @ weights.W_O / after
    along, whole = (given * output).sum(-1), output.square().sum(-1)
    written = model.vocabulary.embedding(token).double() @ W_OV_1 @ W_OV_2
    values = model.vocabulary.logits(written.float()[:, None], job)[:, 0] + 0.0  # no negative zeros
    whole_circuit = W_OV_1 @ W_OV_2 @ model.vocabulary.gram("ov", job)
    return VirtualHeadParts(
        source_labels=model.tokens.labelled(forward_pass.ids),
        product=(second @ first).numpy(),
        exact=(second @ (first / scale) / after).numpy() if model.normalized else None,
        **ends(model, values, request.k)._asdict(),
        token_id=token,
        token_label=model.tokens.labels[token],
        rank=rank_of(values, token),
        value=float(values[token]),
        d_vocab=model.d_vocab,
        eigenvalue_copying=positivity(whole_circuit.eigenvalues()),
        singular_values=factored.singular_values(W_OV_1.B @ W_OV_2.A).numpy(),
        share=float(along.sum() / whole.sum()),
        shares=(along / whole).numpy(),
    )
