"""Laws of the distance: what must not matter does not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.comparison import assert_same_neighbors
from tests.strategies import (
    NUMERIC,
    Column,
    few_rows,
    make_metric,
    many_rows,
    numeric_columns,
    tables,
)
from vicinal.index.exact import ExactIndex
from vicinal.index.leave_one_out import predict_each_feature
from vicinal.index.support import Support

rows = few_rows | many_rows
#: Whole numbers, whose differences and sums are exact.
whole_columns = st.builds(
    lambda top, residual: Column(
        NUMERIC, lambda rng, n: rng.integers(0, top, size=n).astype(float), 0.1, residual=residual
    ),
    st.sampled_from([2, 10, 1000]),
    st.sampled_from([1.0, 0.3, 17.0]),
)


def search(table, k=9, **options):
    index = ExactIndex(table.cases, table.metric.kinds)
    return index.search(table.queries, table.metric, k, exclude=table.exclude, **options)[:2]


def everyone(table):
    """All neighbours, so that a tie at the end of a short list can be seen to be one."""
    return search(table, k=max(9, len(table.cases)))


def moved(table, scale, shift):
    """The same table in other units: every numeric value x becomes scale·x + shift."""
    numeric = table.metric.kinds == NUMERIC

    def move(values):
        return np.where(numeric, values * scale + shift, values)

    supports = tuple(
        Support(points * scale + shift, shares) if is_number else Support(points, shares)
        for (points, shares), is_number in zip(table.metric.supports, numeric, strict=True)
    )
    residuals = np.where(numeric, table.metric.residuals * abs(scale), table.metric.residuals)
    metric = replace(table.metric, residuals=residuals, supports=supports)
    return table._replace(cases=move(table.cases), queries=move(table.queries), metric=metric)


@settings(max_examples=40)
@given(
    table=tables(rows, columns=whole_columns),
    scale=st.sampled_from([1.0, 2.0, 2.0**-40, 2.0**40, -1.0, -4.0]),
    shift=st.sampled_from([0.0, 1.0, -123456.0, 2.0**30]),
)
def test_exact_changes_of_units_change_no_bit(table, scale, shift):
    # Shifting before scaling keeps every value exact.
    other = moved(moved(table, 1.0, shift), scale, 0.0)
    actual, expected = search(other), search(table)
    np.testing.assert_array_equal(actual[0], expected[0])
    np.testing.assert_array_equal(actual[1], expected[1])


@settings(max_examples=40)
@given(
    table=tables(rows, columns=numeric_columns()), scale=st.sampled_from([1e-12, 0.1, 3.0, 1e12])
)
def test_the_scale_of_a_table_does_not_matter(table, scale):
    # A value rounds anew in its new unit; near 1000, with a residual of 1e-6, that is 1e-7 nats.
    assert_same_neighbors(search(moved(table, scale, 0.0)), everyone(table), rtol=1e-6)


@settings(max_examples=40)
@given(table=tables(rows, columns=whole_columns), shift=st.sampled_from([0.1, -1e3 / 3]))
def test_the_origin_of_a_table_does_not_matter(table, shift):
    assert_same_neighbors(search(moved(table, 1.0, shift)), everyone(table), rtol=1e-9)


@settings(max_examples=40)
@given(table=tables(rows), seed=st.integers(0, 99))
def test_the_order_of_the_columns_does_not_matter(table, seed):
    order = np.random.default_rng(seed).permutation(table.cases.shape[1])
    metric = table.metric
    shuffled = replace(
        metric,
        kinds=metric.kinds[order],
        residuals=metric.residuals[order],
        periods=metric.periods[order],
        weights=metric.weights[order],
        supports=tuple(metric.supports[column] for column in order),
        distinct=metric.distinct[order],
    )
    other = table._replace(
        cases=table.cases[:, order], queries=table.queries[:, order], metric=shuffled
    )
    assert_same_neighbors(search(other), everyone(table), cases=table.cases)


@settings(max_examples=40)
@given(table=tables(rows), seed=st.integers(0, 99))
def test_the_order_of_the_rows_does_not_matter_but_for_ties(table, seed):
    order = np.random.default_rng(seed).permutation(len(table.cases))
    place = np.argsort(order)
    exclude = np.where(table.exclude >= 0, place[table.exclude], -1)
    indices, distances = search(table._replace(cases=table.cases[order], exclude=exclude))
    np.testing.assert_array_equal(distances, search(table)[1])
    numbers = np.where(indices >= 0, order[indices], -1)
    assert_same_neighbors((numbers, distances), everyone(table))


@settings(max_examples=30)
@given(table=tables(rows), factor=st.sampled_from([0.25, 1024.0, 3.0]))
def test_the_unit_of_the_weights_does_not_matter(table, factor):
    metric = table.metric.with_weights(table.metric.weights * factor)
    assert_same_neighbors(search(table._replace(metric=metric)), everyone(table))


@settings(max_examples=30)
@given(table=tables(rows), seed=st.integers(0, 99))
def test_values_of_features_that_do_not_count_do_not_matter(table, seed):
    unused = table.metric.weights == 0
    noise = np.random.default_rng(seed).integers(0, 9, size=table.cases.shape)
    other = table._replace(cases=np.where(unused, noise, table.cases))
    actual, expected = search(other), search(table)
    np.testing.assert_array_equal(actual[0], expected[0])
    np.testing.assert_array_equal(actual[1], expected[1])


@settings(max_examples=30)
@given(table=tables(rows))
def test_a_shorter_list_is_the_beginning_of_a_longer_one(table):
    longest = everyone(table)
    for k in (1, 2, 5, 30):
        short = search(table, k)
        width = min(k, len(table.cases))
        np.testing.assert_array_equal(short[0][:, :width], longest[0][:, :width])
        np.testing.assert_array_equal(short[1][:, :width], longest[1][:, :width])


@settings(max_examples=30)
@given(table=tables(rows))
def test_a_case_is_nearest_to_itself_when_nothing_is_missing(table):
    full = ~np.isnan(table.queries).any(axis=1)
    cases = np.vstack([table.queries[full], table.cases])
    found = ExactIndex(cases, table.metric.kinds).search(cases[: full.sum()], table.metric, 1)
    np.testing.assert_allclose(found.distances, 1.5, rtol=1e-14)


@settings(max_examples=30)
@given(table=tables(rows))
def test_distances_never_shrink_along_the_list_and_never_fall_below_equality(table):
    distances = search(table, 20)[1]
    following = distances[:, 1:]
    assert np.all(following >= distances[:, :-1] * (1 - 1e-14))
    assert np.all(distances >= 1.5 * (1 - 1e-14))


@settings(max_examples=25)
@given(
    table=tables(few_rows, columns=whole_columns),
    scale=st.sampled_from([1.0, 2.0**-40, 2.0**40]),
    shift=st.sampled_from([0.0, -123456.0]),
)
def test_predictions_move_with_their_units(table, scale, shift):
    other = moved(moved(table, 1.0, shift), scale, 0.0)
    queries = np.arange(len(table.cases))
    expected = predict_each_feature(table.cases.T, table.metric, queries, 5)
    actual = predict_each_feature(other.cases.T, other.metric, queries, 5)
    np.testing.assert_allclose(actual / scale - shift, expected, rtol=1e-9, atol=1e-8)


@pytest.mark.parametrize("p", [0, 0.5, 1, 2])
def test_the_distance_grows_with_the_power(p):
    rng = np.random.default_rng(3)
    cases = rng.normal(size=(500, 5))
    metric = make_metric(cases, NUMERIC, 1.0, p=p)
    index = ExactIndex(cases, metric.kinds)
    low = index.search(cases[:20], metric, 500).distances
    high = index.search(cases[:20], replace(metric, p=p + 0.5), 500).distances
    assert np.all(low <= high * (1 + 1e-13))
