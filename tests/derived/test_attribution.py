"""Parts of a score of which only the values are known."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from vicinal.derived import attribution
from vicinal.derived.attribution import Attribution

ROWS = np.random.default_rng(0).normal(size=(7, 5))
TYPICAL = np.array([0.5, -1.0, 0.0, 2.0, 9.0])
#: The column 4 is not among the features, and stays typical.
COLUMNS = np.array([0, 1, 2, 3])


def pairs(rows):
    """Scores in which no more than two features interact, and which ignore the third."""
    a, b, _, d, _ = rows.T
    return np.column_stack([2 * a + a * b + np.sin(d), np.exp(b / 3) * d])


def triples(rows):
    a, b, c, d, e = rows.T
    return (a * b * c + np.abs(d) * a + e)[:, None]


def naive_parts(score, row, typical, columns, orders):
    """The parts of one row, one replacement after another."""
    parts = np.zeros((len(columns), score(row[None]).shape[1]))
    for order in orders:
        mixed = typical.copy()
        for place in order:
            before = score(mixed[None])[0]
            mixed[columns[place]] = row[columns[place]]
            parts[place] += (score(mixed[None])[0] - before) / len(orders)
    return parts


@pytest.mark.parametrize("score", [pairs, triples])
def test_parts_are_moves_of_the_score_in_an_order_and_its_reverse(score):
    orders = [range(4), range(3, -1, -1)]
    expected = [naive_parts(score, row, TYPICAL, COLUMNS, orders) for row in ROWS]
    actual = Attribution.single(COLUMNS, TYPICAL).parts(score, ROWS)
    np.testing.assert_allclose(actual, expected, atol=1e-12)


def test_parts_are_shapley_values_where_only_pairs_interact():
    orders = list(permutations(range(4)))
    expected = [naive_parts(pairs, row, TYPICAL, COLUMNS, orders) for row in ROWS]
    actual = Attribution.single(COLUMNS, TYPICAL).parts(pairs, ROWS)
    np.testing.assert_allclose(actual, expected, atol=1e-12)


def test_a_feature_that_the_score_ignores_has_no_part():
    assert not Attribution.single(COLUMNS, TYPICAL).parts(pairs, ROWS)[:, 2].any()


@pytest.mark.parametrize("most", [8, 30, 10_000])
@pytest.mark.parametrize("score", [pairs, triples])
def test_parts_sum_to_the_score_less_the_typical_one_with_any_effort(score, most, monkeypatch):
    monkeypatch.setattr(attribution, "MOST_SCORED", most)
    monkeypatch.setattr(attribution, "_BATCH", 5)
    given = Attribution.single(COLUMNS, TYPICAL).within(len(ROWS), np.array([3.0, 1.0, 0.0, 2.0]))
    parts = given.parts(score, ROWS)
    whole = ROWS.copy()
    whole[:, 4] = TYPICAL[4]
    np.testing.assert_allclose(parts.sum(axis=1), score(whole) - score(TYPICAL[None]), atol=1e-12)


def test_with_many_rows_the_least_features_are_replaced_together(monkeypatch):
    monkeypatch.setattr(attribution, "MOST_SCORED", 4 * len(ROWS))
    given = Attribution.single(COLUMNS, TYPICAL).within(len(ROWS), np.array([1.0, 9.0, 0.0, 3.0]))
    assert given.step_of.tolist() == [1, 0, 1, 1]
    np.testing.assert_allclose(given.shares, [0.25, 1.0, 0.0, 0.75], atol=1e-300)
    asked = []
    given.parts(lambda rows: asked.append(len(rows)) or pairs(rows), ROWS)
    assert sum(asked) <= 4 * len(ROWS)


def test_no_rows_have_no_parts():
    assert Attribution.single(COLUMNS, TYPICAL).parts(pairs, ROWS[:0]).shape == (0, 4, 2)
