"""A table whose columns follow from each other, more or less."""

import numpy as np


def mixed_table(n=40, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return {
        "x": x,
        "y": x + rng.normal(size=n),
        "c": np.where(x + rng.normal(size=n) > 0, "high", "low").tolist(),
    }
