"""An engine without torch: quick, seeded answers in the shapes of the real ones."""

import threading
import time
import zlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from engine import messages as m
from engine.job import Job
from engine.messages import Head, ModelEntry, Refused
from tests.gui import fake_answers
from tests.gui.fake_answers import (
    CONTEXT,
    D_HEAD,
    D_MODEL,
    DIVISOR,
    LABELS,
    VOCABULARY,
    named,
    ranking,
    seeded,
)

LAYERS, HEADS = 2, 4
BEST_INDUCTION = (1, 2)


class FakeEngine:
    """Answers every question; remembers what it was asked, in order.

    Parameters
    ----------
    seconds
        How long each question takes, in steps of 5 ms that can be cancelled.
    d_mlp
        Width of the MLP that the model claims to have.
    vocabulary, layers, norm, positions
        What else it claims.

    Attributes
    ----------
    failing
        What is raised instead of an answer, by the question's type.
    missing
        Names of models that are refused.
    models
        What it lists.
    sizes, free, fetched
        Files of any model on the hub, memory and disk there are, and what of the files is here,
        in bytes.
    window
        How many positions a query sees, its own among them; 0: all.
    """

    def __init__(
        self,
        seconds: float = 0.0,
        d_mlp: int = 0,
        vocabulary: int = VOCABULARY,
        layers: int = LAYERS,
        norm: str = "LayerNorm",
        positions: str = "learned",
    ) -> None:
        self.asked: list[m.Request] = []
        self.threads: set[int] = set()
        self.seconds, self.d_mlp, self.vocabulary = seconds, d_mlp, vocabulary
        self.layers, self.norm, self.positions = layers, norm, positions
        self.notices: tuple[str, ...] = ()
        self.failing: dict[type, Exception] = {}
        self.missing: set[str] = set()
        self.models = [
            ModelEntry("attn-2l", "bundled", "two layers"),
            ModelEntry("toy", "toys", "one head"),
        ]
        self.sizes = {"config.json": 700, "model.safetensors": 3 * 2**30}
        self.free, self.fetched, self.window = 8 * 2**30, 0, 0
        self.spelling: Callable[[str], str | None] = lambda text: None

    def answer(self, request: m.Request, job: Job) -> m.Result:
        self.asked.append(request)
        self.threads.add(threading.get_ident())
        for done in range(round(self.seconds / 0.005)):
            job.step(done, round(self.seconds / 0.005), "counting")
            time.sleep(0.005)
        if type(request) in self.failing:
            raise self.failing[type(request)]
        if getattr(request, "model", None) in self.missing:
            raise Refused(f"there is no folder or file {request.model!r}")
        if isinstance(request, m.DownloadModel):
            self._fetch(job)
        result: m.Result = getattr(self, f"_{type(request).__name__}")(request)
        turns = self.positions == "rotary" and getattr(request, "circuit", "qk") == "qk"
        offset = getattr(request, "offset", None)
        return replace(result, offset=offset) if turns and offset is not None else result

    def close(self) -> None:
        """Hold nothing."""

    def _ListModels(self, request: m.ListModels) -> m.ModelList:
        return m.ModelList(tuple(self.models))

    def _EstimateModel(self, request: m.EstimateModel) -> m.ModelEstimate:
        needs = 2**34 if "large" in request.model else 2**29
        positions = request.positions or min(256, CONTEXT)
        return m.ModelEstimate(
            name=request.model,
            source="folder",
            parameters=needs // 4,
            disk=needs // 2,
            memory=needs,
            peak=needs * 3 // 2,
            patterns=4096 * positions,
            free=self.free,
            obstacle="it takes 24.0 GiB, and 8.0 GiB are free" if needs > self.free else "",
            positions=positions,
            context=CONTEXT,
        )

    def _FindDownload(self, request: m.FindDownload) -> m.DownloadPlan:
        sizes = np.array(list(self.sizes.values()))
        files = tuple(self.sizes)
        return m.DownloadPlan(request.repository, "0" * 40, files, sizes, self.fetched, self.free)

    def _fetch(self, job: Job) -> None:
        """Go on from what is there, in a hundred pieces."""
        total = sum(self.sizes.values())
        while self.fetched < total:
            job.step(self.fetched, total, "downloading")
            self.fetched = min(self.fetched + total // 100 + 1, total)
            time.sleep(0.005)

    def _DownloadModel(self, request: m.DownloadModel) -> m.Downloaded:
        self.models.append(ModelEntry(request.repository, "cache", "downloaded"))
        return m.Downloaded(request.repository, self.fetched)

    def _LoadModel(self, request: m.LoadModel) -> m.ModelFacts:
        return m.ModelFacts(
            name=request.model,
            n_layers=self.layers,
            n_heads=HEADS,
            n_kv_heads=HEADS,
            d_model=D_MODEL,
            d_head=D_HEAD,
            d_vocab=self.vocabulary,
            d_mlp=self.d_mlp,
            notices=self.notices,
            bos_reason="the files say so",
            n_ctx=CONTEXT,
            positions=self.positions,
            norm=self.norm,
            folded=(),
            divisor=DIVISOR,
            prepend_bos=request.model != "toy",
            has_bos=request.model != "toy",
            parameters=1000,
            bytes=4000,
            example="w1 w2 w3",
        )

    def _Vocabulary(self, request: m.Vocabulary) -> m.VocabularyTokens:
        return m.VocabularyTokens(tuple(label.replace("·", " ") for label in LABELS), LABELS)

    def _RunPrompt(self, request: m.RunPrompt) -> m.Run:
        ids = self._ids(request)
        chance = seeded(request)
        next_ids = chance.permutation(VOCABULARY)[: request.k]
        probabilities = np.sort(chance.dirichlet(np.ones(request.k)))[::-1]
        return m.Run(
            ids=ids,
            labels=named(ids),
            prepended_bos=request.prepend_bos is not False and not _has_own_bos(request),
            next_ids=next_ids,
            next_labels=named(next_ids),
            next_log_probs=np.log(probabilities),
            loss=chance.random(max(len(ids) - 1, 0)),
            special=ids == 0,
            begins_with_bos=bool(ids[0] == 0),
            typed_specials=request.text.split(" ").count(LABELS[0]),
            spelt=self.spelling(request.text),
        )

    def _Attention(self, request: m.Attention) -> m.Patterns:
        ids = self._ids(request.run)
        n = len(ids)
        mask = np.tril(np.ones((n, n), bool))
        mask &= ~np.tri(n, k=-self.window, dtype=bool) if self.window else True
        scores = seeded(request.run, request.layer).normal(size=(HEADS, n, n)).astype(np.float32)
        exped = np.where(mask, np.exp(scores), 0)
        pattern = exped / exped.sum(-1, keepdims=True)
        values = {
            "pattern": pattern,
            "scores": np.where(mask, scores, np.nan),
            "value-weighted": 3 * pattern,
        }[request.kind]
        return m.Patterns(named(ids), values, mask, DIVISOR)

    def _Thumbnails(self, request: m.Thumbnails) -> m.ThumbnailPatterns:
        layers = [self._Attention(m.Attention(request.run, layer)) for layer in range(self.layers)]
        block = -(-len(layers[0].labels) // request.size)
        mask = np.stack([layer.mask[::block, ::block] for layer in layers])
        values = np.stack([layer.values[:, ::block, ::block] for layer in layers])
        values = np.where(mask[:, np.newaxis], values, np.nan)
        return m.ThumbnailPatterns(layers[0].labels, values, mask, block)

    def _HeadScores(self, request: m.HeadScores) -> m.MeasuredHeads:
        chance = seeded(request.model)
        names = {
            "random": m.PATTERN_MEASURES,
            "prompt": [f"prompt_{name}" for name in m.PATTERN_MEASURES],
            "weights": m.WEIGHT_MEASURES,
            "all": m.MEASURES,
        }[request.measures]
        scores = {name: 0.5 * chance.random(self.layers * HEADS) for name in names}
        if "induction" in scores:
            best = min(BEST_INDUCTION[0], self.layers - 1), BEST_INDUCTION[1]
            scores["induction"].reshape(self.layers, HEADS)[best] = 0.9
        return m.MeasuredHeads(self._heads(), scores, 50)

    def _ranking(self, request: m.OVTokens | m.QKTokens) -> dict[str, Any]:
        token = request.token
        if request.source == "position":
            assert request.run is not None
            assert request.position is not None
            token = int(self._ids(request.run)[request.position])
        assert isinstance(token, int)
        seed = (request.model, request.head, token, type(request))
        return ranking(seeded(*seed).normal(size=VOCABULARY), token, request.k)

    def _OVTokens(self, request: m.OVTokens) -> m.TokenRanking:
        asked, listed = str(request.source), "unembedding"
        if request.direction == "source":
            asked, listed = listed, asked
        return m.TokenRanking(**self._ranking(request), source=asked, vocabulary_source=listed)

    def _QKTokens(self, request: m.QKTokens) -> m.ScoreRanking:
        asked = listed = str(request.source)
        if request.source == "position":
            listed = "token+mlp0" if self.d_mlp and request.head.layer > 0 else "token"
        return m.ScoreRanking(
            **self._ranking(request), divisor=DIVISOR, source=asked, vocabulary_source=listed
        )

    def _Spectrum(self, request: m.Spectrum) -> m.SingularValues:
        values = np.sort(seeded(request.head, request.circuit).random(D_HEAD) + 0.1)[::-1]
        dense = np.concatenate([values, np.full(D_MODEL - D_HEAD, 1e-17)])
        groups = (m.Group(0, 1), *(m.Group(i, i) for i in range(2, D_HEAD)))
        return m.SingularValues(
            values, groups, 0.14, D_HEAD / D_MODEL, D_HEAD, dense if request.dense else None
        )

    def _Direction(self, request: m.Direction) -> m.OVDirection | m.QKDirection:
        names = ("read", "write") if request.circuit == "ov" else ("query", "key")
        fields: dict[str, Any] = {}
        for name in names:
            values = seeded(request.head, request.index, name).normal(size=VOCABULARY)
            for suffix, order in (("", np.argsort(-values)), ("_negative", np.argsort(values))):
                ids = order[: request.k]
                fields[f"{name}_ids{suffix}"] = ids
                fields[f"{name}_labels{suffix}"] = named(ids)
                fields[f"{name}_values{suffix}"] = values[ids]
        made = m.OVDirection if request.circuit == "ov" else m.QKDirection
        return made(singular_value=1.5, group=m.Group(0, 1), **fields)

    def _Table(self, request: m.Table) -> m.TokenTable:
        size = (self.vocabulary, self.vocabulary)
        values = seeded(request.head, request.circuit).normal(size=size)
        divisor = None if request.circuit == "ov" else DIVISOR
        return m.TokenTable(LABELS[: self.vocabulary], values, divisor)

    def _Composition(self, request: m.Composition) -> m.CompositionScores:
        return fake_answers.composition(request, self._heads())

    def _VirtualHead(self, request: m.VirtualHead) -> m.VirtualHeadParts:
        earlier, later = (
            self._Attention(m.Attention(request.run, head.layer, "pattern")).values[head.number]
            for head in (request.earlier, request.later)
        )
        return fake_answers.virtual_head(
            request, self._ids(request.run), later @ earlier, self.norm != "none"
        )

    _Eigenvalues = staticmethod(fake_answers.eigenvalues)
    _DirectPath = staticmethod(fake_answers.direct_path)
    _SkipTrigrams = staticmethod(fake_answers.skip_trigrams)
    _QKOffsets = staticmethod(fake_answers.qk_offsets)
    _Receipts = staticmethod(fake_answers.receipts)

    def _PositionQK(self, request: m.PositionQK) -> m.PositionScores:
        return fake_answers.position_qk(request, self.positions)

    def _HeadOutput(self, request: m.HeadOutput) -> m.OutputRanking:
        return fake_answers.head_output(request, self._ids(request.run))

    def _LogitAttribution(self, request: m.LogitAttribution) -> m.LogitParts:
        return fake_answers.logit_attribution(request, self._ids(request.run), self._heads())

    def _DestinationRow(self, request: m.DestinationRow) -> m.HeadRows:
        scores = self._HeadScores(m.HeadScores(request.run.model))
        ids = self._ids(request.run)
        found = fake_answers.destination_row(request, ids, self._heads(), scores)
        if self.window:
            found.values[:, : max(0, found.position + 1 - self.window)] = np.nan
        return found

    def _LogitLens(self, request: m.LogitLens) -> m.LayerGuesses:
        own = self._RunPrompt(replace(request.run, k=request.k))
        return fake_answers.logit_lens(request, own, self.layers)

    def _Workings(self, request: m.Workings) -> m.HeadWorkings:
        return fake_answers.workings(request, self._ids(request.run))

    def _heads(self) -> tuple[Head, ...]:
        return tuple(Head(layer, number) for layer in range(self.layers) for number in range(HEADS))

    def _ids(self, request: m.RunPrompt) -> np.ndarray:
        words = request.text.split(" ") if request.text else []
        first = [0] if request.prepend_bos is not False and not _has_own_bos(request) else []
        special = {LABELS[0]: 0} if request.specials == "tokens" else {}
        ids = first + [
            special.get(word, 1 + zlib.crc32(word.encode()) % (VOCABULARY - 1)) for word in words
        ]
        if len(ids) > CONTEXT:
            raise Refused(f"the prompt is {len(ids)} tokens, the model reads {CONTEXT}")
        if "unreadable" in words:
            raise Refused("'unreadable' is not a word of this model")
        if not ids:
            raise Refused("the prompt is empty: type something")
        return np.array(ids)


def _has_own_bos(request: m.RunPrompt) -> bool:
    return request.specials == "tokens" and request.text.split(" ")[0] == LABELS[0]
