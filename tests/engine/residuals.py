"""How far the engine's answers lie from tests/oracles, question by question.

A residual is the largest difference as a share of the largest number that is meant.
"""

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from engine import Engine
from engine.messages import (
    Attention,
    Composition,
    DestinationRow,
    DirectPath,
    Eigenvalues,
    Head,
    HeadOutput,
    HeadScores,
    LogitAttribution,
    LogitLens,
    OVTokens,
    PositionQK,
    QKOffsets,
    QKTokens,
    RunPrompt,
    SkipTrigrams,
    Spectrum,
    Thumbnails,
    VirtualHead,
    Workings,
)
from tests.oracles import answers, detection, hugging_face, transformer
from tests.oracles.hugging_face import D_VOCAB, WORDS

Pairs = Iterator[tuple[Any, Any]]

SINGLE = 1e-5
"""Tolerance of what weights or one pass give: 168 roundings in single precision, 2^-24 each."""
TOLERANCES = {
    name: 5 * SINGLE
    for name in (
        *("attention", "heads off", "value-weighted", "thumbnails", "destination-row"),
        *("head-output", "logit-attribution", "virtual-head", "workings"),
    )
}
"""Of what is behind a softmax: scores in the tens are rounded in their seventh digit, and a
pattern is their exponential."""

HEADS = (Head(0, 0), Head(1, 2), Head(2, 3))
OFF = (Head(0, 1), Head(1, 2))
IDS = [1, *np.random.default_rng(3).integers(2, D_VOCAB, 13).tolist() * 3, 20]
"""BOS and 40 tokens: more than every window and every original context, fewer than n_ctx."""
TEXT = " ".join(WORDS[token] for token in IDS[1:])
TOKEN, OTHER, POSITION, PLACES = 9, 64, 29, 24


class Opened:
    """A model as its folder has it, and as the engine opened it."""

    def __init__(self, kind: str, folder: Path):
        hugging_face.write(kind, folder)
        self.kind, self.name, self.engine = kind, str(folder), Engine()
        self.own = transformer.read(folder)
        self.seen = transformer.run(self.own, IDS)
        self.run = RunPrompt(self.name, TEXT, prepend_bos=True, k=D_VOCAB)
        self.layers = self.own.layers

    def ask(self, question: Any) -> Any:
        return self.engine.answer(question)

    def tolerance(self, question: str) -> float:
        """Return how far off an answer may be: larger scores are rounded more, divided by less."""
        usual = TOLERANCES.get(question, SINGLE)
        d_head = self.layers[0].W_Q.shape[-1]
        larger = max(d_head**0.5 / layer.divisor for layer in self.layers)
        return usual * max(1.0, larger) if question in TOLERANCES else usual

    @property
    def rotates(self) -> bool:
        return any(layer.rotary for layer in self.layers)

    @property
    def bends(self) -> bool:
        """Whether queries and keys are more than matrices make of what is read."""
        return any(layer.norm_q or layer.clip for layer in self.layers)

    def offsets(self, layer: int) -> tuple[int, ...]:
        """Distances that a question about scores may be asked at."""
        return (0, 1, 8) if self.layers[layer].rotary else (0,)


def worst(pairs: Pairs) -> float:
    """Return the largest residual of some pairs of what was found and what is meant."""
    found = [_residual(*pair) for pair in pairs]
    assert found
    return max(found)


def _residual(found: Any, meant: Any) -> float:
    found, meant = np.asarray(found, dtype=float), np.asarray(meant, dtype=float)
    assert found.shape == meant.shape
    difference = np.abs(found - meant).max()
    assert np.isfinite(difference)
    return float(difference / np.abs(meant).max())


def by_token(ranking: Any) -> np.ndarray:
    """Return a whole ranking as one value per token."""
    values = np.full(D_VOCAB, np.nan)
    values[ranking.ids] = ranking.values
    return values


def ranking(found: Any, meant: torch.Tensor, token: int) -> Pairs:
    """Yield the whole list, the asked token's own value, and the median."""
    values = meant.numpy()
    yield by_token(found), values
    assert (found.target_id if hasattr(found, "target_id") else found.token_id) == token
    most = np.abs(values).max()
    yield [found.value, most], [values[token], most]
    if hasattr(found, "median"):
        yield [found.median, most], [np.median(values), most]


def of_run(it: Opened) -> Pairs:
    found = it.ask(it.run)
    assert found.ids.tolist() == IDS
    values = np.full(D_VOCAB, np.nan)
    values[found.next_ids] = found.next_log_probs
    yield values, it.seen.logits[-1].log_softmax(-1)
    yield found.loss, answers.losses(it.seen)


def of_heads_off(it: Opened) -> Pairs:
    seen = transformer.run(it.own, IDS, OFF)
    run = RunPrompt(it.name, TEXT, True, D_VOCAB, heads_off=OFF)
    yield it.ask(run).loss, answers.losses(seen)
    yield it.ask(Attention(run, 2)).values, seen.patterns[2]


def of_patterns(it: Opened) -> Pairs:
    for layer, pattern in enumerate(it.seen.patterns):
        found = it.ask(Attention(it.run, layer))
        yield found.values, pattern
        yield [found.divisor], [it.layers[layer].divisor]


def of_scores(it: Opened) -> Pairs:
    for layer, scores in enumerate(it.seen.scores):
        found = it.ask(Attention(it.run, layer, "scores"))
        seen = torch.isfinite(scores)
        assert np.array_equal(found.mask, seen[0])
        assert np.array_equal(np.isnan(found.values), ~seen)
        yield found.values[seen.numpy()], scores[seen]


def of_value_weighted(it: Opened) -> Pairs:
    for layer in range(len(it.layers)):
        found = it.ask(Attention(it.run, layer, "value-weighted")).values
        yield found, answers.value_weighted(it.seen, it.own, layer)


def of_thumbnails(it: Opened) -> Pairs:
    found = it.ask(Thumbnails(it.run))
    assert found.block == 1
    meant = torch.stack(it.seen.patterns)
    seen = torch.isfinite(torch.stack(it.seen.scores))
    assert np.array_equal(np.isnan(found.values), ~seen)
    yield np.nan_to_num(found.values), meant


def of_destination_row(it: Opened) -> Pairs:
    found = it.ask(DestinationRow(it.run, POSITION))
    meant = torch.cat(it.seen.patterns)[:, POSITION, : POSITION + 1]
    yield np.nan_to_num(found.values), meant


def of_prompt_measures(it: Opened) -> Pairs:
    found = it.ask(HeadScores(it.name, "prompt", run=it.run)).scores
    for name, meant in detection.on_ids(torch.cat(it.seen.patterns), IDS).items():
        yield found[f"prompt_{name}"], meant


def of_logit_lens(it: Opened) -> Pairs:
    found = it.ask(LogitLens(it.run, k=D_VOCAB))
    values = np.full(found.log_probs.shape, np.nan)
    np.put_along_axis(values, np.asarray(found.ids), found.log_probs, -1)
    yield values, answers.lens(it.seen, it.own)


def of_ov(it: Opened) -> Pairs:
    for head in HEADS:
        vectors = {"token": answers.token_vectors(it.own, head.layer)}
        vectors["token+mlp0"] = answers.after_first_mlp(it.own, head.layer)
        for source, rows in vectors.items():
            table = answers.ov_of(it.own, *head, rows)
            asked = OVTokens(it.name, head, WORDS[TOKEN], source=source, k=D_VOCAB)
            yield from ranking(it.ask(asked), table[TOKEN], TOKEN)
            asked = OVTokens(it.name, head, WORDS[TOKEN], "source", source, D_VOCAB)
            yield from ranking(it.ask(asked), table[:, TOKEN], TOKEN)


def of_ov_at_a_position(it: Opened) -> Pairs:
    for head in HEADS:
        read = answers.unbiased(it.layers[head.layer].before, it.seen.streams[head.layer])
        meant = answers.ov_of(it.own, *head, read)[POSITION]
        asked = OVTokens(it.name, head, source="position", k=D_VOCAB, run=it.run, position=POSITION)
        yield from ranking(it.ask(asked), meant, IDS[POSITION])


def of_direct_path(it: Opened) -> Pairs:
    table = answers.to_logits(it.own, it.own.W_E / it.own.final.scale(it.own.W_E))
    yield from ranking(it.ask(DirectPath(it.name, WORDS[TOKEN], k=D_VOCAB)), table[TOKEN], TOKEN)
    back = it.ask(DirectPath(it.name, WORDS[TOKEN], "source", D_VOCAB))
    yield from ranking(back, table[:, TOKEN], TOKEN)


def of_qk(it: Opened) -> Pairs:
    for head in HEADS:
        vectors = {"token": answers.token_vectors(it.own, head.layer)}
        vectors["token+mlp0"] = answers.after_first_mlp(it.own, head.layer)
        sloped = bool(it.layers[head.layer].slopes.any())
        offsets = (0, 1, 8) if sloped else it.offsets(head.layer)
        for source, rows in vectors.items():
            for offset in offsets if source == "token" else (0,):
                biases = offset != 1
                table = answers.qk_between(it.own, *head, rows, rows, offset, biases=biases)
                for side, line in (("query", table[TOKEN]), ("key", table[:, TOKEN])):
                    asked = QKTokens(
                        *(it.name, head, WORDS[TOKEN], side, source),
                        k=D_VOCAB,
                        offset=offset,
                        biases=biases,
                    )
                    found = it.ask(asked)
                    yield from ranking(found, line, TOKEN)
                    yield [found.divisor], [it.layers[head.layer].divisor]
                    assert found.cap == it.layers[head.layer].cap
                    slope = float(it.layers[head.layer].slopes[head.number])
                    assert abs(found.slope - slope) <= SINGLE * slope


def of_qk_at_a_position(it: Opened) -> Pairs:
    for head in HEADS:
        rows = answers.token_vectors(it.own, 0)
        if head.layer:
            rows = answers.after_first_mlp(it.own, head.layer)
        for side in ("query", "key"):
            for offset in it.offsets(head.layer)[::2]:
                meant = answers.scores_as_read(it.seen, it.own, *head, POSITION, rows, side, offset)
                asked = QKTokens(
                    *(it.name, head, None, side, "position"),
                    k=D_VOCAB,
                    run=it.run,
                    position=POSITION,
                    offset=offset,
                )
                yield from ranking(it.ask(asked), meant, IDS[POSITION])


def of_qk_offsets(it: Opened) -> Pairs:
    for head in HEADS:
        if it.rotates and not it.layers[head.layer].rotary:
            continue
        asked = QKOffsets(
            *(it.name, head, WORDS[TOKEN], WORDS[OTHER]),
            largest_offset=PLACES - 1,
            biases=True,
        )
        found, rows = it.ask(asked), answers.token_vectors(it.own, head.layer)
        tables = [
            answers.qk_between(
                it.own, *head, rows, rows, offset, biases=True, count=found.length or 1
            )
            for offset in range(PLACES)
        ]
        most = max(float(table.abs().max()) for table in tables)
        yield found.scores, [float(table[TOKEN, OTHER]) for table in tables]
        yield [*found.mean, most], [*(float(table.mean()) for table in tables), most]
        yield found.deviation, [float(table.std(correction=0)) for table in tables]


def of_position_qk(it: Opened) -> Pairs:
    for head in HEADS:
        for biases in (False, True):
            found = it.ask(PositionQK(it.name, head, PLACES, biases)).scores
            meant = answers.by_position(it.own, *head, PLACES, biases=biases)
            seen = np.tri(PLACES, dtype=bool)
            assert np.array_equal(np.isnan(found), ~seen)
            yield found[seen], meant[torch.tensor(seen)]


def of_ov_spectrum(it: Opened) -> Pairs:
    for head in HEADS:
        matrix = answers.ov_matrix(it.own, *head)
        found = it.ask(Spectrum(it.name, head))
        yield found.singular_values, torch.linalg.svdvals(matrix)[: len(found.singular_values)]
        yield [found.read_write_overlap], [answers.overlap(matrix)]


def of_qk_spectrum(it: Opened) -> Pairs:
    for head in HEADS:
        for offset in it.offsets(head.layer):
            matrix = answers.qk_matrix(it.own, *head, offset)
            found = it.ask(Spectrum(it.name, head, "qk", offset))
            yield found.singular_values, torch.linalg.svdvals(matrix)[: len(found.singular_values)]
            yield [found.read_write_overlap], [answers.overlap(matrix)]


def _eigenvalues(found: Any, table: torch.Tensor) -> Pairs:
    ours = found.real + 1j * found.imag
    meant = answers.eigenvalues(table, len(ours)).numpy()
    # Neither list is in an order that rounding keeps: each value is held against its nearest.
    most, apart = np.abs(meant).max(), np.abs(ours[:, None] - meant)
    yield [*apart.min(1), *apart.min(0), most], [*np.zeros(2 * len(ours)), most]
    yield [found.positivity, 1], [answers.positivity(torch.tensor(meant)), 1]


def of_ov_eigenvalues(it: Opened) -> Pairs:
    for head in HEADS:
        table = answers.ov_of(it.own, *head, answers.token_vectors(it.own, head.layer))
        yield from _eigenvalues(it.ask(Eigenvalues(it.name, head)), table)


def of_qk_eigenvalues(it: Opened) -> Pairs:
    for head in HEADS:
        rows, divisor = answers.token_vectors(it.own, head.layer), it.layers[head.layer].divisor
        for offset in it.offsets(head.layer):
            table = answers.qk_between(it.own, *head, rows, rows, offset) * divisor
            yield from _eigenvalues(it.ask(Eigenvalues(it.name, head, "qk", offset)), table)


def of_weight_measures(it: Opened) -> Pairs:
    found = it.ask(HeadScores(it.name, "weights"))
    meant: dict[str, list[float]] = {name: [] for name in found.scores}
    for layer, number in HEADS:
        rows, d_head = answers.token_vectors(it.own, layer), it.layers[layer].W_Q.shape[-1]
        table = answers.ov_of(it.own, layer, number, rows)
        W_OV = answers.ov_matrix(it.own, layer, number)
        values = answers.eigenvalues(table, d_head)
        meant["copying_share"].append(answers.copying_share(table))
        meant["ov_eigenvalue_copying"].append(answers.positivity(values))
        meant["read_write_overlap"].append(answers.overlap(W_OV))
        meant["ov_norm"].append(float(W_OV.norm()))
        if not it.bends:
            values = answers.eigenvalues(
                answers.qk_between(it.own, layer, number, rows, rows), d_head
            )
            meant["qk_eigenvalue_positivity"].append(answers.positivity(values))
            meant["qk_norm"].append(float(answers.qk_matrix(it.own, layer, number).norm()))
    places = [found.heads.index(head) for head in HEADS]
    for name, values in meant.items():
        if values:
            most = max(np.abs(values).max(), 0.1)
            yield [*np.asarray(found.scores[name])[places], most], [*values, most]


def of_composition(it: Opened) -> Pairs:
    for kind in "v" if it.bends else "qkv":
        found = it.ask(Composition(it.name, kind))
        places = [place for place, (_, later) in enumerate(found.pairs) if later in HEADS]
        meant = [answers.composition(it.own, kind, *found.pairs[place]) for place in places]
        yield np.asarray(found.scores)[places], meant


def of_skip_trigrams(it: Opened) -> Pairs:
    for head in HEADS[:2]:
        rows = answers.token_vectors(it.own, head.layer)
        qk = answers.qk_between(it.own, *head, rows, rows)
        cube = answers.skip_trigrams(qk, answers.ov_of(it.own, *head, rows)).numpy()
        found = it.ask(SkipTrigrams(it.name, head, k=20))
        yield found.values, -np.partition(-cube.ravel(), range(20))[:20]
        yield found.values, cube[found.source_ids, found.query_ids, found.out_ids]


def of_head_output(it: Opened) -> Pairs:
    for head in HEADS:
        parts = answers.by_source(it.seen, it.own, *head, POSITION)  # [source, d_vocab]
        asked = HeadOutput(it.run, head, POSITION, WORDS[TOKEN], D_VOCAB)
        found = it.ask(asked)
        yield from ranking(found, parts.sum(0), TOKEN)
        yield found.by_source, parts[:, TOKEN]
        yield [found.final_scale], [answers.final_scale(it.seen, it.own, POSITION)]


def of_attribution(it: Opened) -> Pairs:
    scale = answers.final_scale(it.seen, it.own, POSITION)

    def share(vectors: torch.Tensor) -> torch.Tensor:
        return answers.to_logits(it.own, vectors)[..., TOKEN] / scale

    meant = {"embedding": share(it.own.W_E[IDS[POSITION]])}
    if it.own.W_pos is not None:
        meant["positions"] = share(it.own.W_pos[POSITION])
    for layer, added in enumerate(it.seen.added):
        meant |= {Head(layer, number): share(one[POSITION]) for number, one in enumerate(added)}
        meant[f"MLP {layer}"] = share(it.seen.mlps[layer][POSITION])
    logits = it.seen.uncapped_logits[POSITION]
    logit = float(logits[TOKEN] - logits.mean())
    for contrast in ("none", "mean"):  # logits already lie about their mean
        found = it.ask(LogitAttribution(it.run, POSITION, WORDS[TOKEN], contrast=contrast))
        names = [head or label for head, label in zip(found.heads, found.labels, strict=True)]
        assert set(names) - {"biases"} == set(meant)
        assert found.logit_cap == it.own.logit_cap
        most = max(abs(float(value)) for value in meant.values())
        known = [place for place, name in enumerate(names) if name != "biases"]
        yield np.asarray(found.values)[known], [float(meant[names[place]]) for place in known]
        yield [found.total, found.logit, most], [logit, logit, most]
    found = it.ask(LogitAttribution(it.run, POSITION, WORDS[TOKEN], split="sources"))
    of_head = {
        head: answers.by_source(it.seen, it.own, *head, POSITION)[:, TOKEN] / scale
        for head in {head for head in found.heads if head}
    }
    pairs = list(zip(found.values, found.heads, found.sources, strict=True))
    yield (
        [value for value, head, _ in pairs if head],
        [float(of_head[head][source]) for _, head, source in pairs if head],
    )


def of_virtual_head(it: Opened) -> Pairs:
    first, second = Head(0, 1), Head(2, 2)
    meant = answers.virtual(it.seen, it.own, first, second)
    found = it.ask(VirtualHead(it.run, first, second, WORDS[TOKEN], D_VOCAB))
    for name in ("product", "exact"):
        yield getattr(found, name), meant[name]
    yield [found.share, 1], [meant["share"], 1]
    yield [*found.shares, 1], [*meant["shares"], 1]
    rows = answers.token_vectors(it.own, first.layer)
    table = answers.to_logits(it.own, rows_through(it, rows, first, second))
    yield from ranking(found, table[TOKEN], TOKEN)
    values = answers.eigenvalues(table, it.layers[0].W_Q.shape[-1])
    yield [found.eigenvalue_copying, 1], [answers.positivity(values), 1]


def rows_through(it: Opened, rows: torch.Tensor, first: Head, second: Head) -> torch.Tensor:
    """Return what two heads in a row make of vectors, the later's norm without its scale."""
    one, other = it.layers[first.layer], it.layers[second.layer]
    middle = rows @ one.W_V[first.number] @ answers.written(one, first.number)
    if other.before:
        middle = other.before.off(middle) * other.before.gain
    return middle @ other.W_V[second.number] @ answers.written(other, second.number)


def of_workings(it: Opened) -> Pairs:
    for head in HEADS:
        steps = {step.symbol: step.values for step in it.ask(Workings(it.run, head)).steps}
        layer, number = it.layers[head.layer], head.number
        stream = it.seen.streams[head.layer]
        yield steps["A"], it.seen.patterns[head.layer][number]
        yield steps["h"], it.own.final.off(it.seen.added[head.layer][number])
        yield steps["X"], layer.before.off(stream) / layer.before.scale(stream)
        scores = it.seen.scores[head.layer][number]
        seen = torch.isfinite(scores)
        yield steps["S/√d"][seen.numpy()], scores[seen]


def of_transformers(it: Opened) -> dict[str, float]:
    """Return how far transformers' own log-probabilities lie off, by way of attending it has."""
    meant, apart = it.seen.logits.log_softmax(-1), {}
    for attention in ("eager", "sdpa"):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = transformers.AutoModelForCausalLM.from_pretrained(
                    it.name, attn_implementation=attention, dtype=torch.float32
                ).eval()
        except ValueError as refusal:
            if "does not support an attention implementation" not in str(refusal):
                raise
            continue
        with torch.inference_mode():
            out = model(torch.tensor([IDS]), use_cache=False)
        apart[attention] = _residual(out.logits[0].double().log_softmax(-1), meant)
    return apart


def refused(question: str, it: Opened) -> bool:
    """Whether a question makes no sense of a model."""
    if question == "position-qk":
        return it.own.W_pos is None
    if question == "qk-offsets" and not it.rotates:
        return True
    return it.bends and question in SCORES_BY_WEIGHTS


SCORES_BY_WEIGHTS = (
    "qk-tokens",
    "qk-tokens (position)",
    "qk-offsets",
    "position-qk",
    "spectrum (qk)",
    "eigenvalues (qk)",
    "skip-trigrams",
)
ALIKE = (
    *("llama-tied", "llama-linear", "llama-yarn", "neox-sequential", "qwen2-windows"),
    *("mistral-far", "stablelm-parallel", "falcon-biased", "gpt2-by-layer", "mpt-scaled"),
)
SPECTRA = (
    *("spectrum (ov)", "eigenvalues (ov)", "eigenvalues (qk)", "head-scores (weights)"),
    *("composition", "skip-trigrams"),
)
"""Questions that read nothing in which models of ALIKE differ from one that is asked them."""

QUESTIONS: dict[str, Callable[[Opened], Pairs]] = {
    "run-prompt": of_run,
    "heads off": of_heads_off,
    "attention": of_patterns,
    "scores": of_scores,
    "value-weighted": of_value_weighted,
    "thumbnails": of_thumbnails,
    "destination-row": of_destination_row,
    "head-scores (prompt)": of_prompt_measures,
    "logit-lens": of_logit_lens,
    "ov-tokens": of_ov,
    "ov-tokens (position)": of_ov_at_a_position,
    "direct-path": of_direct_path,
    "qk-tokens": of_qk,
    "qk-tokens (position)": of_qk_at_a_position,
    "qk-offsets": of_qk_offsets,
    "position-qk": of_position_qk,
    "spectrum (ov)": of_ov_spectrum,
    "spectrum (qk)": of_qk_spectrum,
    "eigenvalues (ov)": of_ov_eigenvalues,
    "eigenvalues (qk)": of_qk_eigenvalues,
    "head-scores (weights)": of_weight_measures,
    "composition": of_composition,
    "skip-trigrams": of_skip_trigrams,
    "head-output": of_head_output,
    "logit-attribution": of_attribution,
    "virtual-head": of_virtual_head,
    "workings": of_workings,
}
