"""What one head adds to the logits at one position of a prompt."""

import torch
from jaxtyping import Float
from torch import Tensor

from engine.circuits.places import place, target_of
from engine.circuits.ranking import ends, rank_of
from engine.forward.forward_pass import ForwardPass
from engine.job import Job
from engine.messages import Head, HeadOutput, OutputRanking
from engine.model import Model


def moved(model: Model, passed: ForwardPass, head: Head) -> Float[Tensor, "source d_model"]:
    """Return (X W_V + b_V) W_O: what a head hands on from a position when it attends to it with 1.

    Rows of a pattern sum to 1, so that the pattern times this is all that the head adds, and what
    is gone when it is off. A head that is off hands on nothing. Where a norm follows the heads,
    what reaches the stream is this over the norm's scale at the query, `passed.output_scale`.
    """
    if head in passed.heads_off:
        return torch.zeros_like(passed.streams[head.layer])
    weights = model.head(head)
    return weights.values(model.read(passed.streams[head.layer])) @ weights.W_O


def head_output(model: Model, request: HeadOutput, job: Job) -> OutputRanking:
    """Rank the vocabulary by what a head's output at a position adds to the logits.

    The output is row q of A (X W_V + b_V) W_O with the pattern that the model itself used, read
    through the folded W_U: "One attention head, taken apart", "A head moves information", and "A
    Mathematical Framework for Transformer Circuits" (Elhage et al., 2021), "Attention heads as
    information movement", over what a norm after the heads divides by on this run. b_O and the
    final norm's scale are left out; `final_scale` is what the norm divides by there.
    """
    model.check_head(request.head)
    here = place(model, request.run, request.position, job)
    target = target_of(model, request.target, here.logits)
    layer, number = request.head
    row = here.passed.patterns[layer][number, here.position, : here.position + 1]
    row = row / here.passed.output_scale(layer)[here.position]
    given = moved(model, here.passed, request.head)[: here.position + 1]  # [source, d_model]
    values = model.vocabulary.logits((row @ given)[:, None], job)[:, 0] + 0.0  # no negative zeros
    by_source = row * (given @ model.vocabulary.unembedding(target)) + 0.0
    return OutputRanking(
        **ends(model, values, request.k)._asdict(),
        target_id=target,
        target_label=model.tokens.labels[target],
        rank=rank_of(values, target),
        value=float(values[target]),
        by_source=by_source.numpy(),
        source_labels=model.tokens.labelled(here.passed.ids[: here.position + 1]),
        position=here.position,
        d_vocab=model.d_vocab,
        final_scale=here.final_scale,
    )
