"""Checks that the parts of a model, of which a head is one, add up to what the model says."""

import torch
from jaxtyping import Float
from torch import Tensor

from engine.circuits.logit_attribution import logit_attribution
from engine.circuits.receipts.scene import (
    OF_LARGEST,
    Scene,
    apart,
    double,
    measured,
    undefined,
    written,
)
from engine.folding import centred
from engine.forward.forward_pass import ForwardPass
from engine.job import Job
from engine.messages import Head, LogitAttribution, Receipt
from engine.model import Model

LOGIT, NAT = 1e-3, 1e-4
"""What rounding may take from a sum over the whole model, and from a log-probability."""

WORK = 2**29
"""Multiplications in MLPs between two steps: some 20 milliseconds of work."""


def stream_adds_up(scene: Scene, job: Job) -> Receipt:
    """Check that embedding, positions, every head and every bias make the final stream.

    "A Mathematical Framework for Transformer Circuits" (Elhage et al., 2021), "The residual stream
    as a communication channel". What a norm's centring takes off later is taken off first.
    """
    model, passed = scene.model, scene.passed
    total = _entering(model, passed.ids)
    for layer in range(model.n_layers):
        after = passed.output_scale(layer)[:, None]
        total = total + model.written_bias(layer).double() / after
        read = model.read(passed.streams[layer]).double()
        for number in range(model.n_heads):
            done = layer * model.n_heads + number
            job.step(done, model.n_layers * model.n_heads, "adding heads")
            total = total + written(model, passed, Head(layer, number), read) / after
        if passed.mlps:
            mlp = passed.mlps[layer].double()
            total = total + (centred(mlp) if model.centring else mlp)
    final = centred(passed.final) if model.centring else passed.final
    return measured(
        "embedding + heads + biases = the final stream",
        f"the sum of every part at every position against the model's own stream: {OF_LARGEST}",
        apart(total, final),
        scene.whole,
    )


def attribution_adds_up(scene: Scene, job: Job) -> Receipt:
    """Check that what each part gives to a logit sums to the model's own logit."""
    model, parts = scene.model, logit_attribution(scene.model, LogitAttribution(scene.run), job)
    own = scene.own["logits"].double()
    cap, shift = model.logit_cap, 0.0
    logit, less = float(own[parts.target_id]), ""
    if cap and model.normalized:
        shift, less = _mean_logit(scene, job), ", their mean before the cap put back"
    elif model.normalized:
        logit, less = logit - float(own.mean()), ", less their mean, which the softmax does not see"
    name = "attribution sums to the logit"
    compares = (
        f"the sum of all parts of the first guess after the prompt against the model's own "
        f"logit{less}: the difference in logits"
    )
    found = parts.total
    if cap:
        compares = f"{compares}, after the model's cap of {cap:g}"
        found = float(model.capped(torch.tensor(found + shift, dtype=torch.float64)))
    return measured(
        name,
        compares,
        abs(found - logit),
        scene.whole * float(own.abs().max()) if model.placing.rounds else LOGIT,
        ("logit", logit),
        ("sum of parts", found),
    )


def _mean_logit(scene: Scene, job: Job) -> float:
    """Return the mean of all logits after the prompt, before the model caps them."""
    read, vocabulary = scene.model.read(scene.passed.final[-1]), scene.model.vocabulary
    said = vocabulary.logits(read[:, None], job, centre=False)[:, 0]
    return float((said + vocabulary.logit_biases(centre=False)).double().mean())


def folding_changes_nothing(scene: Scene, job: Job) -> Receipt:
    """Check that a pass with folded weights alone predicts what the model does."""
    name = "folded and unfolded weights give the same log-probabilities"
    compares = (
        "a whole pass with folded weights, whose norms only scale (the MLPs as they are), against "
        "the model's own: the largest difference after the last token, in nats"
    )
    model, own = scene.model, scene.own["logits"].double()
    if not model.scores_follow:
        return undefined(name, compares, "its scores do not follow from its weights alone")
    if model.placing.rounds:
        reason = f"the model runs in {model.placing.dtype}, whose rounding grows through its layers"
        return undefined(name, compares, reason)
    if scene.passed.mlps and model.mlp_is_parallel is None:
        return undefined(name, compares, "what its MLPs read is not known")
    # The same for every head, and the longest of all checks but one.
    key = ("folded pass", scene.passed.ids, scene.passed.heads_off)
    if key not in model.kept:
        last = _folded_pass(model, scene.passed, job).float()
        logits = model.capped(
            model.vocabulary.logits(last[:, None], job, centre=False)[:, 0]
            + model.vocabulary.logit_biases(centre=False)
        )
        change = logits.double().log_softmax(-1) - own.log_softmax(-1)
        model.kept[key] = float(change.abs().max())
    return measured(name, compares, model.kept[key], NAT)


def _folded_pass(model: Model, passed: ForwardPass, job: Job) -> Float[Tensor, " d_model"]:
    """Return what the unembedding reads at the last position, by folded weights alone."""
    stream = _entering(model, passed.ids)
    for layer in range(model.n_layers):
        scaled = stream / model.scale(stream)[:, None]
        added = model.written_bias(layer).double().expand_as(stream)
        hidden = model.attention_mask(layer, len(stream))
        for number in range(model.n_heads):
            done = layer * model.n_heads + number
            job.step(done, model.n_layers * model.n_heads, "running folded heads")
            if (head := Head(layer, number)) in passed.heads_off:
                continue
            weights = double(model.head(head))
            scores = model.folded_scores(head, weights, scaled).masked_fill(hidden, -torch.inf)
            job.step(done, model.n_layers * model.n_heads, "running folded heads")
            added = added + scores.softmax(-1) @ weights.values(scaled) @ weights.W_O
        before, stream = stream, stream + added / passed.output_scale(layer)[:, None]
        if passed.mlps:
            read = (before if model.mlp_is_parallel else stream).float()
            mlp = _mlp_output(model, layer, read, job).double()
            stream = stream + (centred(mlp) if model.centring else mlp)
    last: Tensor = stream[-1] / model.scale(stream[-1])
    return last


def _mlp_output(
    model: Model, layer: int, read: Float[Tensor, "position d_model"], job: Job
) -> Float[Tensor, "position d_model"]:
    rows = max(1, WORK // (3 * model.d_model * model.d_mlp))  # the most matrices that an MLP has
    made = []
    for start in range(0, len(read), rows):
        job.step(layer, model.n_layers, "running MLPs")
        made.append(model.mlp_output(layer, read[start : start + rows]))
    return torch.cat(made)


def _entering(model: Model, ids: tuple[int, ...]) -> Float[Tensor, "position d_model"]:
    entering = (model.vocabulary.embedded(ids) + model.positions(len(ids))).double()
    return centred(entering) if model.centring else entering
