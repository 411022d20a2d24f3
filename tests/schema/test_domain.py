"""The values that a feature can have: as digits say, whatever the rows and weights."""

import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.naive import domain as naive
from vicinal import Model
from vicinal.schema.domain import Domain, learn_domain, round_to, shared_step
from vicinal.schema.feature import Feature

FEATURE = Feature("x", "continuous", "float")
decimals = st.builds(
    lambda whole, exponent: whole * 10.0**exponent if exponent >= 0 else whole / 10.0**-exponent,
    st.integers(-999, 999),
    st.integers(-3, 5),
)


def domain_of(values, weights=None):
    values = np.asarray(values, dtype=float)
    return learn_domain(FEATURE, values, np.ones(len(values)) if weights is None else weights)


@given(values=st.lists(decimals, min_size=1, max_size=8))
def test_the_step_is_that_of_the_digits(values):
    assert shared_step(np.array(values)) == float(naive.shared_step(values))


@given(values=st.lists(decimals, min_size=3, max_size=8), asked=st.lists(st.floats(-1e7, 1e7)))
def test_the_nearest_possible_value_is_possible(values, asked):
    domain = domain_of(values)
    for value in domain.nearest(np.array([*asked, *values])):
        assert naive.is_possible(value, values)
    np.testing.assert_array_equal(domain.nearest(np.array(values)), values)


@pytest.mark.parametrize("scale", [1e-300, 1e-30, 1e30, 1e299])
def test_huge_and_tiny_values_stay_in_their_range(scale):
    values = scale * np.array([1.0, np.pi, 5.0])
    domain = domain_of(values)
    assert domain.step == 0
    np.testing.assert_array_equal(domain.nearest(values), values)
    assert domain.nearest(np.array([-scale, 9 * scale])).tolist() == [values[0], values[2]]


def test_missing_stays_missing_and_nothing_seen_allows_everything():
    assert np.isnan(domain_of([1, 2, 3]).nearest(np.array([np.nan]))).all()
    assert domain_of([]) == Domain()
    assert domain_of([5.0, 7.0], np.array([0.0, 0.0])) == Domain()


def test_a_constant_is_all_that_can_be():
    assert domain_of([4.2] * 3).nearest(np.array([-1.0, 9.0])).tolist() == [4.2, 4.2]


@pytest.mark.parametrize(
    ("values", "bounds"),
    [
        (np.arange(20), (0, np.inf)),
        (-np.arange(20), (-np.inf, 0)),
        (np.arange(-1, 19), (-np.inf, np.inf)),
        (np.arange(1, 20), (-np.inf, np.inf)),  # one too few
        (np.linspace(0.01, 0.99, 20), (0, 1)),
        (np.linspace(0.01, 0.6, 20), (0, np.inf)),
        (np.linspace(0.01, 1.01, 20), (0, np.inf)),
        (np.zeros(20), (0, np.inf)),
    ],
)
def test_natural_bounds_follow_from_the_sign_and_from_filling_0_to_1(values, bounds):
    domain = domain_of(values)
    assert (domain.floor, domain.ceiling) == bounds


def test_weights_count_as_repeated_rows():
    values = np.array([0.5, 1.5, 3.5])
    assert domain_of(values, np.array([18.0, 1.0, 1.0])).floor == 0
    assert domain_of(values, np.array([17.0, 1.0, 1.0])).floor == -np.inf
    assert domain_of(np.append(values, -9.25), np.array([1.0, 1, 1, 0])) == domain_of(values)


def test_times_have_steps_of_their_own_and_no_zero():
    hours = dt.timedelta(hours=1)
    first = dt.datetime(2024, 3, 1, 0, 30)
    table = {
        "at": [first + k * hours for k in range(25)],
        "day": [dt.date(2024, 1, 1 + k) for k in range(25)],
        "took": [k * hours / 2 for k in range(25)],
        "hour": [k % 24 for k in range(25)],
    }
    fitted = Model(cyclic_features={"hour": 24}).fit(table)._ready()
    at, day, took, hour = (fitted.domain(fitted.schema.column(name)) for name in table)
    assert (at.step, day.step, took.step, hour.step) == (3600, 86_400, 60, 1)
    assert at.floor == day.floor == -np.inf
    assert took.floor == 0
    assert hour.nearest(np.array([23.7])).tolist() == [0]


def test_ordinal_values_are_categories():
    fitted = Model(ordinal_features=["x"]).fit({"x": [1, 5, 20, 1]})._ready()
    assert fitted.domain(0).nearest(np.array([-1.0, 0.6, 2.4])).tolist() == [0, 1, 2]


def test_it_follows_the_cases_as_they_come_and_go():
    model = Model().fit({"x": [1.0, 2.0, 4.0]})
    added = model.add({"x": [9.25]})
    assert model._ready().domain(0) == domain_of([1.0, 2.0, 4.0, 9.25])
    model.remove(added)
    assert model._ready().domain(0) == domain_of([1.0, 2.0, 4.0])


def test_rounding_gives_the_float_that_is_written():
    assert round_to(np.array([0.1 + 0.2, 1.1 + 2.2, 12_349.0]), 0.1).tolist() == [
        0.3,
        3.3,
        12349.0,
    ]
    assert round_to(np.array([12_349.0]), 100.0).tolist() == [12_300.0]
