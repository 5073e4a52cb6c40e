"""Every step of a head, against the text's own digits and against the plain pass in float64."""

import numpy as np
import pytest

from engine.messages import Head, RunPrompt, Workings
from tests.oracles import dense_circuits, plain_transformer, prompts, toy_head

TOY = Workings(RunPrompt("toy", toy_head.TEXT), Head(0, 0), 4)
SHARP = Workings(RunPrompt("toy-sharp", toy_head.TEXT), Head(0, 0))
AT_ANS, AT_RETURN = 3, 4
ROOT_2 = 2**0.5
CHAIN = ["T", "W_E", "X", "W_Q", "Q", "W_K", "K", "W_QK", "S", "S/√d", "A"]
CHAIN += ["W_V", "V", "r", "W_O", "h", "W_OV", "W_U", "ΔL"]
NAMES = ("attn-1l", "attn-2l", "random", "random-without-norm")


@pytest.fixture(scope="module")
def toy(answer):
    return answer(TOY)


def values(found, symbol):
    return found.step(symbol).values


def test_the_chain_is_section_1_s_in_its_order(toy):
    assert [step.symbol for step in toy.steps] == CHAIN
    assert toy.query == AT_RETURN
    assert toy.labels == toy_head.TOKENS
    parts = list(dict.fromkeys(step.part for step in toy.steps))
    assert parts == ["input", "where", "what", "prediction"]


@pytest.mark.parametrize(
    ("symbol", "printed"),
    [
        ("T", np.eye(5)),
        ("W_E", toy_head.X),
        ("X", toy_head.X),
        ("W_Q", toy_head.W_Q.T),
        ("W_K", toy_head.W_K.T),
        ("W_V", toy_head.W_V.T),
        ("W_O", toy_head.W_O.T),
        ("W_U", toy_head.W_U.T),
        ("Q", [[0, 0]] * 4 + [list(toy_head.QUERY_AT_RETURN)]),
        ("K", [[1, 1], [0, 0], [0, 0], [1, -1], [0, 0]]),
        ("V", [[1, 1], [0, 0], [0, 0], [-1, 1], [0, 0]]),
        ("S", [[0] * 5] * 4 + [list(toy_head.SCORES_AT_RETURN)]),
        ("W_OV", toy_head.W_OV_PRINTED),
    ],
)
def test_whole_numbers_of_section_1_are_whole(toy, symbol, printed):
    np.testing.assert_array_equal(values(toy, symbol), printed)


def test_the_qk_circuit_has_its_two_entries_and_no_other(toy):
    matrix = values(toy, "W_QK")
    found = {place: matrix[place] for place in map(tuple, np.argwhere(matrix).tolist())}
    assert found == toy_head.W_QK_ENTRIES


def printed(row):
    return [f"{value:.2f}" for value in row]


def test_digits_of_the_prose_come_out_as_printed(toy):
    assert printed(values(toy, "A")[AT_RETURN]) == ["0.62", "0.07", "0.07", "0.15", "0.07"]
    # V's first column is which-name, its second is-a-name: r is (0.47, 0.78).
    assert printed(values(toy, "r")[AT_RETURN]) == ["0.47", "0.78"]
    assert printed(values(toy, "h")[AT_RETURN]) == ["0.78", "0.47", "0.00", "0.00"]
    assert printed(values(toy, "ΔL")[AT_RETURN]) == ["1.25", "0.00", "0.00", "0.30", "0.00"]


def test_digits_of_the_code_card_come_out_as_printed(toy):
    assert [f"{v:.3f}" for v in values(toy, "A")[4]] == [
        "0.624",
        "0.075",
        "0.075",
        "0.152",
        "0.075",
    ]
    assert [f"{v:.3f}" for v in values(toy, "ΔL")[4]] == [
        "1.248", "0.000", "0.000", "0.303", "0.000",
    ]  # fmt: skip


def test_other_rows_are_those_of_sections_4_to_6(toy):
    np.testing.assert_allclose(values(toy, "A"), toy_head.PATTERN, atol=5e-4)
    np.testing.assert_allclose(values(toy, "h")[AT_ANS], toy_head.HEAD_OUTPUT_AT_ANS, atol=1e-6)
    np.testing.assert_allclose(values(toy, "ΔL")[AT_ANS], toy_head.LOGITS_AT_ANS, atol=1e-6)


def test_increments_are_exactly_twice_the_two_weights(toy):
    twice = 2 * values(toy, "A")[AT_RETURN][[0, 3]]
    np.testing.assert_allclose(values(toy, "ΔL")[AT_RETURN][[0, 3]], twice, rtol=1e-6)


def test_scores_are_divided_by_the_root_of_the_heads_width(toy):
    step = toy.step("S/√d")
    np.testing.assert_allclose(step.values[AT_RETURN], np.array([3, 0, 0, 1, 0]) / ROOT_2)
    assert np.isnan(step.values[np.triu_indices(5, 1)]).all()
    assert "1.414" in step.sentence


def test_the_sharp_head_raises_result_by_1_96_and_ans_by_0_03(answer):
    found = answer(SHARP)
    change = values(found, "ΔL")[AT_RETURN]
    assert [f"{value:+.2f}" for value in change[[0, 3]]] == ["+1.96", "+0.03"]
    np.testing.assert_allclose(change[[0, 3]], 2 * values(found, "A")[AT_RETURN][[0, 3]], rtol=1e-6)
    np.testing.assert_array_equal(values(found, "W_Q"), 3 * toy_head.W_Q.T)


def test_one_entry_of_the_lookup_is_section_3_s(toy):
    # X[4, 2] of the text, counted from 1: the which-name bit of `ans`.
    assert values(toy, "X")[AT_ANS, 1] == -1


@pytest.mark.parametrize("request_", [TOY, Workings(RunPrompt("random", "w3 w9 w3"), Head(1, 2))])
def test_index_strings_make_each_step_out_of_the_ones_they_name(answer, request_):
    found = answer(request_)
    made = {step.symbol: step.values.astype(np.float64) for step in found.steps}
    checked = 0
    for step in found.steps:
        if not step.einsum or "norm" in step.formula or step.symbol == "X":
            continue
        operands = [made[name] for name in step.operands]
        again = np.einsum(step.einsum, *operands)
        paper = np.einsum(step.paper_einsum, *[
            o.T if name.startswith("W_") else o
            for name, o in zip(step.operands, operands, strict=True)
        ])  # fmt: skip
        if "+ b_" in step.formula:
            again, paper = (x + made[f"b_{step.symbol}"] for x in (again, paper))
        np.testing.assert_allclose(again, step.values, rtol=0, atol=1e-5, err_msg=step.symbol)
        np.testing.assert_allclose(paper, step.values, rtol=0, atol=1e-5, err_msg=step.symbol)
        checked += 1
    assert checked >= 9


def test_every_step_says_its_shape_axes_and_labels(answer):
    for request in (TOY, Workings(RunPrompt("random", "w3 w9"), Head(1, 0), 0)):
        for step in answer(request).steps:
            assert (
                step.shape == step.values.shape == (len(step.row_labels), len(step.column_labels))
            )
            assert step.sentence.endswith(".")
            assert step.formula
            assert step.paper
            assert bool(step.einsum) == bool(step.operands) == bool(step.paper_einsum)
            marked = step.axes[0] in ("query", "position")
            assert step.marked_row == (answer(request).query if marked else None)


def test_arrays_inside_the_steps_are_read_only_and_their_own(toy):
    for step in toy.steps:
        assert not step.values.flags.writeable
        assert step.values.base is None


@pytest.mark.parametrize("name", NAMES)
def test_each_step_of_a_trained_or_random_head_is_that_of_the_plain_pass(answer, raw, name):
    model, text = raw(name), prompts.of(name)[0]
    ids = model.encode(text)
    seen = plain_transformer.run(model, ids)
    layer, number = model.n_layers - 1, 1
    found = answer(Workings(RunPrompt(name, text), Head(layer, number)))
    project = dense_circuits.off_ones(model)
    folded = {x: project @ model.of_head(layer, number, f"W_{x}") for x in "QKV"}
    folded["O"] = model.of_head(layer, number, "W_O") @ project
    read, pattern = seen.reads[layer], seen.patterns[layer][number]
    expected = {
        "X": read,
        **{f"W_{x}": matrix for x, matrix in folded.items()},
        "Q": seen.queries[layer][number],
        "K": seen.keys[layer][number],
        "W_QK": dense_circuits.qk_matrix(model, layer, number),
        "W_OV": dense_circuits.ov_matrix(model, layer, number),
        "S": seen.queries[layer][number] @ seen.keys[layer][number].T,
        "A": pattern,
        "b_V": model.of_head(layer, number, "b_V")[None],
        "V": seen.values[layer][number],
        "r": pattern @ seen.values[layer][number],
        "h": seen.head_outputs[layer][number] @ project,
    }
    for symbol, matrix in expected.items():
        scale = max(1, float(matrix.abs().max()))
        np.testing.assert_allclose(
            values(found, symbol), matrix, rtol=0, atol=2e-5 * scale, err_msg=symbol
        )
    change = found.step("ΔL")
    table = dense_circuits.unembedding(model)
    assert change.column_labels == found.step("W_U").column_labels
    logits = expected["h"] @ table
    at_query = np.sort(logits[-1].numpy())
    np.testing.assert_allclose(np.sort(change.values[-1])[-3:], at_query[-3:], rtol=0, atol=1e-4)
    np.testing.assert_allclose(np.sort(change.values[-1])[:3], at_query[:3], rtol=0, atol=1e-4)


def test_one_hot_rows_of_a_large_vocabulary_have_a_column_for_each_token_that_occurs(answer, raw):
    model = raw("attn-2l")
    ids = model.encode(prompts.TEA)
    found = answer(Workings(RunPrompt("attn-2l", prompts.TEA), Head(1, 0)))
    one_hot = found.step("T")
    assert one_hot.shape == (10, 9)  # ` green` occurs twice
    assert (one_hot.values.sum(1) == 1).all()
    np.testing.assert_array_equal(one_hot.values[3], one_hot.values[9])
    looked_up = one_hot.values @ values(found, "W_E")
    np.testing.assert_allclose(looked_up, model["embed.W_E"][ids], atol=1e-6)
    stream = looked_up + values(found, "W_pos") + values(found, "L")
    normed = (stream - stream.mean(1, keepdims=True)) / np.sqrt(
        stream.var(1, keepdims=True) + model.eps
    )
    np.testing.assert_allclose(values(found, "X"), normed, atol=1e-5)
    change = found.step("ΔL")
    assert change.shape[1] <= 9 + 20
    row = change.values[found.query]
    assert (np.diff(row) <= 0).all()


def test_a_head_that_is_off_gets_and_adds_nothing(answer):
    run = RunPrompt("attn-2l", prompts.TEA, heads_off=(Head(1, 3),))
    off, on = (answer(Workings(run, Head(1, number))) for number in (3, 2))
    assert not values(off, "r").any()
    assert not values(off, "h").any()
    assert not values(off, "ΔL").any()
    assert "off" in off.step("r").sentence
    assert values(off, "A").any()
    assert values(on, "h").any()


def test_what_earlier_layers_wrote_lacks_the_heads_that_are_off(answer, raw):
    head = Head(0, 2)
    whole = answer(Workings(RunPrompt("attn-2l", prompts.TEA), Head(1, 3)))
    run = RunPrompt("attn-2l", prompts.TEA, heads_off=(head,))
    without = answer(Workings(run, Head(1, 3)))
    seen = plain_transformer.run(raw("attn-2l"), raw("attn-2l").encode(prompts.TEA))
    gone = values(whole, "L") - values(without, "L")
    np.testing.assert_allclose(gone, seen.head_outputs[0][2], rtol=0, atol=2e-4)
