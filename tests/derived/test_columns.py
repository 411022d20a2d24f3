"""Everything that is derived from the columns of a table to predict one target."""

from __future__ import annotations

import copy
from dataclasses import fields, is_dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.derived.tables import encoded, kinds_of, learned
from tests.strategies import make_metric
from vicinal.derived.columns import GROUPS
from vicinal.derived.stored_columns import StoredColumns
from vicinal.index.exact import ExactIndex
from vicinal.index.kinds import NUMERIC
from vicinal.index.metric import TermSettings
from vicinal.model.file_checks import check_derived

NAN = np.nan
targets = pytest.mark.parametrize("classes", [0, 2, 3], ids=["number", "two", "three"])


@pytest.fixture(scope="module")
def values():
    return encoded()


@pytest.fixture(scope="module")
def derived(values):
    return learned(values)


def test_extended_rows_begin_with_the_encoded_ones(values, derived):
    found = derived.extended(values, derived.folds.of_rows(values))
    np.testing.assert_array_equal(found[:, :5], values)
    assert found.shape == (300, 5 + derived.count)


@targets
def test_groups_follow_one_another_and_are_as_wide_as_they_say(classes):
    cases = encoded(classes=classes)
    derived = learned(cases, classes)
    width = 1 if classes < 3 else classes
    # Trees of all kinds are one score of numbers and of two classes.
    kinds = 3 if classes < 3 else 4
    groups = derived.groups
    assert tuple(groups) == GROUPS
    sizes = {name: len(at) for name, at in groups.items()}
    assert sizes == {
        "ranks": 2,
        "means": width,
        "additive": 2 * width,
        "trees": (kinds - 2) * width,
        "estimators": 0,
    }
    np.testing.assert_array_equal(
        np.concatenate(list(groups.values())), 5 + np.arange(derived.count)
    )
    np.testing.assert_array_equal(derived.scores, 5 + 2 + width + np.arange(kinds * width))
    found, folds = derived.cases(cases), derived.folds.of_rows(cases)
    runs = np.array([derived.folds.runs_without(fold) for fold in range(derived.folds.count)])

    def mean(one):
        return np.mean([one.values(cases, own) for own in runs[folds].T], axis=0)

    for one, at in zip(derived.ranks, groups["ranks"], strict=True):
        np.testing.assert_array_equal(found[:, at], one.values(cases))
    np.testing.assert_array_equal(found[:, groups["means"]], mean(derived.means[0]))
    at = derived.scores.reshape(kinds, width)
    for one, columns in zip(derived.all_scores, at, strict=True):
        np.testing.assert_array_equal(found[:, columns], mean(one))


@settings(max_examples=20)
@given(seed=st.integers(0, 99), size=st.integers(1, 50))
def test_derived_values_are_a_function_of_the_row_alone(values, derived, seed, size):
    rng = np.random.default_rng(seed)
    whole = derived.cases(values)
    some = rng.integers(0, 300, size=size)
    np.testing.assert_array_equal(derived.cases(values[some]), whole[some])
    new = derived.extended(values, np.full(300, -1))
    batches = [derived.extended(values[[i]], np.array([-1])) for i in some]
    np.testing.assert_array_equal(np.concatenate(batches), new[some])


def test_more_cases_than_a_block_are_derived_alike(values, derived):
    many = np.tile(values, (20, 1))
    np.testing.assert_array_equal(derived.cases(many), np.tile(derived.cases(values), (20, 1)))
    assert derived.cases(values[:0]).shape == (0, 5 + derived.count)


def test_the_target_is_not_looked_at(values, derived):
    blank = values.copy()
    blank[:, 0] = NAN
    np.testing.assert_array_equal(derived.cases(blank)[:, 1:], derived.cases(values)[:, 1:])


def test_missing_unseen_and_far_values_have_derived_ones_as_far_as_can_be(derived):
    odd = np.array([[NAN, 1e300, -1e300, 99.0, 99.0], [NAN] * 5])
    for folds in ([-1, -1], [0, 3]):
        found = derived.extended(odd, np.array(folds))
        assert np.isfinite(found[0, 5:]).all()
        assert np.isfinite(found[1, derived.scores]).all()
        assert np.isnan(found[1, derived.groups["ranks"]]).all()


# --- indexes and metrics ------------------------------------------------------------------------


def test_the_index_has_the_same_cases_under_the_same_numbers(values, derived):
    index = ExactIndex(values, kinds_of(0), np.resize([1.0, 2.0], 300))
    index.remove([0, 7, 200])
    index.update([3], values[[9]])
    index.add(values[:5])
    extended = StoredColumns(derived).index(index)
    numbers = index.storage.numbers
    np.testing.assert_array_equal(extended.storage.numbers, numbers)
    np.testing.assert_array_equal(extended.weights_of(numbers), index.weights_of(numbers))
    np.testing.assert_array_equal(extended.rows(numbers), derived.cases(index.rows(numbers)))
    np.testing.assert_array_equal(extended.kinds[:5], index.kinds)
    assert (extended.kinds[5:] == NUMERIC).all()
    assert extended.next_number == index.next_number


def test_terms_of_derived_columns_are_those_of_numbers_without_weight(derived):
    terms = TermSettings(kinds_of(0), np.arange(5.0), np.ones(5), 1.0, np.ones(5, dtype=bool))
    found = derived.terms(terms)
    more = derived.count
    np.testing.assert_array_equal(found.kinds, np.append(terms.kinds, [NUMERIC] * more))
    np.testing.assert_array_equal(found.weights, [1.0] * 5 + [0.0] * more)
    np.testing.assert_array_equal(found.periods, [*range(5)] + [0.0] * more)
    np.testing.assert_array_equal(found.distinct, [True] * 5 + [False] * more)


@targets
def test_shares_sum_to_one_over_the_context(classes):
    derived = learned(encoded(classes=classes), classes)
    np.testing.assert_allclose(derived.shares.sum(axis=1), 1.0)
    assert (derived.shares >= 0).all()
    assert not derived.shares[:, 0].any()
    assert derived.shares.shape == (len(derived.scores), 5)


def test_shares_of_all_derived_columns_are_cut_to_those_of_scores(derived):
    alone = np.zeros((derived.count - len(derived.shares), 5))
    earlier = replace(derived, shares=np.concatenate([alone, derived.shares]))
    for one in (earlier, derived):
        check_derived(one, 5)
        found = one.with_shares_of_scores()
        np.testing.assert_array_equal(found.shares, derived.shares)
        assert found.count == derived.count


def test_weights_that_are_handed_back_have_the_same_sum(values, derived):
    extended = derived.cases(values)
    weights = np.random.default_rng(0).random(extended.shape[1])
    kinds = np.append(kinds_of(0), [NUMERIC] * derived.count)
    metric = make_metric(extended, kinds, 1.0, weights=weights)
    found = derived.handed_back(metric)
    assert len(found.kinds) == 5
    np.testing.assert_allclose(found.weights.sum(), weights.sum())
    # What is made of one column hands all of its weight to it.
    only = np.zeros(len(weights))
    only[derived.groups["ranks"]] = [0.25, 0.5]
    found = derived.handed_back(metric.with_weights(only))
    np.testing.assert_array_equal(found.weights, [0, 0.25, 0.5, 0, 0])


def test_the_columns_of_a_feature_are_its_own_its_rank_and_its_means(derived):
    assert [derived.columns_of(column) for column in range(5)] == [
        (0,),
        (1, 5),
        (2, 6),
        (3, 7),
        (4,),
    ]


# --- parts --------------------------------------------------------------------------------------


@targets
def test_parts_say_what_each_feature_adds_to_each_score(classes):
    cases = encoded(classes=classes)
    derived = learned(cases, classes)
    folds = derived.folds.of_rows(cases)
    parts = derived.parts(cases, folds)
    assert parts.shape == (300, 4, len(derived.scores))
    scores = derived.cases(cases)[:, derived.scores]
    # But for a constant of each fold, they sum to the score.
    rest = scores - parts.sum(axis=1)
    for fold in np.unique(folds):
        np.testing.assert_allclose(np.ptp(rest[folds == fold], axis=0), 0.0, atol=1e-9)


@pytest.mark.parametrize("column", [1, 2, 3, 4])
def test_a_column_left_out_has_no_effect_on_the_scores(values, derived, column):
    without = replace(derived, ignored=np.array([column]))
    changed = values.copy()
    changed[:, column] = np.random.default_rng(1).permutation(values[:, column])
    folds = np.full(300, -1)
    scores = without.extended(values, folds)[:, derived.scores]
    np.testing.assert_array_equal(without.extended(changed, folds)[:, derived.scores], scores)
    place = column - 1
    assert np.ptp(without.parts(values, folds)[:, place], axis=0).max() == 0
    assert np.ptp(derived.parts(values, folds)[:, place], axis=0).max() > 0
    # The encoded columns, ranks and means stay; folds are those of the rows as they are.
    np.testing.assert_array_equal(
        without.cases(values)[:, : derived.scores[0]],
        derived.cases(values)[:, : derived.scores[0]],
    )
    np.testing.assert_array_equal(derived.ignored, [])


def test_all_columns_may_be_left_out(values, derived):
    without = replace(derived, ignored=np.array([1, 2, 3, 4]))
    assert np.ptp(without.extended(values, np.full(300, -1))[:, derived.scores], axis=0).max() == 0


# --- what is kept -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "names", [(), ("ranks",), ("trees",), ("means", "trees"), ("ranks", "additive"), GROUPS[:-1]]
)
def test_groups_that_nobody_uses_are_dropped(values, derived, names):
    used = [0, 4, *(derived.groups[name][0] for name in names)]
    kept, positions = derived.kept(used)
    if not names:
        assert kept is None
        np.testing.assert_array_equal(positions, np.arange(5))
        return
    assert {name for name, at in kept.groups.items() if len(at)} == set(names)
    np.testing.assert_array_equal(kept.cases(values), derived.cases(values)[:, positions])
    of_scores = np.isin(derived.scores, positions)
    np.testing.assert_array_equal(kept.shares, derived.shares[of_scores])
    assert kept.count == len(positions) - 5
    again, same = kept.kept(range(len(positions)))
    np.testing.assert_array_equal(same, np.arange(len(positions)))
    assert again.groups.keys() == kept.groups.keys()


class OwnScores:
    """Scores like those of a user's own estimator."""

    def __init__(self, width):
        self.width = width

    def values(self, rows, folds):
        return np.full((len(rows), self.width), float(self.width))


def test_estimators_are_dropped_one_by_one(values, derived):
    d = derived.count
    more = replace(
        derived,
        estimators=(OwnScores(1), OwnScores(3)),
        shares=np.concatenate([derived.shares, np.zeros((4, 5))]),
    )
    np.testing.assert_array_equal(more.groups["estimators"], 5 + d + np.arange(4))
    np.testing.assert_array_equal(more.scores[-4:], 5 + d + np.arange(4))
    kept, positions = more.kept([0, more.groups["ranks"][0], 5 + d + 2])
    assert [one.width for one in kept.estimators] == [3]
    np.testing.assert_array_equal(
        positions, [*range(5), *derived.groups["ranks"], *(5 + d + np.array([1, 2, 3]))]
    )
    np.testing.assert_array_equal(kept.cases(values), more.cases(values)[:, positions])
    kept, positions = more.kept([0, 5 + d])
    assert [one.width for one in kept.estimators] == [1]
    assert positions.tolist() == [*range(5), 5 + d]


def test_they_are_copied_whole(values, derived):
    expected = derived.cases(values)
    np.testing.assert_array_equal(copy.deepcopy(derived).cases(values), expected)


def arrays_of(value):
    """Every array and number of nested dataclasses."""
    if is_dataclass(value):
        return [one for field in fields(value) for one in arrays_of(getattr(value, field.name))]
    if isinstance(value, tuple):
        return [one for each in value for one in arrays_of(each)]
    return [np.asarray(value)]


@targets
def test_learning_depends_neither_on_the_order_of_rows_nor_on_threads(classes):
    cases = encoded(classes=classes)
    expected = arrays_of(learned(cases, classes, threads=1))
    order = np.random.default_rng(5).permutation(300)
    for other in (learned(cases[order], classes, threads=1), learned(cases, classes, threads=4)):
        for actual, one in zip(arrays_of(other), expected, strict=True):
            np.testing.assert_array_equal(actual, one)
