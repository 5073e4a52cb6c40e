"""The formulas that the help and docs/answers.md print, evaluated as they stand there.

Symbols side by side are multiplied as matrices, ᵀ transposes, ‖ ‖ is the Frobenius norm. What the
symbols stand for comes from the plain pass and the stored weights, in float64.
"""

import re

import numpy as np
import pytest
import torch

from docs.make_answers import page
from engine.messages import (
    Attention,
    Composition,
    DirectPath,
    Eigenvalues,
    Head,
    HeadOutput,
    HeadScores,
    LogitAttribution,
    OVTokens,
    QKTokens,
    RunPrompt,
    SkipTrigrams,
    Spectrum,
    VirtualHead,
    Workings,
)
from gui.panels.help import PANEL_HELP
from tests.oracles import dense_circuits, plain_transformer, prompts

NAMES = ("random", "random-without-norm")
EARLIER, HEAD = Head(0, 2), Head(1, 1)
TOLERANCE = 2e-5
ASCII = str.maketrans("₁₂ₖ", "12k")


def causal_softmax(scores):
    shown = np.where(np.tri(len(scores), dtype=bool), scores, -np.inf)
    shares = np.exp(shown - shown.max(1, keepdims=True))
    return shares / shares.sum(1, keepdims=True)


def evaluated(formula, where, **meant):
    """Return the value of a formula that is printed in a text."""
    assert formula in where, f"{formula} is stated nowhere"
    code = re.sub(r"‖([^‖]+)‖", r"norm(\1)", formula).translate(ASCII).replace("ᵀ", ".T")
    code = re.sub(r"(?<=[\w)]) (?=[A-Za-z(])", " @ ", code)
    code = code.replace("norm(A) @ norm(B)", "norm(A) * norm(B)")
    known = {"softmax": causal_softmax, "norm": np.linalg.norm, "diag": np.diag}
    return eval(code, known | meant)


@pytest.fixture(params=NAMES)
def seen(request, raw):
    """Return the model's name, run, ids, the plain pass, and what its symbols stand for."""
    model, text = raw(request.param), prompts.of(request.param)[0]
    ids = model.encode(text)
    passed, off = plain_transformer.run(model, ids), dense_circuits.off_ones(model)

    def of(head):
        found = {f"W_{x}": off @ model.of_head(*head, f"W_{x}") for x in "QKV"}
        found |= {f"b_{x}": model.of_head(*head, f"b_{x}") for x in "QKV"}
        found |= {"W_O": model.of_head(*head, "W_O") @ off}
        found |= {"X": passed.reads[head.layer], "A": passed.patterns[head.layer][head.number]}
        return {name: np.asarray(value) for name, value in found.items()}

    ends = {
        "W_E": np.asarray(dense_circuits.token_vectors(model)),
        "W_U": np.asarray(dense_circuits.unembedding(model)),
        "divisor": model.divisor if hasattr(model, "divisor") else model.d_head**0.5,
    }
    last = passed.streams[-1]
    scale = (last.var(-1, correction=0) + model.eps).sqrt() if model.norm else torch.ones(len(ids))
    return {
        "name": request.param,
        "run": RunPrompt(request.param, text),
        "ids": ids,
        "model": model,
        "passed": passed,
        "of": of,
        "final_scale": scale.numpy(),
        "meant": of(HEAD) | ends,
    }


def close(found, meant):
    meant = np.asarray(meant)
    np.testing.assert_allclose(found, meant, rtol=0, atol=TOLERANCE * max(1, np.abs(meant).max()))


def stated(panel):
    return PANEL_HELP[panel].formula


def by_token(ranking, count):
    values = np.empty(count)
    values[ranking.ids] = ranking.values
    return values


def test_pattern_and_workings(answer, seen):
    meant, run = dict(seen["meant"]), seen["run"]
    for symbol in "QK":
        meant[symbol] = evaluated(f"X W_{symbol} + b_{symbol}", stated("Attention"), **meant)
    pattern = evaluated("softmax(Q Kᵀ / divisor)", stated("Attention"), **meant)
    close(answer(Attention(run, HEAD.layer)).values[HEAD.number], pattern)
    steps = answer(Workings(run, HEAD))
    close(steps.step("V").values, evaluated("X W_V + b_V", stated("Workings"), **meant))
    meant["V"], meant["A"] = steps.step("V").values, pattern
    close(steps.step("h").values, evaluated("A V W_O", stated("Workings"), **meant))
    lengths = evaluated("(x_k W_V + b_V) W_O", stated("Attention"), **meant, x_k=meant["X"])
    weighted = answer(Attention(run, HEAD.layer, "value-weighted")).values[HEAD.number]
    close(weighted, pattern * np.linalg.norm(lengths, axis=1))


def test_what_a_head_gives_is_that_of_every_page(answer, seen):
    meant, run, position = seen["meant"], seen["run"], 3
    for where in (page(), stated("Attribution")):
        given = evaluated("A (X W_V + b_V) W_O", where, **meant)
        column = given[position] @ meant["W_U"]
        found = answer(HeadOutput(run, HEAD, position, k=seen["model"].d_vocab))
        close(by_token(found, len(column)), column)
        parts = answer(LogitAttribution(run, position, target=seen["ids"][1]))
        part = parts.values[parts.heads.index(HEAD)]
        close(part, column[seen["ids"][1]] / seen["final_scale"][position])


def test_token_tables(answer, seen):
    meant, name, count = seen["meant"], seen["name"], seen["model"].d_vocab
    ov = evaluated("W_E W_V W_O W_U", stated("OV"), **meant)
    qk = evaluated("W_E W_Q (W_E W_K)ᵀ / divisor", stated("QK"), **meant)
    direct = evaluated("W_E W_U", stated("Direct path"), **meant)
    for token in seen["ids"][1:3]:
        close(by_token(answer(OVTokens(name, HEAD, token, k=count)), count), ov[token])
        found = answer(OVTokens(name, HEAD, token, direction="source", k=count))
        close(by_token(found, count), ov[:, token])
        close(by_token(answer(QKTokens(name, HEAD, token, k=count)), count), qk[token])
        close(by_token(answer(DirectPath(name, token, k=count)), count), direct[token])
    best = answer(SkipTrigrams(name, HEAD, k=1))
    pairs = qk.max(0).clip(0) * ov.max(1).clip(0)  # of each source: its best query, its best out
    close(best.values, [pairs.max()])


def test_spectra_eigenvalues_and_measures_of_weights(answer, seen):
    meant, name = seen["meant"], seen["name"]
    place = Head(*HEAD).layer * seen["model"].n_heads + HEAD.number
    scores = answer(HeadScores(name, "weights")).scores
    for circuit, formula in (("ov", "W_V W_O"), ("qk", "W_Q W_Kᵀ")):
        matrix = evaluated(formula, stated("Spectrum"), **meant)
        values = np.linalg.svd(matrix, compute_uv=False)
        found = answer(Spectrum(name, HEAD, circuit)).singular_values
        close(found, values[: len(found)])
        close(scores[f"{circuit}_norm"][place], np.linalg.norm(matrix))
    for circuit, formula in (("ov", "W_E W_V W_O W_U"), ("qk", "W_E W_Q (W_E W_K)ᵀ")):
        values = np.linalg.eigvals(evaluated(formula, stated("Eigenvalues"), **meant))
        assert "Σ λ / Σ |λ|" in stated("Eigenvalues")
        positivity = values.sum().real / np.abs(values).sum()
        found = answer(Eigenvalues(name, HEAD, circuit))
        assert found.positivity == pytest.approx(positivity, abs=1e-4)
        close(abs(found.real + 1j * found.imag), np.sort(np.abs(values))[::-1][: len(found.real)])
    ov = evaluated("W_E W_V W_O W_U", stated("OV"), **meant)
    own = np.diag(ov).copy()
    np.fill_diagonal(ov, -np.inf)
    assert scores["copying_share"][place] == pytest.approx((own > ov.max(1)).mean())
    assert "share of tokens whose own logit OV raises above every other" in page()
    U, S, Vh = np.linalg.svd(evaluated("W_V W_O", stated("Spectrum"), **meant))
    rank = np.linalg.matrix_rank(np.diag(S), tol=1e-6 * S[0])
    overlap = np.linalg.norm(U[:, :rank].T @ Vh[:rank].T) ** 2 / rank
    assert r"\|\|U^T V\|\|_F^2 / rank" in page()
    assert scores["read_write_overlap"][place] == pytest.approx(overlap, abs=1e-5)


def test_two_heads_in_a_row(answer, seen):
    first, second = seen["of"](EARLIER), seen["of"](HEAD)
    both = {f"{n}1": x for n, x in first.items()} | {f"{n}2": x for n, x in second.items()}
    both |= {"X": second["X"]}
    stream = np.asarray(seen["passed"].streams[1] @ dense_circuits.off_ones(seen["model"]))
    norm = np.sqrt((stream**2).mean(1) + seen["model"].eps) if seen["model"].norm else 1.0
    found = answer(VirtualHead(seen["run"], EARLIER, HEAD, seen["ids"][1], seen["model"].d_vocab))
    text = stated("Virtual head")
    close(found.product, evaluated("A₂ A₁", text, **both))
    if seen["model"].norm:
        close(found.exact, evaluated("A₂ diag(1/s) A₁", text, **both, s=norm))
    circuit = evaluated("W_V₁ W_O₁ W_V₂ W_O₂", text, **both)
    row = seen["meant"]["W_E"][seen["ids"][1]] @ circuit @ seen["meant"]["W_U"]
    close(by_token(found, len(row)), row)
    v = evaluated("A₂ (X W_V₂ + b_V₂) W_O₂", text, **both)
    gives = evaluated("A (X W_V + b_V) W_O", page(), **first)
    c = both["A2"] @ (gives / np.reshape(norm, (-1, 1))) @ both["W_V2"] @ both["W_O2"]
    assert found.share == pytest.approx((c * v).sum() / (v * v).sum(), abs=1e-5)
    for kind, read in (("q", "W_Q W_Kᵀ"), ("k", "W_K W_Qᵀ"), ("v", "W_V W_O")):
        A = evaluated("W_V W_O", stated("Composition"), **first)
        B = evaluated(read, stated("Composition"), **second)
        meant = evaluated("‖A B‖ / (‖A‖ ‖B‖)", stated("Composition"), A=A, B=B)
        scores = answer(Composition(seen["name"], kind))
        place = [tuple(pair) for pair in scores.pairs].index((EARLIER, HEAD))
        assert scores.scores[place] == pytest.approx(meant, rel=1e-4)
