"""The seven sections of a report: a title and lines, made from answers and receipts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

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
    Refused,
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

WIDEST = 1024
"""Width of the widest matrix that is decomposed whole."""


class Copying(NamedTuple):
    """Of which tokens, by id, each head of the layer raises the token itself above all others."""

    first: int
    last: int
    step: int
    shares: tuple[tuple[Head, float], ...]


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
    copying: Copying

    @property
    def model(self) -> str:
        """The model's name."""
        return self.run.model

    def single(self, tokens: Sequence[str]) -> list[int | str]:
        """Return those of the text's tokens that the model has, or else the prompt's own."""
        found: list[int | str] = [token for token in tokens if token in self.vocabulary]
        return found or list(dict.fromkeys(self.met.ids.tolist()))

    def receipt(self, begins: str) -> Receipt:
        """Return the receipt whose name begins so."""
        return next(found for found in self.receipts.receipts if found.name.startswith(begins))

    def number(self, begins: str, name: str) -> float:
        """Return a number that a receipt measured.

        Raises
        ------
        Refused
            With the receipt's own reason, where it is undefined.
        """
        return dict(self._defined(begins).measured)[name]

    def residual(self, begins: str) -> float:
        """Return how far off a receipt was; Refused where it is undefined."""
        residual = self._defined(begins).residual
        assert residual is not None
        return residual

    def _defined(self, begins: str) -> Receipt:
        found = self.receipt(begins)
        if found.passed is None:
            raise Refused(found.reason)
        return found


def _defined(about: str, *says: Callable[[], str]) -> list[str]:
    """Return lines, or what they would be about and why this model has no such numbers."""
    try:
        return [part for line in says for part in line().split("\n")]
    except Refused as reason:
        return [f"{about}: undefined ({reason})"]


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

    def orders(name: str) -> str:
        return f"{subject.number('three steps', f'{name}, max |change|'):.1e}"

    return [
        f"prompt: {list(labels)}  ({len(labels)} tokens); the model predicts "
        f"{met.next_labels[0]!r} next",
        f"row of A for the last token {labels[-1]!r}: {shares}",
        "every row adds up to 1: max |row sum - 1| = "
        f"{subject.number('rows of A', 'largest |row sum - 1|'):.1e}; largest entry above the "
        f"diagonal (the future): {subject.number('rows of A', 'largest weight in the future'):g}",
        f"head {head} output at {labels[-1]!r}, read with W_U: top tokens [{pushed}]",
        f"rank of {output.target_label!r} among {output.d_vocab:,} tokens: {output.rank}",
        *_defined(
            "three steps by hand, A first and W_OV first",
            lambda: (
                "three steps by hand: |r - model r| max, both through W_O = "
                f"{orders('three steps against the model')}"
            ),
            lambda: (
                "(A (x) W_OV) x, A first vs W_OV first: max diff "
                f"{orders('A first against W_OV first')}; vs the three steps: "
                f"{orders('A first against the three steps')}"
            ),
        ),
    ]


def _one_step(subject: Subject) -> list[str]:
    width = subject.facts.d_model + 1
    one, stream = "the pattern from W_QK alone", "the pattern from folded weights"
    lines = _defined(
        "|A from W_QK - model A| max",
        lambda: (
            f"W_QK with the biases folded in: {(width, width)}; |A from W_QK - model A| max = "
            f"{subject.residual(one):.1e}"
        ),
    )
    if subject.receipt(one).passed is None:
        lines += _defined(
            "|A from folded weights - model A| max",
            lambda: (
                "|A from folded W_Q and W_K, with what positions and a cap do to their scores - "
                f"model A| max = {subject.residual(stream):.1e}"
            ),
        )
    return [*lines, *_defined("raw scores of the last row", lambda: _last_scores(subject))]


def _last_scores(subject: Subject) -> str:
    scores = subject.ask(Attention(subject.run, subject.head.layer, "scores"))
    row = scores.values[subject.head.number, -1].tolist()
    listed = ", ".join("masked" if score != score else f"{score:.2f}" for score in row)
    return f"raw scores of the last row (before softmax): [{listed}]"


def _spectra(subject: Subject) -> list[str]:
    facts = subject.facts
    overlaps = [
        (head, subject.ask(Spectrum(subject.model, head)).read_write_overlap)
        for head in _layer(subject)
    ]
    listed = ", ".join(f"head {head}: {overlap:.3f}" for head, overlap in overlaps)
    return [
        *_defined("W_OV", lambda: _spectrum(subject, "W_OV", "ov")),
        *_defined("W_QK", lambda: _spectrum(subject, "W_QK", "qk")),
        f"overlap of the {facts.d_head}-dim read and write subspaces of W_OV (1 = the same "
        f"subspace, 0 = at right angles, random {facts.d_head}-dim subspaces of {facts.d_model} "
        f"dims: {facts.d_head / facts.d_model:.3f})",
        f"  {listed}",
    ]


def _spectrum(subject: Subject, name: str, circuit: CircuitName) -> str:
    facts, whole = subject.facts, subject.facts.d_model <= WIDEST
    found = subject.ask(Spectrum(subject.model, subject.head, circuit, dense=whole))
    values = found.dense_singular_values if whole else found.singular_values
    places = {1, 2, facts.d_head, facts.d_head + 1, facts.d_model} & {*range(1, len(values) + 1)}
    listed = ", ".join(f"{_ordinal(place)} {values[place - 1]:.4g}" for place in sorted(places))
    at = "" if found.offset is None else f" at offset {found.offset}"
    how = "" if whole else ", of its two factors"
    return (
        f"{name}{at}: shape {(facts.d_model, facts.d_model)} = {facts.d_model**2:,} numbers, rank "
        f"{found.rank}; stored as two factors: {2 * facts.d_head * facts.d_model:,} numbers\n"
        f"  singular values{how}: {listed}"
    )


def outcome(found: HeadReceipts) -> str:
    """Return how many receipts pass, and how many identities, which are no evidence, hold."""
    defined = [receipt for receipt in found.receipts if receipt.passed is not None]
    words = []
    for what, does, kind in (("checks", "pass", False), ("identities", "hold", True)):
        passed = [bool(receipt.passed) for receipt in defined if receipt.identity is kind]
        words.append(f"{sum(passed)} of {len(passed)} {what} {does}")
    return f"receipts: {words[0]}; {words[1]}, which they do for any weights"


def _superficial(subject: Subject) -> list[str]:
    def met(begins: str, name: str, digits: str = ".2f") -> str:
        return format(subject.number(f"{begins} changed by", name), digits)

    return [
        *_defined(
            "value vectors",
            lambda: (
                f"value vectors: mean |change| {met('values', 'values, mean |change|')} (their "
                f"mean size is {met('values', 'values, mean size')}); head output: max |change| "
                f"{met('values', 'what the head writes, max |change|', '.1e')}"
            ),
        ),
        *_defined(
            "queries",
            lambda: (
                f"queries: mean |change| {met('queries', 'queries, mean |change|')} (mean size "
                f"{met('queries', 'queries, mean size')}); every query-key score: max |change| "
                f"{met('queries', 'every score, max |change|', '.1e')} (mean size "
                f"{met('queries', 'every score, mean size')})"
            ),
        ),
    ]


def _circuits(subject: Subject) -> list[str]:
    d_vocab = subject.facts.d_vocab
    lines = [
        f"each full circuit is {d_vocab:,} x {d_vocab:,} = {d_vocab**2:,} numbers, so we compute "
        "one column or row at a time"
    ]
    for token in subject.single(READ):
        found = subject.ask(OVTokens(subject.model, subject.head, token, k=6))
        raises = f"raises {list(found.labels)}"
        if found.constant:
            raises = f"raises no token above another: all {d_vocab:,} have the same value"
        lines.append(f"OV  attend to {found.token_label!r:<10} -> {raises}")
    counted = subject.copying
    step = f" in steps of {counted.step}" if counted.step > 1 else ""
    shares = ", ".join(f"{head}: {share:.2f}" for head, share in counted.shares)
    lines.append(
        f"share of tokens {counted.first}..{counted.last}{step} whose top OV output is the token "
        f"itself: {shares}"
    )
    return [
        *lines,
        *_defined("QK", *(_attends(subject, token) for token in subject.single(QUERIES))),
    ]


def _attends(subject: Subject, token: int | str) -> Callable[[], str]:
    def line() -> str:
        keys = subject.ask(QKTokens(subject.model, subject.head, token, k=8))
        attends = (
            f"attends most to {list(keys.labels)}  (scores {keys.values[0]:.1f} .. "
            f"{keys.values[-1]:.1f}; median {keys.median:.1f})"
        )
        if keys.constant:
            attends = f"attends to all {keys.d_vocab:,} tokens alike (score {keys.median:.1f})"
        return f"QK  query {keys.token_label!r:<10} -> {attends}"

    return line


def copying(ask: Callable[[Request], Any], facts: ModelFacts, heads: Sequence[Head]) -> Copying:
    """Count the tokens that heads copy; one that only ties with another is not copied.

    Parameters
    ----------
    ask : callable
        Answers a question.
    facts : ModelFacts
        The model.
    heads : sequence of Head
        The heads.
    """
    ids = [token for token in COUNTED if token < facts.d_vocab] or list(range(facts.d_vocab))
    shares = []
    for head in heads:
        ranks = [ask(OVTokens(facts.name, head, token, k=1)).rank for token in ids]
        shares.append((head, float(np.mean(np.array(ranks) == 1))))
    step = ids[1] - ids[0] if len(ids) > 1 else 1
    return Copying(ids[0], ids[-1], step, tuple(shares))


def _layer(subject: Subject) -> list[Head]:
    return [head for head, _ in subject.copying.shares]


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
