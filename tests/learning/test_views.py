"""Cases that are left out see nothing that was learned from their outcomes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.derived.tables import KINDS, encoded, learned
from tests.strategies import make_metric
from vicinal.derived.stored_columns import StoredColumns
from vicinal.index.exact import ExactIndex
from vicinal.index.terms import case_offsets
from vicinal.learning.entropy import all_pairs
from vicinal.learning.views import Views


@pytest.fixture(scope="module")
def derived():
    return learned(encoded(200))


@pytest.fixture(scope="module")
def views(derived):
    stored = StoredColumns(derived)
    return Views.of(stored.index(ExactIndex(encoded(200), KINDS)), stored)


def metric_of(views, active):
    values = views.index.rows(np.arange(200))
    weights = np.isin(np.arange(values.shape[1]), active).astype(float)
    return make_metric(values, views.index.kinds, 1.0, weights=weights)


def test_each_case_sees_the_index_of_its_fold(derived, views):
    cases = np.arange(0, 200, 3)
    folds = derived.folds.of_rows(encoded(200)[cases])
    parts = list(views.split(cases))
    np.testing.assert_array_equal(np.sort(np.concatenate([at for _, at in parts])), range(67))
    for index, at in parts:
        (fold,) = set(folds[at].tolist())
        assert index is views.by_fold[fold]


def test_scores_seen_from_a_fold_are_those_of_runs_without_it(derived, views):
    # The slow twin: one case and one fold at a time, run by run.
    values = encoded(200)
    own = derived.folds.of_rows(values)
    at = derived.groups["trees"]
    for view, index in enumerate(views.by_fold):
        for case in range(0, 200, 17):
            runs = [
                run
                for run, without in enumerate(derived.folds.left_out)
                if without[view] and without[own[case]]
            ]
            row = values[case : case + 1]
            each = [derived.trees[0].values(row, np.array([run]))[0] for run in runs]
            assert len(each) == (4 if view == own[case] else 1)
            seen = index.rows(np.array([case]))[0]
            np.testing.assert_allclose(seen[at], np.mean(each, axis=0), rtol=1e-12)
            np.testing.assert_array_equal(seen[:5], values[case])


def test_columns_that_no_outcome_was_learned_from_have_one_view(derived, views):
    ranks, scores = derived.groups["ranks"], derived.groups["additive"]
    assert views.seen_by(metric_of(views, [1, 2, *ranks])).by_fold == ()
    assert views.seen_by(metric_of(views, [1, *scores])) is views


def test_neighbors_in_pairs_are_those_of_the_view_of_each_case(derived, views):
    metric = metric_of(views, [1, *derived.groups["trees"]])
    cases = np.arange(5, 45)
    target = type("Target", (), {"column": 0})
    found = all_pairs(views, metric, target, cases).search(cases, metric, 200)
    for index, at in views.split(cases):
        alone = Views(ExactIndex(index.rows(np.arange(200)), index.kinds))
        alone = all_pairs(alone, metric, target, cases[at]).search(cases[at], metric, 200)
        np.testing.assert_array_equal(found.indices[at], alone.indices)
        np.testing.assert_array_equal(found.distances[at], alone.distances)


def test_offsets_are_taken_from_the_view_of_each_case(derived, views):
    metric = metric_of(views, [1, *derived.groups["trees"]])
    cases = np.random.default_rng(0).permutation(200)[:40]
    near = np.random.default_rng(1).integers(-1, 200, size=(40, 7))
    pairs = all_pairs(views, metric, type("Target", (), {"column": 0}), cases)
    found = pairs.offsets(cases, near, metric, threads=1)
    fold_of = derived.folds.of_rows(encoded(200)[cases])
    for at, (case, fold) in enumerate(zip(cases, fold_of, strict=True)):
        index = views.by_fold[fold]
        own = case_offsets(index, index.rows(cases[at : at + 1]), near[at : at + 1], metric)
        np.testing.assert_array_equal(found[at], own[0], err_msg=f"case {case}")
