"""Where every head of a model looks from one position."""

import torch

from engine.circuits.pattern_measures import begins, random_measures
from engine.circuits.source_vectors import position
from engine.job import Job
from engine.messages import DestinationRow, HeadRows, HeadScores
from engine.model import Model


def destination_row(model: Model, request: DestinationRow, job: Job) -> HeadRows:
    """Return one row of the pattern of every head, as the model itself used it.

    What lies beyond a layer's window is not a number: a head cannot look there.

    Beside each stand its scores on seeded repeated random tokens, those of HeadScores as it is
    asked by default with the same heads off ("In-context Learning and Induction Heads", Olsson et
    al., 2022).

    Parameters
    ----------
    model : Model
        The open model.
    request : DestinationRow
        The question.
    job : Job
        Steps between layers and sequences.

    Raises
    ------
    Refused
        If the prompt cannot be run or has no such position.
    """
    passed = model.run(request.run, job)
    at = position(request.position, len(passed.ids))
    rows = []
    for layer, pattern in enumerate(passed.patterns):
        job.step(layer, model.n_layers, f"reading layer {layer}")
        hidden = model.attention_mask(layer, at + 1, last=1)[0]
        rows.append(pattern[:, at, : at + 1].masked_fill(hidden, torch.nan))
    asked = HeadScores(model.name, heads_off=request.run.heads_off)
    _, scores = random_measures(model, asked, job)
    return HeadRows(
        heads=model.heads,
        values=torch.cat(rows).numpy(),
        source_labels=model.tokens.labelled(passed.ids[: at + 1]),
        position=at,
        induction=scores["induction"],
        previous_token=scores["previous_token"],
        begins=begins(model),
    )
