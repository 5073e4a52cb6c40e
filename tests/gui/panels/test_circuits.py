"""The OV and QK panels: whose token is asked about, and how to turn the question."""

import pytest

from engine.messages import Head, OVTokens, QKTokens, Table
from gui.panels.head.token_rankings import OVPanel, QKPanel
from gui.style.formatting import fixed
from tests.gui.fake_engine import FakeEngine


@pytest.fixture
def ov(show):
    return show(OVPanel)


@pytest.fixture
def qk(show):
    return show(QKPanel)


def asked(panel):
    return panel.wants()["tokens"]


def test_ov_follows_the_source_that_the_pinned_query_reads(ov, session):
    run, source = ov.known("run"), ov.focus.source
    assert asked(ov) == OVTokens(
        "attn-2l", session.selection.head, None, "output", "position", 10, session.run, source
    )
    assert ov.sentence.text == (
        f"reading {run.labels[source]} at position {source}, {session.selection.head.name} "
        "raises and lowers"
    )


def test_ov_follows_a_pinned_source(ov, session, settle):
    session.pin(5, 3)
    settle(ov)
    assert asked(ov).position == 3
    assert "at position 3" in ov.sentence.text


def test_qk_follows_the_pinned_query(qk, session, settle):
    session.pin(4)
    settle(qk)
    assert asked(qk).position == 4
    assert f"(query 4), {session.selection.head.name} looks for" in qk.sentence.text


@pytest.mark.parametrize("engine", [FakeEngine(positions="ALiBi")])
def test_qk_with_alibi_is_asked_for_as_far_back_as_the_source_lies(show, session, settle):
    panel = show(QKPanel)
    session.pin(5, 2)
    settle(panel)
    assert asked(panel).offset == 3
    assert panel.wants()["table"].offset == 0  # a distance changes no matrix there


def test_qk_turned_round_follows_the_pinned_source(qk, session, settle):
    session.pin(5, 3)
    session.ask_qk(side="key")
    settle(qk)
    assert asked(qk).side == "key"
    assert asked(qk).position == 3
    assert f"(key 3) is what {session.selection.head.name} looks for" in qk.sentence.text


def test_turned_round_ov_asks_which_sources_raise_the_token(ov, session, settle):
    session.pin(5, 3)
    session.ask_ov(direction="source")
    settle(ov)
    request = asked(ov)
    assert request.direction == "source"
    assert request.source == "token"
    assert request.token == int(ov.known("run").ids[3])
    assert request.run is None
    assert "is raised most" in ov.sentence.text


def test_position_is_only_offered_where_it_means_something(ov, session, settle):
    session.ask_ov(token=4)
    settle(ov)
    assert ov.source.value() == "token"
    assert session.selection.ov.source == "position"  # kept for when it means something again


def test_a_model_without_mlp_is_never_asked_for_the_embedding_after_it(ov, session, settle):
    session.ask_ov(source="token+mlp0")
    settle(ov)
    assert asked(ov).source == "token"


@pytest.mark.parametrize("engine", [FakeEngine(d_mlp=48)])
def test_a_model_with_mlp_is(show, session, settle):
    panel = show(OVPanel)
    session.ask_ov(source="token+mlp0")
    settle(panel)
    assert asked(panel).source == "token+mlp0"
    assert asked(panel).token is not None


def test_the_tokens_own_rank_value_and_median_are_told(ov):
    answer = ov.known("tokens")
    assert f"rank {answer.rank} of {answer.d_vocab}" in ov.rank.text
    assert fixed(answer.value, 2, signed=True) in ov.rank.text
    assert f"median {fixed(answer.median, 2, signed=True)}" in ov.rank.text


def test_scores_name_their_divisor(qk):
    assert "÷ 2.5" in qk.rank.text


def test_a_small_vocabulary_is_drawn_as_its_whole_table(ov, session):
    assert isinstance(ov.wants()["table"], Table)
    assert ov.view.isVisible()
    assert ov.table.isVisible()


def test_the_whole_table_says_what_its_numbers_are(ov, qk):
    assert ov.table.matrix.unit == "logit"
    assert qk.table.matrix.unit == "score, divided by 2.5"


def test_the_whole_table_has_all_the_width_of_a_narrow_card(qtbot, ov):
    ov.resize(300, 400)
    ov.view.set_value("table")
    ov.view.changed.emit("table")
    qtbot.waitUntil(lambda: ov.table.isVisible() and not ov.strongest.isVisible())
    qtbot.waitUntil(lambda: ov.table.width() > 0.9 * ov.body.width())


@pytest.mark.parametrize("engine", [FakeEngine(vocabulary=65)])
def test_a_large_vocabulary_is_not(show):
    panel = show(OVPanel)
    assert "table" not in panel.wants()
    assert not panel.view.isVisible()
    assert panel.weakest.isVisible()


@pytest.mark.parametrize("engine", [FakeEngine(d_mlp=48)])
@pytest.mark.parametrize("kind", [OVPanel, QKPanel])
@pytest.mark.parametrize(("layer", "source"), [(0, "token"), (1, "token+mlp0")])
def test_a_token_without_a_position_is_read_after_the_first_mlp_in_deep_layers(
    show, session, settle, engine, kind, layer, source
):
    engine.asked.clear()
    session.choose_head(Head(layer, 2))
    session.ask_ov(token=4)
    session.ask_qk(token=4)
    panel = show(kind)
    assert (asked(panel).source, asked(panel).token) == (source, 4)
    assert panel.source.value() == source
    assert {it.source for it in engine.asked if isinstance(it, OVTokens | QKTokens)} == {source}
    panel.ask(source="token")
    settle(panel)
    assert asked(panel).source == "token"
    panel.ask(token=None, source="position")
    settle(panel)
    assert asked(panel).source == "position"


@pytest.mark.parametrize("engine", [FakeEngine(d_mlp=48)])
def test_sources_of_a_deep_layer_are_read_after_the_first_mlp(show, session, settle):
    session.choose_head(Head(1, 2))
    session.ask_ov(direction="source")
    panel = show(OVPanel)
    assert asked(panel).source == "token+mlp0"
    assert panel.subtitle.text() == "each token: the embedding after MLP0"


@pytest.mark.parametrize("engine", [FakeEngine(d_mlp=48)])
def test_a_deep_layer_says_what_is_read_and_why_the_embedding_is_noise(show, session, settle):
    session.choose_head(Head(1, 2))
    ov, qk = show(OVPanel), show(QKPanel)
    assert ov.subtitle.text() == "reads the stream at its position"
    assert qk.subtitle.text() == "query: position, keys: token + MLP0"
    assert ov.why.text == (
        "Deep layers read the stream, not the embedding: here, the stream at this position."
    )
    assert "the stream at this position, and token + MLP0 for the lists" in qk.why.text
    session.ask_ov(source="token")
    settle(ov)
    assert ov.subtitle.text() == "reads the bare embedding"
    assert "the bare embedding gives mostly noise here" in ov.why.text
    session.choose_head(Head(0, 2))
    settle(ov, qk)
    assert not ov.why.isVisible()
    assert qk.subtitle.text() == "query: position, keys: token"


def test_without_mlps_there_is_nothing_to_explain(show, session):
    session.choose_head(Head(1, 2))
    panel = show(OVPanel)
    assert not panel.why.isVisible()
    assert panel.subtitle.text() == "reads the stream at its position"
