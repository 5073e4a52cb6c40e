import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from engine.messages import Group
from engine.network import factored


def factors(*lead, d_model=30, d_head=7, seed=0):
    chance = torch.Generator().manual_seed(seed)
    A = torch.randn(*lead, d_model, d_head, generator=chance, dtype=torch.float64)
    B = torch.randn(*lead, d_head, d_model, generator=chance, dtype=torch.float64)
    return A, B


@pytest.mark.parametrize("lead", [(), (4,), (2, 3)])
def test_svd_multiplies_back_to_the_product(lead):
    A, B = factors(*lead)
    U, S, Vh = factored.svd(A, B)
    assert U.shape == A.shape
    assert Vh.shape == B.shape
    torch.testing.assert_close(U @ torch.diag_embed(S) @ Vh, A @ B)
    eye = torch.eye(7, dtype=torch.float64).expand(*lead, 7, 7)
    torch.testing.assert_close(U.mT @ U, eye)
    torch.testing.assert_close(Vh @ Vh.mT, eye)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("smallest", [1e-1, 1e-4, 1e-7, 0])
def test_svd_keeps_its_precision_for_factors_of_any_condition(dtype, smallest):
    A, B = factors(seed=2)
    scales = torch.logspace(0, -1, 7, dtype=torch.float64)
    scales[-1] = smallest
    A = torch.linalg.qr(A).Q * scales
    A, B = A.to(dtype), B.to(dtype)
    U, S, Vh = factored.svd(A, B)
    dense = A.double() @ B.double()
    eps = 100 * torch.finfo(dtype).eps
    eye = torch.eye(7, dtype=dtype)
    torch.testing.assert_close((U * S @ Vh).double(), dense, atol=eps * float(S[0]), rtol=0)
    values = torch.linalg.svdvals(dense)[:7]
    torch.testing.assert_close(S.double(), values, atol=eps * float(S[0]), rtol=0)
    torch.testing.assert_close(U.mT @ U, eye, atol=eps, rtol=0)
    torch.testing.assert_close(Vh @ Vh.mT, eye, atol=eps, rtol=0)


@pytest.mark.parametrize("lead", [(), (4,), (2, 3)])
def test_singular_values_are_those_of_the_dense_product(lead):
    A, B = factors(*lead, seed=1)
    dense = torch.linalg.svdvals(A @ B)[..., :7]
    torch.testing.assert_close(factored.singular_values(A, B), dense)
    torch.testing.assert_close(factored.svd(A, B)[1], dense)


def test_float32_keeps_values_to_a_ten_thousandth_at_the_shape_of_gpt2():
    A, B = (x.float() for x in factors(d_model=768, d_head=64))
    dense = torch.linalg.svdvals(A.double() @ B.double())[:64]
    torch.testing.assert_close(factored.svd(A, B)[1].double(), dense, rtol=1e-4, atol=0)
    torch.testing.assert_close(factored.singular_values(A, B).double(), dense, rtol=1e-4, atol=0)


def test_rank_counts_values_above_a_millionth_of_the_first():
    assert factored.rank(torch.tensor([2.0, 3e-6, 1.9e-6, 0.0])) == 2
    assert factored.rank(torch.zeros(3)) == 0


@pytest.mark.parametrize(
    ("values", "groups"),
    [
        ([2, 2, 1], [(0, 1), (2, 2)]),
        ([1, 8e-3, 2e-4], [(0, 0), (1, 1), (2, 2)]),
        # Each is within 1 % of the one before, the third not of the first: no chaining.
        ([1, 0.991, 0.982, 0.981], [(0, 1), (2, 3)]),
        ([1, 1e-7, 1e-7], [(0, 0), (1, 1), (2, 2)]),
        ([0, 0], [(0, 0), (1, 1)]),
    ],
)
def test_near_equal_values_are_one_group(values, groups):
    assert factored.groups(torch.tensor(values, dtype=torch.float64)) == tuple(
        Group(*group) for group in groups
    )


@given(st.lists(st.floats(0, 10), min_size=1, max_size=30))
def test_groups_cover_every_value_once(values):
    found = factored.groups(torch.tensor(sorted(values, reverse=True), dtype=torch.float64))
    covered = [index for group in found for index in range(group.first, group.last + 1)]
    assert covered == list(range(len(values)))


def test_overlap_is_one_for_equal_and_zero_for_orthogonal_subspaces():
    Q = torch.linalg.qr(torch.randn(8, 8, dtype=torch.float64)).Q
    mixed = Q[:, :3] @ torch.linalg.qr(torch.randn(3, 3, dtype=torch.float64)).Q
    assert factored.overlap(Q[:, :3], mixed) == pytest.approx(1)
    assert factored.overlap(Q[:, :3], Q[:, 3:6]) == pytest.approx(0)


def test_subspaces_of_a_zero_circuit_do_not_overlap():
    assert factored.overlap(torch.zeros(5, 0), torch.zeros(5, 0)) == 0
