"""A head's arithmetic on a prompt, every matrix of it."""

from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from engine.circuits.ranking import ends
from engine.circuits.source_vectors import position
from engine.folding import HeadWeights
from engine.job import Job
from engine.messages import HeadWorkings, Part, Step, Workings
from engine.model import Model
from engine.runs import ForwardPass

SMALL = 64
"""Tokens of the largest vocabulary that is shown whole."""

MOST = 10
"""Tokens listed at each end of a larger vocabulary's logits."""

WIDEST = 1024
"""Width of the widest stream whose d_model x d_model products are formed."""

AxisName = Literal["query", "source", "position", "d_model", "d_head", "token", "bias"]


@dataclass(frozen=True, eq=False)
class _Maker:
    """Makes steps whose rows and columns are labelled."""

    labels: tuple[str, ...]
    query: int

    def step(
        self,
        symbol: str,
        part: Part,
        axes: tuple[AxisName, AxisName],
        values: Float[Tensor, "row column"],
        sentence: str,
        *,
        formula: str,
        paper: str,
        einsum: tuple[str, str] = ("", ""),
        operands: tuple[str, ...] = (),
        tokens: tuple[str, ...] = (),
        transposed: bool = False,
    ) -> Step:
        rows, columns = values.shape
        return Step(
            symbol=symbol,
            part=part,
            formula=formula,
            paper=paper,
            einsum=einsum[0],
            paper_einsum=einsum[1],
            operands=operands,
            sentence=sentence,
            shape=(rows, columns),
            axes=axes,
            row_labels=self._named(axes[0], rows, tokens),
            column_labels=self._named(axes[1], columns, tokens),
            values=values.numpy() + 0.0,  # no negative zeros
            marked_row=self.query if axes[0] in ("query", "position") else None,
            transposed=transposed,
        )

    def _named(self, axis: AxisName, count: int, tokens: tuple[str, ...]) -> tuple[str, ...]:
        if axis in ("query", "source", "position"):
            return self.labels
        if axis == "bias":
            return ("bias",)
        return tokens if axis == "token" else tuple(map(str, range(count)))


def workings(model: Model, request: Workings, job: Job) -> HeadWorkings:
    """Return every matrix between the one-hot tokens of a prompt and what a head does to logits.

    The chain is that of "Attention in tensor notation", sections 1 to 3, in TransformerLens's
    shapes; each step also says what the papers write, whose weights are the transposes ("A
    Mathematical Framework for Transformer Circuits", Elhage et al., 2021, "Attention heads as
    information movement"). Weights are folded; queries, keys and the pattern are the ones that the
    model itself made. T has a column and W_E a row for each token of the prompt only, unless the
    vocabulary is small.

    Parameters
    ----------
    model : Model
        The open model.
    request : Workings
        The question.
    job : Job
        Steps between layers and chunks of the vocabulary.

    Raises
    ------
    Refused
        If the head or the query do not exist, or the prompt cannot be run.
    """
    weights = model.head(request.head)
    passed = model.run(request.run, job)
    query = position(request.query, len(passed.ids))
    maker = _Maker(model.tokens.labelled(passed.ids), query)
    read = model.read(passed.streams[request.head.layer])
    steps = (
        *_input(model, maker, passed, request.head.layer, read),
        *_where(model, maker, passed, request, weights),
        *_what(model, maker, passed, request, weights, read),
    )
    made = {step.symbol: torch.tensor(step.values) for step in steps}
    return HeadWorkings(
        steps=(*steps, *_prediction(model, maker, passed, made["h"], job)),
        labels=maker.labels,
        query=query,
        divisor=model.divisor,
        d_vocab=model.d_vocab,
    )


def _input(
    model: Model,
    maker: _Maker,
    passed: ForwardPass,
    layer: int,
    read: Float[Tensor, "position d_model"],
) -> list[Step]:
    whole = model.d_vocab <= SMALL
    shown = list(range(model.d_vocab)) if whole else sorted(set(passed.ids))
    tokens = model.tokens.labelled(shown)
    few = "" if whole else f" ({len(shown)} of {model.d_vocab:,} are shown: the prompt's)"
    one_hot = torch.zeros(len(passed.ids), len(shown))
    one_hot[range(len(passed.ids)), [shown.index(token) for token in passed.ids]] = 1
    embedded, positions = model.embedded(passed.ids), model.positions(len(passed.ids))
    steps = [
        maker.step(
            "T", "input", ("position", "token"), one_hot,
            f"One row a position, with a 1 at its token and 0 at every other{few}.",
            formula="T", paper="T", tokens=tokens,
        ),
        maker.step(
            "W_E", "input", ("token", "d_model"), model.embedded(tuple(shown)),
            f"The lookup table: one row of {model.d_model} numbers a token{few}.",
            formula="W_E", paper="W_Eᵀ, one column a token", tokens=tokens, transposed=True,
        ),
    ]  # fmt: skip
    added = paper = ""
    if model.learned_positions:
        added, paper = " + W_pos", " + W_posᵀ"
        steps.append(
            maker.step(
                "W_pos", "input", ("position", "d_model"), positions,
                "What each position adds to the stream, whatever its token.",
                formula="W_pos", paper="W_posᵀ, one column a position", transposed=True,
            )
        )  # fmt: skip
    if layer:
        added, paper = f"{added} + L", f"{paper} + L"
        steps.append(
            maker.step(
                "L", "input", ("position", "d_model"), passed.streams[layer] - embedded - positions,
                f"What the layers before layer {layer} wrote into the stream.",
                formula="L", paper="L",
            )
        )  # fmt: skip
    normed = model.normalized
    says = (
        "What the head reads: each position's stream, centred and divided by its own size."
        if normed
        else "What the head reads: the rows of the lookup table, pulled out one a position."
        if not (layer or model.learned_positions)
        else "What the head reads: the stream of each position."
    )
    wrap = "norm({})" if normed else "{}"
    return [
        *steps,
        maker.step(
            "X", "input", ("position", "d_model"), read, says,
            formula=f"X = {wrap.format(f'T W_E{added}')}",
            paper=f"X = {wrap.format(f'T W_Eᵀ{paper}')}",
            einsum=("pv, vd -> pd", "pv, dv -> pd"), operands=("T", "W_E"),
        ),
    ]  # fmt: skip


def _where(
    model: Model, maker: _Maker, passed: ForwardPass, request: Workings, weights: HeadWeights
) -> list[Step]:
    layer, number = request.head
    kv = model.kv_head(number)
    queries, keys = passed.queries[layer][number], passed.keys[layer][kv]
    scores = queries @ keys.mT
    future = torch.ones(len(scores), len(scores), dtype=torch.bool).triu(1)
    divided = (scores / model.divisor).masked_fill(future, torch.nan)
    steps = []
    for letter, matrix, bias, made, does in (
        ("Q", weights.W_Q, weights.b_Q, queries, "is looking for"),
        ("K", weights.W_K, weights.b_K, keys, "advertises about itself"),
    ):
        plus = f" + b_{letter}" if bias.any() else ""
        row: AxisName = "query" if letter == "Q" else "source"
        index = "qh" if letter == "Q" else "sh"
        steps.append(
            maker.step(
                f"W_{letter}", "where", ("d_model", "d_head"), matrix,
                f"Turns a stream of {model.d_model} numbers into a "
                f"{'query' if letter == 'Q' else 'key'} of {model.d_head}.",
                formula=f"W_{letter}", paper=f"W_{letter}ᵀ, d_head down and d_model across",
                transposed=True,
            )
        )  # fmt: skip
        if plus:
            steps.append(
                maker.step(
                    f"b_{letter}", "where", ("bias", "d_head"), bias[None],
                    f"Added to every {'query' if letter == 'Q' else 'key'}.",
                    formula=f"b_{letter}", paper=f"b_{letter}",
                )
            )  # fmt: skip
        steps.append(
            maker.step(
                letter, "where", (row, "d_head"), made, f"What each position {does}.",
                formula=f"{letter} = X W_{letter}{plus}", paper=f"{letter} = X W_{letter}ᵀ{plus}",
                einsum=(f"{index[0]}i, ih -> {index}", f"{index[0]}i, hi -> {index}"),
                operands=("X", f"W_{letter}"),
            )
        )  # fmt: skip
    if model.d_model <= WIDEST:
        steps.append(
            maker.step(
                "W_QK", "where", ("d_model", "d_model"), weights.W_Q @ weights.W_K.mT,
                "The QK circuit: how much a slot of the query's stream (down) wants to meet a slot "
                "of the source's (across).",
                formula="W_QK = W_Q W_Kᵀ", paper="W_QK = W_Qᵀ W_K, the same matrix",
                einsum=("ih, jh -> ij", "hi, hj -> ij"), operands=("W_Q", "W_K"),
            )
        )  # fmt: skip
    shown = f"{model.divisor:.4g}"
    return [
        *steps,
        maker.step(
            "S", "where", ("query", "source"), scores,
            "How well each query matches each key: multiply number by number and add.",
            formula="S = Q Kᵀ", paper="S = Q Kᵀ",
            einsum=("qh, sh -> qs", "qh, sh -> qs"), operands=("Q", "K"),
        ),
        maker.step(
            "S/√d", "where", ("query", "source"), divided,
            f"The scores divided by {shown}, without those of the future.",
            formula=f"S / {shown}, masked", paper=f"S / {shown}, masked",
        ),
        maker.step(
            "A", "where", ("query", "source"), passed.patterns[layer][number],
            "The pattern: each row of scores as shares that sum to 1.",
            formula="A = softmax(S/√d)", paper="A = softmax(S/√d)",
        ),
    ]  # fmt: skip


def _what(
    model: Model,
    maker: _Maker,
    passed: ForwardPass,
    request: Workings,
    weights: HeadWeights,
    read: Float[Tensor, "position d_model"],
) -> list[Step]:
    layer, number = request.head
    value = read @ weights.W_V
    result = passed.patterns[layer][number] @ value
    steps = [
        maker.step(
            "W_V", "what", ("d_model", "d_head"), weights.W_V,
            f"Turns a stream of {model.d_model} numbers into a value of {model.d_head}.",
            formula="W_V", paper="W_Vᵀ, d_head down and d_model across", transposed=True,
        ),
        maker.step(
            "V", "what", ("source", "d_head"), value,
            "What each position hands over once it has been chosen.",
            formula="V = X W_V", paper="V = X W_Vᵀ",
            einsum=("si, ih -> sh", "si, hi -> sh"), operands=("X", "W_V"),
        ),
        maker.step(
            "r", "what", ("query", "d_head"), result,
            "What each position gets: the average of the values, weighted by its row of A.",
            formula="r = A V", paper="r = A V",
            einsum=("qs, sh -> qh", "qs, sh -> qh"), operands=("A", "V"),
        ),
        maker.step(
            "W_O", "what", ("d_head", "d_model"), weights.W_O,
            f"Turns {model.d_head} numbers back into a stream of {model.d_model}: where it is "
            "written.",
            formula="W_O", paper="W_Oᵀ, d_model down and d_head across", transposed=True,
        ),
        maker.step(
            "h", "what", ("query", "d_model"), result @ weights.W_O,
            "What the head adds to the stream of each position.",
            formula="h = r W_O", paper="h = r W_Oᵀ",
            einsum=("qh, ho -> qo", "qh, oh -> qo"), operands=("r", "W_O"),
        ),
    ]  # fmt: skip
    if model.d_model <= WIDEST:
        steps.append(
            maker.step(
                "W_OV", "what", ("d_model", "d_model"), weights.W_V @ weights.W_O,
                "The OV circuit: what a slot that is read (down) puts into each slot that is "
                "written (across).",
                formula="W_OV = W_V W_O", paper="W_OV = W_O W_V", transposed=True,
                einsum=("ih, ho -> io", "hi, oh -> io"), operands=("W_V", "W_O"),
            )
        )  # fmt: skip
    return steps


def _prediction(
    model: Model,
    maker: _Maker,
    passed: ForwardPass,
    output: Float[Tensor, "position d_model"],
    job: Job,
) -> list[Step]:
    if model.d_vocab <= SMALL:
        shown, few = list(range(model.d_vocab)), ""
    else:
        at_query = model.logits(output[maker.query][:, None], job)[:, 0]
        best = ends(model, at_query, MOST)
        found = {*passed.ids, *best.ids.tolist(), *best.bottom_ids.tolist()}
        shown = sorted(found, key=lambda token: (-float(at_query[token]), token))
        few = (
            f" ({len(shown)} of {model.d_vocab:,} tokens are shown: the prompt's, and the {MOST} "
            f"most raised and most lowered at the query)"
        )
    tokens = model.tokens.labelled(shown)
    table = torch.stack([model.unembedding(token) for token in shown], 1)  # [d_model, token]
    return [
        maker.step(
            "W_U", "prediction", ("d_model", "token"), table,
            f"How much each slot of the stream raises each token's logit{few}.",
            formula="W_U", paper="W_Uᵀ, one row a token", tokens=tokens, transposed=True,
        ),
        maker.step(
            "ΔL", "prediction", ("query", "token"), output @ table,
            f"How much the head changes each token's logit{_unscaled(model)}{few}.",
            formula="ΔL = h W_U", paper="ΔL = h W_Uᵀ",
            einsum=("qo, ov -> qv", "qo, vo -> qv"), operands=("h", "W_U"), tokens=tokens,
        ),
    ]  # fmt: skip


def _unscaled(model: Model) -> str:
    return ", before the final norm divides by its scale" if model.normalized else ""
