"""Numbers that a category determines, against a look at every case."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vicinal import Model
from vicinal.density.determined_numbers import DeterminedNumbers

codes = st.sampled_from([0.0, 1.0, 2.0, np.nan])
numbers = st.sampled_from([*np.arange(8.0), 100.0, 101.0, np.nan])
tables = st.lists(st.tuples(codes, codes, numbers), min_size=1, max_size=10).map(np.array)


def determines(cases, c):
    """Whether at most a twentieth of the variance is left within categories that cases share."""
    groups = {}
    for row in cases.tolist():
        if row[c] == row[c] and row[2] == row[2]:
            groups.setdefault(row[c], []).append(row[2])
    shared = [group for group in groups.values() if len(group) > 1]
    every = [one for group in shared for one in group]
    if not every or 2 * len(every) < sum(map(len, groups.values())):
        return None
    within = sum(np.var(group) * len(group) for group in shared)
    found = np.var(every) > 0 and within <= 0.05 * np.var(every) * len(every)
    return groups if found else None


@given(cases=tables, rows=tables)
def test_a_number_is_outside_if_no_case_of_its_category_reaches_it(cases, rows):
    found = DeterminedNumbers(cases, np.array([0, 1]), np.array([2]))
    groups = [determines(cases, c) or {} for c in (0, 1)]
    expected = [
        any(
            row[c] in groups[c] and not min(groups[c][row[c]]) <= row[2] <= max(groups[c][row[c]])
            for c in (0, 1)
            if row[2] == row[2]
        )
        for row in rows.tolist()
    ]
    assert found.outside(rows, 2).tolist() == expected


@settings(max_examples=50)
@given(cases=tables, rows=tables, data=st.data())
def test_what_is_outside_gets_the_number_of_a_lender_or_the_closest_one(cases, rows, data):
    found = DeterminedNumbers(cases, np.array([0]), np.array([2]))
    lent = np.array(data.draw(st.lists(numbers, min_size=len(rows), max_size=len(rows))))
    restored = rows.copy()
    found.restore(restored, 2, (lent,))
    moved = found.outside(rows, 2)
    np.testing.assert_array_equal(restored[~moved], rows[~moved])
    assert not found.outside(restored, 2).any()
    for at in np.flatnonzero(moved):
        other = rows[at].copy()
        other[2] = lent[at]
        if np.isnan(lent[at]) or found.outside(other[None], 2)[0]:
            same = cases[(cases[:, 0] == rows[at, 0]) & ~np.isnan(cases[:, 2]), 2]
            assert restored[at, 2] == same[np.abs(same - rows[at, 2]).argmin()]
        else:
            assert restored[at, 2] == lent[at]


@pytest.mark.parametrize("constraints", [None, {"rate": (7.0, 15.0)}])
def test_synthetic_loans_have_a_rate_of_their_grade(constraints):
    rng = np.random.default_rng(0)
    grade = rng.integers(12, size=300)
    rate = np.round(5 + 2 * grade + rng.uniform(0, 1.5, size=300), 2)
    table = pd.DataFrame({"grade": [f"G{one}" for one in grade], "rate": rate})
    table["amount"] = rng.gamma(2, 5000, size=300).round(-2)
    table["purpose"] = rng.choice(["car", "house", "other"], size=300)
    drawn = Model().fit(table).synthesize(200, constraints=constraints).to_frame("pandas")
    seen = table.groupby("grade")["rate"].agg(["min", "max"]).loc[drawn["grade"]]
    inside = drawn["rate"].between(seen["min"].to_numpy(), seen["max"].to_numpy())
    assert inside.mean() > (0.9 if constraints else 0.999)
    assert drawn["rate"].nunique() > 30
