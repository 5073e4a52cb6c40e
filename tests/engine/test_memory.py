"""What is kept stays within its budget, and what does not fit is refused before it is taken."""

import gc
import weakref

import psutil
import pytest

from engine import Engine
from engine.forward import memory as memory_module
from engine.forward.memory import check_run_fits, run_bytes
from engine.job import Cancelled, Job
from engine.messages import (
    Attention,
    Head,
    LoadModel,
    OVTokens,
    Refused,
    RunPrompt,
    Thumbnails,
    in_bytes,
)
from engine.model import Model
from engine.sources import bundled
from tests.engine.conftest import write_model

MB = 2**20
SIZES = {"n_layers": 2, "n_heads": 8, "d_model": 40, "d_head": 6, "n_ctx": 400}
WORDS = ("green", "tea", "like", "drink", "so")


def resident():
    memory_module.give_back()
    return psutil.Process().memory_info().rss


def prompt(number):
    picked = [WORDS[(number + place * place) % len(WORDS)] for place in range(150)]
    return RunPrompt("long", f"{number} " + " ".join(picked))


def weights(bridge):
    """Return the bytes of weights that are still there."""
    left = bridge()
    return 0 if left is None else sum(it.nbytes for it in (*left.parameters(), *left.buffers()))


def ask(engine, number):
    run = prompt(number)
    engine.answer(run)
    engine.answer(Thumbnails(run))
    for kind in ("pattern", "scores"):
        engine.answer(Attention(run, 1, kind))
    engine.answer(OVTokens("long", Head(1, 3), source="position", run=run, position=3))


@pytest.fixture
def long(tmp_path, monkeypatch):
    write_model(tmp_path / "long", **SIZES)
    monkeypatch.setattr(bundled, "models_folder", lambda: tmp_path)


def test_a_hundred_prompts_with_a_full_cache_take_less_than_20_mb(long):
    engine = Engine(cache_bytes=64 * MB)
    for number in range(40):
        ask(engine, number)
    full = 64 * MB * 2 / 3
    assert engine._cache.bytes > 0.9 * full
    before = resident()
    for number in range(40, 140):
        ask(engine, number)
    assert engine._cache.bytes <= full
    assert resident() - before < 20 * MB


def test_a_cancelled_run_leaves_nothing_even_where_the_exception_is_kept(long):
    class Stopping(Job):
        def step(self, done, total, what):
            if done == 1:
                self.cancel()
            super().step(done, total, what)

    engine = Engine(cache_bytes=0)
    ask(engine, 0)
    engine._model._last = None
    before = sum(1 for it in gc.get_objects() if type(it).__name__ == "Layers")
    kept = []
    for number in range(5):
        with pytest.raises(Cancelled) as caught:
            engine.answer(prompt(1 + number), Stopping())
        kept.append(caught.value)
    assert sum(1 for it in gc.get_objects() if type(it).__name__ == "Layers") == before
    assert engine._model._last is None


def test_ten_models_in_turn_leave_one_with_no_help_of_the_collector(tmp_path, monkeypatch):
    names = [f"model{number}" for number in range(10)]
    for seed, name in enumerate(names):
        write_model(tmp_path / name, seed=seed)
    monkeypatch.setattr(bundled, "models_folder", lambda: tmp_path)
    engine, opened = Engine(), []
    for name in names:
        engine.answer(LoadModel(name))
        engine.answer(Attention(RunPrompt(name, "green tea"), 0))
        opened.append((weakref.ref(engine._model), weakref.ref(engine._model.bridge)))
    *closed, (model, bridge) = opened
    assert model() is engine._model
    assert weights(bridge) > 4 * engine._model.parameters
    assert [model() for model, _ in closed] == 9 * [None]
    assert [weights(bridge) for _, bridge in closed] == 9 * [0]


def test_a_prompt_that_would_not_fit_is_refused_with_what_would(long, monkeypatch):
    engine = Engine(cache_bytes=MB)
    engine.answer(LoadModel("long"))
    network = engine._model
    free = run_bytes(network, 100, MB // 3)
    monkeypatch.setattr(memory_module, "available", lambda: free)
    sentence = (
        rf"running 1\d\d tokens through long takes \d\.\d MiB of memory, and {in_bytes(free)} are "
        "free: a prompt of 100 tokens would fit"
    )
    with pytest.raises(Refused, match=sentence):
        engine.answer(prompt(0))
    monkeypatch.setattr(memory_module, "available", lambda: 0)
    with pytest.raises(Refused, match="are free: close other programs"):
        engine.answer(prompt(0))


@pytest.mark.parametrize("free", [1, 99, 100, 12_345])
def test_what_fits_is_the_longest_that_does(monkeypatch, free):
    monkeypatch.setattr(memory_module, "available", lambda: free)
    longest = int(free**0.5)
    check_run_fits("m", longest, lambda length: length**2)
    with pytest.raises(Refused, match=f"a prompt of {longest:,} tokens would fit"):
        check_run_fits("m", longest + 50, lambda length: length**2)


def test_a_run_holds_no_more_than_it_is_said_to(long):
    model = Model(bundled.read_folder(bundled.models_folder() / "long"))
    passed = model.run(prompt(0), Job())
    parts = (*passed.streams, *passed.patterns, passed.final, passed.read, passed.next_logits)
    held = sum(part.nbytes for part in parts)
    assert held < run_bytes(model, len(passed.ids), 128 * MB)
