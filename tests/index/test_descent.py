"""The loss of feature weights, beside a plain reading of its definition."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from tests.naive import distance
from tests.naive import ties as naive
from tests.strategies import make_metric
from vicinal.index import _native
from vicinal.index._native import paths
from vicinal.index.candidates import Candidates
from vicinal.index.descent import (
    PULL,
    SMOOTH,
    LeftOut,
    LeftOutOfCandidates,
    LeftOutOfPairs,
    descend,
    weights_loss,
)
from vicinal.index.exact import ExactIndex
from vicinal.index.pairs import Pairs
from vicinal.index.terms import case_excess


def naive_loss(sample, logs):
    """Written out case by case, in the words of the definition."""
    weights = [math.exp(log) for log in logs]
    total = 0.0
    for q in range(len(sample.truth)):
        pool = []
        for j in range(sample.places.shape[1]):
            if sample.places[q, j] > 0:
                terms = sample.excess[sample.rows[q], :, j].tolist()
                far = sum(w * x for w, x in zip(weights, terms, strict=True))
                pool.append((far, j, sample.places[q, j]))
        taken = naive.places(pool, sample.k)
        kernel = [float(taken.get(j, 0)) * math.exp(-far) for far, j, _ in pool]
        outcomes = [sample.outcomes[q, j] for _, j, _ in pool]
        norm = sum(kernel) or 1.0
        shares = [one / norm for one in kernel]
        pairs = list(zip(shares, outcomes, strict=True))
        if sample.classes:
            hit = sum(share for share, outcome in pairs if outcome == sample.truth[q])
            one = -math.log((1 - sample.mix) * hit + sample.mix * sample.prior[q])
        else:
            error = sum(share * outcome for share, outcome in pairs) - sample.truth[q]
            one = math.sqrt(error**2 + SMOOTH**2)
        total += sample.weights[q] * one
    pull = sum((a - b) ** 2 for a, b in zip(logs, sample.start, strict=True)) / len(logs)
    return total + PULL * pull


def make_sample(seed, *, classes, weighted, cases=21, columns=5, pool=33, k=11):
    rng = np.random.default_rng(seed)
    outcomes = rng.integers(0, 3, (cases, pool)) if classes else rng.normal(size=(cases, pool))
    places = rng.integers(0, 4, (cases, pool)) if weighted else rng.random((cases, pool)) < 0.9
    weights = rng.random(cases)
    return LeftOut(
        excess=rng.exponential(size=(cases + 3, columns, pool)).astype(np.float32),
        rows=rng.permutation(cases + 3)[:cases],
        places=places.astype(float),
        outcomes=outcomes.astype(float),
        truth=rng.integers(0, 3, cases).astype(float) if classes else rng.normal(size=cases),
        prior=np.full(cases, 1 / 3),
        weights=weights / weights.sum(),
        start=np.full(columns, -0.5),
        k=k,
        classes=classes,
        mix=0.01,
    )


@pytest.mark.parametrize("classes", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_the_loss_and_its_slope_equal_the_naive_ones(classes, weighted):
    for seed in range(5):
        sample = make_sample(seed, classes=classes, weighted=weighted)
        logs = np.random.default_rng(seed).normal(size=5)
        loss, slope = weights_loss(sample, logs)
        np.testing.assert_allclose(loss, naive_loss(sample, logs), rtol=1e-5)
        for i in range(5):
            step = np.eye(5)[i] * 1e-5
            # So small a step leaves the same candidates near.
            rise = (naive_loss(sample, logs + step) - naive_loss(sample, logs - step)) / 2e-5
            np.testing.assert_allclose(slope[i], rise, rtol=1e-3, atol=1e-5)


def with_ties(sample, seed):
    """The same with terms of few values, so that many candidates tie."""
    terms = np.random.default_rng(seed).integers(0, 2, sample.excess.shape)
    return replace(sample, excess=terms.astype(np.float32))


@pytest.mark.parametrize("classes", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_candidates_that_tie_for_the_last_places_share_them(classes, weighted):
    for seed in range(20):
        # No more ties than there is room for. Weights of 1 leave sums that tie in singles alone.
        sample = make_sample(seed, classes=classes, weighted=weighted, k=17 + seed % 7)
        sample = with_ties(sample, seed)
        loss, _ = weights_loss(sample, np.zeros(5))
        np.testing.assert_allclose(loss, naive_loss(sample, np.zeros(5)), rtol=1e-5)


@pytest.mark.parametrize("classes", [True, False])
def test_of_more_ties_than_there_is_room_for_some_stand_for_all(classes):
    for seed in range(20):
        sample = make_sample(seed, classes=classes, weighted=False, pool=400, k=8)
        sample = with_ties(sample, seed)
        loss, _ = weights_loss(sample, np.zeros(5))
        np.testing.assert_allclose(loss, naive_loss(sample, np.zeros(5)), rtol=0.02)


@pytest.mark.parametrize("classes", [True, False])
def test_the_order_of_the_candidates_changes_nothing_but_rounding(classes):
    for seed in range(20):
        sample = make_sample(seed, classes=classes, weighted=True, pool=90, k=7)
        sample = with_ties(sample, seed)
        order = np.random.default_rng(seed).permutation(90)
        other = replace(
            sample,
            excess=sample.excess[:, :, order],
            places=sample.places[:, order],
            outcomes=sample.outcomes[:, order],
        )
        for one, two in zip(
            weights_loss(sample, np.zeros(5)), weights_loss(other, np.zeros(5)), strict=True
        ):
            np.testing.assert_allclose(one, two, rtol=1e-5, atol=1e-6)


def test_two_heavy_twins_of_different_class_are_both_asked():
    # Left out, one of 439 equal rows sees 438 of its own class and 361 of the other.
    sample = LeftOut(
        excess=np.zeros((1, 1, 2), dtype=np.float32),
        rows=np.array([0, 0]),
        places=np.array([[438.0, 361.0], [439.0, 360.0]]),
        outcomes=np.array([[0.0, 1.0], [0.0, 1.0]]),
        truth=np.array([0.0, 1.0]),
        prior=np.full(2, 0.5),
        weights=np.array([439, 361]) / 800,
        start=np.zeros(1),
        k=50,
        classes=True,
        mix=0.0,
    )
    expected = -(439 * math.log(438 / 799) + 361 * math.log(360 / 799)) / 800
    np.testing.assert_allclose(weights_loss(sample, np.zeros(1))[0], expected, rtol=1e-6)


@pytest.mark.parametrize("classes", [True, False])
@pytest.mark.parametrize("levels", [3, 1000])
def test_pairs_teach_what_their_terms_do(classes, levels):
    rng = np.random.default_rng(levels)
    cases = rng.integers(0, levels, size=(90, 4)).astype(float)
    cases[rng.random(cases.shape) < 0.05] = np.nan
    weights = rng.choice([0.5, 1.0, 3.0], size=90)
    index = ExactIndex(cases, np.zeros(4, dtype=np.uint8), weights)
    metric = make_metric(cases, distance.NUMERIC, 1.0)
    pool, asked = np.arange(90), rng.permutation(90)[:30]
    outcomes = rng.integers(0, 2, size=90).astype(float) if classes else rng.normal(size=90)
    about = {
        "truth": outcomes[asked],
        "prior": np.full(30, 0.5),
        "weights": np.full(30, 1 / 30),
        "start": np.full(4, -0.5),
        "k": 20,
        "classes": classes,
        "mix": 0.01,
    }
    pairs = Pairs(index, metric, np.arange(90), pool)
    sample = LeftOutOfPairs(
        pairs=pairs, rows=asked, own=asked, places=weights, outcomes=outcomes, **about
    )
    expected = LeftOut(
        excess=case_excess(index, cases[asked], np.tile(pool, (30, 1)), metric),
        rows=np.arange(30),
        places=weights - (pool == asked[:, None]),
        outcomes=np.tile(outcomes, (30, 1)),
        **about,
    )
    for path in paths():
        found = weights_loss(sample, np.zeros(4), path=path)
        for one, two in zip(found, weights_loss(expected, np.zeros(4), path=path), strict=True):
            np.testing.assert_array_equal(one, two)
        np.testing.assert_array_equal(
            descend(sample, np.zeros(4), 9, path=path),
            descend(expected, np.zeros(4), 9, path=path),
        )


@pytest.mark.parametrize("classes", [True, False])
def test_every_instruction_path_descends_alike(classes):
    sample = make_sample(1, classes=classes, weighted=True)
    reached = [descend(sample, np.zeros(5), 20, path=path) for path in paths()]
    for one in reached[1:]:
        np.testing.assert_array_equal(one, reached[0])


@pytest.mark.parametrize("classes", [True, False])
def test_descending_lowers_the_loss(classes):
    # With k as large as the pool, no candidate comes or goes.
    sample = make_sample(2, classes=classes, weighted=False, k=33)
    before = naive_loss(sample, np.zeros(5))
    assert naive_loss(sample, descend(sample, np.zeros(5), 20)) < before - 1e-3


def test_a_case_without_candidates_counts_by_what_is_known_before():
    sample = make_sample(3, classes=True, weighted=False, cases=1)
    sample.places[:] = 0
    loss, slope = weights_loss(sample, sample.start)
    np.testing.assert_allclose(loss, -np.log(0.01 / 3), rtol=1e-6)
    np.testing.assert_array_equal(slope, 0)


WIDE = """
import resource
import numpy as np
from tests.index.test_descent import of_candidates
from vicinal.index.descent import descend

sample = of_candidates(0, cases=150, columns=1500, pool=64, k=64)
terms = 4 * 150 * 1500 * 64  # bytes, in single precision
status = open("/proc/self/status").read()
used = 1024 * int(status.split("VmSize:")[1].split()[0])
limit = used + terms // 2
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
print(np.isfinite(descend(sample, sample.start, 1)).all())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory is that of Linux")
def test_wide_tables_need_a_byte_for_each_term_of_a_candidate():
    done = subprocess.run(
        [sys.executable, "-c", WIDE], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "True", done.stderr


def of_candidates(seed, *, cases, columns, pool, k, scale=1.0, coded=True):
    """Left-out cases of a table with gaps, each with rows of it as candidates."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(cases + pool, columns)) * scale
    values[rng.random(values.shape) < 0.05] = np.nan
    metric = make_metric(values, distance.NUMERIC, 1.0)
    metric = replace(metric, residuals=np.ones(columns))
    near = np.stack([rng.permutation(len(values))[:pool] for _ in range(cases)])
    near[2, 5:], near[3] = -1, -1  # few, and none
    index = ExactIndex(values, np.zeros(columns, dtype=np.uint8))
    halves = np.arange(0, cases, 2), np.arange(1, cases, 2)
    candidates = Candidates.of([(index, at, values[at]) for at in halves], near, metric)
    return LeftOutOfCandidates(
        candidates=candidates,
        coded=coded,
        rows=np.arange(cases),
        places=(near >= 0) * rng.integers(1, 4, near.shape).astype(float),
        outcomes=rng.normal(size=near.shape),
        truth=rng.normal(size=cases),
        prior=np.full(cases, 1 / 2),
        weights=np.full(cases, 1 / cases),
        start=np.full(columns, -0.5),
        k=k,
        classes=False,
        mix=0.01,
    )


def with_terms(sample, change):
    """The same sample with the terms of its candidates, each changed by a function."""
    table, metrics, views, queries, near = sample.candidates
    given = {"threads": 1, "path": None}
    every = [_native.excess(table, one, queries, near, **given) for one in metrics]
    excess = np.stack([every[view][at] for at, view in enumerate(views)])
    own = ("candidates", "coded")
    known = {name: value for name, value in vars(sample).items() if name not in own}
    return LeftOut(excess=np.vectorize(change, otypes=[np.float32])(excess), **known)


#: What bytes stand for.
BYTES = [(2 ** (code // 16) * (1 + code % 16 / 16) - 1) / 16 for code in range(256)]


def nearest_byte(term):
    """The nearest of these numbers."""
    return min(BYTES, key=lambda one: abs(one - term))


@pytest.mark.parametrize(("scale", "rounding"), [(0.01, 1e-6), (1.0, 1e-5), (1e5, 3e-3)])
def test_terms_of_candidates_are_bytes(scale, rounding):
    # With all of the pool near, these are what is looked at; its order is another one.
    sample = of_candidates(1, cases=12, columns=4, pool=24, k=200, scale=scale)
    expected = with_terms(sample, nearest_byte)
    logs = np.linspace(-3, 1, 4)
    for one, two in zip(weights_loss(sample, logs), weights_loss(expected, logs), strict=True):
        np.testing.assert_allclose(one, two, rtol=rounding, atol=rounding)
    reached = [descend(sample, logs, 20, path=path) for path in paths()]
    for one in reached[1:]:
        np.testing.assert_array_equal(one, reached[0])


def test_terms_worked_out_case_by_case_are_those_worked_out_at_once():
    sample = of_candidates(3, cases=20, columns=6, pool=32, k=9, coded=False)
    expected = with_terms(sample, lambda term: term)
    logs = np.linspace(-2, 0, 6)
    for path in paths():
        found, terms = (descend(one, logs, 20, path=path) for one in (sample, expected))
        np.testing.assert_array_equal(found, terms)


def test_candidates_are_chosen_by_their_terms_and_weights_learned_from_bytes():
    sample = of_candidates(2, cases=60, columns=40, pool=32, k=9)
    expected = with_terms(sample, lambda term: term)
    found, exact = weights_loss(sample, sample.start), weights_loss(expected, sample.start)
    np.testing.assert_allclose(found[0], exact[0], rtol=2e-2)
    assert np.corrcoef(found[1], exact[1])[0, 1] > 0.99


def test_candidates_that_lie_in_several_tables_are_not_put_together():
    values = np.arange(12.0).reshape(6, 2)
    metric = make_metric(values, distance.NUMERIC, 1.0)
    one, other = (ExactIndex(values, np.zeros(2, dtype=np.uint8)) for _ in range(2))
    near, at = np.array([[1, 2], [3, 4]]), np.arange(2)
    parts = [(one, at[:1], values[:1]), (other, at[1:], values[1:2])]
    assert Candidates.of(parts, near, metric) is None
