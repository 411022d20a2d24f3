"""Rows drawn from the density look like the table."""

import datetime as dt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.density.tables import mixed_table
from tests.naive import domain as naive_domain
from tests.naive import synthesis as naive
from vicinal import Model
from vicinal.density.sampler import privacy_ratio
from vicinal.exceptions import ParameterError


def test_drawn_rows_look_like_the_table():
    table = mixed_table(n=400)
    drawn = Model().fit(table).synthesize(2000)
    x, y = np.array(drawn.columns["x"]), np.array(drawn.columns["y"])
    assert abs(x.mean() - table["x"].mean()) < 0.15
    assert np.corrcoef(x, y)[0, 1] > 0.4
    high = np.array(drawn.columns["c"]) == "high"
    assert x[high].mean() > x[~high].mean() + 0.3
    assert (drawn.distances >= 1.5).all()
    assert drawn.nearest.max() < 400


def test_what_is_given_is_kept_and_followed():
    model = Model().fit(mixed_table(n=400))
    low, high = (
        model.synthesize(300, given={"x": x}, random_state=1).columns for x in (-2.0, 2.0)
    )
    assert set(low["x"]) == {-2.0}
    assert np.mean(high["y"]) > np.mean(low["y"]) + 1.0


def test_drawing_repeats_and_another_seed_differs():
    model = Model().fit(mixed_table())
    assert model.synthesize(3).columns == model.synthesize(3).columns
    assert model.synthesize(3).columns != model.synthesize(3, random_state=5).columns
    assert "closest real case" in repr(model.synthesize(3))
    assert len(model.synthesize(0)) == 0


def test_whole_numbers_and_dates_stay_so():
    days = [dt.date(2024, 1, 1) + dt.timedelta(days=3 * i) for i in range(20)]
    drawn = Model().fit({"n": list(range(20)), "day": days}).synthesize(5)
    assert all(isinstance(one, int) for one in drawn.columns["n"])
    assert all(isinstance(one, dt.date) for one in drawn.columns["day"])


def people(n=200, seed=0):
    """A table with a sign, steps, frequent values, missing values and dependent categories."""
    rng = np.random.default_rng(seed)
    male = rng.random(n) < 0.5
    young = rng.random(n) < 0.4
    age = np.where(young, rng.integers(1, 18, size=n), rng.integers(18, 80, size=n)).astype(float)
    title = np.where(male, np.where(young, "Master", "Mr"), np.where(young, "Miss", "Mrs"))
    debt = np.where(rng.random(n) < 0.5, 0.0, np.round(rng.lognormal(8, size=n), 2))
    income = [None if one < 18 else float(np.round(3e4 * (1 + one / 80), -2)) for one in age]
    return {
        "title": title.tolist(),
        "sex": np.where(male, "male", "female").tolist(),
        "age": age.tolist(),
        "debt": debt.tolist(),
        "income": income,
        "share": (rng.integers(0, 101, size=n) / 100).tolist(),
    }


def known(values):
    return [value for value in values if value is not None]


@settings(max_examples=10)
@given(seed=st.integers(0, 999), n=st.sampled_from([1, 2, 5, 40, 150]), twice=st.booleans())
def test_values_can_exist(seed, n, twice):
    table = people(n, seed)
    if twice:
        table = {name: values * 2 for name, values in table.items()}
    drawn = Model().fit(table).synthesize(60, random_state=seed).columns
    for name in ("age", "debt", "income", "share"):
        seen = known(table[name])
        for value in known(drawn[name]):
            # Fewer than three values tell nothing about their step.
            few = len(seen) < 3 and min(seen) <= value <= max(seen)
            assert few or naive_domain.is_possible(value, seen)
    assert not naive.unseen_pairs(drawn, table, ["title", "sex"])
    assert set(drawn["title"]) <= set(table["title"])


def test_values_are_missing_where_they_are_in_the_table():
    table = people(400)
    drawn = Model().fit(table).synthesize(600).columns
    expected = naive.missing_share(table["income"])
    assert naive.missing_share(drawn["income"]) == pytest.approx(expected, abs=0.05)
    grown = [income for income, age in zip(drawn["income"], drawn["age"], strict=True) if age > 30]
    assert naive.missing_share(grown) < 0.05


def test_frequent_values_stay_frequent():
    table = people(400)
    drawn = Model().fit(table).synthesize(600).columns
    for columns in (table, drawn):
        assert np.mean(np.array(columns["debt"]) == 0) == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_huge_and_tiny_values_stay_in_their_range(scale):
    x = scale * np.random.default_rng(0).normal(size=50)
    drawn = Model().fit({"x": x}).synthesize(100).columns["x"]
    assert x.min() <= min(drawn) <= max(drawn) <= x.max()


def test_rows_are_no_copies_even_of_duplicated_rows():
    table = people(150)
    for times in (1, 3):
        drawn = Model().fit({name: one * times for name, one in table.items()}).synthesize(200)
        assert drawn.privacy_ratio >= 0.9
        assert (drawn.distances > 1.5).mean() > 0.95


def test_the_privacy_ratio_is_that_of_medians():
    rng = np.random.default_rng(0)
    rows, cases, weights = rng.random(7), rng.random(9), rng.integers(1, 4, size=9)
    expected = np.median(rows) / naive.weighted_median(cases, weights)
    assert privacy_ratio(rows, cases, weights.astype(float)) == pytest.approx(expected)
    assert np.isnan(privacy_ratio(np.empty(0), cases, weights.astype(float)))
    assert np.isnan(Model().fit({"x": [1.0] * 5}).synthesize(3).privacy_ratio)


def test_constraints_are_met():
    model = Model().fit(people(300))
    drawn = model.synthesize(
        80,
        given={"sex": "male"},
        constraints={"age": (20, 40.5), "title": ["Mr", "Mrs"], "income": (None, 40_000)},
    ).columns
    assert set(drawn["title"]) == {"Mr"}
    assert all(20 <= age <= 40 for age in drawn["age"])
    assert all(income <= 40_000 for income in drawn["income"])


def test_constraints_that_no_case_meets_are_met():
    model = Model().fit(people(100))
    drawn = model.synthesize(20, constraints={"title": ["Miss"], "age": (50, None)}).columns
    assert set(drawn["title"]) == {"Miss"}
    assert min(drawn["age"]) >= 50


def test_constraints_hold_around_a_cycle_and_for_days():
    first = dt.date(2024, 1, 1)
    table = {
        "hour": [k % 24 for k in range(96)],
        "day": [first + dt.timedelta(days=k % 60) for k in range(96)],
    }
    model = Model(cyclic_features={"hour": 24}).fit(table)
    last = first + dt.timedelta(days=9)
    drawn = model.synthesize(50, constraints={"hour": (22, 3), "day": (first, last)}).columns
    assert set(drawn["hour"]) <= {22, 23, 0, 1, 2, 3}
    assert all(first <= day <= last for day in drawn["day"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"constraints": ["age"]}, r"constraints is a list; expected a dict"),
        ({"constraints": {"age": 3}}, r"constraints has 3 for 'age'; expected \(low, high\) or"),
        ({"constraints": {"age": []}}, r"constraints has no value for 'age'"),
        ({"constraints": {"age": (90, 99)}}, r"'age' that none of its possible values lies in"),
        ({"constraints": {"age": (3.2, 3.4)}}, r"'age' that none of its possible values lies in"),
        ({"constraints": {"sex": ["mal"]}}, r"has no category 'mal'\. Did you mean 'male'"),
        (
            {"given": {"age": 9}, "constraints": {"age": (20, 30)}},
            r"given has a value for 'age' that constraints do not permit",
        ),
    ],
)
def test_constraints_that_cannot_be_met_are_refused(arguments, message):
    with pytest.raises(ParameterError, match=message):
        Model().fit(people(50)).synthesize(3, **arguments)


def test_features_that_are_never_known_cannot_be_constrained():
    model = Model().fit({"x": [1.0, 2.0, None, None], "y": [None, None, 3.0, 4.0]})
    with pytest.raises(ParameterError, match=r"No case has a value of every feature"):
        model.synthesize(3, constraints={"x": (1, 2), "y": (3, 4)})


def test_the_closest_cases_go_by_their_labels():
    table = {"who": [f"P-{n}" for n in range(40)], "x": [n % 7 for n in range(40)]}
    text = str(Model().fit(table, id="who").synthesize(3))
    assert text.count("P-") == 3
    assert "#" not in text


def test_a_privacy_ratio_of_equal_cases_is_unknown():
    assert "Privacy ratio unknown" in str(Model().fit({"x": [1.0] * 9}).synthesize(2))
