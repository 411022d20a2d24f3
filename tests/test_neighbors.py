"""The neighbours a Model finds, and what it reports."""

from __future__ import annotations

import numpy as np
import pytest

from tests.comparison import assert_same_neighbors
from tests.mixed_table import OPTIONS, mixed_table, take
from tests.model.parts import odd_queries
from tests.naive import distance as naive
from vicinal import Model

N = 150


@pytest.fixture(scope="module")
def table():
    return mixed_table(N)


@pytest.fixture(scope="module")
def queries():
    return odd_queries()


@pytest.fixture(scope="module")
def model(table):
    return Model(**OPTIONS).fit(table)


def pair(found):
    return found.indices, found.distances


@pytest.mark.parametrize("p", [0, 0.5, 1, 2])
@pytest.mark.parametrize("missing", ["expected", "distinct"])
def test_neighbors_are_those_of_the_reference(table, queries, p, missing):
    model = Model(p=p, missing=missing, **OPTIONS).fit(table)
    found = model.neighbors(queries, k=6, terms=True)
    encoded, cases = model._ready().rows(queries).values, model.index_.storage.values
    expected = naive.neighbors(encoded, cases, model.metric_, N)
    assert_same_neighbors(pair(found), expected)
    order = model.schema_.table_order
    for q, row in enumerate(found.indices):
        terms = naive.terms(encoded[q], cases[row], model.metric_)[:, order]
        np.testing.assert_allclose(found.terms[q], terms, rtol=1e-11)


def test_stored_cases_are_not_their_own_neighbors(model):
    found = model.neighbors(k=5)
    assert len(found) == N
    assert not (found.indices == np.arange(N)[:, None]).any()
    expected = naive.neighbors(
        model.index_.storage.values,
        model.index_.storage.values,
        model.metric_,
        30,
        exclude=np.arange(N),
    )
    assert_same_neighbors(pair(found), expected)


def test_a_new_row_equal_to_a_case_finds_it(table, model):
    found = model.neighbors(take(table, [20]), k=1)
    assert found.indices.tolist() == [[20]]


def test_duplicates_come_first_and_in_order(table, model):
    # The last rows repeat the first ones, and 1.5 is the distance of complete equal cases.
    twin = N - N // 20
    complete = next(r for r in range(N // 20) if all(v[r] is not None for v in table.values()))
    found = model.neighbors(take(table, [complete]), k=2)
    assert found.indices.tolist() == [[complete, twin + complete]]
    np.testing.assert_array_equal(found.distances, 1.5)


def test_the_distance_is_the_mean_of_the_terms(model, queries):
    found = model.neighbors(queries, k=4, terms=True)
    np.testing.assert_allclose(found.terms.mean(axis=2), found.distances, rtol=1e-12)


def test_only_the_context_counts(model, queries):
    context = ["income", "colour"]
    found = model.neighbors(queries, k=4, context=context, terms=True)
    counted = [name in context for name in found.names]
    np.testing.assert_allclose(found.terms[:, :, counted].mean(axis=2), found.distances)
    assert np.isnan(found.terms[:, :, np.logical_not(counted)]).all()


def test_columns_the_rows_lack_do_not_count(model, queries):
    few = {name: queries[name] for name in ("colour", "income")}
    expected = model.neighbors(queries, k=4, context=["income", "colour"])
    np.testing.assert_array_equal(model.neighbors(few, k=4).indices, expected.indices)


def test_feature_weights_are_those_of_the_mean(table, queries):
    weights = {"income": 3.0, "colour": 0.5, "member": 0.0}
    found = Model(feature_weights=weights, **OPTIONS).fit(table).neighbors(queries, terms=True)
    shares = np.array([weights.get(name, 1.0) for name in found.names])
    counted = shares > 0
    means = np.average(found.terms[:, :, counted], axis=2, weights=shares[counted])
    np.testing.assert_allclose(means, found.distances, rtol=1e-12)


def test_more_neighbors_than_cases_are_padded(queries):
    small = Model(**OPTIONS).fit(mixed_table(4))
    found = small.neighbors(queries, k=7)
    assert (found.indices[:, 4:] == -1).all()
    assert np.isinf(found.distances[:, 4:]).all()
    assert (np.sort(found.indices[:, :4]) == np.arange(4)).all()


# --- odd tables ----------------------------------------------------------------------------------


def test_one_row_is_a_table():
    model = Model().fit({"a": [1.0], "b": ["x"]})
    assert np.isnan(list(model.residuals_.values())).all()
    assert model.neighbors({"a": [5.0], "b": ["y"]}, k=1).indices.tolist() == [[0]]
    assert model.neighbors(k=1).indices.tolist() == [[-1]]


def test_what_tells_nothing_apart_has_no_residual_and_does_not_count(table, model, queries):
    odd = {**table, "constant": [7.0] * N, "nothing": [None] * N, "same": ["x"] * N}
    other = Model(**OPTIONS).fit(odd)
    assert [name for name, r in other.residuals_.items() if np.isnan(r)] == [
        "constant",
        "nothing",
        "same",
    ]
    asked = {**queries, "constant": [8.0] * 12, "nothing": [None] * 12, "same": ["y"] * 12}
    found, expected = other.neighbors(asked, k=5), model.neighbors(queries, k=40)
    assert_same_neighbors(pair(found), pair(expected), rtol=1e-6)


@pytest.mark.parametrize("n", [4, 3000])
def test_where_nothing_counts_all_cases_are_equally_near(n):
    found = Model().fit({"a": [3.0] * n}).neighbors({"a": [9.0]}, k=3)
    assert found.indices.tolist() == [[0, 1, 2]]
    np.testing.assert_array_equal(found.distances, 1.5)


def test_a_row_without_any_value_is_a_case_and_a_query(table):
    empty = dict.fromkeys(table)
    rows = {name: [*values[:40], None] for name, values in table.items()}
    model = Model(**OPTIONS).fit(rows)
    found = model.neighbors({name: [None] for name in empty}, k=41)
    assert sorted(found.indices[0].tolist()) == list(range(41))
    assert np.isfinite(found.distances).all()


def test_no_rows_have_no_neighbors(model, table):
    found = model.neighbors({name: [] for name in table}, k=3)
    assert found.indices.shape == (0, 3)


def test_a_category_never_seen_differs_from_all(model, table):
    asked = take(table, [20])
    asked["colour"] = ["violet"]
    found = model.neighbors(asked, k=N, context=["colour"])
    known = np.array([value is not None for value in table["colour"]])
    assert len(np.unique(found.distances[0][known[found.indices[0]]])) == 1


# --- what is reported ----------------------------------------------------------------------------


def test_the_rounds_are_kept_and_end_by_themselves(model, table):
    assert model.residuals_converged_
    assert model.residual_history_[-1] == model.residuals_
    assert 3 <= len(model.residual_history_) <= 9
    assert model.residual_sample_ == (N, N)
    assert list(model.residuals_) == list(table)


def test_the_rounds_end_when_told_to(table):
    model = Model(max_rounds=1, **OPTIONS).fit(table)
    assert len(model.residual_history_) == 2
    assert not model.residuals_converged_


def test_features_that_follow_from_others_have_small_residuals(model):
    start, end = model.residual_history_[0], model.residuals_
    assert end["weight"] < 0.6 * start["weight"]
    # One that follows from nothing stays at the cap below chance.
    assert end["member"] == pytest.approx(0.8 * 0.5)


def test_large_tables_are_sampled_and_the_sample_is_seeded():
    table = mixed_table(1200)
    first, again = (Model(**OPTIONS).fit(table) for _ in range(2))
    other = Model(random_state=5, **OPTIONS).fit(table)
    assert first.residual_sample_ == (256, 1200)
    assert first.residuals_ == again.residuals_
    assert first.residuals_ != other.residuals_
    for name, residual in first.residuals_.items():
        assert other.residuals_[name] == pytest.approx(residual, rel=0.3)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_neighbors_become_a_frame(model, queries, backend):
    pytest.importorskip(backend)
    found = model.neighbors(queries, k=2, terms=True)
    frame = found.to_frame(backend)
    columns = frame.column_names if backend == "pyarrow" else list(frame.columns)
    assert columns == ["query", "rank", "case", "distance", *model.schema_.names]
    assert len(frame) == 24


def test_models_and_neighbors_show_what_they_are(model, queries):
    assert repr(Model(p=2)) == "Model(p=2, n_neighbors=10), not fitted"
    assert repr(model) == "Model(p=1.0) of 150 cases, 7 features"
    assert repr(Model().fit({"a": [1.0]})) == "Model(p=1.0) of 1 case, 1 feature"
    lines = repr(model.neighbors(queries, k=7)).splitlines()
    assert lines[0] == "Neighbors of 12 rows, k = 7"
    assert "  Row 0" in lines
    assert "  Row 3" not in lines
    assert lines[-1] == "  … and 9 more rows"
