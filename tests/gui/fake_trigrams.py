"""What the fake engine answers about skip-trigrams."""

import zlib

import numpy as np

from engine.messages import Head, Refused, SkipTrigrams, TrigramList

SILENT = Head(0, 3)
"""A head without any."""
MOST = 60
"""How many every other head has."""


def skip_trigrams(request: SkipTrigrams, labels: tuple[str, ...]) -> TrigramList:
    texts = [label.replace("·", " ") for label in labels]
    sources = [token for token, text in enumerate(texts) if request.filter in text]
    if not sources:
        raise Refused(
            f"no token of {request.model} contains {request.filter!r}: "
            "leave the filter empty for all"
        )
    seed = repr((request.model, request.head, request.offset))
    rng = np.random.default_rng(zlib.crc32(seed.encode()))
    count = 0 if request.head == SILENT else min(request.k, MOST)
    qk, ov = 1 + 9 * rng.random(count), 1 + 30 * rng.random(count)
    order = np.argsort(-qk * ov)
    ids = rng.integers(0, len(labels), (3, count))
    ids[0] = rng.choice(sources, count)
    return TrigramList(
        source_ids=ids[0],
        source_labels=tuple(labels[i] for i in ids[0]),
        query_ids=ids[1],
        query_labels=tuple(labels[i] for i in ids[1]),
        out_ids=ids[2],
        out_labels=tuple(labels[i] for i in ids[2]),
        qk=qk[order],
        ov=ov[order],
        values=(qk * ov)[order],
        rule="the score times the logit, both positive",
        divisor=2.5,
    )
