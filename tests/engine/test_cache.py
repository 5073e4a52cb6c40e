"""What is kept never grows beyond its budget."""

import numpy as np

from engine.cache import Cache, size_of
from engine.messages import Head, OVTokens, TokenTable, VocabularyTokens

HEAD = Head(0, 1)


def table(n_bytes):
    return TokenTable(labels=(), values=np.zeros(n_bytes // 8), divisor=None)


def test_the_cache_never_exceeds_its_budget_and_drops_what_was_used_longest_ago():
    cache = Cache(10_000)
    requests = [OVTokens("m", HEAD, token) for token in range(4)]
    for request in requests[:3]:
        cache[request] = table(3000)
    cache[requests[0]]
    cache[requests[3]] = table(3000)
    assert cache.bytes <= 10_000
    held = [request in cache for request in requests]
    assert held == [True, False, True, True]


def test_the_size_of_an_answer_counts_arrays_and_texts():
    assert size_of(table(8000)) >= 8000
    assert size_of(VocabularyTokens(texts=("a" * 8000,), labels=())) >= 8000
    assert size_of(VocabularyTokens(texts=(), labels=())) < 1000


def test_what_is_held_anew_counts_once():
    cache = Cache(10_000)
    for _ in range(5):
        cache["one"] = table(3000)
    assert 3000 <= cache.bytes < 4000


def test_what_is_larger_than_the_budget_is_not_held():
    cache = Cache(1000)
    cache["one"] = table(3000)
    assert ("one" in cache, cache.bytes) == (False, 0)
