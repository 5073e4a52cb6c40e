"""The seven sections of a report: a title and lines, made from answers and receipts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.messages import (
    Attention,
    CircuitName,
    Head,
    HeadOutput,
    HeadReceipts,
    ModelFacts,
    OVTokens,
    Patterns,
    QKTokens,
    Receipt,
    Request,
    Run,
    RunPrompt,
    Spectrum,
)

READ = (" tea", " green", " Paris", " Obama", " coffee", " cat", " London", " Potter")
QUERIES = (" in", " see", " of", " the", " drink")
"""The text's own tokens of section 7."""

COUNTED = range(1000, 3000, 10)
"""Ids of the tokens whose copying is counted: every tenth of the text's."""


@dataclass(frozen=True, eq=False)
class Subject:
    """What every section is printed from."""

    ask: Callable[[Request], Any]
    run: RunPrompt
    head: Head
    facts: ModelFacts
    met: Run
    pattern: Patterns
    receipts: HeadReceipts
    vocabulary: frozenset[str]

    @property
    def model(self) -> str:
        """The model's name."""
        return self.run.model

    def receipt(self, begins: str) -> Receipt:
        """Return the receipt whose name begins so."""
        return next(found for found in self.receipts.receipts if found.name.startswith(begins))

    def number(self, begins: str, name: str) -> float:
        """Return a number that a receipt measured, NaN where the check is undefined."""
        found = self.receipt(begins)
        return float("nan") if found.passed is None else dict(found.measured)[name]


def _shapes(subject: Subject) -> list[str]:
    facts = subject.facts
    count = f"({facts.d_head * facts.d_model:,} numbers)"
    reading, writing = (facts.d_head, facts.d_model), (facts.d_model, facts.d_head)
    return [
        *(f"W_{letter}: paper shape {reading}  {count}" for letter in "QKV"),
        f"W_O: paper shape {writing}  {count}",
        f"d_model={facts.d_model} d_head={facts.d_head} heads per layer={facts.n_heads}  "
        f"({facts.n_heads} x {facts.d_head} = {facts.n_heads * facts.d_head})",
        f"scores are divided by {subject.pattern.divisor:.4g} before the softmax (the paper folds "
        "this into W_Q)",
    ]


def _added(subject: Subject) -> list[str]:
    facts, begins = subject.facts, "stacked heads"
    stacked = subject.number(begins, "stacked against summed, max |change|")
    layer = subject.number(begins, "summed against the layer, max |change|")
    return [
        f"{subject.model} layer {subject.head.layer}: W_O^H is "
        f"{(facts.d_model, facts.n_heads * facts.d_head)} (paper shape); "
        f"|concat - sum| max = {stacked:.1e}; |sum - model| max = {layer:.1e}"
    ]


def _prompt(subject: Subject) -> list[str]:
    met, head, labels = subject.met, subject.head, subject.met.labels
    pattern = subject.pattern.values[head.number]
    row = pattern[-1]
    most = np.argsort(-row, kind="stable")[:3]
    shares = ", ".join(f"{labels[place]!r} {row[place]:.2f}" for place in most.tolist())
    output = subject.ask(HeadOutput(subject.run, head, k=5))
    pushed = ", ".join(
        f"({label!r}, {value:.2f})"
        for label, value in zip(output.labels, output.values.tolist(), strict=True)
    )
    orders = "three steps"
    return [
        f"prompt: {list(labels)}  ({len(labels)} tokens); the model predicts "
        f"{met.next_labels[0]!r} next",
        f"row of A for the last token {labels[-1]!r}: {shares}",
        "every row adds up to 1: max |row sum - 1| = "
        f"{subject.number('rows of A', 'largest |row sum - 1|'):.1e}; largest entry above the "
        f"diagonal (the future): {subject.number('rows of A', 'largest weight in the future'):g}",
        f"head {head} output at {labels[-1]!r}, read with W_U: top tokens [{pushed}]",
        f"rank of {output.target_label!r} among {output.d_vocab:,} tokens: {output.rank}",
        "three steps by hand: |r - model r| max, both through W_O = "
        f"{subject.number(orders, 'three steps against the model, max |change|'):.1e}",
        "(A (x) W_OV) x, A first vs W_OV first: max diff "
        f"{subject.number(orders, 'A first against W_OV first, max |change|'):.1e}; vs the three "
        f"steps: {subject.number(orders, 'A first against the three steps, max |change|'):.1e}",
    ]


def _one_step(subject: Subject) -> list[str]:
    scores = subject.ask(Attention(subject.run, subject.head.layer, "scores"))
    row = ", ".join(f"{score:.2f}" for score in scores.values[subject.head.number, -1].tolist())
    width = subject.facts.d_model + 1
    residual = subject.receipt("the pattern from W_QK alone").residual
    return [
        f"W_QK with the biases folded in: {(width, width)}; |A from W_QK - model A| max = "
        f"{residual:.1e}",
        f"raw scores of the last row (before softmax): [{row}]",
    ]


def _spectra(subject: Subject) -> list[str]:
    facts, lines = subject.facts, []
    whole = facts.d_model**2
    circuits: tuple[tuple[str, CircuitName], ...] = (("W_OV", "ov"), ("W_QK", "qk"))
    for name, circuit in circuits:
        found = subject.ask(Spectrum(subject.model, subject.head, circuit, dense=True))
        values = found.dense_singular_values
        places = sorted(
            {1, 2, facts.d_head, facts.d_head + 1, facts.d_model} & {*range(1, len(values) + 1)}
        )
        listed = ", ".join(f"{_ordinal(place)} {values[place - 1]:.4g}" for place in places)
        at = "" if found.offset is None else f" at offset {found.offset}"
        lines += [
            f"{name}{at}: shape {(facts.d_model, facts.d_model)} = {whole:,} numbers, rank "
            f"{found.rank}; stored as two factors: {2 * facts.d_head * facts.d_model:,} numbers",
            f"  singular values: {listed}",
        ]
    overlaps = [
        (head, subject.ask(Spectrum(subject.model, head)).read_write_overlap)
        for head in _layer(subject)
    ]
    listed = ", ".join(f"head {head}: {overlap:.3f}" for head, overlap in overlaps)
    return [
        *lines,
        f"overlap of the {facts.d_head}-dim read and write subspaces of W_OV (1 = the same "
        f"subspace, 0 = at right angles, random {facts.d_head}-dim subspaces of {facts.d_model} "
        f"dims: {facts.d_head / facts.d_model:.3f})",
        f"  {listed}",
    ]


def _superficial(subject: Subject) -> list[str]:
    def met(begins: str, name: str) -> float:
        return subject.number(f"{begins} changed by", name)

    return [
        f"value vectors: mean |change| {met('values', 'values, mean |change|'):.2f} (their mean "
        f"size is {met('values', 'values, mean size'):.2f}); head output: max |change| "
        f"{met('values', 'what the head writes, max |change|'):.1e}",
        f"queries: mean |change| {met('queries', 'queries, mean |change|'):.2f} (mean size "
        f"{met('queries', 'queries, mean size'):.2f}); every query-key score: max |change| "
        f"{met('queries', 'every score, max |change|'):.1e} (mean size "
        f"{met('queries', 'every score, mean size'):.2f})",
    ]


def _circuits(subject: Subject) -> list[str]:
    d_vocab = subject.facts.d_vocab
    lines = [
        f"each full circuit is {d_vocab:,} x {d_vocab:,} = {d_vocab**2:,} numbers, so we compute "
        "one column or row at a time"
    ]
    for token in _single(subject, READ):
        found = subject.ask(OVTokens(subject.model, subject.head, token, k=6))
        lines.append(f"OV  attend to {found.token_label!r:<10} -> raises {list(found.labels)}")
    lines.append(_copying(subject))
    for token in _single(subject, QUERIES):
        keys = subject.ask(QKTokens(subject.model, subject.head, token, k=8))
        lines.append(
            f"QK  query {keys.token_label!r:<10} -> attends most to {list(keys.labels)}  (scores "
            f"{keys.values[0]:.1f} .. {keys.values[-1]:.1f}; median {keys.median:.1f})"
        )
    return lines


def _single(subject: Subject, tokens: Sequence[str]) -> list[int | str]:
    """Return those of the text's tokens that the model has, or else the prompt's own."""
    found: list[int | str] = [token for token in tokens if token in subject.vocabulary]
    return found or list(dict.fromkeys(subject.met.ids.tolist()))


def _copying(subject: Subject) -> str:
    ids = [token for token in COUNTED if token < subject.facts.d_vocab]
    if not ids:
        ids = list(range(subject.facts.d_vocab))
    shares = []
    for head in _layer(subject):
        ranks = [subject.ask(OVTokens(subject.model, head, token, k=1)).rank for token in ids]
        shares.append(f"{head}: {np.mean(np.array(ranks) == 1):.2f}")
    step = f" in steps of {ids[1] - ids[0]}" if len(ids) > 1 and ids[1] - ids[0] > 1 else ""
    return (
        f"share of tokens {ids[0]}..{ids[-1]}{step} whose top OV output is the token itself: "
        f"{', '.join(shares)}"
    )


def _layer(subject: Subject) -> list[Head]:
    return [Head(subject.head.layer, number) for number in range(subject.facts.n_heads)]


def _ordinal(number: int) -> str:
    last = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number % 100 in (11, 12, 13) else last}"


SECTIONS: tuple[tuple[Callable[[Subject], str], Callable[[Subject], list[str]]], ...] = (
    (
        lambda s: (
            f"1. ONE HEAD, FOUR MATRICES ({s.model}, head {s.head}, paper shapes = "
            "TransformerLens shapes transposed)"
        ),
        _shapes,
    ),
    (
        lambda s: (
            "2. CONCATENATE-THEN-MULTIPLY EQUALS THE SUM OF EACH HEAD THROUGH ITS OWN SLICE OF W_O"
        ),
        _added,
    ),
    (lambda s: f"3. ONE HEAD ON A REAL PROMPT ({s.model}, head {s.head})", _prompt),
    (
        lambda s: "4. THE PATTERN IN ONE STEP: A = softmax(x^T W_QK x), WITHOUT KEYS OR QUERIES",
        _one_step,
    ),
    (lambda s: "5. W_OV = W_O W_V AND W_QK = W_Q^T W_K (paper shapes)", _spectra),
    (
        lambda s: (
            f"6. CHANGE THE VALUES WITH ANY INVERTIBLE {s.facts.d_head} x {s.facts.d_head} "
            "MATRIX M: THE HEAD DOES NOT CHANGE"
        ),
        _superficial,
    ),
    (
        lambda s: (
            f"7. THE OV CIRCUIT W_U W_OV W_E AND THE QK CIRCUIT W_E^T W_QK W_E (head "
            f"{s.head}, read from the weights only)"
        ),
        _circuits,
    ),
)
