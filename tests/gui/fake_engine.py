"""An engine without torch: quick, seeded answers in the shapes of the real ones."""

import threading
import time
import zlib
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from engine.job import Job
from engine.messages import (
    MEASURES,
    PATTERN_MEASURES,
    WEIGHT_MEASURES,
    Attention,
    ComplexValues,
    Composition,
    CompositionScores,
    DestinationRow,
    Direction,
    DirectPath,
    Downloaded,
    DownloadModel,
    DownloadPlan,
    Eigenvalues,
    EstimateModel,
    FindDownload,
    Group,
    Head,
    HeadOutput,
    HeadReceipts,
    HeadRows,
    HeadScores,
    HeadWorkings,
    LayerGuesses,
    ListModels,
    LoadModel,
    LogitAttribution,
    LogitLens,
    LogitParts,
    MeasuredHeads,
    ModelEntry,
    ModelEstimate,
    ModelFacts,
    ModelList,
    OffsetScores,
    OutputRanking,
    OVDirection,
    OVTokens,
    Patterns,
    PositionQK,
    PositionScores,
    QKDirection,
    QKOffsets,
    QKTokens,
    Receipts,
    Refused,
    Request,
    Result,
    Run,
    RunPrompt,
    ScoreRanking,
    SingularValues,
    SkipTrigrams,
    Spectrum,
    Table,
    ThumbnailPatterns,
    Thumbnails,
    TokenRanking,
    TokenTable,
    TrigramList,
    VirtualHead,
    VirtualHeadParts,
    Vocabulary,
    VocabularyTokens,
    Workings,
)
from tests.gui import fake_pairs, fake_parts, fake_positions, fake_trigrams, fake_workings

LAYERS, HEADS, VOCABULARY, D_HEAD, D_MODEL, CONTEXT = 2, 4, 40, 6, 24, 300
BEST_INDUCTION = (1, 2)
LABELS = ("‹BOS›", *(f"·w{number}" for number in range(1, VOCABULARY)))


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
        self.asked: list[Request] = []
        self.threads: set[int] = set()
        self.seconds = seconds
        self.d_mlp = d_mlp
        self.notices = ()
        self.vocabulary = vocabulary
        self.layers, self.norm, self.positions = layers, norm, positions
        self.failing: dict[type, Exception] = {}
        self.missing: set[str] = set()
        self.models = [
            ModelEntry("attn-2l", "bundled", "two layers"),
            ModelEntry("toy", "toys", "one head"),
        ]
        self.sizes = {"config.json": 700, "model.safetensors": 3 * 2**30}
        self.free = 8 * 2**30
        self.fetched = 0
        self.window = 0
        self.spelling: Callable[[str], str | None] = lambda text: None

    def answer(self, request: Request, job: Job) -> Result:
        self.asked.append(request)
        self.threads.add(threading.get_ident())
        for done in range(round(self.seconds / 0.005)):
            job.step(done, round(self.seconds / 0.005), "counting")
            time.sleep(0.005)
        if type(request) in self.failing:
            raise self.failing[type(request)]
        if getattr(request, "model", None) in self.missing:
            raise Refused(f"there is no folder or file {request.model!r}")
        if isinstance(request, DownloadModel):
            self._fetch(job)
        result: Result = getattr(self, f"_{type(request).__name__}")(request)
        turns = self.positions == "rotary" and getattr(request, "circuit", "qk") == "qk"
        offset = getattr(request, "offset", None)
        return replace(result, offset=offset) if turns and offset is not None else result

    def _ListModels(self, request: ListModels) -> ModelList:
        return ModelList(tuple(self.models))

    def close(self) -> None:
        """Hold nothing."""

    def _EstimateModel(self, request: EstimateModel) -> ModelEstimate:
        needs = 2**34 if "large" in request.model else 2**29
        positions = request.positions or min(256, CONTEXT)
        return ModelEstimate(
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

    def _FindDownload(self, request: FindDownload) -> DownloadPlan:
        return DownloadPlan(
            repository=request.repository,
            revision="0" * 40,
            files=tuple(self.sizes),
            sizes=np.array(list(self.sizes.values())),
            have=self.fetched,
            free=self.free,
        )

    def _fetch(self, job: Job) -> None:
        """Go on from what is there, in a hundred pieces."""
        total = sum(self.sizes.values())
        while self.fetched < total:
            job.step(self.fetched, total, "downloading")
            self.fetched = min(self.fetched + total // 100 + 1, total)
            time.sleep(0.005)

    def _DownloadModel(self, request: DownloadModel) -> Downloaded:
        self.models.append(ModelEntry(request.repository, "cache", "downloaded"))
        return Downloaded(request.repository, self.fetched)

    def _LoadModel(self, request: LoadModel) -> ModelFacts:
        return ModelFacts(
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
            divisor=2.5,
            prepend_bos=request.model != "toy",
            has_bos=request.model != "toy",
            parameters=1000,
            bytes=4000,
            example="w1 w2 w3",
        )

    def _Vocabulary(self, request: Vocabulary) -> VocabularyTokens:
        return VocabularyTokens(tuple(label.replace("·", " ") for label in LABELS), LABELS)

    def _RunPrompt(self, request: RunPrompt) -> Run:
        ids = self._ids(request)
        rng = _rng(request)
        next_ids = rng.permutation(VOCABULARY)[: request.k]
        probabilities = np.sort(rng.dirichlet(np.ones(request.k)))[::-1]
        return Run(
            ids=ids,
            labels=tuple(LABELS[i] for i in ids),
            prepended_bos=request.prepend_bos is not False and not _has_own_bos(request),
            next_ids=next_ids,
            next_labels=tuple(LABELS[i] for i in next_ids),
            next_log_probs=np.log(probabilities),
            loss=rng.random(max(len(ids) - 1, 0)),
            special=ids == 0,
            begins_with_bos=bool(ids[0] == 0),
            typed_specials=request.text.split(" ").count(LABELS[0]),
            spelt=self.spelling(request.text),
        )

    def _Attention(self, request: Attention) -> Patterns:
        ids = self._ids(request.run)
        n = len(ids)
        mask = np.tril(np.ones((n, n), bool))
        mask &= ~np.tri(n, k=-self.window, dtype=bool) if self.window else True
        scores = _rng(request.run, request.layer).normal(size=(HEADS, n, n)).astype(np.float32)
        exped = np.where(mask, np.exp(scores), 0)
        pattern = exped / exped.sum(-1, keepdims=True)
        values = {
            "pattern": pattern,
            "scores": np.where(mask, scores, np.nan),
            "value-weighted": 3 * pattern,
        }[request.kind]
        return Patterns(tuple(LABELS[i] for i in ids), values, mask, 2.5)

    def _Thumbnails(self, request: Thumbnails) -> ThumbnailPatterns:
        layers = [self._Attention(Attention(request.run, layer)) for layer in range(self.layers)]
        block = -(-len(layers[0].labels) // request.size)
        mask = np.stack([layer.mask[::block, ::block] for layer in layers])
        values = np.stack([layer.values[:, ::block, ::block] for layer in layers])
        values = np.where(mask[:, np.newaxis], values, np.nan)
        return ThumbnailPatterns(layers[0].labels, values, mask, block)

    def _HeadScores(self, request: HeadScores) -> MeasuredHeads:
        rng = _rng(request.model)
        names = {
            "random": PATTERN_MEASURES,
            "prompt": [f"prompt_{name}" for name in PATTERN_MEASURES],
            "weights": WEIGHT_MEASURES,
            "all": MEASURES,
        }[request.measures]
        scores = {name: 0.5 * rng.random(self.layers * HEADS) for name in names}
        if "induction" in scores:
            best = min(BEST_INDUCTION[0], self.layers - 1), BEST_INDUCTION[1]
            scores["induction"].reshape(self.layers, HEADS)[best] = 0.9
        heads = tuple(Head(*place) for place in np.ndindex(self.layers, HEADS))
        return MeasuredHeads(heads, scores, 50)

    def _ranking(self, request: OVTokens | QKTokens, **more: float) -> dict[str, object]:
        token = request.token
        if request.source == "position":
            assert request.run is not None
            assert request.position is not None
            token = int(self._ids(request.run)[request.position])
        assert isinstance(token, int)
        values = _rng(request.model, request.head, token, type(request)).normal(size=VOCABULARY)
        order = np.argsort(-values, kind="stable")
        top, bottom = order[: request.k], order[::-1][: request.k]
        return {
            "ids": top,
            "labels": tuple(LABELS[i] for i in top),
            "values": values[top],
            "bottom_ids": bottom,
            "bottom_labels": tuple(LABELS[i] for i in bottom),
            "bottom_values": values[bottom],
            "token_id": token,
            "token_label": LABELS[token],
            "rank": 1 + int((values > values[token]).sum()),
            "value": float(values[token]),
            "median": float(np.median(values)),
            "d_vocab": VOCABULARY,
            **self._sources(request),
            **more,
        }

    def _sources(self, request: OVTokens | QKTokens) -> dict[str, str]:
        asked, listed = str(request.source), str(request.source)
        if isinstance(request, OVTokens):
            listed = "unembedding"
            if request.direction == "source":
                asked, listed = listed, asked
        elif request.source == "position":
            listed = "token+mlp0" if self.d_mlp and request.head.layer > 0 else "token"
        return {"source": asked, "vocabulary_source": listed}

    def _OVTokens(self, request: OVTokens) -> TokenRanking:
        return TokenRanking(**self._ranking(request))  # type: ignore[arg-type]

    def _QKTokens(self, request: QKTokens) -> ScoreRanking:
        return ScoreRanking(**self._ranking(request, divisor=2.5))  # type: ignore[arg-type]

    def _Spectrum(self, request: Spectrum) -> SingularValues:
        values = np.sort(_rng(request.head, request.circuit).random(D_HEAD) + 0.1)[::-1]
        dense = np.concatenate([values, np.full(D_MODEL - D_HEAD, 1e-17)])
        groups = tuple(Group(i, i) for i in range(2, D_HEAD))
        return SingularValues(
            values,
            (Group(0, 1), *groups),
            0.14,
            D_HEAD / D_MODEL,
            D_HEAD,
            dense if request.dense else None,
        )

    def _Direction(self, request: Direction) -> OVDirection | QKDirection:
        names = ("read", "write") if request.circuit == "ov" else ("query", "key")
        fields: dict[str, object] = {}
        for name in names:
            values = _rng(request.head, request.index, name).normal(size=VOCABULARY)
            for suffix, order in (("", np.argsort(-values)), ("_negative", np.argsort(values))):
                ids = order[: request.k]
                fields[f"{name}_ids{suffix}"] = ids
                fields[f"{name}_labels{suffix}"] = tuple(LABELS[i] for i in ids)
                fields[f"{name}_values{suffix}"] = values[ids]
        made = OVDirection if request.circuit == "ov" else QKDirection
        return made(singular_value=1.5, group=Group(0, 1), **fields)  # type: ignore[arg-type]

    def _Table(self, request: Table) -> TokenTable:
        values = _rng(request.head, request.circuit).normal(size=(self.vocabulary, self.vocabulary))
        return TokenTable(
            LABELS[: self.vocabulary], values, None if request.circuit == "ov" else 2.5
        )

    def _Composition(self, request: Composition) -> CompositionScores:
        return fake_pairs.composition(request, self.layers, HEADS)

    def _VirtualHead(self, request: VirtualHead) -> VirtualHeadParts:
        parts = fake_pairs.virtual_head(request, self._ids(request.run), LABELS, D_HEAD)
        earlier, later = (
            self._Attention(Attention(request.run, head.layer, "pattern")).values[head.number]
            for head in (request.earlier, request.later)
        )
        product = later @ earlier
        return replace(parts, product=product, exact=None if self.norm == "none" else product / 3)

    def _Eigenvalues(self, request: Eigenvalues) -> ComplexValues:
        return fake_pairs.eigenvalues(request, D_HEAD)

    def _DirectPath(self, request: DirectPath) -> TokenRanking:
        return fake_pairs.direct_path(request, LABELS)

    def _SkipTrigrams(self, request: SkipTrigrams) -> TrigramList:
        return fake_trigrams.skip_trigrams(request, LABELS)

    def _QKOffsets(self, request: QKOffsets) -> OffsetScores:
        return fake_positions.qk_offsets(request, LABELS)

    def _PositionQK(self, request: PositionQK) -> PositionScores:
        return fake_positions.position_qk(request, self.positions, CONTEXT)

    def _HeadOutput(self, request: HeadOutput) -> OutputRanking:
        return fake_parts.head_output(request, self._ids(request.run), LABELS)

    def _LogitAttribution(self, request: LogitAttribution) -> LogitParts:
        ids = self._ids(request.run)
        return fake_parts.logit_attribution(request, ids, LABELS, self._heads())

    def _DestinationRow(self, request: DestinationRow) -> HeadRows:
        scores = self._HeadScores(HeadScores(request.run.model))
        ids = self._ids(request.run)
        found = fake_parts.destination_row(request, ids, LABELS, self._heads(), scores)
        if self.window:
            found.values[:, : max(0, found.position + 1 - self.window)] = np.nan
        return found

    def _LogitLens(self, request: LogitLens) -> LayerGuesses:
        own = self._RunPrompt(replace(request.run, k=request.k))
        return fake_parts.logit_lens(request, own, LABELS, self.layers)

    def _heads(self) -> tuple[Head, ...]:
        return tuple(Head(layer, number) for layer in range(self.layers) for number in range(HEADS))

    def _Workings(self, request: Workings) -> HeadWorkings:
        return fake_workings.workings(request, self._ids(request.run), LABELS)

    def _Receipts(self, request: Receipts) -> HeadReceipts:
        return fake_workings.receipts(request)

    def _ids(self, request: RunPrompt) -> np.ndarray:
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


def _has_own_bos(request: RunPrompt) -> bool:
    return request.specials == "tokens" and request.text.split(" ")[0] == LABELS[0]


def _rng(*seed: object) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(repr(seed).encode()))
