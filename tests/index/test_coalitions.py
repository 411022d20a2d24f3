"""Sets of players and all others, whose neighbors are found by bounds in single precision."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.index.scored import ManyColumns, Member, WideTable
from vicinal.index import _native
from vicinal.index.coalitions import coalition_of

INVERSE = [Member("inverse")]
BALANCED = [Member("linear", share=0.4), Member("centered", 0.5, share=0.6)]
#: Each beside all others, but for the last ones.
SETS = [(0, 1), (2, 5, 7), (6,), (0, 3, 4, 6), (1, 2, 7, 8), (3, 5)]
CHAINS = [tuple(p for p in range(9) if p in one) for one in SETS]
CHAINS += [tuple(p for p in range(9) if p not in one) for one in SETS[:-1]]


@st.composite
def wide_tables(draw, powers=(1.0,)):
    return WideTable(
        n=draw(st.sampled_from([4, 40, 700])),
        n_scores=draw(st.sampled_from([0, 1, 3, 5])),
        p=draw(st.sampled_from(powers)),
        seed=draw(st.integers(0, 2**32 - 1)),
        digits=draw(st.sampled_from([0, 1, 6])),
    )


def sums_of_sets(table, members, k, **options):
    return table.sums(members, k, chains=CHAINS, only=set(map(coalition_of, CHAINS)), **options)


@pytest.mark.parametrize("path", _native.paths())
@settings(max_examples=12)
@given(table=wide_tables(powers=(0.0, 1.0, 1.0, 2.0)), k=st.sampled_from([1, 7, 30]))
def test_sets_say_what_the_naive_twin_says(path, table, k):
    for coalition, values in sums_of_sets(table, INVERSE, k, path=path).items():
        expected = [table.naive(at, coalition, INVERSE, k) for at in range(3)]
        np.testing.assert_allclose(values, expected, atol=1e-7)


@settings(max_examples=20)
@given(
    table=wide_tables(powers=(0.5, 1.0, 1.0)),
    k=st.sampled_from([1, 13]),
    threads=st.integers(1, 3),
)
def test_sets_alone_say_the_same_bits_as_among_all_prefixes(table, k, threads):
    alone = sums_of_sets(table, BALANCED, k, threads=threads)
    among = table.sums(BALANCED, k, chains=CHAINS)
    for coalition, values in alone.items():
        np.testing.assert_array_equal(values, among[coalition])


@pytest.mark.parametrize("path", _native.paths())
@pytest.mark.parametrize(("n_scores", "p"), [(0, 1.0), (2, 1.0), (0, 0.0)])
@pytest.mark.parametrize(("digits", "shift"), [(0, 0.0), (6, 0.0), (6, 1e8)])
def test_of_many_cases_sets_alone_say_the_same_bits_as_among_all_prefixes(
    digits, shift, n_scores, p, path
):
    # Many are ruled out by bounds, and with few digits many tie. Singles could not tell numbers
    # around the shift apart.
    table = WideTable(6000, n_scores, p, seed=3, digits=digits, shift=shift)
    alone, among = (
        sums_of_sets(table, BALANCED, 40, path=path),
        table.sums(BALANCED, 40, chains=CHAINS),
    )
    for coalition, values in alone.items():
        np.testing.assert_array_equal(values, among[coalition])


@pytest.mark.parametrize("path", _native.paths())
@pytest.mark.parametrize(("n", "n_scores"), [(90, 0), (90, 2), (700, 0)])
def test_of_many_columns_sets_say_what_the_naive_twin_says(n, n_scores, path):
    # Then fewer rows are treated at a time, and offsets are worked out where they are needed.
    table = ManyColumns(n, 1.0, seed=5, n_scores=n_scores)
    order = tuple(np.random.default_rng(1).permutation(table.able).tolist())
    only = {coalition_of(order[:size]) for size in (1, 4, 30, 800, 1099)}
    alone = table.sums(BALANCED, 9, chains=[order], only=only, path=path)
    among = table.sums(BALANCED, 9, chains=[order], path=path)
    for coalition, values in alone.items():
        np.testing.assert_array_equal(values, among[coalition])
        if len(coalition) + n_scores <= _native.MOST_DIRECTIONS:
            expected = [table.naive(at, coalition, BALANCED, 9) for at in range(3)]
            np.testing.assert_allclose(values, expected, atol=1e-6)
    for coalition, values in table.sums(INVERSE, 9, chains=[order], only=only, path=path).items():
        expected = [table.naive(at, coalition, INVERSE, 9) for at in range(3)]
        np.testing.assert_allclose(values, expected, atol=1e-7)
