"""Cases come and go, and models are copied."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from tests.mixed_table import OPTIONS, mixed_table, take
from tests.model.parts import with_cases
from vicinal import Model

N = 150


def test_adding_and_removing_gives_the_model_of_the_cases_left(table, queries):
    model = Model(**OPTIONS).fit(table)
    before = model.residuals_
    more = mixed_table(60, seed=3)
    more["colour"][0] = "violet"
    numbers = model.add(more)
    assert numbers.tolist() == list(range(N, N + 60))
    gone = np.random.default_rng(1).permutation(N + 60)[:90]
    model.remove(gone)
    assert len(model) == N + 60 - 90
    assert model.residuals_ == before
    kept = np.setdiff1d(np.arange(N + 60), gone)
    twin = with_cases(model, model.index_.rows(kept))
    for rows in (queries, None):
        found, expected = model.neighbors(rows, k=6), twin.neighbors(rows, k=6)
        np.testing.assert_array_equal(found.indices, kept[expected.indices])
        np.testing.assert_array_equal(found.distances, expected.distances)


def test_added_cases_are_encoded_like_the_others(table):
    model = Model(**OPTIONS).fit(take(table, range(100)))
    model.add(take(table, range(100, N)))
    twin = with_cases(model, model._ready().rows(table).values)
    found, expected = model.neighbors(table, k=6), twin.neighbors(table, k=6)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(found.distances, expected.distances)


def test_a_new_category_becomes_one_of_the_schema(table):
    model = Model(**OPTIONS).fit(table)
    rows = take(table, [0, 1])
    rows["colour"] = ["violet", "violet"]
    first, second = model.add(rows).tolist()
    assert "violet" in model.schema_["colour"].categories
    asked = {"colour": ["violet"]}
    assert model.neighbors(asked, k=2).indices.tolist() == [[first, second]]


def test_added_cases_may_have_weights(table, queries):
    model = Model(**OPTIONS).fit(table)
    model.add(take(table, [0, 1]), sample_weight=[3.0, 0.0])
    assert len(model) == N + 2
    found = model.neighbors(take(table, [0]), k=5)
    places = dict(zip(found.indices[0].tolist(), found.weights[0].tolist(), strict=True))
    assert places[0] == 1
    assert places[N] == 3
    assert N + 1 not in places


def test_all_cases_may_go_and_others_come(table, queries):
    model = Model(**OPTIONS).fit(table)
    model.remove(range(N))
    assert len(model) == 0
    assert (model.neighbors(queries, k=2).indices == -1).all()
    assert len(model.neighbors(k=2)) == 0
    model.add(take(table, [4]))
    assert model.neighbors(queries, k=1).indices.tolist() == [[N]] * 12


@pytest.mark.parametrize("cases", [3, [3], (3, 3), np.array([3]), range(3, 4)])
def test_cases_are_removed_by_number(table, cases):
    model = Model(**OPTIONS).fit(table)
    model.remove(cases)
    assert len(model) == N - 1
    assert 3 not in model.neighbors(k=5).indices


# --- copies --------------------------------------------------------------------------------------


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_a_copy_answers_alike_and_lives_its_own_life(queries, table, copied):
    weighted = Model(**OPTIONS).fit(table, sample_weight=np.resize([1, 2, 3], N))
    other = copied(weighted)
    found, expected = other.neighbors(queries, terms=True), weighted.neighbors(queries, terms=True)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(found.distances, expected.distances)
    np.testing.assert_array_equal(found.terms, expected.terms)
    assert other.residuals_ == weighted.residuals_
    other.remove([1, 2])
    other.add(take(table, [1]))
    assert len(weighted) == N
    assert len(other) == N - 1


def test_a_large_model_can_be_pickled():
    # Large enough for an order of its own in memory.
    rng = np.random.default_rng(0)
    model = Model(max_rounds=1).fit(rng.normal(size=(3000, 4)))
    model.remove(np.arange(100))
    other = pickle.loads(pickle.dumps(model))
    queries = rng.normal(size=(20, 4))
    np.testing.assert_array_equal(
        other.neighbors(queries).indices, model.neighbors(queries).indices
    )


def test_a_model_can_be_fitted_again(table, queries):
    model = Model(**OPTIONS).fit(mixed_table(40, seed=9)).fit(table)
    assert len(model) == N
    fresh = Model(**OPTIONS).fit(table)
    assert model.residuals_ == fresh.residuals_
    np.testing.assert_array_equal(
        model.neighbors(queries).indices, fresh.neighbors(queries).indices
    )
