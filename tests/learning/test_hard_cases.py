"""Cases that are plain are asked seldom and count for more; sums stay what they are."""

from __future__ import annotations

import numpy as np
import pytest

from tests.naive import distance as naive
from tests.strategies import NOMINAL, NUMERIC, make_metric
from vicinal.index.exact import ExactIndex
from vicinal.influence.ensemble import Ensemble
from vicinal.influence.target import Target
from vicinal.learning import hard_cases as doubt
from vicinal.learning.hard_cases import DOUBT, FEWEST, LEAST_CHANCE, hard_cases
from vicinal.learning.tuning import tune

N = 900


def table(seed=0, n=N, weights=None):
    """Two classes with a gap between most of their cases, and some cases in the gap."""
    rng = np.random.default_rng(seed)
    x = np.where(rng.random(n) < 0.15, rng.normal(size=n), rng.choice([-9.0, 9.0], size=n))
    x += 0.3 * rng.normal(size=n)
    target = (x + 0.5 * rng.normal(size=n) > 0).astype(float)
    cases = np.column_stack([target, x, rng.normal(size=n)])
    metric = make_metric(cases, [NOMINAL, NUMERIC, NUMERIC], 0.5, weights=[0, 1.0, 1.0])
    index = ExactIndex(cases, metric.kinds, weights)
    return cases, metric, index, Target.of(index, 0, n_classes=2)


def chosen(made, cases=None, random_state=0):
    _, metric, index, target = made
    draft = Ensemble(0, (), (), 20, 0.0)
    asked = index.storage.numbers if cases is None else cases
    return hard_cases(
        index, metric, target, asked, index.rows(asked), draft, random_state=random_state
    )


def counted(target, asked):
    """What each of the cases asked counts."""
    numbers, counts = target.asked
    places = np.searchsorted(numbers, asked)
    np.testing.assert_array_equal(numbers[places], asked)
    return counts[places]


def test_cases_near_the_other_class_are_all_asked_and_few_of_the_others():
    made = table()
    cases, metric = made[0], made[1]
    asked, _ = chosen(made)
    near, _ = naive.neighbors(cases, cases, metric, 20, exclude=np.arange(N))
    mixed = (cases[near, 0] != cases[:, :1]).mean(axis=1) > 0.3
    assert mixed.sum() > 30
    assert np.isin(np.flatnonzero(mixed), asked).all()
    assert FEWEST * 0.8 < len(asked) < N / 2
    assert (np.diff(asked) > 0).all()


def test_those_asked_stand_for_all():
    made = table()
    sizes, hits = [], []
    for random_state in range(40):
        asked, target = chosen(made, random_state=random_state)
        counts = counted(target, asked)
        assert (counts >= 1).all()
        assert (counts <= 1 / LEAST_CHANCE).all()
        sizes.append(counts.sum())
        hits.append(counts @ made[0][asked, 0])
        np.testing.assert_allclose(target.weights_of(asked), counts / counts.sum())
    # Means of 40 draws: what they are estimates of lies within four standard errors.
    for found, true in ((sizes, N), (hits, made[0][:, 0].sum())):
        assert abs(np.mean(found) - true) < 4 * np.std(found) / np.sqrt(40)


def test_weights_count_beside():
    weights = np.random.default_rng(1).choice([1.0, 2.0, 3.0], size=N)
    asked, target = chosen(table(weights=weights))
    # A case of weight 3 that is always asked counts as three.
    assert (counted(target, asked) >= weights[asked] * (1 - 1e-12)).all()
    assert abs(counted(target, asked).sum() / weights.sum() - 1) < 0.2


def test_all_are_asked_where_they_are_few_or_all_in_doubt():
    few = table(n=FEWEST)
    np.testing.assert_array_equal(chosen(few)[0], np.arange(FEWEST))
    cases, metric, index, _ = table()
    cases[:, 0] = np.random.default_rng(3).permutation(cases[:, 0])
    index = ExactIndex(cases, metric.kinds)
    noise = cases, metric, index, Target.of(index, 0, n_classes=2)
    np.testing.assert_array_equal(chosen(noise)[0], np.arange(N))
    assert DOUBT < 0.3


def test_the_choice_depends_on_content_alone():
    made = table()
    order = np.random.default_rng(2).permutation(N)
    shuffled = ExactIndex(made[0][order], made[1].kinds)
    moved = made[0][order], made[1], shuffled, Target.of(shuffled, 0, n_classes=2)
    expected = np.sort(made[0][chosen(made)[0], 1])
    np.testing.assert_array_equal(np.sort(moved[0][chosen(moved)[0], 1]), expected)
    np.testing.assert_array_equal(chosen(made, made[2].storage.numbers)[0], chosen(made)[0])


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_loss_of_a_tuning_is_near_that_of_all_cases(seed, monkeypatch):
    _, metric, index, target = table(seed=seed)
    tuning = tune(index, {"as given": metric}, target, max_queries=2 * N)
    np.testing.assert_array_equal(tuning.queries, np.arange(N))
    told = ~np.isnan(tuning.predictions).any(axis=1)
    assert FEWEST * 0.8 < told.sum() < N / 2
    np.testing.assert_allclose(tuning.predictions[told].sum(axis=1), 1.0)
    monkeypatch.setattr(doubt, "FEWEST", N)
    whole = tune(index, {"as given": metric}, target, max_queries=2 * N)
    assert not np.isnan(whole.predictions).any()
    assert abs(tuning.loss - whole.loss) < 0.3 * whole.loss
