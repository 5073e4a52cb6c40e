"""Checks that a model's parts add up to what it says, and that induction needs an earlier head."""

from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor

from engine.circuits.checks.inputs import (
    OF_LARGEST,
    CheckInputs,
    apart,
    measured,
    undefined,
    written,
)
from engine.circuits.head_scores import random_measures
from engine.circuits.paths import logit_attribution
from engine.forward.forward_pass import ForwardPass
from engine.job import Job
from engine.messages import Head, HeadScores, LogitAttribution, Receipt
from engine.model import Model
from engine.network.folding import centred

LOGIT, NAT = 1e-3, 1e-4
"""What rounding may take from a sum over the whole model, and from a log-probability."""

WORK = 2**29
"""Multiplications in MLPs between two steps: some 20 milliseconds of work."""


def stream_adds_up(inputs: CheckInputs, job: Job) -> Receipt:
    """Check that embedding, positions, every head and every bias make the final stream.

    "A Mathematical Framework for Transformer Circuits" (Elhage et al., 2021), "The residual stream
    as a communication channel". What a norm's centring takes off later is taken off first.
    """
    model, forward_pass = inputs.model, inputs.forward_pass
    total = _entering(model, forward_pass.ids)
    for layer in range(model.n_layers):
        after = forward_pass.output_scale(layer)[:, None]
        total = total + model.written_bias(layer).double() / after
        read = model.read(forward_pass.streams[layer]).double()
        for number in range(model.n_heads):
            done = layer * model.n_heads + number
            job.step(done, model.n_layers * model.n_heads, "adding heads")
            total = total + written(model, forward_pass, Head(layer, number), read) / after
        if forward_pass.mlps:
            mlp = forward_pass.mlps[layer].double()
            total = total + (centred(mlp) if model.centring else mlp)
    final = centred(forward_pass.final) if model.centring else forward_pass.final
    return measured(
        "embedding + heads + biases = the final stream",
        f"the sum of every part at every position against the model's own stream: {OF_LARGEST}",
        apart(total, final),
        inputs.whole,
    )


def attribution_adds_up(inputs: CheckInputs, job: Job) -> Receipt:
    """Check that what each part gives to a logit sums to the model's own logit."""
    model, parts = inputs.model, logit_attribution(inputs.model, LogitAttribution(inputs.run), job)
    own = inputs.own["logits"].double()
    cap, shift = model.logit_cap, 0.0
    logit, less = float(own[parts.target_id]), ""
    if cap and model.normalized:
        shift, less = _mean_logit(inputs, job), ", their mean before the cap put back"
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
        inputs.whole * float(own.abs().max()) if model.placing.rounds else LOGIT,
        ("logit", logit),
        ("sum of parts", found),
    )


def _mean_logit(inputs: CheckInputs, job: Job) -> float:
    """Return the mean of all logits after the prompt, before the model caps them."""
    read, vocabulary = inputs.model.read(inputs.forward_pass.final[-1]), inputs.model.vocabulary
    said = vocabulary.logits(read[:, None], job, centre=False)[:, 0]
    return float((said + vocabulary.logit_biases(centre=False)).double().mean())


def folding_changes_nothing(inputs: CheckInputs, job: Job) -> Receipt:
    """Check that a pass with folded weights alone predicts what the model does."""
    name = "folded and unfolded weights give the same log-probabilities"
    compares = (
        "a whole pass with folded weights, whose norms only scale (the MLPs as they are), against "
        "the model's own: the largest difference after the last token, in nats"
    )
    model, own = inputs.model, inputs.own["logits"].double()
    if not model.scores_follow:
        return undefined(name, compares, "its scores do not follow from its weights alone")
    if model.placing.rounds:
        reason = f"the model runs in {model.placing.dtype}, whose rounding grows through its layers"
        return undefined(name, compares, reason)
    if inputs.forward_pass.mlps and model.mlp_is_parallel is None:
        return undefined(name, compares, "what its MLPs read is not known")
    # The same for every head, and the longest of all checks but one.
    key = ("folded pass", inputs.forward_pass.ids, inputs.forward_pass.heads_off)
    if key not in model.kept:
        last = _folded_pass(model, inputs.forward_pass, job).float()
        logits = model.capped(
            model.vocabulary.logits(last[:, None], job, centre=False)[:, 0]
            + model.vocabulary.logit_biases(centre=False)
        )
        change = logits.double().log_softmax(-1) - own.log_softmax(-1)
        model.kept[key] = float(change.abs().max())
    return measured(name, compares, model.kept[key], NAT)


def _folded_pass(model: Model, forward_pass: ForwardPass, job: Job) -> Float[Tensor, " d_model"]:
    """Return what the unembedding reads at the last position, by folded weights alone."""
    stream = _entering(model, forward_pass.ids)
    for layer in range(model.n_layers):
        scaled = stream / model.scale(stream)[:, None]
        added = model.written_bias(layer).double().expand_as(stream)
        hidden = model.attention_mask(layer, len(stream))
        for number in range(model.n_heads):
            done = layer * model.n_heads + number
            job.step(done, model.n_layers * model.n_heads, "running folded heads")
            if (head := Head(layer, number)) in forward_pass.heads_off:
                continue
            weights = model.head(head).double()
            scores = model.folded_scores(head, weights, scaled).masked_fill(hidden, -torch.inf)
            job.step(done, model.n_layers * model.n_heads, "running folded heads")
            added = added + scores.softmax(-1) @ weights.values(scaled) @ weights.W_O
        before, stream = stream, stream + added / forward_pass.output_scale(layer)[:, None]
        if forward_pass.mlps:
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


LEAST = 0.2
"""Induction score from which a head counts as one that does it."""


def path(inputs: CheckInputs, job: Job) -> Receipt:
    """Check that the head's induction score is gone once the previous-token head is zeroed.

    The path is that of "A Mathematical Framework for Transformer Circuits" (Elhage et al., 2021),
    "Induction heads": an earlier head tags each position with the token before, and the later
    one's keys read the tag. Scores are those of HeadScores as it is asked by default.
    """
    name = "path check: without the previous-token head, no induction"
    compares = (
        "the mean induction score of this head on seeded repeated random tokens with the earlier "
        "head's output zeroed, against half of it in the whole model"
    )
    (layer, _), model, off = inputs.head, inputs.model, inputs.forward_pass.heads_off
    if layer == 0:
        return undefined(name, compares, "no head is earlier than one of layer 0")
    place = model.heads.index(inputs.head)
    asked = HeadScores(model.name, measures="random", heads_off=off)
    scores = random_measures(model, asked, job)[1]
    whole = float(scores["induction"][place])
    if not whole >= LEAST:
        return undefined(
            name,
            compares,
            f"the head's induction score is {whole:.2f}: below {LEAST}, there is no induction to "
            "take away",
        )
    previous = scores["previous_token"][: layer * model.n_heads]
    earlier = model.heads[int(previous.argmax())]
    cut = random_measures(model, replace(asked, heads_off=(*off, earlier)), job)[1]
    return measured(
        f"{name} ({earlier} zeroed)",
        compares,
        float(cut["induction"][place]),
        whole / 2,
        ("induction score in the whole model", whole),
        ("previous-token score of the earlier head", float(previous.max())),
    )
