"""Every check passes on honest models, says why where it cannot be made, and fails on a fault."""

import sys
from dataclasses import replace

import pytest
import torch

from engine import Engine
from engine import model as model_module
from engine.circuits.checks import CHECKS, attention, checks, weights
from engine.circuits.checks.inputs import check_inputs
from engine.job import Cancelled, Job
from engine.messages import Head, HeadScores, Receipts, Refused, RunPrompt
from engine.model import Model
from engine.network.folding import Norm
from engine.network.vocabulary import TokenVectors
from engine.sources import bundled, load
from tests.oracles import detection, hugging_face, plain_transformer, prompts, toy_head

TEXTS = {
    "toy": toy_head.TEXT,
    "toy-sharp": toy_head.TEXT,
    "toy-2l": toy_head.TEXT,
    "toy-induction": "A B C D A",
    "attn-1l": prompts.TEA,
    "attn-2l": prompts.TEA,
    "random": prompts.IN_RANDOM[0],
    "random-without-norm": prompts.IN_RANDOM[0],
    "three-tokens": "a b c",
    "side-by-side": "a b c",
    "half-of-each": "a b",
    "perfect-heads": "w1 w2 w3",
    "ladder": "a b c d e",
}
CHECK = {check.__name__: check for check in CHECKS}
HEADS = {"attn-1l": (0, 3), "attn-2l": (1, 3), "random": (1, 2), "random-without-norm": (0, 1)}
NOT_HERE = {
    "toy": {"mixed_product", "path"},
    "toy-2l": {"path"},
    "attn-1l": {"path"},
    "attn-2l": set(),
    "toy-induction": set(),
    "perfect-heads": {"low_rank", "values_are_superficial", "path"},
}


def ask(name, head=None):
    return Receipts(RunPrompt(name, TEXTS[name]), Head(*(head or HEADS.get(name, (0, 0)))))


@pytest.mark.parametrize("name", TEXTS)
def test_every_check_passes_or_says_why_it_means_nothing(answer, name):
    found = answer(ask(name)).receipts
    assert len(found) == len(CHECKS)
    for receipt in found:
        if receipt.passed is None:
            assert (receipt.residual, receipt.tolerance) == (None, None)
            assert len(receipt.reason) > 10
        else:
            assert receipt.passed, receipt
            assert 0 <= receipt.residual <= receipt.tolerance
            assert receipt.reason == ""
        assert receipt.compares


@pytest.mark.parametrize("name", NOT_HERE)
def test_checks_are_undefined_exactly_where_they_mean_nothing(answer, name):
    head = (1, 0) if name.endswith(("2l", "induction")) and name.startswith("toy") else None
    found = answer(ask(name, head)).receipts
    undefined = {
        check for check, receipt in zip(CHECK, found, strict=True) if receipt.passed is None
    }
    assert undefined == NOT_HERE[name]


def test_every_head_of_the_trained_models_passes(answer):
    for layer in (0, 1):
        for number in range(8):
            found = answer(ask("attn-2l", (layer, number))).receipts
            assert all(receipt.passed is not False for receipt in found)


def test_a_prompt_that_fills_the_context_passes(answer, raw):
    text = prompts.text(raw("attn-2l"), prompts.FULL)
    found = answer(Receipts(RunPrompt("attn-2l", text), Head(1, 3))).receipts
    assert all(receipt.passed for receipt in found)


def test_what_changes_is_measured_on_the_models_own_values(answer, raw):
    model = raw("attn-2l")
    seen = plain_transformer.run(model, model.encode(prompts.TEA))
    found = dict(zip(CHECK, answer(ask("attn-2l")).receipts, strict=True))
    bias = model.of_head(1, 3, "b_V")
    size = float((seen.values[1][3] - bias).abs().mean())
    met = dict(found["values_are_superficial"].measured)
    assert met["values, mean size"] == pytest.approx(size, rel=1e-4)
    assert met["values, mean |change|"] > 0.5 * size
    queries = float(seen.queries[1][3].abs().mean())
    met = dict(found["queries_are_superficial"].measured)
    assert met["queries, mean size"] == pytest.approx(queries, rel=1e-4)
    logit = dict(found["attribution_adds_up"].measured)["logit"]
    own = seen.logits[-1]
    assert logit == pytest.approx(float(own.max() - own.mean()), abs=1e-3)


def test_path_check_is_that_of_the_plain_pass_with_the_heads_matrices_zeroed(answer, raw):
    receipt = answer(ask("attn-2l")).receipts[-1]
    assert "(0.2 zeroed)" in receipt.name
    model = raw("attn-2l")
    cut = dict(model.tensors)
    for name in ("W_O", "b_V"):
        cut[f"blocks.0.attn.{name}"] = cut[f"blocks.0.attn.{name}"].clone()
        cut[f"blocks.0.attn.{name}"][2] = 0
    # Other random tokens than the engine's: the mean of two sequences moves by a few hundredths.
    whole, without = (
        float(detection.scores(it, 64, 2, 0)["induction"][:, 1, 3].mean())
        for it in (model, replace(model, tensors=cut))
    )
    assert receipt.residual == pytest.approx(without, abs=0.05)
    met = dict(receipt.measured)
    assert met["induction score in the whole model"] == pytest.approx(whole, abs=0.05)
    assert receipt.tolerance == met["induction score in the whole model"] / 2


def test_path_check_starts_from_the_score_that_the_heads_panel_shows(answer):
    scores = answer(HeadScores("attn-2l", "random"))
    shown = scores.scores["induction"][scores.heads.index(Head(1, 3))]
    met = dict(answer(ask("attn-2l")).receipts[-1].measured)
    assert met["induction score in the whole model"] == pytest.approx(float(shown))


@pytest.mark.parametrize("name", ["attn-2l", "random"])
def test_with_heads_off_every_check_is_of_the_model_without_them(answer, name):
    head = Head(*HEADS[name])
    other = RunPrompt(name, TEXTS[name], heads_off=(Head(0, 0), Head(1, 1)))
    assert all(r.passed is not False for r in answer(Receipts(other, head)).receipts)
    itself = RunPrompt(name, TEXTS[name], heads_off=(Head(0, 0), head))
    found = dict(zip(CHECK, answer(Receipts(itself, head)).receipts, strict=True))
    assert all(receipt.passed is not False for receipt in found.values())
    undefined = {check for check, receipt in found.items() if "is off" in receipt.reason}
    assert undefined == {"doubling", "orders"}


# Faults: each is planted once, and the check that is there for it must fail.


@pytest.fixture
def random_model(made):
    return Model(bundled.read_folder(made / "models" / "random"))


def run(model, check, name="random", head=(1, 2)):
    return CHECK[check](
        check_inputs(model, RunPrompt(name, TEXTS[name]), Head(*head), Job()), Job()
    )


def failed(receipt):
    """Return whether a check failed, and by far: not by a hair's breadth of rounding."""
    return receipt.passed is False and not receipt.residual <= 3 * receipt.tolerance


def wrong(monkeypatch, **changes):
    """Let every head have one wrong matrix."""
    honest = Model.head

    def head(self, head, offset=0, length=None):
        found = honest(self, head, offset, length)
        return replace(found, **{name: does(found) for name, does in changes.items()})

    monkeypatch.setattr(Model, "head", head)


def unfolded(monkeypatch):
    monkeypatch.setattr(model_module, "fold", lambda raw, norm, centring: raw)


def without_b_V(monkeypatch):
    wrong(monkeypatch, b_V=lambda w: torch.zeros_like(w.b_V))


def off_by_one(monkeypatch):
    honest = Model.positions
    monkeypatch.setattr(Model, "positions", lambda self, n: honest(self, n + 1)[1:])


def centred_over_d_model(monkeypatch):
    def logits(self, vectors, job):
        return (self._rows_U - self._rows_U.mean(1, keepdim=True)) @ vectors

    def unembedding(self, token):
        return self._rows_U[token] - self._rows_U[token].mean()

    monkeypatch.setattr(TokenVectors, "logits", logits)
    monkeypatch.setattr(TokenVectors, "unembedding", unembedding)


def wrong_sign(monkeypatch):
    wrong(monkeypatch, W_O=lambda w: -w.W_O)


def transposed_W_O(monkeypatch):
    wrong(monkeypatch, W_O=lambda w: w.W_O.T.reshape(w.W_O.shape))


def missing_b_Q(monkeypatch):
    wrong(monkeypatch, b_Q=lambda w: torch.zeros_like(w.b_Q))


def another_value_head(monkeypatch):
    wrong(monkeypatch, W_V=lambda w: w.W_V.roll(1, 0))


def undivided(monkeypatch):
    monkeypatch.setattr(Model, "divisor", lambda self, layer: 1.0)


def exchanged_kronecker(monkeypatch):
    monkeypatch.setattr(attention, "kronecker", lambda A, W: torch.kron(W.mT.contiguous(), A))


def rotation_taken_for_its_own_inverse(monkeypatch):
    def change(scene):
        M, _ = honest(scene)
        return M, M.mT

    honest = weights._change
    monkeypatch.setattr(weights, "_change", change)


def nothing_changed(monkeypatch):
    def change(scene):
        identity = torch.eye(scene.model.d_head, dtype=torch.float64)
        return identity, identity

    monkeypatch.setattr(weights, "_change", change)


def transposed_factors(monkeypatch):
    def factors(model, head, circuit):
        A, B = honest(model, head, circuit)
        return B.mT, A.mT

    honest = weights.factors
    monkeypatch.setattr(weights, "factors", factors)


def too_large(owner, name, share=1.05):
    """Let what a function returns be 5 % too large."""

    def plant(monkeypatch):
        honest = getattr(owner, name)
        monkeypatch.setattr(owner, name, lambda *a, **named: share * honest(*a, **named))

    return plant


@pytest.mark.parametrize(
    ("owner", "name", "check"),
    [
        (TokenVectors, "embedding", "ov_is_the_models"),
        (TokenVectors, "logits", "ov_is_the_models"),
        (TokenVectors, "unembedding", "ov_is_the_models"),
        (TokenVectors, "read_by", "ov_is_the_models"),
        (TokenVectors, "_rows", "ov_is_the_models"),
        (TokenVectors, "embedding", "qk_is_the_models"),
        (TokenVectors, "read_by", "qk_is_the_models"),
        (TokenVectors, "gram", "eigenvalues_sum_to_the_trace"),
        (TokenVectors, "_folded_rows_U", "eigenvalues_sum_to_the_trace"),
        (
            sys.modules["engine.circuits.spectra"],
            "sorted_eigenvalues",
            "eigenvalues_sum_to_the_trace",
        ),
    ],
)
@pytest.mark.parametrize("name_of_model", ["random", "random-without-norm"])
def test_a_fault_of_5_percent_at_the_token_end_fails_a_check(
    made, monkeypatch, owner, name, check, name_of_model
):
    model = Model(bundled.read_folder(made / "models" / name_of_model))
    assert run(model, check, name_of_model, (1, 2)).passed
    too_large(owner, name)(monkeypatch)
    model = Model(bundled.read_folder(made / "models" / name_of_model))
    assert failed(run(model, check, name_of_model, (1, 2)))


@pytest.mark.parametrize("name", ["llama", "gemma2", "bloom", "cohere", "gpt2"])
@pytest.mark.parametrize("part", ["gain", "W_E", "embedding"])
def test_a_fault_of_5_percent_in_a_norm_or_an_embedding_fails_a_check(
    monkeypatch, tmp_path, name, part
):
    hugging_face.write(name, tmp_path / name)
    with torch.no_grad():
        model = Model(load(str(tmp_path / name)))
    head, asked = Head(1, 2), RunPrompt(model.name, hugging_face.TEXT)

    def checks():
        seen = check_inputs(model, asked, head, Job())
        return [CHECK[check](seen, Job()) for check in ("ov_is_the_models", "qk_is_the_models")]

    with torch.no_grad():
        assert all(receipt.passed for receipt in checks())
        if part == "gain":
            norm = model.vocabulary._network.final_norm
            changed = norm._replace(gain=norm.gain * torch.linspace(1, 1.05, model.d_model))
            monkeypatch.setattr(
                model.vocabulary, "_network", replace(model.vocabulary._network, final_norm=changed)
            )
        elif part == "W_E":  # a norm hides a factor, but no tilt
            honest = TokenVectors._embeddings
            tilt = torch.linspace(1, 1.05, model.d_model)
            monkeypatch.setattr(
                TokenVectors, "_embeddings", lambda self, part: tilt * honest(self, part)
            )
        else:
            too_large(TokenVectors, "embedding")(monkeypatch)
        assert any(failed(receipt) for receipt in checks())


def test_those_that_hold_for_any_weights_are_called_identities(answer, monkeypatch):
    found = dict(zip(CHECK, answer(ask("attn-2l")).receipts, strict=True))
    identities = {check for check, receipt in found.items() if receipt.identity}
    assert identities == {
        "flattened",
        "low_rank",
        "values_are_superficial",
        "queries_are_superficial",
        "mixed_product",
    }
    # Weights that are not the model's: only identities still hold.
    honest = Model.head

    def other(self, head, offset=0, length=None):
        weights = honest(self, head, offset, length)
        return replace(weights, **{name: 1.3 * it.roll(1, 0) for name, it in vars(weights).items()})

    monkeypatch.setattr(Model, "head", other)
    model = Model(load("attn-2l"))
    for check in identities:
        assert run(model, check, "attn-2l", (1, 3)).passed
    for check in set(CHECK) - identities - {"path", "rows_sum_to_one"}:
        assert failed(run(model, check, "attn-2l", (1, 3)))


@pytest.mark.parametrize(
    ("fault", "check"),
    [
        (missing_b_Q, "pattern_from_one_matrix"),
        (undivided, "pattern_from_one_matrix"),
        (unfolded, "pattern_from_stream"),
        (undivided, "pattern_from_stream"),
        (missing_b_Q, "doubling"),
        (without_b_V, "doubling"),
        (wrong_sign, "heads_add"),
        (transposed_W_O, "heads_add"),
        (without_b_V, "heads_add"),
        (unfolded, "heads_add"),
        (another_value_head, "orders"),
        (without_b_V, "orders"),
        (exchanged_kronecker, "flattened"),
        (rotation_taken_for_its_own_inverse, "values_are_superficial"),
        (nothing_changed, "values_are_superficial"),
        (rotation_taken_for_its_own_inverse, "queries_are_superficial"),
        (nothing_changed, "queries_are_superficial"),
        (transposed_factors, "mixed_product"),
        (wrong_sign, "stream_adds_up"),
        (transposed_W_O, "stream_adds_up"),
        (without_b_V, "stream_adds_up"),
        (off_by_one, "stream_adds_up"),
        (wrong_sign, "attribution_adds_up"),
        (transposed_W_O, "attribution_adds_up"),
        (without_b_V, "attribution_adds_up"),
        (centred_over_d_model, "attribution_adds_up"),
        (wrong_sign, "folding_changes_nothing"),
        (transposed_W_O, "folding_changes_nothing"),
        (without_b_V, "folding_changes_nothing"),
        (missing_b_Q, "folding_changes_nothing"),
        (off_by_one, "folding_changes_nothing"),
        (unfolded, "folding_changes_nothing"),
    ],
)
def test_a_planted_fault_fails_its_check(made, monkeypatch, fault, check):
    fault(monkeypatch)
    model = Model(bundled.read_folder(made / "models" / "random"))
    assert failed(run(model, check))


@pytest.mark.parametrize("leak", ["row", "future", "negative"])
def test_a_pattern_that_is_no_share_fails(random_model, leak):
    seen = check_inputs(random_model, RunPrompt("random", TEXTS["random"]), Head(0, 0), Job())
    pattern = seen.pattern.clone()
    if leak == "row":
        pattern = pattern * 1.001
    elif leak == "future":
        pattern[0, 0], pattern[0, 1] = 0.9, 0.1
    else:
        pattern[3, 0] -= 1
        pattern[3, 1] += 1
    assert failed(CHECK["rows_sum_to_one"](replace(seen, pattern=pattern), Job()))


def test_a_direction_too_many_fails(random_model, monkeypatch):
    monkeypatch.setitem(vars(random_model), "d_head", random_model.d_head - 1)
    seen = check_inputs(random_model, RunPrompt("random", TEXTS["random"]), Head(0, 0), Job())
    assert failed(CHECK["low_rank"](seen, Job()))


def test_centring_applied_to_the_toy_fails(monkeypatch):
    honest_head, fold = Model.head, model_module.fold
    monkeypatch.setattr(
        Model, "head", lambda self, head, offset=0: fold(honest_head(self, head), Norm(), True)
    )
    model = Model(load("toy"))
    for check in ("heads_add", "pattern_from_stream", "folding_changes_nothing"):
        assert failed(run(model, check, "toy", (0, 0)))


@pytest.mark.parametrize("name", ["attn-2l", "toy-induction"])
def test_an_induction_that_outlives_its_partner_fails(monkeypatch, name):
    model = Model(load(name))
    head = (1, 3) if name == "attn-2l" else (1, 0)
    whole = Model.run_ids
    monkeypatch.setattr(
        Model, "run_ids", lambda self, ids, job, heads_off, watch: whole(self, ids, job, (), watch)
    )
    receipt = run(model, "path", name, head)
    assert receipt.passed is False
    assert receipt.residual == pytest.approx(2 * receipt.tolerance)


def test_a_failed_check_is_returned_with_the_others(made, monkeypatch):
    wrong_sign(monkeypatch)
    monkeypatch.setattr(bundled, "models_folder", lambda: made / "models")
    found = Engine().answer(ask("random")).receipts
    assert len(found) == len(CHECKS)
    assert {receipt.passed for receipt in found} == {True, False, None}


def test_a_cancelled_check_stops(random_model):
    seen = []

    class Stopping(Job):
        def step(self, done, total, what):
            seen.append(what)
            if what == "heads add":
                self.cancel()
            super().step(done, total, what)

    with pytest.raises(Cancelled):
        checks(random_model, ask("random"), Stopping())
    assert "doubling" in seen
    assert seen[-1] == "heads add"


def test_a_head_that_is_not_there_is_refused(answer):
    with pytest.raises(Refused, match=r"only head 0\.0"):
        answer(ask("toy", (0, 1)))


def test_tolerances_are_not_of_the_size_of_what_is_compared(answer):
    for name in ("attn-2l", "random"):
        for receipt in answer(ask(name)).receipts[:-1]:
            if receipt.passed is not None:
                assert receipt.tolerance <= 1e-3
