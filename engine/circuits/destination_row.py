"""Where every head of a model looks from one position."""

import torch

from engine.circuits.head_grid import head_grid
from engine.circuits.source_vectors import position
from engine.job import Job
from engine.messages import DestinationRow, Head, HeadGrid, HeadRows
from engine.model import Model


def destination_row(model: Model, request: DestinationRow, job: Job) -> HeadRows:
    """Return one row of the pattern of every head, as the model itself used it.

    Beside each stand its scores on seeded repeated random tokens, those of HeadGrid as it is asked
    by default ("In-context Learning and Induction Heads", Olsson et al., 2022).

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
    rows = torch.cat([pattern[:, at, : at + 1] for pattern in passed.patterns])
    scores = head_grid(model, HeadGrid(model.name), job)
    return HeadRows(
        heads=tuple(
            Head(layer, number)
            for layer in range(model.n_layers)
            for number in range(model.n_heads)
        ),
        values=rows.numpy(),
        source_labels=model.tokens.labelled(passed.ids[: at + 1]),
        position=at,
        induction=scores.induction.flatten(),
        previous_token=scores.previous_token.flatten(),
    )
