"""Checks that the parts of a model, of which a head is one, add up to what the model says."""

import torch
from jaxtyping import Float
from torch import Tensor

from engine.circuits.head_output import moved
from engine.circuits.logit_attribution import logit_attribution
from engine.circuits.receipts.scene import (
    OF_LARGEST,
    SINGLE,
    Scene,
    apart,
    double,
    measured,
    undefined,
)
from engine.folding import centred
from engine.job import Job
from engine.messages import Head, LogitAttribution, Receipt
from engine.model import Model
from engine.runs import ForwardPass

LOGIT, NAT = 1e-3, 1e-4
"""What rounding may take from a sum over the whole model, and from a log-probability."""


def stream_adds_up(scene: Scene, job: Job) -> Receipt:
    """Check that embedding, positions, every head and every bias make the final stream.

    "A Mathematical Framework for Transformer Circuits" (Elhage et al., 2021), "The residual stream
    as a communication channel". What a norm's centring takes off later is taken off first.
    """
    model, passed = scene.model, scene.passed
    total = _entering(model, passed.ids)
    for layer in range(model.n_layers):
        total = total + model.written_bias(layer, passed.heads_off).double()
        for number in range(model.n_heads):
            done = layer * model.n_heads + number
            job.step(done, model.n_layers * model.n_heads, "adding heads")
            pattern = passed.patterns[layer][number].double()
            total = total + pattern @ moved(model, passed, Head(layer, number)).double()
        if passed.mlps:
            mlp = passed.mlps[layer].double()
            total = total + (centred(mlp) if model.centring else mlp)
    final = centred(passed.final) if model.centring else passed.final
    return measured(
        "embedding + heads + biases = the final stream",
        f"the sum of every part at every position against the model's own stream: {OF_LARGEST}",
        apart(total, final),
        SINGLE,
    )


def attribution_adds_up(scene: Scene, job: Job) -> Receipt:
    """Check that what each part gives to a logit sums to the model's own logit."""
    parts = logit_attribution(scene.model, LogitAttribution(scene.run), job)
    own = scene.own["logits"].double()
    logit = float(own[parts.target_id] - (own.mean() if scene.model.centring else 0))
    less = ", less their mean, which the softmax does not see" if scene.model.centring else ""
    return measured(
        "attribution sums to the logit",
        f"the sum of all parts of the first guess after the prompt against the model's own "
        f"logit{less}: the difference in logits",
        abs(parts.total - logit),
        LOGIT,
        ("logit", logit),
        ("sum of parts", parts.total),
    )


def folding_changes_nothing(scene: Scene, job: Job) -> Receipt:
    """Check that a pass with folded weights alone predicts what the model does."""
    name = "folded and unfolded weights give the same log-probabilities"
    compares = (
        "a whole pass with folded weights, whose norms only scale, against the model's own: the "
        "largest difference after the last token, in nats"
    )
    model, own = scene.model, scene.own["logits"].double()
    if model.d_mlp or not model.has_one_qk:
        why = "the pass is made for models of heads alone, whose scores one matrix gives"
        return undefined(name, compares, why)
    last = _folded_pass(model, scene.passed, job)
    logits = model.logits(last.float()[:, None], job)[:, 0] + model.logit_biases()
    apart_ = (logits.double().log_softmax(-1) - own.log_softmax(-1)).abs().max()
    return measured(
        name,
        compares,
        float(apart_),
        NAT,
    )


def _folded_pass(model: Model, passed: ForwardPass, job: Job) -> Float[Tensor, " d_model"]:
    """Return what the unembedding reads at the last position, by folded weights alone."""
    stream = _entering(model, passed.ids)
    for layer in range(model.n_layers):
        scaled = stream / model.scale(stream)[:, None]
        written = model.written_bias(layer, passed.heads_off).double().expand_as(stream)
        for number in range(model.n_heads):
            done = layer * model.n_heads + number
            job.step(done, model.n_layers * model.n_heads, "running folded heads")
            if (head := Head(layer, number)) in passed.heads_off:
                continue
            weights = double(model.head(head))
            queries, keys = scaled @ weights.W_Q + weights.b_Q, scaled @ weights.W_K + weights.b_K
            scores = (queries @ keys.mT / model.divisor).masked_fill(passed.future, -torch.inf)
            written = written + scores.softmax(-1) @ scaled @ weights.W_V @ weights.W_O
        stream = stream + written
    last: Tensor = stream[-1] / model.scale(stream[-1])
    return last


def _entering(model: Model, ids: tuple[int, ...]) -> Float[Tensor, "position d_model"]:
    entering = (model.embedded(ids) + model.positions(len(ids))).double()
    return centred(entering) if model.centring else entering
