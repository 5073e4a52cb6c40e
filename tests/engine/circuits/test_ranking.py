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


def test_rank_counts_strictly_larger_values():
    values = torch.tensor([3.0, 5.0, 3.0, 1.0])
    assert [rank_of(values, token) for token in range(4)] == [2, 1, 2, 4]
