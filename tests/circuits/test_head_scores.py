"""Scores of every head on repeated random tokens, by an independent pass on tokens of our own.

Which random tokens are drawn is the engine's affair, so the two are held together statistically:
by the spread that our own sequences show. On a prompt they are held together cell by cell.
"""

import numpy as np
import pytest
import torch
from transformer_lens import head_detector

from engine.messages import (
    MEASURES,
    PATTERN_MEASURES,
    Attention,
    DestinationRow,
    Head,
    HeadScores,
    Refused,
    RunPrompt,
)
from tests.oracles import checkpoint, detection, made_models, plain_transformer, prompts

SEQUENCES = 8
OURS = 16
SPREADS = 5  # standard errors of the difference
SLACK = 1e-3  # rare large values, of which a few sequences show too few
NAMES = ("attn-1l", "attn-2l", "random", "random-without-norm", "toy")


def _random(name, **options):
    return HeadScores(name, "random", **options)


@pytest.fixture(scope="module", params=checkpoint.TRAINED)
def both(request, answer, raw):
    model = raw(request.param)
    found = answer(_random(request.param, sequences=SEQUENCES))
    return model, found, detection.scores(model, found.length, OURS, seed=7)


def _assert_alike(found, ours, sequences):
    assert list(found.scores) == list(PATTERN_MEASURES)
    for measure in detection.MEASURES:
        rows = ours[measure].numpy()
        values = found.grid(measure)
        assert values.shape == rows.shape[1:]
        error = rows.std(0, ddof=1) * np.sqrt(1 / sequences + 1 / len(rows))
        assert (np.abs(values - rows.mean(0)) <= SPREADS * error + SLACK).all(), measure


def test_scores_of_every_head_are_those_of_our_own_sequences(both):
    _, found, ours = both
    _assert_alike(found, ours, SEQUENCES)


@pytest.mark.parametrize("name", ["toy-sharp", *made_models.RANDOM])
def test_scores_of_small_models_are_those_of_many_sequences_of_our_own(answer, raw, name):
    found = answer(_random(name, sequences=64))
    _assert_alike(found, detection.scores(raw(name), found.length, 64, seed=7), 64)


def test_a_perfect_head_scores_one_in_its_measure_and_nothing_in_the_others(answer):
    found = answer(_random(made_models.PERFECT, sequences=3))
    assert found.length == made_models.COPY
    np.testing.assert_allclose(found.grid("induction"), [[1, 0, 0]], atol=1e-6)
    # Row 1 of the first-token head looks one back too, and so the reverse: one row in eight. The
    # induction head looks at the first position throughout the first copy.
    np.testing.assert_allclose(found.grid("previous_token"), [[1 / 8, 1, 1 / 8]], atol=1e-6)
    np.testing.assert_allclose(found.grid("first_token"), [[1 / 2, 1 / 8, 1]], atol=1e-6)
    np.testing.assert_allclose(found.grid("duplicate_token"), [[0, 0, 0]], atol=1e-6)
    np.testing.assert_allclose(found.grid("entropy"), [[0, 0, 0]], atol=1e-5)
    # The induction head: rows 1 to 4 look as far back, rows 5 to 8 three back.
    distances = (22 / 8, 1, 36 / 8)
    np.testing.assert_allclose(found.grid("distance"), [distances], atol=1e-5)


def test_copies_are_long_enough_to_tell_and_fit_the_context(both):
    model, found, _ = both
    assert found.length >= 20
    assert 2 * found.length + 1 <= model.n_ctx


def test_only_the_second_layer_finds_what_followed_last_time(answer):
    induction = answer(_random("attn-2l")).grid("induction")
    assert induction[1].max() >= 0.8
    assert induction[0].max() < 0.2
    assert answer(_random("attn-1l")).grid("induction").max() < 0.2


def test_a_previous_token_head_stands_in_the_first_layer(answer):
    assert answer(_random("attn-2l")).grid("previous_token")[0].max() >= 0.7


def test_the_same_seed_gives_the_same_scores_and_another_seed_others(answer):
    first, again, other = (
        answer(_random("attn-1l", seed=seed, sequences=2)).scores["induction"] for seed in (3, 3, 4)
    )
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_tokens_come_from_the_range_asked_for(answer):
    few = answer(_random("random", lowest_id=5, highest_id=8))
    assert few.length == 4
    whole = answer(_random("random"))
    assert whole.length == 9  # as many as the context has room for
    assert (few.scores["entropy"] != whole.scores["entropy"]).all()


@pytest.mark.parametrize("name", NAMES)
def test_on_a_prompt_they_are_those_of_plain_loops(answer, raw, name):
    model = raw(name)
    for text in prompts.of(name)[:2] if name != "toy" else ("ans return ans 0 ans", "ans"):
        ids = model.encode(text)
        found = answer(HeadScores(name, "prompt", run=RunPrompt(name, text)))
        assert found.length is None
        seen = plain_transformer.run(model, ids)
        for layer, pattern in enumerate(seen.patterns):
            for measure, expected in detection.on_ids(pattern, ids).items():
                values = found.grid(f"prompt_{measure}")[layer]
                np.testing.assert_allclose(values, expected, atol=2e-5, err_msg=measure)


def test_all_are_those_of_each_part_and_need_no_prompt(answer):
    run = RunPrompt("random", prompts.IN_RANDOM[0])
    parts = {
        **answer(_random("random")).scores,
        **answer(HeadScores("random", "prompt", run=run)).scores,
        **answer(HeadScores("random", "weights")).scores,
    }
    whole = answer(HeadScores("random", run=run))
    assert list(whole.scores) == list(parts) == list(MEASURES)
    for name, values in parts.items():
        assert values.shape == (len(whole.heads),)
        np.testing.assert_array_equal(whole.scores[name], values)
    without = answer(HeadScores("random")).scores
    assert [name for name in MEASURES if not name.startswith("prompt_")] == list(without)


def _theirs(pattern, mask):
    return head_detector.compute_head_attention_similarity_score(
        pattern, mask, exclude_bos=False, exclude_current_token=False, error_measure="mul"
    )


def test_transformer_lenss_masks_and_formula_give_its_number_on_our_pattern(answer, raw):
    text = " tea green tea green tea"
    ids = torch.tensor([raw("attn-2l").encode(text)])
    masks = {
        "induction": head_detector.get_induction_head_detection_pattern(ids),
        "previous_token": head_detector.get_previous_token_head_detection_pattern(ids),
        "duplicate_token": head_detector.get_duplicate_token_head_detection_pattern(ids),
    }
    run = RunPrompt("attn-2l", text)
    scores = answer(HeadScores("attn-2l", "prompt", run=run))
    for layer in range(2):
        patterns = torch.tensor(np.array(answer(Attention(run, layer)).values))
        for measure, mask in masks.items():
            rows, count = float(mask.any(-1).sum()), ids.shape[1]
            for head, pattern in enumerate(patterns):
                by_formula = float((pattern * mask).sum() / pattern.sum())
                assert by_formula == pytest.approx(_theirs(pattern, mask), abs=1e-5)
                # Theirs is a share of all attention; ours goes over the rows that have a cell.
                ours = scores.grid(f"prompt_{measure}")[layer, head] * rows / count
                assert ours == pytest.approx(_theirs(pattern, mask), abs=1e-5)


def test_induction_has_the_right_offset_in_both():
    ids = [0, 1, 2, 3, 1, 2, 3]
    mask = head_detector.get_induction_head_detection_pattern(torch.tensor([ids]))
    assert mask.nonzero().tolist() == [[4, 2], [5, 3], [6, 4]]
    uniform = torch.ones(7, 7).tril() / torch.arange(1, 8)[:, None]
    assert _theirs(uniform, mask) == pytest.approx(0.0727891, abs=1e-6)
    ours = detection.on_ids(uniform[None].double(), ids)["induction"]
    assert float(ours) * 3 / 7 == pytest.approx(0.0727891, abs=1e-6)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        (HeadScores("toy", sequences=1001), "sequences must be 1 to 1000, not 1001"),
        (HeadScores("toy", lowest_id=-1), "ids 0 to 4"),
        (HeadScores("toy", lowest_id=3, highest_id=2), "ids 0 to 4"),
        (HeadScores("toy", highest_id=5), "ids 0 to 4"),
        (HeadScores("toy", lowest_id=4), "fewer than 2 ordinary tokens"),
        (HeadScores("toy", "prompt"), "need one"),
        (HeadScores("toy", "random", run=RunPrompt("toy", "ans")), "leave it out"),
        (HeadScores("toy", "weights", run=RunPrompt("toy", "ans")), "leave it out"),
        (HeadScores("toy", heads_off=(Head(0, 1),)), r"only head 0\.0"),
        (
            HeadScores("toy", heads_off=(Head(0, 0),), run=RunPrompt("toy", "ans")),
            "different heads",
        ),
    ],
)
def test_what_cannot_be_measured_is_refused_in_one_sentence(answer, question, sentence):
    with pytest.raises(Refused, match=sentence) as refusal:
        answer(question)
    assert "\n" not in str(refusal.value)


def test_measures_say_which_token_stood_first(answer):
    run = RunPrompt("attn-2l", " green tea", prepend_bos=False)
    found = answer(HeadScores("attn-2l", run=run))
    assert (found.begins, found.prompt_begins) == ("<|BOS|>", "·green")
    found = answer(HeadScores("attn-2l", run=RunPrompt("attn-2l", " green tea")))
    assert found.prompt_begins == "<|BOS|>"
    assert answer(HeadScores("toy", "random")).begins == ""  # a model without BOS
    assert answer(HeadScores("attn-2l", "weights")).begins is None
    assert answer(DestinationRow(run)).begins == "<|BOS|>"
