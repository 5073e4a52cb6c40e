"""Norms of products of pairs against dense float64 products, whichever way they are made."""

import numpy as np
import pytest
import torch

from engine.circuits import composition
from engine.job import Cancelled, Job

LAYERS, HEADS, RANK, D_MODEL = 4, 3, 6, 150
WAYS = (composition._multiplied, composition._by_tiles)
EXACT = 1e-6
TOLERANCE = 1e-5  # what a score may be off at most: a sum of equal numbers rounds one way


def _unit(cuts):
    return (cuts / cuts.flatten(2).norm(dim=2)[:, :, None, None]).float()


def _random(seed):
    chance = torch.Generator().manual_seed(seed)
    return torch.randn(LAYERS, HEADS, RANK, D_MODEL, generator=chance, dtype=torch.float64)


def _uneven():
    scales = 10.0 ** -torch.arange(RANK, dtype=torch.float64)[:, None]
    return scales * _random(0), scales * _random(1)


def _all_alike():
    return torch.ones(LAYERS, HEADS, RANK, D_MODEL), torch.ones(LAYERS, HEADS, RANK, D_MODEL)


def _apart():
    """Write into one half of the stream and read the other."""
    near, far = _random(0), _random(1)
    near[..., : D_MODEL // 2] = 0
    far[..., D_MODEL // 2 :] = 0
    return near, far


def _hardly_meeting():
    near, far = _apart()
    return near, far + 1e-4 * near


CASES = {
    "random": lambda: (_random(0), _random(1)),
    "uneven": _uneven,
    "all alike": _all_alike,
    "apart": _apart,
    "hardly meeting": _hardly_meeting,
}


def _expected(writing, reading):
    found = np.zeros((LAYERS, HEADS, LAYERS, HEADS))
    for one, near in np.ndenumerate(np.empty((LAYERS, HEADS))):
        for other, far in np.ndenumerate(np.empty((LAYERS, HEADS))):
            near, far = writing[one].double(), reading[other].double()
            if one[0] < other[0]:
                found[(*one, *other)] = (near @ far.mT).norm()
    return found


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("case", CASES)
def test_norms_are_those_of_dense_products_and_0_where_no_layer_is_later(way, case):
    writing, reading = map(_unit, CASES[case]())
    found = way(writing, reading, Job()).numpy()
    np.testing.assert_allclose(
        found, _expected(writing, reading), rtol=0, atol=TOLERANCE if case == "all alike" else EXACT
    )


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_head_that_writes_nothing_spoils_its_own_pairs_only(way):
    writing, reading = map(_unit, CASES["random"]())
    writing[1, 2] = torch.nan
    found = way(writing, reading, Job()).numpy()
    assert np.isnan(found[1, 2, 2:]).all()
    assert np.isnan(found).sum() == 2 * HEADS


def test_what_rounding_would_spoil_is_multiplied_out():
    seen = []
    for case in ("random", "apart"):
        job = Job(lambda done, total, what: seen.append(what))
        composition._by_tiles(*map(_unit, CASES[case]()), job)
        pairs = seen.count("scoring pairs once more")
        assert pairs == (0 if case == "random" else HEADS**2 * LAYERS * (LAYERS - 1) // 2)


def test_of_real_sizes_tiles_take_less_work_and_of_small_ones_products_do(monkeypatch):
    chosen = []

    def noting(name):
        def way(writing, reading, job):
            chosen.append(name)
            return torch.empty(*writing.shape[:2], *reading.shape[:2])

        return way

    for way in WAYS:
        monkeypatch.setattr(composition, way.__name__, noting(way.__name__))
    for shape in ((12, 12, 64, 768), (24, 16, 64, 1024), (2, 8, 32, 256), (2, 32, 128, 4096)):
        ends = torch.empty(shape, device="meta")
        composition.pair_norms(ends, ends, Job())
    assert chosen == ["_by_tiles", "_by_tiles", "_multiplied", "_multiplied"]


def test_the_work_between_two_steps_is_bounded_whatever_there_is_to_do(monkeypatch):
    writing, reading = map(_unit, CASES["random"]())
    whole = composition._multiplied(writing, reading, Job())
    for most, parts in ((1, 9), (2, 6), (4, 3), (9, 1)):
        monkeypatch.setattr(composition, "WORK", most * RANK**2 * D_MODEL)
        seen = []
        job = Job(lambda *step: seen.append(step))  # noqa: B023
        found = composition._multiplied(writing, reading, job)
        assert len(seen) == parts * 6
        torch.testing.assert_close(found, whole, rtol=0, atol=EXACT)
    # 64 rows at a time, of as many columns as are allowed, and of layers one by one.
    monkeypatch.setattr(composition, "TOGETHER", 1)
    for columns, tiles in ((64, 6), (86, 5)):
        monkeypatch.setattr(composition, "WORK", columns * 64 * RANK * LAYERS * HEADS)
        seen = []
        found = composition._by_tiles(writing, reading, Job(lambda *step: seen.append(step)))  # noqa: B023
        assert len(seen) == tiles * (LAYERS - 1)
        assert seen == sorted(seen)
        torch.testing.assert_close(found, whole, rtol=0, atol=EXACT)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_it_can_be_cancelled(way):
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        way(*map(_unit, CASES["random"]()), job)
