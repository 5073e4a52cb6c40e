"""The seven printed sections of the second text, for any model."""

import json
import re

import numpy as np
import pytest
import torch

from engine import Engine
from engine.cli.report import parse, report
from engine.messages import Head, OVTokens, Refused
from engine.messages.records import request_from_json
from tests.oracles import checkpoint, dense_circuits, hugging_face, plain_transformer, prompts

WORDS = ("--model", "attn-1l", "--text", prompts.TEA)
HEADINGS = [
    "== 1. ONE HEAD, FOUR MATRICES (attn-1l, head {head}, paper shapes = TransformerLens shapes "
    "transposed)",
    "== 2. CONCATENATE-THEN-MULTIPLY EQUALS THE SUM OF EACH HEAD THROUGH ITS OWN SLICE OF W_O",
    "== 3. ONE HEAD ON A REAL PROMPT (attn-1l, head {head})",
    "== 4. THE PATTERN IN ONE STEP: A = softmax(x^T W_QK x), WITHOUT KEYS OR QUERIES",
    "== 5. W_OV = W_O W_V AND W_QK = W_Q^T W_K (paper shapes)",
    "== 6. CHANGE THE VALUES WITH ANY INVERTIBLE 32 x 32 MATRIX M: THE HEAD DOES NOT CHANGE",
    "== 7. THE OV CIRCUIT W_U W_OV W_E AND THE QK CIRCUIT W_E^T W_QK W_E (head {head}, read from "
    "the weights only)",
]


@pytest.fixture(scope="module")
def printed():
    return report(parse(WORDS))


@pytest.fixture(scope="module")
def seen():
    model = checkpoint.bundled("attn-1l")
    return model, plain_transformer.run(model, model.encode(prompts.TEA))


def number(text, pattern):
    return float(re.search(pattern, text)[1])


def test_headings_are_the_texts_own(printed):
    head = printed.split()[2].rstrip(",")
    found = [line for line in printed.splitlines() if line.startswith("==")]
    assert found == [heading.format(head=head) for heading in HEADINGS]


def test_the_best_head_raises_the_models_guess_more_than_any_other(printed, seen):
    model, passed = seen
    guess = int(passed.logits[-1].argmax())
    column = dense_circuits.unembedding(model)[:, guess]
    raised = [float(output[-1] @ column) for output in passed.head_outputs[0]]
    best = int(np.argmax(raised))
    assert printed.startswith(f"best head: 0.{best}, which raises the model's first guess '·tea'")
    value = number(printed, r"'·tea', (\d+\.\d\d)\)")
    assert value == pytest.approx(raised[best], abs=6e-3)


def test_the_printed_row_is_that_of_the_plain_pass(printed, seen):
    _, passed = seen
    head = Head.parse(printed.split()[2].rstrip(","))
    row = passed.patterns[0][head.number][-1]
    shares = re.search(r"row of A for the last token '·green': (.*)", printed)[1]
    top = row.topk(3).values
    assert re.findall(r"\d\.\d\d(?=,|$)", shares) == [f"{share:.2f}" for share in top]
    scores = passed.scores[0][head.number][-1]
    listed = re.search(r"raw scores of the last row .*: \[(.*)\]", printed)[1]
    np.testing.assert_allclose([float(s) for s in listed.split(", ")], scores, atol=6e-3)
    assert "rank of '·tea' among 8,192 tokens: 1" in printed


def test_residuals_are_those_of_rounding(printed):
    for pattern in (
        r"\|concat - sum\| max = (\S+);",
        r"\|sum - model\| max = (\S+)",
        r"\|A from W_QK - model A\| max = (\S+)",
        r"max \|row sum - 1\| = (\S+);",
        r"both through W_O = (\S+)",
    ):
        assert 0 <= number(printed, pattern) < 2e-5, pattern
    assert number(printed, r"33rd (\S+),") < 1e-5 * number(printed, r"1st (\S+),")
    assert number(printed, r"head output: max \|change\| (\S+)") < 1e-12
    assert number(printed, r"value vectors: mean \|change\| (\S+) ") > 0.5


def test_a_head_that_is_named_is_taken(seen):
    printed = report(parse((*WORDS, "--head", "L0H5")))
    assert printed.startswith("== 1. ONE HEAD, FOUR MATRICES (attn-1l, head 0.5,")
    overlap, _ = dense_circuits.overlap(dense_circuits.ov_matrix(seen[0], 0, 5))
    assert f"head 0.5: {overlap:.3f}" in printed


def test_copying_is_counted_as_the_text_counts_it(printed):
    model, ids = checkpoint.bundled("attn-1l"), torch.arange(1000, 3000, 10)
    vectors = dense_circuits.token_vectors(model)[ids]
    shares = []
    for number in range(8):
        best = dense_circuits.ov_of(model, 0, number, vectors).argmax(1)
        shares.append(f"0.{number}: {float((best == ids).double().mean()):.2f}")
    assert ", ".join(shares) in printed


def test_a_toy_is_reported_with_the_prompts_own_tokens():
    printed = report(parse(("--Model", "toy", "--TEXT", "result = 0 ans return")))
    assert "row of A for the last token 'return': 'result' 0.62, 'ans' 0.15, '=' 0.07" in printed
    assert "OV  attend to 'ans'" in printed
    assert "QK  query 'return'" in printed
    assert "singular values: 1st 1, 2nd 1, 3rd 0, 4th 0" in printed


def test_a_tie_is_not_a_copy_and_a_row_of_equal_values_says_so():
    printed = report(parse(("--model", "toy", "--text", "result = 0 ans return")))
    assert "whose top OV output is the token itself: 0.0: 0.40" in printed
    assert "OV  attend to '='        -> raises no token above another: all 5 have" in printed


@pytest.mark.parametrize("kind", ["llama", "gemma2", "gemma3", "bloom", "neo", "stablelm"])
def test_every_architecture_is_reported_with_all_sections(kind, tmp_path):
    hugging_face.write(kind, tmp_path / kind)
    words = ("--model", str(tmp_path / kind), "--text", hugging_face.TEXT)
    printed = report(parse(words))
    assert len(re.findall(r"^== \d\. ", printed, re.MULTILINE)) == 7
    assert "nan" not in printed
    turned = "undefined (no one W_QK gives this model's scores"
    assert (turned in printed) is (kind != "neo")
    assert all(f"\n== {n}. " in f"\n{printed}" for n in range(1, 8))


def test_what_is_undefined_is_said_in_words_and_what_stands_for_it_is_measured(tmp_path):
    hugging_face.write("llama", tmp_path / "llama")
    words = ("--model", str(tmp_path / "llama"), "--text", hugging_face.TEXT)
    printed = report(parse(words))
    assert 0 <= number(printed, r"do to their scores - model A\| max = (\S+)") < 1e-4
    assert "raw scores of the last row (before softmax): [" in printed
    assert "W_QK at offset 0: shape" in printed


def test_json_has_the_sections_and_every_question_with_its_answer():
    words = ("--model", "toy", "--text", "result = 0 ans return")
    record = json.loads(report(parse((*words, "--json"))))
    text = report(parse(words))
    for section in record["sections"]:
        assert f"== {section['title']}" in text
        assert all(f"  {line}\n" in text for line in section["lines"])
    assert record["copying"] == {"first": 0, "last": 4, "step": 1, "shares": {"0.0": 0.4}}
    asked = {part["request"]["question"] for part in record["answers"]}
    assert asked >= {"load-model", "run-prompt", "attention", "receipts", "spectrum", "ov-tokens"}
    (read,) = [
        part
        for part in record["answers"]
        if part["request"]["question"] == "ov-tokens" and part["result"]["token_label"] == "ans"
    ]
    found = Engine().answer(request_from_json(read["request"]))
    assert isinstance(request_from_json(read["request"]), OVTokens)
    assert read["result"]["values"] == found.values.tolist()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "report needs --model"),
        (("--model", "toy"), "report needs --text"),
        (("--model", "toy", "--text", "ans", "--k", "3"), "report has no option '--k'"),
        (("--model", "toy", "--text", "ans", "--head", "best of all"), "is not a head"),
        (("--model", "toy", "--text", "ans", "--head", "0.1"), r"only head 0\.0"),
        (("--model", "toy-2l", "--text", "ans", "--head", "2.0"), r"heads 0\.0 to 1\.0"),
        (("--model", "nothing", "--text", "ans"), "there is no model 'nothing'"),
        (("--model",), "--model needs a value"),
    ],
)
def test_what_cannot_be_reported_is_refused_in_one_sentence(words, sentence):
    with pytest.raises(Refused, match=sentence) as refusal:
        report(parse(words))
    assert "\n" not in str(refusal.value)


def test_a_report_says_a_precision_that_is_not_the_usual_one():
    words = ["--model", "toy", "--text", "result = 0 ans return", "--head", "0.0"]
    plain, half = (report(parse([*words, *more])) for more in ([], ["--dtype", "bfloat16"]))
    first, _, rest = half.partition("\n")
    assert first == (
        "toy runs in float32 on cpu, as attention-only models always do, and not in bfloat16 on cpu"
    )
    assert rest.strip() == plain.strip()
