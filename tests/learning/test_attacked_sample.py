"""Cases that are judged where an attacker would move them, and members chosen by these."""

from __future__ import annotations

import numpy as np
import pytest

from tests.naive import robustness as naive
from tests.strategies import NOMINAL, NUMERIC, make_metric
from vicinal.index.exact import ExactIndex
from vicinal.influence.ensemble import Ensemble
from vicinal.influence.losses import Judge
from vicinal.influence.target import Target
from vicinal.learning.attacked_sample import (
    FEWEST,
    MOST_ATTACKED,
    PART,
    RADIUS,
    attacked_sample,
)
from vicinal.learning.greedy_average import FEWEST_TO_HALVE, greedy_average
from vicinal.learning.learner import Learner
from vicinal.learning.scoring import BANDWIDTHS, Candidate
from vicinal.learning.views import Views


def sample(cases, numbers=None, kinds=(NOMINAL, NUMERIC, NUMERIC), classes=2):
    metric = make_metric(cases, kinds, 0.5, weights=[0, 1.0, 1.0])
    index = ExactIndex(cases, metric.kinds)
    target = Target.of(index, 0, n_classes=classes)
    numbers = np.arange(len(cases)) if numbers is None else numbers
    return attacked_sample(Views(index), metric, target, numbers)


def table(n=200, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return np.column_stack([y, y[:, None] + rng.normal(size=(n, 2))]).astype(float)


def test_some_cases_are_moved_as_robust_models_move_all():
    cases = table()
    views = sample(cases)
    assert len(views.judged) == int(PART * len(cases))
    assert np.all(np.diff(views.judged) > 0)
    expected = [
        naive.moved_row(row, row[0], cases, cases[:, 0], (1, 2), RADIUS)
        for row in cases[views.judged]
    ]
    found = views.rows(views.index, views.judged)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    order = np.random.default_rng(1).permutation(len(cases))
    again = sample(cases[order]).judged
    np.testing.assert_array_equal(np.sort(order[again]), views.judged)


def test_of_many_cases_no_more_are_attacked():
    assert len(sample(table(400)).judged) == MOST_ATTACKED


def test_nothing_is_attacked_without_classes_or_numbers_or_with_few_cases():
    cases = table()
    assert sample(cases, classes=0) is None
    assert sample(np.abs(np.round(cases)), kinds=(NOMINAL, NOMINAL, NOMINAL)) is None
    assert sample(cases, np.arange(FEWEST - 1)) is None
    assert sample(cases, np.arange(FEWEST)) is not None


def naive_loss(right, moved, trace, share):
    """The mean surprisal of cases, and of moved ones, with a share."""
    each = [
        -np.mean([np.log(0.999 * p + t) for p, t in zip(some, at, strict=True)])
        for some, at in zip((right, moved), trace, strict=True)
    ]
    return (1 - share) * each[0] + share * each[1]


def test_repeated_cases_have_their_share_of_the_loss():
    cases = table(40)
    target = Target.of(ExactIndex(cases, np.array([NOMINAL, NUMERIC, NUMERIC])), 0, n_classes=2)
    judge, some = Judge(np.arange(40), target), np.array([3, 8, 21])
    rng = np.random.default_rng(2)
    right, moved = rng.random(40), rng.random(3)
    parts = 1e-3 * target.shares[cases[:, 0].astype(int)]
    for share in (0.0, 0.25, 0.5):
        found = float(judge.repeated(some, share).losses(np.append(right, moved)))
        expected = naive_loss(right, moved, (parts, parts[some]), share)
        assert found == pytest.approx(expected, rel=1e-12)


def chosen(sharp, steady, cases, attacked):
    """The members of an average of two candidates, (right where cases are, and where moved)."""
    index = ExactIndex(cases, np.array([NOMINAL, NUMERIC, NUMERIC]))
    target = Target.of(index, 0, n_classes=2)
    queries = np.arange(len(cases))
    judge, codes = Judge(queries, target), cases[:, 0].astype(int)

    def candidate(number, right, moved):
        found = np.full((len(cases), 2), 1 - right)
        found[queries, codes] = right
        told = judge.guesses(found)
        named = ("as given", (0,), "probability", 1.0 + number, np.inf)
        there = np.full(len(attacked), moved)
        return Candidate(*named, told, judge.loss(found), lambda: found, there)

    several = [candidate(0, *sharp), candidate(1, *steady)]
    draft = Ensemble(0, (), (), 5, 0.0)
    given = (draft, (), several, target, queries, cases[:, 1:], 8)
    members = greedy_average(*given, attacked=attacked).ensemble.members
    return {member.bandwidth: member.share for member in members}


def test_what_withstands_attacks_is_chosen_where_it_costs_little():
    cases, attacked = table(FEWEST_TO_HALVE), np.arange(0, FEWEST_TO_HALVE, 3)
    # Nearly as good where cases are, and much better where an attacker moves them.
    found = chosen((0.8, 0.3), (0.799, 0.7), cases, attacked)
    assert found == {2.0: pytest.approx(0.999)}
    # It would cost more than is affordable: what is chosen is as it would be without attacks.
    for sharp, steady in ((0.8, 0.795), (0.99, 0.6)):
        found = chosen((sharp, 0.3), (steady, 0.7), cases, attacked)
        assert found == {1.0: pytest.approx(0.999)}


@pytest.mark.parametrize("weighted", [False, True])
def test_attacked_cases_are_predicted_from_the_others_at_the_rows_they_were_moved_to(weighted):
    cases, rng = table(FEWEST), np.random.default_rng(3)
    metric = make_metric(cases, (NOMINAL, NUMERIC, NUMERIC), 0.5, weights=[0, 1.3, 0.6])
    masses = rng.integers(1, 3, FEWEST).astype(float) if weighted else None
    index = ExactIndex(cases, metric.kinds, masses)
    target, numbers, k = Target.of(index, 0, n_classes=2), np.arange(FEWEST), 20
    views = attacked_sample(Views(index), metric, target, numbers)
    learner = Learner(Views(index), metric, target, numbers, numbers, k, 1, views)
    assert learner.pairs is not None  # so that cases and moved cases are searched in two ways
    halves = [(metric, learner.near(metric, k))]
    scorer = learner.scorer("as given", (0,), halves, k)
    found = [scorer.plain()[BANDWIDTHS.index(0.5)], scorer.paths()("centered", 0.5)[1]]
    rows = views.rows(index, views.judged)[::7]
    # Balanced shares are rough while candidates are compared; see `test_rough_shares_are_near…`.
    rules = [("probability", np.inf, 2e-5), ("centered", 0.3, 2e-3)]
    for one, (rule, ridge, tolerance) in zip(found, rules, strict=True):
        expected = []
        for case, row in zip(views.judged[::7].tolist(), rows, strict=True):
            others = (
                np.delete(cases, case, axis=0)
                if masses is None
                else _repeated(cases, masses, case)
            )
            right = (others[:, 0] == cases[case, 0]).astype(float)
            expected.append(naive.mean_outcome(row, others, right, metric, rule, k, 0.5, ridge))
        np.testing.assert_allclose(one.attacked[::7], expected, atol=tolerance)


def _repeated(cases, masses, case):
    """Cases as often as they weigh, one unit of a case left out."""
    left = masses - (np.arange(len(cases)) == case)
    return np.repeat(cases, left.astype(int), axis=0)
