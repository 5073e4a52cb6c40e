"""A head's arithmetic on a prompt, every matrix of it."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from engine.circuits.prompt import position
from engine.circuits.ranking import ends
from engine.forward.forward_pass import ForwardPass
from engine.job import Job
from engine.messages import SMALL_VOCABULARY, Head, HeadWorkings, Part, Step, Workings
from engine.model import Model
from engine.network.folding import HeadWeights


def head_steps(model: Model, request: Workings, job: Job) -> HeadWorkings:
    """Return every matrix between the one-hot tokens of a prompt and what a head does to logits.

    The chain is that of "Attention in tensor notation", sections 1 to 3, in TransformerLens's
    shapes; each step also says what the papers write, whose weights are the transposes ("A
    Mathematical Framework for Transformer Circuits", Elhage et al., 2021, "Attention heads as
    information movement"). Weights are folded; queries, keys and the pattern are the ones that the
    model itself made. T has a column and W_E a row for each token of the prompt only, unless the
    vocabulary is small.
    """
    weights = model.head(request.head)
    layer = request.head.layer
    forward_pass = model.run(request.run, job)
    query = position(request.query, len(forward_pass.ids))
    builder = StepBuilder(model.tokens.labelled(forward_pass.ids), query)
    read = model.read(forward_pass.streams[layer])
    steps = (
        *inputs(model, builder, forward_pass, layer, read),
        *where(model, builder, forward_pass, request.head, weights, job),
        *what(model, builder, forward_pass, request.head, weights, read),
    )
    made = {step.symbol: torch.tensor(step.values) for step in steps}
    return HeadWorkings(
        steps=(*steps, *prediction(model, builder, forward_pass, made["h"], job)),
        labels=builder.labels,
        query=query,
        divisor=model.divisor(layer),
        d_vocab=model.d_vocab,
    )


WIDEST = 1024
"""Width of the widest stream whose d_model x d_model products are formed."""

AxisName = Literal["query", "source", "position", "d_model", "d_head", "token", "bias"]


@dataclass(frozen=True, eq=False)
class StepBuilder:
    """Makes steps whose rows and columns are labelled.

    Attributes
    ----------
    labels
        The prompt's tokens as shown.
    query
        The position followed through.
    """

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
    ) -> Step:
        """Return a step; parameters are its fields, `einsum` both index strings, ours first.

        `tokens` labels an axis of tokens.
        """
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
            transposed=paper.startswith(f"{symbol}ᵀ"),
        )

    def _named(self, axis: AxisName, count: int, tokens: tuple[str, ...]) -> tuple[str, ...]:
        if axis in ("query", "source", "position"):
            return self.labels
        if axis == "bias":
            return ("bias",)
        return tokens if axis == "token" else tuple(map(str, range(count)))


def inputs(
    model: Model,
    builder: StepBuilder,
    forward_pass: ForwardPass,
    layer: int,
    read: Float[Tensor, "position d_model"],
) -> list[Step]:
    """Return T, W_E, what else enters the stream, and X: what the head reads.

    Parameters
    ----------
    layer : int
        The head's layer.
    read : Tensor
        What the head reads [position, d_model].
    """
    ids, whole = forward_pass.ids, model.d_vocab <= SMALL_VOCABULARY
    shown = list(range(model.d_vocab)) if whole else sorted(set(ids))
    tokens = model.tokens.labelled(shown)
    normed_rows = ", after the norm that follows it" if model.normalises_embeddings else ""
    few = "" if whole else f" ({len(shown)} of {model.d_vocab:,} are shown: the prompt's)"
    one_hot = torch.zeros(len(forward_pass.ids), len(shown))
    one_hot[range(len(forward_pass.ids)), [shown.index(token) for token in forward_pass.ids]] = 1
    embedded, positions = (
        model.vocabulary.embedded(forward_pass.ids),
        model.positions(len(forward_pass.ids)),
    )
    steps = [
        builder.step(
            "T", "input", ("position", "token"), one_hot,
            f"One row a position, with a 1 at its token and 0 at every other{few}.",
            formula="T", paper="T, or its transpose, one column a position", tokens=tokens,
        ),
        builder.step(
            "W_E", "input", ("token", "d_model"), model.vocabulary.embedded(tuple(shown)),
            f"The lookup table: one row of {model.d_model} numbers a token{normed_rows}{few}.",
            formula="W_E", paper="W_Eᵀ, their W_E having one column a token", tokens=tokens,
        ),
    ]  # fmt: skip
    added = paper = ""
    if model.learned_positions:
        added, paper = " + W_pos", " + W_posᵀ"
        steps.append(
            builder.step(
                "W_pos", "input", ("position", "d_model"), positions,
                "What each position adds to the stream, whatever its token.",
                formula="W_pos", paper="W_posᵀ, their W_pos having one column a position",
            )
        )  # fmt: skip
    if layer:
        added, paper = f"{added} + L", f"{paper} + L"
        steps.append(
            builder.step(
                "L", "input", ("position", "d_model"),
                forward_pass.streams[layer] - embedded - positions,
                f"What the layers before layer {layer} wrote into the stream.",
                formula="L", paper="L",
            )
        )  # fmt: skip
    normed = model.normalized
    says = (
        "What the head reads: each position's stream, centred and divided by its own size."
        if model.centring
        else "What the head reads: each position's stream, divided by its own size."
        if normed
        else "What the head reads: the rows of the lookup table, pulled out one a position."
        if not (layer or model.learned_positions)
        else "What the head reads: the stream of each position."
    )
    wrap = "norm({})" if normed else "{}"
    return [
        *steps,
        builder.step(
            "X", "input", ("position", "d_model"), read, says,
            formula=f"X = {wrap.format(f'T W_E{added}')}",
            paper=f"X = {wrap.format(f'T W_Eᵀ{paper}')}",
            einsum=("pv, vd -> pd", "pv, dv -> pd"), operands=("T", "W_E"),
        ),
    ]  # fmt: skip


def where(
    model: Model,
    builder: StepBuilder,
    forward_pass: ForwardPass,
    head: Head,
    weights: HeadWeights,
    job: Job,
) -> list[Step]:
    """Return the steps from X to the pattern: queries, keys, their circuit and the scores."""
    layer, number = head
    operands: tuple[str, ...]
    kv = model.kv_head(number)
    queries, keys = forward_pass.queries[layer][number], forward_pass.keys[layer][kv]
    if model.has_one_qk:
        scores, does, made = queries @ keys.mT, "multiply number by number and add", "S = Q Kᵀ"
        einsum, operands = ("qh, sh -> qs", "qh, sh -> qs"), ("Q", "K")
        divided = (scores / model.divisor(layer)).masked_fill(
            model.attention_mask(layer, len(forward_pass.ids)), torch.nan
        )
    else:
        divided = model.scores(forward_pass, layer, job)[number]
        scores = model.divisor(layer) * divided
        does, made = "once the model has put in where they stand", "S = f(Q, K, positions)"
        if model.score_cap is not None:
            does = f"{does}, and capped them at {model.score_cap:g} (after the division)"
        einsum, operands = ("", ""), ()
    steps = [
        *_projected(model, builder, "Q", weights.W_Q, weights.b_Q, queries),
        *_projected(model, builder, "K", weights.W_K, weights.b_K, keys),
    ]
    if model.d_model <= WIDEST:
        steps.append(
            builder.step(
                "W_QK", "where", ("d_model", "d_model"), weights.W_QK.dense(),
                "The QK circuit: how much a slot of the query's stream (down) wants to meet a slot "
                "of the source's (across).",
                formula="W_QK = W_Q W_Kᵀ", paper="W_QK = W_Qᵀ W_K, the same matrix",
                einsum=("ih, jh -> ij", "hi, hj -> ij"), operands=("W_Q", "W_K"),
            )
        )  # fmt: skip
    shown, hidden = (
        f"{model.divisor(layer):.4g}",
        model.attention_mask(layer, len(forward_pass.ids)),
    )
    beyond = " and beyond the window" if (hidden & ~forward_pass.future).any() else ""
    return [
        *steps,
        builder.step(
            "S", "where", ("query", "source"), scores,
            f"How well each query matches each key: {does}.",
            formula=made, paper=made, einsum=einsum, operands=operands,
        ),
        builder.step(
            "S/√d", "where", ("query", "source"), divided,
            f"The scores divided by {shown}, without those of the future{beyond}.",
            formula=f"S / {shown}, masked", paper=f"S / {shown}, masked",
        ),
        builder.step(
            "A", "where", ("query", "source"), forward_pass.patterns[layer][number],
            "The pattern: each row of scores as shares that sum to 1.",
            formula="A = softmax(S/√d)", paper="A = softmax(S/√d)",
        ),
    ]  # fmt: skip


class _Projection(NamedTuple):
    """What queries, keys or values are for."""

    part: Part
    one: str
    axis: AxisName
    at: str
    does: str


PROJECTIONS = {
    "Q": _Projection("where", "query", "query", "q", "is looking for"),
    "K": _Projection("where", "key", "source", "s", "advertises about itself"),
    "V": _Projection("what", "value", "source", "s", "hands over once it has been chosen"),
}


def _projected(
    model: Model,
    builder: StepBuilder,
    letter: Literal["Q", "K", "V"],
    matrix: Float[Tensor, "d_model d_head"],
    bias: Float[Tensor, " d_head"],
    made: Float[Tensor, "position d_head"],
) -> list[Step]:
    """Return the steps from X to the queries, the keys or the values."""
    part, one, axis, at, does = PROJECTIONS[letter]
    steps = [
        builder.step(
            f"W_{letter}", part, ("d_model", "d_head"), matrix,
            f"Turns a stream of {model.d_model} numbers into a {one} of {model.d_head}.",
            formula=f"W_{letter}",
            paper=f"W_{letter}ᵀ, their W_{letter} being {model.d_head} × {model.d_model}",
        )
    ]  # fmt: skip
    plus = ""
    if bias.any():
        plus = f" + b_{letter}"
        steps.append(
            builder.step(
                f"b_{letter}", part, ("bias", "d_head"), bias[None], f"Added to every {one}.",
                formula=f"b_{letter}", paper=f"b_{letter}",
            )
        )  # fmt: skip
    return [
        *steps,
        builder.step(
            letter, part, (axis, "d_head"), made, f"What each position {does}.",
            formula=f"{letter} = X W_{letter}{plus}", paper=f"{letter} = X W_{letter}ᵀ{plus}",
            einsum=(f"{at}i, ih -> {at}h", f"{at}i, hi -> {at}h"), operands=("X", f"W_{letter}"),
        ),
    ]  # fmt: skip


MOST = 10
"""Tokens listed at each end of a large vocabulary's logits."""


def what(
    model: Model,
    builder: StepBuilder,
    forward_pass: ForwardPass,
    head: Head,
    weights: HeadWeights,
    read: Float[Tensor, "position d_model"],
) -> list[Step]:
    """Return the steps from the pattern to what the head writes: values, r, h, their circuit.

    Parameters
    ----------
    read : Tensor
        What it reads [position, d_model].
    """
    off, pattern = head in forward_pass.heads_off, forward_pass.patterns[head.layer][head.number]
    adds = "What the head adds to the stream of each position."
    over, einsum = "", ("qh, ho -> qo", "qh, oh -> qo")
    if model.normalises_outputs:
        adds = f"{adds[:-1]}: n is what the norm after the heads divides by there, on this prompt."
        over, einsum = " / n", ("", "")
    value = weights.values(read)
    result = 0 * value if off else pattern @ value
    got = "What each position gets: the average of the values, weighted by its row of A."
    steps = [
        *_projected(model, builder, "V", weights.W_V, weights.b_V, value),
        builder.step(
            "r", "what", ("query", "d_head"), result,
            "What each position gets: nothing, since the head is off." if off else got,
            formula="r = 0" if off else "r = A V", paper="r = 0" if off else "r = A V",
            einsum=("", "") if off else ("qs, sh -> qh", "qs, sh -> qh"),
            operands=() if off else ("A", "V"),
        ),
        builder.step(
            "W_O", "what", ("d_head", "d_model"), weights.W_O,
            f"Turns {model.d_head} numbers back into a stream of {model.d_model}: where it is "
            "written.",
            formula="W_O", paper=f"W_Oᵀ, their W_O being {model.d_model} × {model.d_head}",
        ),
        builder.step(
            "h", "what", ("query", "d_model"),
            result @ weights.W_O / forward_pass.output_scale(head.layer)[:, None], adds,
            formula=f"h = r W_O{over}", paper=f"h = r W_Oᵀ{over}",
            einsum=einsum, operands=() if over else ("r", "W_O"),
        ),
    ]  # fmt: skip
    if model.d_model <= WIDEST:
        steps.append(
            builder.step(
                "W_OV", "what", ("d_model", "d_model"), weights.W_OV.dense(),
                "The OV circuit: what a slot that is read (down) puts into each slot that is "
                "written (across).",
                formula="W_OV = W_V W_O", paper="W_OVᵀ, their W_OV being W_O W_V",
                einsum=("ih, ho -> io", "hi, oh -> io"), operands=("W_V", "W_O"),
            )
        )  # fmt: skip
    return steps


def prediction(
    model: Model,
    builder: StepBuilder,
    forward_pass: ForwardPass,
    output: Float[Tensor, "position d_model"],
    job: Job,
) -> list[Step]:
    """Return W_U and what the head changes of the logits.

    Parameters
    ----------
    output : Tensor
        What the head writes [position, d_model].
    """
    if model.d_vocab <= SMALL_VOCABULARY:
        shown, few = list(range(model.d_vocab)), ""
    else:
        at_query = model.vocabulary.logits(output[builder.query][:, None], job)[:, 0]
        best = ends(model, at_query, MOST)
        found = {*forward_pass.ids, *best.ids.tolist(), *best.bottom_ids.tolist()}
        shown = sorted(found, key=lambda token: (-float(at_query[token]), token))
        few = (
            f" ({len(shown)} of {model.d_vocab:,} tokens are shown: the prompt's, and the {MOST} "
            f"most raised and most lowered at the query)"
        )
    tokens = model.tokens.labelled(shown)
    table = torch.stack(
        [model.vocabulary.unembedding(token) for token in shown], 1
    )  # [d_model, token]
    less = ", less the mean of all tokens" if model.normalized else ""
    return [
        builder.step(
            "W_U", "prediction", ("d_model", "token"), table,
            f"How much each slot of the stream raises each token's logit{less}{few}.",
            formula="W_U", paper="W_Uᵀ, their W_U having one row a token", tokens=tokens,
        ),
        builder.step(
            "ΔL", "prediction", ("query", "token"), output @ table,
            f"How much the head changes each token's logit{_unscaled(model)}{few}.",
            formula="ΔL = h W_U", paper="ΔL = h W_Uᵀ",
            einsum=("qo, ov -> qv", "qo, vo -> qv"), operands=("h", "W_U"), tokens=tokens,
        ),
    ]  # fmt: skip


def _unscaled(model: Model) -> str:
    return ", before the final norm divides by its scale" if model.normalized else ""
