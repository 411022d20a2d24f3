"""Features that are of no use beside the others: one by one, and many together."""

from __future__ import annotations

import numpy as np

from vicinal import Model
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
