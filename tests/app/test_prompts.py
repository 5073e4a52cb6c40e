"""Prompts that must do in the window what a person expects."""

import pytest

from engine.messages import RunPrompt
from gui.session.session import Selection
from tests.app.conftest import settle

READABLE = [
    "tea",
    "<s> I <3 you </s> <b>x</b> &amp;",
    r"cost $5, $$, $\foo$ and R&D",
    "💩💩💩💩",
    "東京メトロ",
    "קריירה (123)",
    "\tone\n\n two\t\n",
]


@pytest.fixture
def window(open_window):
    return open_window()


def test_a_readable_prompt_fills_every_panel_with_its_own_tokens(qtbot, window, engine):
    for text in READABLE:
        window.session.set_text(text)
        settle(qtbot, window)
        labels = engine.answer(RunPrompt("attn-2l", text)).labels
        for panel in window.panels:
            assert panel.state == "fresh", (panel.title, text)
        prompt = window.panels[0]
        assert prompt.known("run").labels == labels
        assert prompt.edit.toPlainText() == text
        assert window.panels[2].known("shown").labels == labels
        assert window.panels[2].sentence.text == (
            f"from {labels[-1]} (query {len(labels) - 1}), this head reads"
        )
        window.grab()


def test_an_empty_prompt_is_the_bos_alone(qtbot, window):
    window.session.set_text("")
    settle(qtbot, window)
    assert [panel.state for panel in window.panels] == ["fresh"] * 6
    assert window.panels[0].subtitle.text() == "1 token"
    window.grab()


def test_an_empty_prompt_without_bos_says_what_to_do_and_keeps_the_last_result(qtbot, window):
    window.session.set_text("")
    window.session.set_prepend_bos(False)
    settle(qtbot, window)
    assert window.panels[0].state == "failed"
    assert window.panels[0].notice.text()
    assert window.panels[2].known("shown") is not None


def test_five_thousand_words_are_refused_naming_both_lengths_and_kept(qtbot, window, engine):
    text = "tea " * 5000
    window.session.set_text(text)
    settle(qtbot, window)
    said = window.panels[0].notice.text()
    assert "256" in said
    assert "500" in said.replace(",", "")
    assert window.panels[0].edit.toPlainText() == text
    assert window.panels[2].known("shown") is not None
    assert "see Prompt" in window.panels[2].notice.text()


def test_the_first_texts_head_reads_as_it_is_printed(qtbot, open_window):
    window = open_window(Selection(model="toy", text="result = 0 ans return"))
    panels = {panel.title: panel for panel in window.panels}
    last = panels["Attention"].known("shown").values[0, 4]
    assert [f"{value:.3f}" for value in last] == ["0.624", "0.075", "0.075", "0.152", "0.075"]
    assert panels["OV"].sentence.text == "reading result at position 0, L0H0 raises and lowers"
    assert panels["OV"].strongest.model().index(0, 1).data() == "result"
    assert panels["OV"].known("tokens").value == 2
    table = panels["OV"].known("table").values
    assert table[0, 0] == 2
    assert table[3, 3] == 2
    assert panels["QK"].known("tokens").labels[:2] == ("result", "ans")
    assert not window.top.bos.isEnabled()
