"""The check that an induction head works through an earlier head."""

from dataclasses import replace

from engine.circuits.pattern_measures import random_measures
from engine.circuits.receipts.scene import Scene, measured, undefined
from engine.job import Job
from engine.messages import HeadScores, Receipt

LEAST = 0.2
"""Induction score from which a head counts as one that does it."""


def path(scene: Scene, job: Job) -> Receipt:
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
    (layer, _), model, off = scene.head, scene.model, scene.passed.heads_off
    if layer == 0:
        return undefined(name, compares, "no head is earlier than one of layer 0")
    place = model.heads.index(scene.head)
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
