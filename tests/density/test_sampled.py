"""Densities in large tables: near cases and a sample of the others."""

import dataclasses
import math

import numpy as np
import pytest

import vicinal
from vicinal.density import local_spread, sampled
from vicinal.density.sampled import fit_sampled


def mixed(n, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    values = {"a": a, "b": a + 0.5 * rng.normal(size=n), "c": rng.exponential(size=n)}
    values["kind"] = np.where(values["b"] + rng.normal(size=n) > 0, "x", "y").astype(object)
    values["c"][::17] = np.nan
    return values


def naive_log_density(mixture, row, exclude=-1):
    """Add up the kernels around all cases, one after the other."""
    total = mass = 0.0
    numbers = np.arange(len(mixture.index))
    scales = np.ones(len(numbers))
    if mixture.power:
        scales = mixture.scales_of(
            local_spread.spread_around(mixture.index, mixture.metric, numbers)
        )
    for number, case in enumerate(mixture.index.rows(numbers)):
        if number == exclude:
            continue
        density = 1.0
        for i, kernel in enumerate(mixture.kernels):
            if np.isnan(row[i]):
                continue
            own = [(case[i], 1.0, 1.0 if kernel.kind == "nominal" else scales[number])]
            if np.isnan(case[i]):
                own = [(point, share, 1.0) for point, share in zip(*kernel.marginal, strict=True)]
            part = 0.0
            for center, share, scale in own:
                if kernel.kind == "nominal":
                    e, same = mixture.widths[i], row[i] == center
                    part += share * (1 - e if same else e / (kernel.size - 1)) * (1 - 1e-3)
                else:
                    width = mixture.widths[i] * scale
                    part += share * math.exp(-abs(row[i] - center) / width) / (2 * width)
            density *= part
        total, mass = total + density, mass + 1
    return math.log(total / mass)


@pytest.fixture(scope="module")
def fitted():
    return vicinal.Model(n_jobs=1).fit(mixed(400))._ready()


def test_every_case_near_gives_the_sum_over_all(fitted):
    mixture = fit_sampled(fitted, 100)
    rows = fitted.index.rows([3, 17, 100])
    rows[2, 1] = np.nan
    sampled_near, sampled.NEAREST = sampled.NEAREST, 10**6
    try:
        found, errors = mixture.log_density(rows, fitted.metric.active, np.array([3, -1, 100]))
    finally:
        sampled.NEAREST = sampled_near
    pairs = zip(rows, [3, -1, 100], strict=True)
    expected = [naive_log_density(mixture, row, exclude) for row, exclude in pairs]
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    np.testing.assert_array_equal(errors, 0.0)


@pytest.mark.parametrize(("nearest", "near", "step"), [(16, 16, 1), (16, 60, 4), (20, 400, 15)])
def test_nineteen_in_twenty_deviations_are_within_two_standard_errors(
    fitted, monkeypatch, nearest, near, step
):
    for name, value in [("NEAREST", nearest), ("NEAR", near), ("STEP", step)]:
        monkeypatch.setattr(sampled, name, value)
    mixture = fit_sampled(fitted, 100)
    rows = fitted.index.rows(np.arange(0, 400, 20))
    expected = [naive_log_density(mixture, row) for row in rows]
    within = []
    for seed in range(100):
        other = mixture.with_sample(100, seed)
        found, errors = other.log_density(rows, fitted.metric.active)
        within += (np.abs(found - expected) <= 2 * errors).tolist()
    # 2,000 deviations, of which those of a seed hang together, tell the share to a hundredth.
    assert np.mean(within) >= 0.94
    assert np.median(errors) < 0.2


def test_large_tables_are_sampled_and_say_how_far_off_they_may_be(monkeypatch):
    monkeypatch.setattr(sampled, "MOST_CASES", 300)
    table = mixed(400)
    model = vicinal.Model(n_jobs=1).fit(table)
    rows = {name: values[:5] for name, values in mixed(50, seed=1).items()}
    found, errors = model.density(rows, return_error=True)
    exact, none = model.density(rows, baseline="all", return_error=True)
    np.testing.assert_array_equal(none, 0.0)
    # Widths are learned from other cases, so that these are two estimates of one density.
    np.testing.assert_allclose(found, exact, atol=1.0)
    np.testing.assert_array_equal(model.density(rows), found)
    alone = model.density({name: values[2:3] for name, values in rows.items()})
    np.testing.assert_array_equal(alone, found[2:3])
    assert np.isfinite(errors).all()


def test_a_word_that_names_no_baseline_is_refused(fitted):
    with pytest.raises(vicinal.ParameterError, match="baseline"):
        vicinal.Model().fit(mixed(20)).density(mixed(2), baseline="some")


def test_copies_of_a_case_do_not_make_the_density_infinite(monkeypatch):
    monkeypatch.setattr(sampled, "MOST_CASES", 100)
    rng = np.random.default_rng(0)
    values = np.repeat(rng.normal(size=40), 30)
    model = vicinal.Model(n_jobs=1).fit({"a": values, "b": values**2})
    assert np.isfinite(model.density({"a": values[:1], "b": values[:1] ** 2})).all()


def test_spreads_that_are_kept_are_those_of_the_present_cases(monkeypatch):
    monkeypatch.setattr(sampled, "MOST_CASES", 100)
    model = vicinal.Model(n_jobs=1).fit(mixed(400))
    rows = {name: values[:8] for name, values in mixed(50, seed=1).items()}
    fitted = model._ready()
    mixture = sampled.sampled_mixture_of(fitted)
    before = model.density(rows)
    model.add({name: np.repeat(values[:1], 3) for name, values in rows.items()})
    after = model.density(rows)
    assert sampled.sampled_mixture_of(fitted) is mixture
    fresh = dataclasses.replace(mixture)
    asked = fitted.rows(rows)
    expected, _ = fresh.log_density(asked.values, fitted.metric.active)
    np.testing.assert_array_equal(after, expected)
    assert (after != before).any()


def test_each_case_is_searched_once_for_its_spread(fitted, monkeypatch):
    mixture = dataclasses.replace(fit_sampled(fitted, 100), power=1.0)
    searched = []
    original = local_spread.spread_around

    def counted(index, metric, numbers, threads=None):
        searched.extend(numbers.tolist())
        return original(index, metric, numbers, threads)

    monkeypatch.setattr(local_spread, "spread_around", counted)
    rows = fitted.index.rows(np.arange(0, 60))
    together, errors = mixture.log_density(rows, fitted.metric.active)
    alone = [mixture.log_density(rows[i : i + 1], fitted.metric.active) for i in range(60)]
    assert len(searched) == len(set(searched)) > 60
    np.testing.assert_array_equal(together, np.concatenate([one for one, _ in alone]))
    np.testing.assert_array_equal(errors, np.concatenate([error for _, error in alone]))
