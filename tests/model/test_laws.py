"""A Model gives the same answers however the same table is written."""

from __future__ import annotations

import numpy as np
import pytest

from tests.comparison import assert_same_neighbors
from tests.mixed_table import OPTIONS, take
from vicinal import Model

N = 150


def pair(found):
    return found.indices, found.distances


def assert_same_model(actual, expected, queries, rtol=1e-9):
    assert actual.residuals_.keys() == expected.residuals_.keys()
    np.testing.assert_allclose(
        [history[name] for history in actual.residual_history_ for name in history],
        [history[name] for history in expected.residual_history_ for name in history],
        rtol=rtol,
    )
    # Wider than what is compared, so that a tie at the end is seen as one.
    wide = expected.neighbors(queries, k=40)
    assert_same_neighbors(pair(actual.neighbors(queries, k=8)), pair(wide), rtol=1e-6)


def test_the_order_of_rows_does_not_matter(table, model, queries):
    order = np.random.default_rng(3).permutation(N)
    shuffled = Model(**OPTIONS).fit(take(table, order))
    assert shuffled.residual_history_ == model.residual_history_
    found, expected = shuffled.neighbors(queries, k=8), model.neighbors(queries, k=40)
    assert_same_neighbors((order[found.indices], found.distances), pair(expected))


def test_the_order_of_columns_does_not_matter(table, model, queries):
    turned = Model(**OPTIONS).fit(dict(reversed(table.items())))
    assert turned.residual_history_ == model.residual_history_
    assert list(turned.residuals_) == list(reversed(model.residuals_))
    found, expected = turned.neighbors(queries, terms=True), model.neighbors(queries, terms=True)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(found.distances, expected.distances)
    np.testing.assert_array_equal(found.terms, expected.terms[:, :, ::-1])


@pytest.mark.parametrize(("factor", "shift"), [(2.0**-20, 0.0), (1e9, -5e9), (-0.37, 12.0)])
def test_the_unit_of_a_feature_does_not_matter(table, model, queries, factor, shift):
    def changed(rows):
        moved = [None if x is None else factor * x + shift for x in rows["weight"]]
        return {**rows, "weight": moved}

    other = Model(**OPTIONS).fit(changed(table))
    in_the_old_unit = [
        {**history, "weight": history["weight"] / abs(factor)}
        for history in other.residual_history_
    ]
    np.testing.assert_allclose(
        [list(history.values()) for history in in_the_old_unit],
        [list(history.values()) for history in model.residual_history_],
        rtol=1e-7,
    )
    wide = model.neighbors(queries, k=40)
    assert_same_neighbors(pair(other.neighbors(changed(queries), k=8)), pair(wide), rtol=1e-6)


@pytest.mark.parametrize("p", [5e-324, 1e-17, 1e-12])
def test_a_tiny_power_means_the_geometric_mean(table, queries, p):
    found = Model(p=p, **OPTIONS).fit(table).neighbors(queries)
    expected = Model(p=0, **OPTIONS).fit(table).neighbors(queries)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(found.distances, expected.distances)


def test_an_order_may_be_told_from_either_end(table, model, queries):
    options = {**OPTIONS, "ordinal_features": {"size": ["XL", "L", "M", "S"]}}
    assert_same_model(Model(**options).fit(table), model, queries)


def test_the_zero_of_a_circle_does_not_matter(table, model, queries):
    def turned(rows):
        return {**rows, "hour": [None if x is None else (x + 7) % 24 for x in rows["hour"]]}

    other = Model(**OPTIONS).fit(turned(table))
    assert other.residuals_["hour"] == pytest.approx(model.residuals_["hour"], rel=0.03)


def pandas_frame(rows):
    return pytest.importorskip("pandas").DataFrame(rows)


def polars_frame(rows):
    return pytest.importorskip("polars").DataFrame(rows)


def arrow_table(rows):
    return pytest.importorskip("pyarrow").table(rows)


def list_of_rows(rows):
    return [dict(zip(rows, row, strict=True)) for row in zip(*rows.values(), strict=True)]


@pytest.mark.parametrize("write", [pandas_frame, polars_frame, arrow_table, list_of_rows])
def test_the_library_of_a_table_does_not_matter(table, model, queries, write):
    other = Model(**OPTIONS).fit(write(table))
    assert other.residual_history_ == model.residual_history_
    found, expected = other.neighbors(write(queries)), model.neighbors(queries)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(found.distances, expected.distances)


def test_an_array_is_a_table_too():
    rng = np.random.default_rng(0)
    cases = rng.normal(size=(60, 3))
    cases[3, 1] = np.nan
    found = Model().fit(cases).neighbors(cases[:5], k=3)
    named = Model().fit({"x0": cases[:, 0], "x1": cases[:, 1], "x2": cases[:, 2]})
    expected = named.neighbors({f"x{j}": cases[:5, j] for j in range(3)}, k=3)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(found.distances, expected.distances)


@pytest.mark.parametrize("n_jobs", [1, 2, 3, -1])
def test_the_number_of_threads_does_not_matter(table, model, queries, n_jobs):
    other = Model(n_jobs=n_jobs, **OPTIONS).fit(table)
    assert other.residual_history_ == model.residual_history_
    found, expected = other.neighbors(queries, terms=True), model.neighbors(queries, terms=True)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(found.distances, expected.distances)
    np.testing.assert_array_equal(found.terms, expected.terms)


# --- case weights --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def counts():
    return np.random.default_rng(2).integers(1, 4, size=N)


@pytest.fixture(scope="module")
def weighted(table, counts):
    return Model(**OPTIONS).fit(table, sample_weight=counts)


@pytest.fixture(scope="module")
def repeated(table, counts):
    return Model(**OPTIONS).fit(take(table, np.repeat(np.arange(N), counts)))


def test_a_whole_weight_is_a_repeated_row_for_residuals(weighted, repeated):
    assert weighted.schema_ == repeated.schema_
    np.testing.assert_allclose(
        [list(history.values()) for history in weighted.residual_history_],
        [list(history.values()) for history in repeated.residual_history_],
        rtol=1e-12,
    )


def test_a_whole_weight_is_a_repeated_row_for_neighbors(weighted, repeated, counts, queries):
    k = 9
    found, expected = weighted.neighbors(queries, k=k), repeated.neighbors(queries, k=k)
    owner = np.repeat(np.arange(N), counts)
    for q in range(len(found)):
        places = found.weights[q].astype(int)
        assert places.sum() == k
        assert np.repeat(found.indices[q], places).tolist() == owner[expected.indices[q]].tolist()


def test_leaving_out_a_weighted_case_leaves_its_other_copies(weighted, repeated, counts):
    k = 9
    owner = np.repeat(np.arange(N), counts)
    first = np.concatenate([[0], np.cumsum(counts)[:-1]])
    found, expected = weighted.neighbors(k=k), repeated.neighbors(k=k)
    for case in range(N):
        listed = np.repeat(found.indices[case], found.weights[case].astype(int))
        assert listed.tolist() == owner[expected.indices[first[case]]].tolist()


def test_cases_without_weight_are_never_found(table, queries):
    weights = np.where(np.arange(N) % 3, 1.0, 0.0)
    model = Model(**OPTIONS).fit(table, sample_weight=weights)
    found = model.neighbors(queries, k=N)
    assert (found.indices[found.indices >= 0] % 3 > 0).all()
    assert (found.indices >= 0).sum(axis=1).tolist() == [np.count_nonzero(weights)] * 12


def test_unit_weights_are_no_weights(table, model, queries):
    unit = Model(**OPTIONS).fit(table, sample_weight=np.ones(N))
    assert_same_model(unit, model, queries, rtol=1e-12)
