"""Bounds that stop early, against those that look at every member."""

import numpy as np
import pytest

from vicinal import Model
from vicinal.prediction.predictor import learn
from vicinal.robustness.known_means import KnownMeans
from vicinal.robustness.margins import Bounds
from vicinal.robustness.outcome import class_outcome
from vicinal.robustness.perturbation import Perturbation


@pytest.fixture(scope="module")
def asked():
    """Bounds about a row with three classes, and what must stay."""
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(2, 80))
    side = np.where(x > 0.4, "right", np.where(y > 0, "up", "down"))
    fitted = Model(n_jobs=1, scores=False).fit({"x": x, "y": y, "side": side})._ready()
    rows = fitted.rows({"x": [1.1], "y": [0.2]}, "side")
    predictor = learn(fitted, "side", rows.columns)
    outcome = class_outcome(predictor, int(predictor.answer(rows).values[0]))
    options = {"norm": "max", "categories": False}
    changes = Perturbation.of(fitted, rows.values[0], rows.columns, **options)
    return Bounds(predictor, changes), (outcome.values, outcome.lowest, outcome.highest)


def own_means(bounds, given):
    known = KnownMeans(np.tile(given[2], (len(bounds.predictor.ensemble.members), 1)))
    bounds.least_means(1e-9, *given, known=known)
    return known.by_fold[-1]


def test_stopping_early_proves_the_same(asked):
    bounds, given = asked
    own, needed, proved = own_means(bounds, given), np.zeros(2), set()
    assert len(own) > 2
    for radius in (0.05, 0.3, 1.0, 3.0):
        full = bounds.least_means(radius, *given)
        early = bounds.least_means(radius, *given, known=KnownMeans(own), needed=needed)
        assert (early > 0).all() == (full > 0).all()
        assert (early <= full + 1e-9).all()
        stop = {"needed": needed, "whole": True}
        whole = bounds.least_means(radius, *given, known=KnownMeans(own), **stop)
        if np.isfinite(whole).all():
            np.testing.assert_allclose(whole, full)
        else:
            assert (full <= 1e-6).any()
        proved.add(bool((full > 0).all()))
    assert proved == {True, False}


def test_what_is_known_of_a_box_is_handed_on(asked):
    bounds, given = asked
    known = KnownMeans(own_means(bounds, given))
    within = bounds.least_means(0.1, *given, known=known)
    both = np.ones(2, dtype=bool)
    farther = bounds.least_means(1.5, *given, known=known.take(both))
    np.testing.assert_allclose(farther, within)  # as if the larger box were a part of it
    first = known.take(np.array([True, False]))
    assert first.own.shape == first.by_fold[-1].shape == (len(known.own), 1)
