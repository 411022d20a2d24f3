"""What is derived for a target, and where nothing can be."""

from __future__ import annotations

import numpy as np
import pytest

from tests.derived import tables
from tests.derived.tables import KINDS, encoded, learned
from vicinal.derived import learn as module
from vicinal.derived.columns import DerivedColumns
from vicinal.derived.learn import FEW_CLASSES, FEWEST, MOST_CLASSES
from vicinal.derived.stored_columns import StoredColumns
from vicinal.derived.trees import DEEP, SYMMETRIC
from vicinal.index.exact import ExactIndex

NAN = np.nan


def counts(derived):
    return {name: len(getattr(derived, name)) for name in ("ranks", "means", "additive", "trees")}


def test_a_mixed_table_has_all_of_them():
    assert counts(learned(encoded())) == {"ranks": 2, "means": 1, "additive": 2, "trees": 1}


def test_the_context_alone_is_used():
    derived = learned(encoded(), context=(2, 4))
    np.testing.assert_array_equal(derived.columns, [2, 4])
    assert counts(derived) == {"ranks": 1, "means": 0, "additive": 2, "trees": 1}
    assert not derived.shares[:, [0, 1, 3]].any()
    assert all(one.column == 2 for one in derived.ranks)


@pytest.mark.parametrize("classes", [0, 2])
def test_nothing_is_derived_from_few_cases(classes):
    assert learned(encoded(FEWEST - 1, classes=classes), classes) is None
    assert counts(learned(encoded(FEWEST, classes=classes), classes))["additive"] == 2


def test_only_cases_with_a_known_target_count():
    values = encoded(2 * FEWEST)
    values[FEWEST - 1 :, 0] = NAN
    assert learned(values) is None


def test_many_classes_have_no_scores():
    for classes, wanted in [(FEW_CLASSES, 2), (MOST_CLASSES, 1), (MOST_CLASSES + 1, 0)]:
        values = encoded(400)
        values[:, 0] = np.arange(400) % classes
        assert counts(learned(values, classes))["additive"] == wanted


def test_categories_have_no_means_of_many_classes():
    for classes, wanted in [(FEW_CLASSES, 1), (FEW_CLASSES + 1, 0)]:
        values = encoded(400, classes=classes)
        assert counts(learned(values, classes))["means"] == wanted


def test_a_cyclic_target_has_no_scores():
    assert counts(learned(encoded(), period=24.0)) == {
        "ranks": 2,
        "means": 0,
        "additive": 0,
        "trees": 0,
    }


@pytest.mark.parametrize("classes", [0, 2])
def test_a_constant_target_has_no_scores(classes):
    values = encoded(classes=classes)
    values[:, 0] = 1.0
    assert not counts(learned(values, classes))["additive"]


def test_scores_may_be_done_without():
    assert not counts(learned(encoded(), scores=False))["additive"]


def test_a_context_of_categories_without_scores_has_nothing():
    assert learned(encoded(), context=(4,), scores=False) is None


def test_a_context_of_missing_values_is_taken():
    values = encoded()
    values[:, 1] = NAN
    derived = learned(values)
    assert np.isnan(derived.cases(values)[:, derived.groups["ranks"][0]]).all()
    assert np.isfinite(derived.cases(values)[:, derived.scores]).all()


def test_many_categories_have_means_unless_they_are_nearly_all_different():
    values = encoded(300, missing=0.0)
    assert counts(learned(values))["means"] == 1
    values[:, 3] = np.arange(300) % 8
    assert counts(learned(values))["means"] == 0
    values[:, 3] = np.arange(300) % 101
    assert counts(learned(values))["means"] == 0
    values[:, 3] = np.arange(300) % 100
    assert counts(learned(values))["means"] == 1


def test_categories_have_no_means_where_runs_are_without_a_single_fold(monkeypatch):
    monkeypatch.setattr(module, "FEW", 200)
    assert counts(learned(encoded(300)))["means"] == 0


def groups_of(derived):
    return [one.column for trees in derived.trees for one in trees.bins.groups]


@pytest.mark.parametrize(("classes", "width"), [(0, 1), (2, 1), (3, 3), (7, 0)])
def test_categories_are_grouped_where_some_have_no_bin(classes, width):
    values = encoded(600, classes=classes, missing=0.0)
    values[:, 3] = np.arange(600) % 62
    assert groups_of(learned(values, classes)) == []
    values[::2, 3] = np.nan
    assert groups_of(learned(values, classes)) == []
    values[:, 3] = np.arange(600) % 63
    derived = learned(values, classes)
    assert groups_of(derived) == [3] * width * len(derived.trees)


def test_groups_do_not_depend_on_the_order_of_rows_or_the_unit():
    values = encoded(600, missing=0.0)
    values[:, 3] = np.random.default_rng(4).integers(0, 150, size=600)
    expected = learned(values).trees[0]
    for other in (values[::-1], values * [1024.0, 1, 1, 1, 1]):
        found = learned(np.ascontiguousarray(other)).trees[0]
        for one, like in zip(found.bins.groups, expected.bins.groups, strict=True):
            np.testing.assert_array_equal(one.bins, like.bins)


def test_too_many_coefficients_have_no_additive_scores(monkeypatch):
    monkeypatch.setattr(module, "MOST_COEFFICIENTS", 30)
    found = counts(learned(encoded()))
    assert (found["additive"], found["trees"]) == (0, 1)


def test_many_cases_are_sampled_and_have_no_pairs_of_folds(monkeypatch):
    assert learned(encoded()).folds.pairs
    assert learned(encoded()).folds.count == 13
    monkeypatch.setattr(module, "MOST_SEEN", 1000)
    wide = learned(encoded())
    assert wide.folds.pairs
    assert wide.folds.count == 7
    stored = StoredColumns(wide)
    assert len(stored.views(stored.index(ExactIndex(encoded(), KINDS)))) == 7
    monkeypatch.setattr(module, "FEW", 200)
    found = learned(encoded())
    assert not found.folds.pairs
    assert StoredColumns(found).views(ExactIndex(encoded(), KINDS)) == ()
    monkeypatch.setattr(module, "MOST_CASES", 150)
    values = encoded(missing=0.0)
    assert all(len(one.points) <= 150 for one in learned(values).ranks)


@pytest.mark.parametrize("classes", [0, 2])
def test_trees_of_many_cases_have_more_leaves(classes, monkeypatch):
    values = encoded(600, classes=classes)
    few = learned(values, classes)
    monkeypatch.setattr(module, "FEW", 599)
    many = learned(values, classes)
    assert few.trees[0].nodes.shape[3] == 31
    assert many.trees[0].nodes.shape[3] == 63


def test_a_typical_value_is_the_median_or_the_commonest_category():
    values = encoded(301, missing=0.0)
    values[:200, 3] = 7.0
    typical = learned(values).typical
    np.testing.assert_array_equal(typical[[1, 2]], np.median(values[:, [1, 2]], axis=0))
    assert typical[3] == 7.0
    weights = np.where(values[:, 4] == 2, 50.0, 1.0)
    weighed = learned(values, weights=weights).typical
    assert weighed[4] == 2.0


@pytest.mark.parametrize("classes", [0, 2])
def test_integer_weights_equal_repeated_rows(classes):
    values = encoded(160, classes=classes)
    repeats = np.random.default_rng(2).integers(1, 4, size=160)
    weighed = learned(values, classes, weights=repeats.astype(float))
    repeated = learned(np.repeat(values, repeats, axis=0), classes)
    folds = weighed.folds.of_rows(values)
    np.testing.assert_array_equal(repeated.folds.of_rows(values), folds)
    ours, theirs = weighed.cases(values), repeated.cases(values)
    for name in ("ranks", "means", "additive"):
        at = weighed.groups[name]
        np.testing.assert_array_equal(repeated.groups[name], at)
        np.testing.assert_allclose(ours[:, at], theirs[:, at], rtol=1e-5, atol=1e-5)
    # Where splits of trees are equally good, rounding decides: scores are nearly the same.
    for one, other in zip(weighed.trees, repeated.trees, strict=True):
        runs = weighed.folds.left_out.argmax(axis=0)[folds]
        scores = [trees.values(values, runs)[:, 0] for trees in (one, other)]
        assert np.corrcoef(*scores)[0, 1] > 0.95


def rounds_of(trees, run):
    """How many rounds of a run have trees that split anything."""
    splits = (trees.nodes[run, :, :, 0] >= 0).any(axis=1)
    return len(splits) if splits.all() else int(splits.argmin())


def seen_from(fold):
    """The cases as a fold sees them, in the order of the rows."""

    def cases_of(derived, values):
        stored = StoredColumns(derived)
        index = stored.index(ExactIndex(values, KINDS))
        return stored.views(index)[fold].rows(np.arange(len(values)))

    return cases_of


@pytest.mark.parametrize(("classes", "shape"), [(0, DEEP), (2, SYMMETRIC), (3, None)])
def test_the_own_outcome_enters_no_derived_value_but_by_the_number_of_rounds(
    classes, shape, monkeypatch
):
    monkeypatch.setattr(module, "SHAPES", (shape,))  # rounds of one shape can be told apart
    values = encoded(classes=classes)
    before = learned(values, classes)
    changed = values.copy()
    changed[19, 0] = (values[19, 0] + 1) % classes if classes else values[19, 0] + 3
    after = learned(changed, classes)
    folds = before.folds.of_rows(values)
    own = folds == folds[19]
    # Of the cases of its fold; and as this fold sees them, of all others, too.
    for cases_of, rows in (
        (DerivedColumns.cases, own),
        (seen_from(folds[19]), np.full(300, True)),
    ):
        for name in ("ranks", "means", "additive"):
            at = before.groups[name]
            # The outcome takes part in the order of rows, and with it in how sums are rounded.
            np.testing.assert_allclose(
                cases_of(after, values)[rows][:, at],
                cases_of(before, values)[rows][:, at],
                rtol=1e-9,
            )
    for one, other in zip(before.trees, after.trees, strict=True):
        for run in before.folds.runs_without(folds[19]):
            rounds = min(rounds_of(one, run), rounds_of(other, run))
            assert rounds > 2
            for part in ("nodes", "sets"):
                np.testing.assert_array_equal(
                    getattr(one, part)[run, :rounds], getattr(other, part)[run, :rounds]
                )
            np.testing.assert_allclose(
                one.leaves[run, :rounds], other.leaves[run, :rounds], rtol=1e-9, atol=1e-12
            )


@pytest.mark.parametrize("scale", [1e-290, 1e-100, 1e100, 1e290])
def test_huge_and_tiny_outcomes_have_scores_without_a_warning(scale):
    values = encoded()
    expected = learned(values).cases(values)
    values[:, 0] *= scale
    found = learned(values).cases(values)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found[:, 8:] / scale, expected[:, 8:], rtol=1e-5, atol=1e-5)


def test_scores_predict_the_target():
    values = tables.encoded(600)
    derived = learned(values)
    cases = derived.cases(values)
    best = [np.corrcoef(cases[:, at], values[:, 0])[0, 1] for at in derived.scores]
    assert max(best) > 0.8
