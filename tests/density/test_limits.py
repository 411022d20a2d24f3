"""Values are moved to possible and permitted ones, and those that are so stay."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vicinal.counterfactual.constraints import Constraint
from vicinal.density.limits import Limits
from vicinal.exceptions import ParameterError
from vicinal.schema.domain import Domain

WHOLE = Domain(0.0, 10.0, 1.0)


def reflected(value, lower, upper):
    """Walk from one end to the other and back, step by step."""
    while not lower <= value <= upper:
        value = 2 * lower - value if value < lower else 2 * upper - value
    return value


@given(
    values=st.lists(st.floats(-50, 50)),
    ends=st.sampled_from([(-2, 3), (-2, np.inf), (-np.inf, 3), (-np.inf, np.inf)]),
)
def test_values_beyond_the_ends_are_reflected(values, ends):
    limits = Limits((Domain(*map(float, ends)),))
    expected = [reflected(value, *ends) for value in values]
    actual = limits.within(0, np.array(values), np.zeros(len(values)))
    np.testing.assert_allclose(actual, expected, atol=1e-9)


def test_reflection_leaves_no_pile_at_the_ends():
    rng = np.random.default_rng(0)
    values = Limits((Domain(0.0, 9.0),)).within(0, rng.laplace(size=5000), np.zeros(5000))
    assert np.mean(values == 0) == 0


def test_a_range_narrows_the_domain_to_whole_steps():
    limits = Limits.of((WHOLE,), (Constraint("ranges", "x", 0, 2.5, 7.2),))
    assert (limits.domains[0].lower, limits.domains[0].upper) == (3, 7)
    cases = np.array([[1.0], [5.0], [np.nan]])
    assert limits.met_by(cases).tolist() == [False, True, False]
    np.testing.assert_array_equal(limits.nearest(cases), [[3.0], [5.0], [np.nan]])


def test_a_range_without_possible_values_is_refused():
    with pytest.raises(ParameterError, match="'x' that none of its possible values lies in"):
        Limits.of((WHOLE,), (Constraint("ranges", "x", 0, 2.5, 2.7),))


def test_allowed_values_are_the_only_ones():
    limits = Limits.of((WHOLE,), (Constraint("allowed", "x", 0, values=np.array([2.0, 8.0])),))
    own = limits.nearest(np.array([[3.0], [9.0]]))[:, 0]
    assert own.tolist() == [2, 8]
    assert limits.within(0, np.array([8.0, 5.0]), own).tolist() == [8, 8]


def test_one_possible_value_and_none_known():
    assert Limits((Domain(4.0, 4.0),)).within(0, np.array([9.0]), np.zeros(1)).tolist() == [4]
    free = Limits((Domain(),)).within(0, np.array([9.0, np.nan]), np.zeros(2))
    np.testing.assert_array_equal(free, [9, np.nan])
