"""What the model would say next after each layer."""

import numpy as np

from engine.circuits.ranking import ends
from engine.job import Job
from engine.messages import LayerGuesses, LogitLens
from engine.model import Model


def logit_lens(model: Model, request: LogitLens, job: Job) -> LayerGuesses:
    """Read the stream with the final norm and W_U before the first layer and after each.

    The method is the logit lens ("interpreting GPT: the logit lens", nostalgebraist, 2020); the
    norm's scale is that of the stream at each stage, and the last stage is the model's own guess.
    """
    passed = model.run(request.run, job)
    stages = (*passed.streams, passed.final)
    biases = model.vocabulary.logit_biases(centre=False)
    found = []
    for place, stream in enumerate(stages):
        for at, vector in enumerate(model.read(stream)):
            job.step(place * len(stream) + at, len(stages) * len(stream), "reading each layer")
            said = model.vocabulary.logits(vector[:, None], Job(), centre=False)[:, 0]
            logits = model.capped(said + biases)
            found.append(ends(model, logits.log_softmax(-1), request.k))
    shape = (len(stages), len(passed.ids), -1)
    labels = [end.labels for end in found]
    width = len(passed.ids)
    return LayerGuesses(
        stages=("embedding", *(f"layer {layer}" for layer in range(model.n_layers))),
        source_labels=model.tokens.labelled(passed.ids),
        ids=np.stack([end.ids for end in found]).reshape(shape),
        labels=tuple(
            tuple(labels[place * width : (place + 1) * width]) for place in range(len(stages))
        ),
        log_probs=np.stack([end.values for end in found]).reshape(shape),
    )
