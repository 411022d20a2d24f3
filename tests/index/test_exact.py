"""The engine finds what the reference finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.neighbors import NearestNeighbors

from tests.comparison import assert_same_neighbors
from tests.naive import distance as naive
from tests.strategies import (
    NOMINAL,
    NUMERIC,
    POWERS,
    few_rows,
    make_metric,
    many_gaps,
    many_rows,
    nominal_columns,
    numeric_columns,
    tables,
)
from vicinal.index._native import paths
from vicinal.index.exact import ExactIndex
from vicinal.index.metric import Metric

PATHS = paths()
SIZES = {"few": few_rows, "many": many_rows}  # of few rows the engine evaluates all, of many not


def found(index, *arguments, **options):
    return index._searched(*arguments, **options)[:2]


def check_search(table, k, weights=None, **options):
    """Search all queries, without and with exclusion, and compare with the reference."""
    cases, queries, metric, exclude = table
    index = ExactIndex(cases, metric.kinds, weights)
    for left_out in (None, exclude):
        actual = found(index, queries, metric, k, exclude=left_out, **options)
        wider = max(k, len(cases))
        expected = naive.neighbors(queries, cases, metric, wider, left_out, weights)
        assert_same_neighbors(actual, expected, cases=cases)


@pytest.mark.parametrize("p", POWERS)
@settings(max_examples=40)
@given(data=st.data(), k=st.integers(1, 25))
def test_the_engine_finds_what_the_reference_finds(p, data, k):
    check_search(data.draw(tables(few_rows | many_rows, st.just(p))), k)


@settings(max_examples=30)
@given(table=tables(), beyond=st.integers(0, 3))
def test_k_may_reach_and_exceed_the_number_of_cases(table, beyond):
    check_search(table, len(table.cases) + beyond)


@settings(max_examples=30)
@given(table=tables(few_rows | many_rows), k=st.integers(1, 12), data=st.data())
def test_cases_without_weight_are_not_found_and_heavy_ones_survive_exclusion(table, k, data):
    seed = data.draw(st.integers(0, 99))
    choices = data.draw(st.sampled_from([[0.0, 1, 2], [0.5, 1.5], [0.0], [1.0]]))
    weights = np.random.default_rng(seed).choice(choices, size=len(table.cases))
    check_search(table, k, weights)


@settings(max_examples=30)
@given(table=tables(few_rows | many_rows), k=st.integers(1, 12), data=st.data())
def test_any_subset_of_the_features_can_be_the_context(table, k, data):
    active = table.metric.active.tolist()
    columns = np.array(sorted(data.draw(st.sets(st.sampled_from(active), min_size=1))))
    metric = table.metric.restricted(columns)
    check_search(table._replace(metric=metric), k)
    # The same as if the other columns were not there at all.
    cases, queries = table.cases[:, columns], table.queries[:, columns]
    alone = Metric(
        kinds=metric.kinds[columns],
        residuals=metric.residuals[columns],
        periods=metric.periods[columns],
        weights=metric.weights[columns],
        p=metric.p,
        supports=tuple(metric.supports[column] for column in columns),
        distinct=metric.distinct[columns],
    )
    whole = ExactIndex(table.cases, metric.kinds).search(table.queries, metric, k)
    part = ExactIndex(cases, alone.kinds).search(queries, alone, k)
    np.testing.assert_array_equal(whole.indices, part.indices)
    np.testing.assert_array_equal(whole.distances, part.distances)


@pytest.mark.parametrize("size", SIZES)
@settings(max_examples=30)
@given(data=st.data(), k=st.integers(1, 25))
def test_answers_are_the_same_bits_for_any_threads_path_batches_and_pruning(size, data, k):
    cases, queries, metric, exclude = data.draw(tables(SIZES[size]))
    index = ExactIndex(cases, metric.kinds)
    expected = found(index, queries, metric, k, exclude=exclude, threads=1)
    ways = [{"threads": threads, "path": path} for threads in (1, 2, 3, 5) for path in PATHS]
    for way in [*ways, {"pruned": False}, {"pruned": False, "path": PATHS[-1]}]:
        actual = found(index, queries, metric, k, exclude=exclude, **way)
        np.testing.assert_array_equal(actual[0], expected[0], err_msg=str(way))
        np.testing.assert_array_equal(actual[1], expected[1], err_msg=str(way))
    singly = [
        found(index, queries[[q]], metric, k, exclude=exclude[[q]]) for q in range(len(queries))
    ]
    np.testing.assert_array_equal(np.vstack([one[0] for one in singly]), expected[0])
    np.testing.assert_array_equal(np.vstack([one[1] for one in singly]), expected[1])


@settings(max_examples=30)
@given(
    table=tables(
        st.sampled_from([65, 129, 1100, 2500]),
        st.sampled_from([0, 1, 1, 2]),
        numeric_columns(many_gaps) | nominal_columns(many_gaps, (3, 17, 600)),
        max_columns=20,
    )
    | tables(
        st.sampled_from([65, 1100, 2500]),
        st.sampled_from([0, 1, 1, 2]),
        nominal_columns(many_gaps, (2, 3, 17, 50)),
    ),
    k=st.integers(1, 25),
    asked=st.sampled_from([3, 70, 600]),
)
def test_many_queries_with_many_gaps_find_what_the_reference_and_the_plain_scan_find(
    table, k, asked
):
    cases, queries, metric, _ = table
    stored = np.random.default_rng(asked).integers(0, len(cases), size=asked)
    queries = np.vstack([queries, cases[stored]])
    exclude = np.concatenate([np.full(len(queries) - asked, -1), stored])
    index = ExactIndex(cases, metric.kinds)
    expected = found(index, queries, metric, k, exclude=exclude, pruned=False)
    slow = naive.neighbors(queries[:10], cases, metric, len(cases), exclude[:10])
    assert_same_neighbors((expected[0][:10], expected[1][:10]), slow, cases=cases)
    for way in [*({"path": path} for path in PATHS), {"threads": 3}]:
        actual = found(index, queries, metric, k, exclude=exclude, **way)
        np.testing.assert_array_equal(actual[0], expected[0], err_msg=str(way))
        np.testing.assert_array_equal(actual[1], expected[1], err_msg=str(way))


# --- tables large enough to be pruned --------------------------------------------------------


def gaussian(rng, n):
    return rng.normal(size=(n, 8)) @ rng.normal(size=(8, 8))


def skewed(rng, n):
    return rng.lognormal(sigma=1.5, size=(n, 6))


def integers(rng, n):
    return rng.integers(0, 6, size=(n, 8)).astype(float)


def lacking(rng, n):
    values = gaussian(rng, n)
    values[rng.random(values.shape) < 0.1] = np.nan
    return values


def mixed(rng, n):
    hours = rng.normal(8, 3, size=(n, 1)) % 24
    classes = np.minimum(rng.geometric(0.3, size=(n, 3)) - 1.0, 30)
    values = np.hstack([rng.normal(size=(n, 4)), hours, classes])
    values[rng.random(values.shape) < 0.05] = np.nan
    return values


LARGE = {
    "gaussian": (gaussian, 20_000),
    "skewed": (skewed, 10_000),
    "integers": (integers, 6_000),
    "lacking": (lacking, 6_000),
    "mixed": (mixed, 10_000),
}


def large_table(name, p):
    draw, n = LARGE[name]
    rng = np.random.default_rng(sorted(LARGE).index(name))
    cases = draw(rng, n)
    kinds = np.array([0, 0, 0, 0, 1, 2, 2, 2] if name == "mixed" else [0] * cases.shape[1])
    spread = np.nanmean(np.abs(cases - np.nanmedian(cases, axis=0)), axis=0)
    residuals, periods = np.where(kinds == 2, 1.2, 0.3 * spread), np.where(kinds == 1, 24.0, 0.0)
    metric = make_metric(cases, kinds, residuals, p=p, periods=periods)
    return cases, np.vstack([cases[:4], draw(rng, 4)]), metric


@pytest.mark.parametrize("p", POWERS)
@pytest.mark.parametrize("name", LARGE)
def test_large_tables_are_pruned_and_still_exact(name, p):
    cases, queries, metric = large_table(name, p)
    exclude = np.array([0, 1, 2, 3, -1, -1, -1, -1])
    index = ExactIndex(cases, metric.kinds)
    actual = index.search(queries, metric, 10, exclude=exclude)
    expected = naive.neighbors(queries, cases, metric, 200, exclude)
    assert_same_neighbors(actual[:2], expected, cases=cases)
    assert actual.evaluated < len(queries) * len(cases) / 2, "hardly anything was ruled out"


@pytest.mark.parametrize("p", [0, 1, 2, 0.7])
@pytest.mark.parametrize("name", LARGE)
def test_many_stored_queries_get_the_answers_of_the_plain_scan(name, p):
    # So many that finer codes are made, in the order cases are kept and in another one.
    cases, _, metric = large_table(name, p)
    index = ExactIndex(cases[:2000], metric.kinds)
    rows = np.concatenate(
        [np.argsort(index.storage.rows_of(index.storage.numbers))[:600], np.arange(600)]
    )
    cases = cases[rows]
    cases[-3:, metric.kinds == NUMERIC] *= 1e6
    options = {"exclude": np.where(np.arange(1200) < 1190, rows, -1), "threads": 2}
    expected = index._searched(cases, metric, 12, **options, pruned=False)
    assert expected.evaluated >= 1200 * 1990
    for path in paths():
        actual = index._searched(cases, metric, 12, **options, path=path)
        np.testing.assert_array_equal(actual.indices, expected.indices)
        np.testing.assert_array_equal(actual.distances, expected.distances)
    few = index.search(cases[:7], metric, 12, exclude=options["exclude"][:7])
    np.testing.assert_array_equal(few.indices, expected.indices[:7])


@pytest.mark.parametrize("p", [0, 1, 2, 0.7])
@pytest.mark.parametrize("n", [70, 300, 1500])
@pytest.mark.parametrize("name", LARGE)
def test_small_tables_get_the_answers_of_the_plain_scan(name, n, p):
    # Small enough that all floors are worked out, or that no summary of the blocks is asked for.
    cases, queries, metric = large_table(name, p)
    cases, queries = cases[:n], np.vstack([cases[:60], queries])
    if name == "integers":  # some as categories, whatever they are stored as
        kinds = np.where(np.arange(len(metric.kinds)) % 2, NOMINAL, NUMERIC)
        metric = make_metric(cases, kinds, metric.residuals, p=p)
    index = ExactIndex(cases, np.where(metric.kinds == NOMINAL, NUMERIC, metric.kinds))
    index.remove(np.arange(3, n, 11))
    own = np.arange(len(queries))
    exclude = np.where((own < 50) & np.isin(own, index.storage.numbers), own, -1)
    expected = index._searched(queries, metric, 12, exclude=exclude, pruned=False)
    for path in paths():
        actual = index._searched(queries, metric, 12, exclude=exclude, path=path)
        np.testing.assert_array_equal(actual.indices, expected.indices)
        np.testing.assert_array_equal(actual.distances, expected.distances)


@pytest.mark.parametrize("p", [1, 2])
def test_many_queries_among_duplicates_and_constants_get_the_answers_of_the_plain_scan(p):
    rng = np.random.default_rng(8)
    cases = rng.integers(0, 3, size=(3000, 4)).astype(float)
    cases[:, 3], cases[:1500] = 7.0, [1.0, 1.0, 2.0, 7.0]
    metric = make_metric(cases, [NUMERIC] * 4, [0.4, 1e-12, 1e12, 1.0], p=p)
    index = ExactIndex(cases, metric.kinds)
    index.remove(np.arange(0, 3000, 7))
    queries, numbers = index.storage.values[:1100], index.storage.numbers[:1100]
    expected = index._searched(queries, metric, 9, exclude=numbers, pruned=False)
    for path in paths():
        actual = index._searched(queries, metric, 9, exclude=numbers, path=path)
        np.testing.assert_array_equal(actual.indices, expected.indices)
        np.testing.assert_array_equal(actual.distances, expected.distances)


@pytest.mark.parametrize("p", [0, 1])
def test_a_single_feature_can_be_searched_in_a_large_table(p):
    cases, queries, metric = large_table("gaussian", p)
    metric = metric.restricted(np.array([3]))
    actual = ExactIndex(cases, metric.kinds).search(queries, metric, 10)
    assert_same_neighbors(actual[:2], naive.neighbors(queries, cases, metric, 200), cases=cases)


@pytest.mark.parametrize("p", POWERS)
@pytest.mark.parametrize("lacking", [np.arange(7, 6000, 150), np.arange(3000), np.arange(5990)])
def test_a_case_that_lacks_a_value_may_be_the_nearest_to_an_outlier(lacking, p):
    rng = np.random.default_rng(2)
    cases = rng.normal(size=(6000, 3))
    cases[lacking, 0] = np.nan
    outliers = np.array([[50.0, 0.0, 0.0], [60.0, 1.0, 1.0]])
    # The metric was learned where such values are common, so an unknown one may be such a one.
    metric = make_metric(np.vstack([cases, outliers.repeat(3000, axis=0)]), NUMERIC, 0.2, p=p)
    index = ExactIndex(cases[:5000], metric.kinds)
    index.add(cases[5000:])
    actual = found(index, outliers, metric, 10)
    assert_same_neighbors(actual, naive.neighbors(outliers, cases, metric, 200), cases=cases)
    assert np.isnan(cases[actual[0][:, 0], 0]).all()


# --- free oracles ----------------------------------------------------------------------------


@pytest.mark.parametrize(("p", "name"), [(1, "manhattan"), (2, "euclidean")])
def test_with_tiny_residuals_the_distance_is_that_of_scikit_learn(p, name):
    rng = np.random.default_rng(5)
    cases, queries = rng.normal(size=(3000, 5)), rng.normal(size=(20, 5))
    residual = 1e-9
    metric = make_metric(cases, NUMERIC, residual, p=p)
    theirs = NearestNeighbors(n_neighbors=8, algorithm="brute", metric=name).fit(cases)
    distances, indices = theirs.kneighbors(queries)
    actual = ExactIndex(cases, metric.kinds).search(queries, metric, 8)
    np.testing.assert_array_equal(actual.indices, indices)
    # Theirs is a sum, ours a mean in units of the residual.
    scaled = actual.distances * residual * 5 ** (1 / p)
    np.testing.assert_allclose(scaled, distances, rtol=1e-7)


@pytest.mark.parametrize("n", [1, 64, 1000])
@pytest.mark.parametrize("p", POWERS)
def test_in_a_constant_table_all_are_equal_and_the_lowest_numbers_win(n, p):
    cases = np.full((n, 1), 3.0)
    index, metric = ExactIndex(cases, np.zeros(1)), make_metric(cases, NUMERIC, 1.0, p=p)
    indices, distances = found(index, cases[:1], metric, 5, exclude=np.array([0]))
    expected = np.arange(1, 6)
    np.testing.assert_array_equal(indices[0], np.where(expected < n, expected, -1))
    np.testing.assert_allclose(distances[0], np.where(expected < n, 1.5, np.inf), rtol=1e-14)


@pytest.mark.parametrize("p", POWERS)
def test_in_a_table_of_nothing_all_are_equal_too(p):
    cases = np.full((500, 1), np.nan)
    index, metric = ExactIndex(cases, np.zeros(1)), make_metric(cases, NUMERIC, 1.0, p=p)
    indices, distances = found(index, np.array([[np.nan], [4.0]]), metric, 3)
    np.testing.assert_array_equal(indices, [[0, 1, 2], [0, 1, 2]])
    np.testing.assert_allclose(distances, 1.5, rtol=1e-14)


def test_no_queries_have_no_neighbours():
    cases = np.arange(4.0)[:, None]
    indices, distances = found(
        ExactIndex(cases, [0]), np.empty((0, 1)), make_metric(cases, NUMERIC, 1.0), 2
    )
    assert indices.shape == distances.shape == (0, 2)
