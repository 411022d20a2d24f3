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
