"""What circuits and runs say of any decoder, as dense float64 products of its own tensors.

Row convention: OV is [source, output], QK is [query, key]. A norm's gain belongs to the matrix that
reads through it, its bias to the biases. What no later part can see is left out: where norms
centre, the mean of what is read and written; everywhere the mean of logits over the vocabulary,
which a softmax takes off. What multiplies a head's output entry by entry belongs to W_O.
"""

import math

import torch
from torch import Tensor

from tests.oracles.transformer import Layer, Model, Pass, capped


def unbiased(norm, rows: Tensor) -> Tensor:
    """Return rows as a norm leaves them, less its bias."""
    return rows if norm is None else norm(rows) - norm.bias


def token_vectors(model: Model, layer: int) -> Tensor:
    """Return every token's embedding as a layer's heads read it, [d_vocab, d_model]."""
    return unbiased(model.layers[layer].before, model.W_E)


def after_first_mlp(model: Model, layer: int) -> Tensor:
    """Return the same of the embeddings and what the first MLP adds to them."""
    first = model.layers[0]
    added = first.mlp(first.mlp_before(model.W_E))
    added = first.residual * (first.mlp_after(added) if first.mlp_after else added)
    return unbiased(model.layers[layer].before, model.W_E + added)


def written(layer: Layer, head: int) -> Tensor:
    """Return W_O [d_head, d_model] times what multiplies a head's output next, a scale left out."""
    gain = layer.after.gain if layer.after else torch.ones(layer.W_O.shape[-1]).double()
    return layer.W_O[head] * layer.residual * gain


def to_logits(model: Model, vectors: Tensor) -> Tensor:
    """Return what vectors give to the logits before the final norm's scale and a cap."""
    logits = (model.final.off(vectors) * model.final.gain) @ model.W_U
    return logits - logits.mean(-1, keepdim=True)


def ov_of(model: Model, layer: int, head: int, vectors: Tensor) -> Tensor:
    """Return the logits [source, d_vocab] that reading vectors adds, b_V left out."""
    it = model.layers[layer]
    return to_logits(model, vectors @ it.W_V[head] @ written(it, head))


def turned(layer: Layer, rows: Tensor, place: float, count: int) -> Tensor:
    """Return queries or keys turned as at a place of a prompt of some length."""
    if layer.rotary is None:
        return rows
    return layer.rotary(count).turn(rows, torch.full((rows.shape[-2],), float(place)).double())


def qk_between(
    model: Model,
    layer: int,
    head: int,
    queries: Tensor,
    keys: Tensor,
    offset: int = 0,
    *,
    biases: bool = False,
    count: int = 1,
) -> Tensor:
    """Return scores [query, key] of vectors at a distance, divided, before a cap."""
    it = model.layers[layer]
    q, k = queries @ it.W_Q[head], keys @ it.W_K[head]
    if biases:
        bias = it.before.bias if it.before else torch.zeros(len(it.b_O)).double()
        q = q + bias @ it.W_Q[head] + it.b_Q[head]
        k = k + bias @ it.W_K[head] + it.b_K[head]
    q, k = turned(it, q, offset, count), turned(it, k, 0, count)
    return q @ k.T / it.divisor - it.slopes[head] * offset


def ov_matrix(model: Model, layer: int, head: int) -> Tensor:
    """Return W_V W_O [d_model, d_model], the stream read to the stream written."""
    it = model.layers[layer]
    return _folded(it, it.W_V[head]) @ model.final.off(written(it, head))


def qk_matrix(model: Model, layer: int, head: int, offset: int = 0, count: int = 1) -> Tensor:
    """Return W_Q W_K^T [d_model, d_model] at a distance, before division."""
    it = model.layers[layer]
    W_Q = turned(it, _folded(it, it.W_Q[head]), offset, count)
    return W_Q @ turned(it, _folded(it, it.W_K[head]), 0, count).T


def _folded(layer: Layer, W: Tensor) -> Tensor:
    if layer.before is None:
        return W
    W = layer.before.gain[:, None] * W
    return W - W.mean(0) if layer.before.centres else W


def eigenvalues(table: Tensor, d_head: int) -> Tensor:
    """Return the eigenvalues of a table of tokens by tokens, the largest d_head of them."""
    found = torch.linalg.eigvals(table)
    return found[found.abs().argsort(descending=True)[:d_head]]


def positivity(values: Tensor) -> float:
    """Return the sum of eigenvalues over the sum of their magnitudes."""
    return float(values.real.sum() / values.abs().sum())


def copying_share(table: Tensor) -> float:
    """Return the share of tokens that an OV table raises above every other; a tie is no copy."""
    own = table.diagonal()
    others = table.clone()
    others.fill_diagonal_(-math.inf)
    return float((own > others.amax(1)).double().mean())


def overlap(matrix: Tensor) -> float:
    """Return ||U^T V||_F^2 / r of a matrix's two subspaces of numerical rank r."""
    u, s, vh = torch.linalg.svd(matrix)
    rank = int((s > 1e-6 * s[0]).sum())
    return float((u[:, :rank].T @ vh[:rank].T).square().sum() / rank)


def by_position(model: Model, layer: int, head: int, count: int, *, biases: bool) -> Tensor:
    """Return the mean of all scores [query token, key token] at each [query, key] position."""
    it = model.layers[layer]
    rows = model.W_E[:, None] + model.W_pos[:count]  # [token, position, d_model]
    read = unbiased(it.before, rows).mean(0)  # a score is linear in what either end reads
    return qk_between(model, layer, head, read, read, biases=biases)


def values_moved(seen: Pass, model: Model, layer: int) -> Tensor:
    """Return what each position's value is to the stream, [head, source, d_model], b_V in it.

    The scale of a norm after the heads is left out.
    """
    it = model.layers[layer]
    moved = torch.stack([seen.values[layer][h] @ written(it, h) for h in range(len(it.W_O))])
    return model.final.off(moved)


def value_weighted(seen: Pass, model: Model, layer: int) -> Tensor:
    """Return patterns times the length of what each position's value is to the stream."""
    lengths = values_moved(seen, model, layer).norm(dim=-1)  # [head, source]
    return seen.patterns[layer] * lengths[:, None] / seen.after_scales[layer]


def by_source(seen: Pass, model: Model, layer: int, head: int, position: int) -> Tensor:
    """Return what each position gives to the logits through a head, [source, d_vocab]."""
    moved = values_moved(seen, model, layer)[head] / seen.after_scales[layer][position]
    return to_logits(model, seen.patterns[layer][head, position][:, None] * moved)[: position + 1]


def final_scale(seen: Pass, model: Model, position: int) -> float:
    """Return what the final norm divides by."""
    return float(model.final.scale(seen.streams[-1])[position])


def lens(seen: Pass, model: Model) -> Tensor:
    """Return log-probabilities [stage, position, d_vocab] of the stream before and after layers."""
    logits = model.final(torch.stack(seen.streams)) @ model.W_U + model.b_U
    return capped(logits, model.logit_cap).log_softmax(-1)


def losses(seen: Pass) -> Tensor:
    """Return minus the log-probability of token i + 1 after tokens 0 to i, [position - 1]."""
    log_probs = seen.logits[:-1].log_softmax(-1)
    return -log_probs.gather(1, seen.ids[1:, None])[:, 0]


def virtual(seen: Pass, model: Model, earlier, later) -> dict[str, Tensor]:
    """Return both patterns' products, and the share of what the later head gives, at each query.

    The share is that of what it reads of the earlier one, along all that it gives, b_V included.
    """
    (one, first), (other, second) = earlier, later
    A_1, A_2 = seen.patterns[one][first], seen.patterns[other][second]
    layer = model.layers[other]
    scale = layer.before.scale(seen.streams[other])  # [position, 1]
    exact = A_2 @ (A_1 / seen.after_scales[one] / scale) / seen.after_scales[other]
    W_VO = layer.W_V[second] @ written(layer, second)
    read = layer.before.off(seen.added[one][first]) / scale * layer.before.gain
    given = model.final.off(A_2 @ read @ W_VO) / seen.after_scales[other]
    whole = A_2 @ values_moved(seen, model, other)[second] / seen.after_scales[other]
    at = (given * whole).sum(-1) / whole.square().sum(-1)
    share = (given * whole).sum() / whole.square().sum()
    return {"product": A_2 @ A_1, "exact": exact, "shares": at, "share": share}


def composition(model: Model, kind: str, earlier, later, offset: int = 0) -> float:
    """Return ||A B|| / (||A|| ||B||) of what one head writes and another reads."""
    A = ov_matrix(model, *earlier)
    B = ov_matrix(model, *later) if kind == "v" else qk_matrix(model, *later, offset)
    B = B.T if kind == "k" else B
    return float((A @ B).norm() / (A.norm() * B.norm()))


def skip_trigrams(qk: Tensor, ov: Tensor) -> Tensor:
    """Return QK(query, source) OV(source, out), both positive, [source, query, out]."""
    return torch.einsum("qs,so->sqo", qk.clamp(min=0), ov.clamp(min=0))


def scores_as_read(
    seen: Pass,
    model: Model,
    layer: int,
    head: int,
    position: int,
    vectors: Tensor,
    side: str,
    offset: int = 0,
) -> Tensor:
    """Return scores of what stands at a position with vectors, b_Q and b_K left out."""
    own = unbiased(model.layers[layer].before, seen.streams[layer])[position][None]
    count = len(seen.ids)
    if side == "query":
        return qk_between(model, layer, head, own, vectors, offset, count=count)[0]
    return qk_between(model, layer, head, vectors, own, offset, count=count)[:, 0]
