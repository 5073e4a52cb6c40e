import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.circuits.ranking import ends, rank_of

values_of_300 = st.lists(
    st.sampled_from([-2.0, -0.5, 0.0, 0.0, 1.0, 3.5]) | st.floats(-5, 5, width=32),
    min_size=300,
    max_size=300,
)


@settings(max_examples=40)
@given(values=values_of_300, k=st.integers(1, 400))
def test_both_ends_are_the_sorted_list_with_ties_by_id(values, k, model_300):
    found = ends(model_300, torch.tensor(values), k)
    ascending = sorted(range(300), key=lambda i: (values[i], i))
    descending = sorted(range(300), key=lambda i: (-values[i], i))
    assert found.ids.tolist() == descending[:k]
    assert found.bottom_ids.tolist() == ascending[:k]
    assert found.values.tolist() == [values[i] for i in descending[:k]]


@pytest.fixture(scope="session")
def model_300(model):
    assert model.d_vocab == 300
    return model


def test_a_tie_is_no_first_rank():
    values = torch.tensor([3.0, 5.0, 3.0, 1.0])
    assert [rank_of(values, token) for token in range(4)] == [3, 1, 3, 4]
    assert rank_of(torch.zeros(4), 2) == 4


@pytest.mark.parametrize(
    ("values", "constant"),
    [([0, 0, 0], True), ([2.5, 2.5, 2.5], True), ([0, 0, 1e-30], False), ([1, 1.0001, 1], False)],
)
def test_values_that_are_all_alike_are_called_constant(model_300, values, constant):
    padded = torch.tensor(values + [values[0]] * 297).float()
    assert ends(model_300, padded, 3).constant is constant
