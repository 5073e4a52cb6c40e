"""Norms after heads, caps, slopes, windows, rotations and factors, against dense float64."""

import numpy as np
import pytest
import torch

from engine import Engine
from engine.messages import (
    Attention,
    Head,
    HeadOutput,
    LoadModel,
    LogitAttribution,
    LogitLens,
    OVTokens,
    QKTokens,
    Receipts,
    Refused,
    RunPrompt,
    Spectrum,
    VirtualHead,
    Workings,
)
from tests.oracles import architectures, hugging_face
from tests.oracles.architectures import ABOUT
from tests.oracles.hugging_face import D_VOCAB, IDS, TEXT, TRAITS

SINGLE = 1e-5
"""Of the largest number: rounding in single precision."""

HEADS = (Head(0, 0), Head(1, 2), Head(2, 3))
POST = [kind for kind in TRAITS if "post" in ABOUT[kind]]


class Opened:
    """A model as transformers has it, and as the engine opened it."""

    def __init__(self, kind, folder):
        self.kind, self.name = kind, str(folder / kind)
        self.model = hugging_face.write(kind, folder / kind)
        self.engine = Engine()
        self.own = architectures.seen(self.model, kind, IDS)
        self.run = RunPrompt(self.name, TEXT, prepend_bos=True, k=D_VOCAB)

    def head(self, head):
        return architectures.head(self.model, self.kind, *head)

    def ask(self, question):
        return self.engine.answer(question)


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    made = {}

    def of(kind):
        if kind not in made:
            made[kind] = Opened(kind, tmp_path_factory.mktemp("models"))
        return made[kind]

    return of


def close(found, meant, share=SINGLE):
    meant = meant.numpy() if isinstance(meant, torch.Tensor) else np.asarray(meant)
    assert np.abs(np.asarray(found) - meant).max() <= share * np.abs(meant).max()


def by_token(ranking):
    values = np.empty(D_VOCAB)
    values[ranking.ids] = ranking.values
    return values


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("kind", TRAITS)
def test_ov_is_that_of_the_stored_weights(opened, kind, head):
    it = opened(kind)
    meant = architectures.ov(it.head(head))
    close(by_token(it.ask(OVTokens(it.name, head, "w9", k=D_VOCAB))), meant[9], 3 * SINGLE)
    back = it.ask(OVTokens(it.name, head, "w9", direction="source", k=D_VOCAB))
    close(by_token(back), meant[:, 9], 3 * SINGLE)


@pytest.mark.parametrize("offset", [0, 1, 8])
@pytest.mark.parametrize("kind", [kind for kind in TRAITS if "qk_norm" not in ABOUT[kind]])
def test_qk_at_a_distance_is_that_of_the_stored_weights(opened, kind, offset):
    it, biases = opened(kind), offset != 1
    for head in HEADS:
        meant = architectures.qk(it.head(head), offset, biases)
        for side, line in (("query", meant[9]), ("key", meant[:, 9])):
            asked = QKTokens(it.name, head, "w9", side, k=D_VOCAB, offset=offset, biases=biases)
            if offset and not ABOUT[kind].keys() & {"width", "slopes"}:
                with pytest.raises(Refused, match="offset"):
                    it.ask(asked)
                continue
            found = it.ask(asked)
            close(by_token(found), line, 3 * SINGLE)
            assert found.cap == ABOUT[kind].get("cap")
            assert found.slope == it.head(head)["slope"]


@pytest.mark.parametrize("kind", TRAITS)
def test_singular_values_are_those_of_the_dense_matrices(opened, kind):
    it = opened(kind)
    for head in HEADS:
        stored = it.head(head)
        W_V = stored["gain"][:, None] * stored["W_V"]
        W_O = stored["W_O"] * stored["after"]
        W_Q, W_K = (stored["gain"][:, None] * stored[name] for name in ("W_Q", "W_K"))
        if stored["layer_norm"]:
            W_V, W_Q, W_K = (matrix - matrix.mean(0) for matrix in (W_V, W_Q, W_K))
            W_O = W_O - W_O.mean(-1, keepdim=True)
        meant = torch.linalg.svdvals(W_V @ W_O)[: stored["d_head"]]
        close(it.ask(Spectrum(it.name, head, "ov")).singular_values, meant)
        if "qk_norm" not in ABOUT[kind]:
            meant = torch.linalg.svdvals(W_Q @ W_K.T)[: stored["d_head"]]
            close(it.ask(Spectrum(it.name, head, "qk")).singular_values, meant)


@pytest.mark.parametrize("kind", TRAITS)
def test_scores_on_a_prompt_are_what_the_softmax_takes(opened, kind):
    it = opened(kind)
    for head in HEADS:
        found = it.ask(Attention(it.run, head.layer, "scores"))
        stored = it.head(head)
        masked = architectures.hidden(stored, len(IDS)).numpy()
        assert np.array_equal(found.mask, ~masked)
        assert np.array_equal(np.isnan(found.values[head.number]), masked)
        if "qk_norm" in ABOUT[kind]:
            again = (
                torch.tensor(found.values[head.number].copy()).nan_to_num(-torch.inf).softmax(-1)
            )
            close(again, it.own.patterns[head.layer][head.number])
        else:
            meant = architectures.scores(stored, it.own.streams[head.layer])
            close(found.values[head.number][~masked], meant[torch.tensor(~masked)], 3 * SINGLE)


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("kind", TRAITS)
def test_what_a_head_adds_is_its_share_of_the_models_stream(opened, kind, head):
    it, stored = opened(kind), opened(kind).head(head)
    added = architectures.added(stored, it.own, *head)
    output = it.ask(HeadOutput(it.run, head, position=8, k=D_VOCAB))
    close(by_token(output), architectures.to_logits(stored, added)[8], 3 * SINGLE)
    assert abs(output.by_source.sum() - output.value) < 1e-4 * np.abs(output.by_source).sum()
    steps = {step.symbol: step for step in it.ask(Workings(it.run, head)).steps}
    centred = added - added.mean(-1, keepdim=True) if stored["layer_norm"] else added
    close(steps["h"].values, centred, 3 * SINGLE)


@pytest.mark.parametrize("kind", TRAITS)
def test_value_weighted_patterns_are_lengths_of_what_reaches_the_stream(opened, kind):
    it, head = opened(kind), Head(1, 2)
    stored = it.head(head)
    given = architectures.moved(stored, it.own.streams[1])
    if stored["layer_norm"]:
        given = given - given.mean(-1, keepdim=True)
    scale = architectures.scale_after(stored, it.own, 1)
    meant = it.own.patterns[1][2] * given.norm(dim=-1) / scale[:, None]
    close(it.ask(Attention(it.run, 1, "value-weighted")).values[2], meant, 3 * SINGLE)


@pytest.mark.parametrize("kind", TRAITS)
def test_the_heads_parts_of_a_logit_are_their_shares_and_all_parts_its_own(opened, kind):
    it, head = opened(kind), Head(1, 2)
    stored = it.head(head)
    parts = it.ask(LogitAttribution(it.run, target="w9", position=8))
    added = architectures.to_logits(stored, architectures.added(stored, it.own, *head))
    assert parts.values[parts.heads.index(head)] * parts.final_scale == pytest.approx(
        float(added[8, 9]), abs=3 * SINGLE * float(added.abs().max())
    )
    logits = it.own.read @ stored["W_U"] * ABOUT[kind].get("logit_scale", 1.0)
    bias = it.model.get_output_embeddings().bias
    logits = logits if bias is None else logits + bias.double()
    own = logits - logits.mean(-1, keepdim=True) if stored["layer_norm"] else logits
    assert parts.total == pytest.approx(float(own[8, 9]), abs=1e-4 * np.abs(parts.values).sum())
    assert parts.logit_cap == ABOUT[kind].get("logit_cap")


@pytest.mark.parametrize("kind", TRAITS)
def test_the_last_stage_of_the_lens_and_the_loss_are_the_models(opened, kind):
    it = opened(kind)
    log_probs = it.own.logits.log_softmax(-1)
    lens = it.ask(LogitLens(it.run, k=3))
    for at in (0, 8, len(IDS) - 1):
        close(lens.log_probs[-1, at], log_probs[at].numpy()[lens.ids[-1, at]], 1e-4)
    meant = -log_probs[:-1].gather(1, torch.tensor(IDS[1:])[:, None])[:, 0]
    close(it.ask(it.run).loss, meant, 1e-4)


@pytest.mark.parametrize("kind", TRAITS)
def test_two_heads_in_a_row_move_what_the_later_ones_input_holds_of_the_earlier(opened, kind):
    it, (first, second) = opened(kind), (Head(0, 1), Head(2, 2))
    one, other = it.head(first), it.head(second)
    found = it.ask(VirtualHead(it.run, first, second, "w9"))
    stream = it.own.streams[2]
    if other["layer_norm"]:
        stream = stream - stream.mean(-1, keepdim=True)
    scale = (stream.square().mean(-1) + other["eps"]).sqrt()
    A_1, A_2 = it.own.patterns[0][1], it.own.patterns[2][2]
    A_1 = A_1 / architectures.scale_after(one, it.own, 0)[:, None]
    exact = A_2 @ (A_1 / scale[:, None]) / architectures.scale_after(other, it.own, 2)[:, None]
    close(found.exact, exact)
    given = A_2 @ (architectures.added(one, it.own, 0, 1) / scale[:, None])
    if other["layer_norm"]:
        given = given - given.mean(-1, keepdim=True)
    taken = A_2 @ (stream / scale[:, None])
    assert found.share == pytest.approx(
        float((given * taken).sum() / (taken * taken).sum()), abs=3 * SINGLE
    )


@pytest.mark.parametrize("kind", TRAITS)
def test_the_first_mlp_reads_and_writes_through_its_norms(opened, kind):
    it, head = opened(kind), Head(2, 3)
    stored, block = it.head(head), architectures.blocks(it.model)[0]
    rows = stored["W_E"].float()
    with torch.inference_mode():
        after = (rows + first_mlp(kind, block, rows)).double()
    meant = architectures.ov(stored | {"W_E": after})
    asked = OVTokens(it.name, head, "w9", source="token+mlp0", k=D_VOCAB)
    close(by_token(it.ask(asked)), meant[9], 3 * SINGLE)


def first_mlp(kind, block, rows):
    if kind == "gemma2" or kind == "gemma3":
        return block.post_feedforward_layernorm(block.mlp(block.pre_feedforward_layernorm(rows)))
    if kind == "glm4":
        return block.post_mlp_layernorm(block.mlp(block.post_attention_layernorm(rows)))
    if kind == "bloom":
        return block.mlp(block.post_attention_layernorm(rows), torch.zeros_like(rows))
    if kind == "mpt":
        return block.ffn(block.norm_2(rows), torch.zeros_like(rows))
    if kind == "gptj":
        return block.mlp(block.ln_1(rows))
    if kind in ("neo", "bigcode"):
        return block.mlp(block.ln_2(rows))
    if kind == "mixtral":
        return block.mlp(block.post_attention_layernorm(rows)[None])[0]
    if kind in ("falcon", "cohere"):
        return block.mlp(block.input_layernorm(rows))
    return (0.4 if kind == "granite" else 1.0) * block.mlp(block.post_attention_layernorm(rows))


@pytest.mark.parametrize("kind", POST)
def test_what_is_left_out_of_weights_before_a_norm_is_said(opened, kind):
    it = opened(kind)
    assert any("norm after the heads" in said for said in it.ask(LoadModel(it.name)).folded)


def test_caps_are_said(opened):
    it = opened("gemma2")
    assert it.ask(Attention(it.run, 0, "scores")).cap == 3.0
    assert it.ask(QKTokens(it.name, Head(0, 0), "w9")).cap == 3.0
    assert opened("glm4").ask(Attention(opened("glm4").run, 0, "scores")).cap is None
    said = " ".join(it.ask(LoadModel(it.name)).folded)
    assert "before the model caps them" in said
    assert "before the model caps it" in said


@pytest.mark.parametrize("kind", ["bloom", "mpt"])
def test_an_offset_changes_no_matrix_of_a_model_with_slopes(opened, kind):
    it = opened(kind)
    with pytest.raises(Refused, match="changes no matrix"):
        it.ask(Spectrum(it.name, Head(0, 0), "qk", offset=1))
    with pytest.raises(Refused, match="0 to "):
        it.ask(QKTokens(it.name, Head(0, 0), "w9", offset=-1))


@pytest.mark.parametrize("kind", TRAITS)
def test_folded_weights_make_the_models_pass_wherever_its_scores_follow(opened, kind):
    it = opened(kind)
    receipts = it.ask(Receipts(it.run, Head(1, 2))).receipts
    assert [receipt.name for receipt in receipts if receipt.passed is False] == []
    folded = next(it for it in receipts if it.name.startswith("folded and unfolded"))
    assert folded.passed is (None if "qk_norm" in ABOUT[kind] else True)
