"""A head's arithmetic on a prompt, every matrix of it."""

import torch

from engine.circuits.source_vectors import position
from engine.circuits.workings.inputs import inputs
from engine.circuits.workings.maker import Maker
from engine.circuits.workings.what import prediction, what
from engine.circuits.workings.where import where
from engine.job import Job
from engine.messages import HeadWorkings, Workings
from engine.model import Model


def workings(model: Model, request: Workings, job: Job) -> HeadWorkings:
    """Return every matrix between the one-hot tokens of a prompt and what a head does to logits.

    The chain is that of "Attention in tensor notation", sections 1 to 3, in TransformerLens's
    shapes; each step also says what the papers write, whose weights are the transposes ("A
    Mathematical Framework for Transformer Circuits", Elhage et al., 2021, "Attention heads as
    information movement"). Weights are folded; queries, keys and the pattern are the ones that the
    model itself made. T has a column and W_E a row for each token of the prompt only, unless the
    vocabulary is small.
    """
    weights = model.head(request.head)
    layer = request.head.layer
    passed = model.run(request.run, job)
    query = position(request.query, len(passed.ids))
    maker = Maker(model.tokens.labelled(passed.ids), query)
    read = model.read(passed.streams[layer])
    steps = (
        *inputs(model, maker, passed, layer, read),
        *where(model, maker, passed, request.head, weights, job),
        *what(model, maker, passed, request.head, weights, read),
    )
    made = {step.symbol: torch.tensor(step.values) for step in steps}
    return HeadWorkings(
        steps=(*steps, *prediction(model, maker, passed, made["h"], job)),
        labels=maker.labels,
        query=query,
        divisor=model.divisor(layer),
        d_vocab=model.d_vocab,
    )
