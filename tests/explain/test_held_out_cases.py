"""Columns whose rare values decide are measured on all of these, and say how sure they are."""

from __future__ import annotations

import numpy as np

from tests.strategies import NOMINAL, NUMERIC
from vicinal import Model
from vicinal.explain.held_out_cases import held_out
from vicinal.index.exact import ExactIndex
from vicinal.influence.target import Target


def rarely_not_zero(rng, n, share):
    return np.where(rng.random(n) < share, np.exp(9 + 0.8 * rng.normal(size=n)), 0.0)


def chosen(values, *, kind=NUMERIC, n_classes=0, weights=None, count=400):
    index = ExactIndex(values[:, None], np.array([kind], dtype=np.uint8), weights)
    target = Target.of(index, 0, n_classes=n_classes)
    cases, _ = index.sample(count, random_state=1)
    return held_out(index, target, cases, random_state=1), target


def test_all_rare_values_are_held_out_and_the_others_stand_for_the_rest():
    rng = np.random.default_rng(0)
    values = rarely_not_zero(rng, 4000, 0.005)
    found, target = chosen(values)
    assert len(found.numbers) == 400
    assert set(np.flatnonzero(values)) <= set(found.numbers.tolist())
    assert (np.diff(found.numbers) > 0).all()
    deviations = np.abs(values - target.mean)
    np.testing.assert_allclose(found.weights.sum(), 1.0)
    np.testing.assert_allclose(deviations[found.numbers] @ found.weights, deviations.mean())


def test_case_weights_count_in_both_parts():
    rng = np.random.default_rng(1)
    values, weights = rarely_not_zero(rng, 3000, 0.005), rng.choice([0.5, 2.0], 3000)
    found, target = chosen(values, weights=weights)
    deviations = np.abs(values - target.mean)
    expected = deviations @ weights / weights.sum()
    np.testing.assert_allclose(deviations[found.numbers] @ found.weights, expected)


def test_other_columns_keep_the_common_sample():
    rng = np.random.default_rng(2)
    assert chosen(rng.normal(size=3000))[0].weights is None
    assert chosen(np.exp(rng.normal(size=3000)))[0].weights is None
    assert chosen(np.full(3000, 7.0))[0].weights is None
    rare_class = (rng.random(3000) < 0.005).astype(float)
    assert chosen(rare_class, kind=NOMINAL, n_classes=2)[0].weights is None
    # Where all cases are held out none can be missed.
    assert chosen(rarely_not_zero(rng, 300, 0.01))[0].weights is None


def test_noise_has_no_information_about_rare_values_within_its_standard_error():
    sure, found = [], []
    for seed in range(16):
        rng = np.random.default_rng(seed)
        table = {"gain": rarely_not_zero(rng, 1500, 0.008), "noise": rng.normal(size=1500)}
        matrix = Model(random_state=seed, n_jobs=1).fit(table).information_matrix()
        found.append(matrix.values[0, 1])
        sure.append(abs(matrix.values[0, 1]) <= 2 * matrix.standard_errors[0, 1])
    assert max(np.abs(found)) < 0.6
    assert np.mean(sure) >= 0.85


def test_standard_errors_are_how_far_samples_scatter():
    deviations = []
    for seed in range(16):
        rng = np.random.default_rng(seed)
        cause = rng.normal(size=1500)
        rare = cause + 0.3 * rng.normal(size=1500) > 2.0
        gain = np.where(rare, np.exp(9 + 0.8 * rng.normal(size=1500)), 0.0)
        matrix = Model(random_state=seed, n_jobs=1).fit({"gain": gain, "cause": cause})
        found = matrix.information_matrix()
        deviations.append((found.values[0, 1], found.standard_errors[0, 1]))
    values, errors = np.array(deviations).T
    assert 0.5 < values.mean() < 1.2
    assert 0.5 * errors.mean() < values.std() < 2 * errors.mean()


def test_a_frame_has_the_standard_errors():
    rng = np.random.default_rng(3)
    found = Model(n_jobs=1).fit({"a": rng.normal(size=60), "b": rng.normal(size=60)})
    matrix = found.information_matrix()
    frame = matrix.to_frame("pandas")
    assert frame["standard_error"].tolist() == [
        matrix.standard_errors[0, 1],
        matrix.standard_errors[1, 0],
    ]
    assert (frame["standard_error"] > 0).all()
