"""Features that are of no use beside the others: one by one, and many together."""

from __future__ import annotations

import numpy as np
import pytest

from vicinal import Model
from vicinal.explain import dropping
from vicinal.explain.dropping import losses_without
from vicinal.prediction.predictor import learn
from vicinal.quality import useless


def noisy(width, n=240, seed=0):
    """Two features that tell the target, and noise."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, width))
    table = {f"x{i}": x[:, i] for i in range(width)}
    return {**table, "y": 3 * x[:, 0] - 3 * x[:, 1] + 0.1 * rng.normal(size=n)}


def useless_features(table):
    found = Model(n_jobs=1).fit(table).audit("y").of("feature")
    return {one.feature: one for one in found}


def test_many_features_are_dropped_together_and_the_evidence_says_so(monkeypatch):
    monkeypatch.setattr(useless, "MANY", 5)
    found = useless_features(noisy(24))
    assert found
    assert not {"x0", "x1"} & set(found)
    together = [one for one in found.values() if "dropped_together" in one.details]
    assert together
    for one in together:
        count = one.details["dropped_together"]
        assert f"it and {count - 1} more such features together" in one.evidence
        assert one.details["gain"] + 2 * one.details["gain_error"] <= useless.USELESS_GAIN


def test_features_that_are_of_use_only_together_are_not_called_useless(monkeypatch):
    monkeypatch.setattr(useless, "MANY", 2)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 8))
    # The sign of each of the two says nothing alone, and that of their product everything.
    table = {f"x{i}": x[:, i] for i in range(8)}
    table["y"] = np.where(x[:, 0] * x[:, 1] > 0, "same", "other")
    assert not {"x0", "x1"} & set(useless_features(table))


@pytest.fixture
def wide():
    table = noisy(30, n=150)
    fitted = Model(n_jobs=1).fit(table)._ready()
    return learn(fitted, "y", fitted.columns_for(fitted.schema.names, "y"))


def test_dropping_nothing_changes_nothing(wide):
    cases = dropping.held_out_sample(wide, 40)
    whole, [same, without, nothing] = losses_without(
        wide, cases, [[], wide.players()[:5], wide.players()]
    )
    np.testing.assert_array_equal(same.errors, whole.errors)
    assert without.errors.mean() > whole.errors.mean()
    baseline = np.abs(wide.target.outcomes_of(cases) - wide.target.mean)
    np.testing.assert_allclose(nothing.errors, baseline)


def test_groups_are_dropped_as_by_a_model_that_lacks_them(wide, monkeypatch):
    cases = dropping.held_out_sample(wide, 40)
    one = wide.players()[3]
    _, [alone] = losses_without(wide, cases, [[one]])
    held = dropping.held_out_losses(wide, cases, without=[one])
    np.testing.assert_allclose(alone.errors, held.without[one].errors, rtol=1e-12)
