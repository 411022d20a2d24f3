"""Pairs of categories that occur together, against a look at every case."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.naive import synthesis as naive
from vicinal.density.seen_pairs import SeenPairs

codes = st.sampled_from([0.0, 1.0, 2.0, np.nan])
tables = st.lists(st.tuples(codes, codes, codes), min_size=1, max_size=8)


def columns(rows):
    return {
        name: [None if np.isnan(one) else one for one in column]
        for name, column in zip("abc", zip(*rows, strict=True), strict=True)
    }


@given(cases=tables, rows=tables)
def test_a_row_is_permitted_if_all_its_pairs_were_seen(cases, rows):
    seen = SeenPairs(np.array(cases), np.arange(3))
    expected = [not naive.unseen_pairs(columns([row]), columns(cases), "abc") for row in rows]
    assert seen.permit(np.array(rows)).tolist() == expected


def test_categories_that_no_case_has_are_in_no_pair():
    seen = SeenPairs(np.array([[0.0, 0.0], [1.0, 1.0]]), np.arange(2))
    assert seen.permit(np.array([[0.0, 7.0], [7.0, 0.0], [1.0, 1.0]])).tolist() == [
        False,
        False,
        True,
    ]


def test_rare_categories_may_meet_unless_one_column_determines_the_other():
    rng = np.random.default_rng(0)
    town, offense = rng.integers(20, size=(2, 60)).astype(float)
    cases = np.column_stack([town, offense, town // 5])
    seen = SeenPairs(cases, np.arange(3))
    rows = np.array([[a, b, a // 5] for a in range(20) for b in range(20)], dtype=float)
    known = {tuple(one) for one in cases[:, :2].tolist()}
    expected = [
        (a, b) in known or 0 < (town == a).sum() * (offense == b).sum() < 60 for a, b, _ in rows
    ]
    # Towns determine their district: none is moved, however rare.
    moved = np.column_stack([rows[:, :2], (rows[:, 2] + 1) % 4])
    permitted = seen.permit(np.concatenate([rows, moved]), rare=True)
    in_pairs = SeenPairs(cases[:, 1:], np.arange(2)).permit(rows[:, 1:], rare=True)
    assert permitted.tolist() == (np.array(expected) & in_pairs).tolist() + [False] * 400
    assert 60 < permitted.sum() < 400
    assert not seen.permit(np.array([[0.0, 70.0, 0.0]]), rare=True)
