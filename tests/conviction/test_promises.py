"""Statistical promises: false alarms, false discoveries, convictions near 1 on clean data."""

import numpy as np
import pytest

from vicinal import Model
from vicinal.conviction.p_values import discoveries

pytestmark = pytest.mark.slow

LEVELS = (0.01, 0.05, 0.1, 0.3)


def clean(rng, n, d=5):
    mixing = np.random.default_rng(7).normal(size=(d, d))
    return rng.normal(size=(n, d)) @ mixing


def new_p_values(repetitions, n_train, n_new):
    for seed in range(repetitions):
        rng = np.random.default_rng(seed)
        model = Model(random_state=seed).fit(clean(rng, n_train))
        yield model, model.conviction(clean(rng, n_new), familiarity=False).p_value


def test_on_clean_data_the_share_of_p_values_below_alpha_is_alpha():
    shares = np.array(
        [[(p <= level).mean() for level in LEVELS] for _, p in new_p_values(60, 400, 200)]
    )
    error = shares.std(axis=0, ddof=1) / np.sqrt(len(shares))
    # p-values of n cases are multiples of 1/(n + 1).
    exact = np.floor(np.array(LEVELS) * 401) / 401
    assert (np.abs(shares.mean(axis=0) - exact) <= 2 * error).all(), (shares.mean(axis=0), error)


def test_benjamini_hochberg_holds_its_rate():
    rate, false_shares, found = 0.1, [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        model = Model(random_state=seed).fit(clean(rng, 400))
        far = clean(rng, 20) + 8 * rng.normal(size=(20, 5))
        p = model.conviction(np.vstack([clean(rng, 180), far]), familiarity=False).p_value
        flags = discoveries(p, rate)
        false_shares.append(flags[:180].sum() / max(flags.sum(), 1))
        found.append(flags[180:].mean())
    error = np.std(false_shares, ddof=1) / np.sqrt(len(false_shares))
    assert np.mean(false_shares) <= rate + 2 * error
    assert np.mean(found) > 0.5


def test_the_typical_conviction_of_clean_data_is_near_one():
    model = Model().fit(clean(np.random.default_rng(0), 1000))
    assert np.median(model.conviction().similarity) == pytest.approx(1, abs=0.1)
