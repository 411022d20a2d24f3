"""A table of all kinds of features, with missing values and duplicates, as plain lists."""

from __future__ import annotations

import numpy as np

#: What the columns of `mixed_table` are, where their types do not say it.
OPTIONS = {
    "ordinal_features": {"size": ["S", "M", "L", "XL"]},
    "cyclic_features": {"hour": 24},
}


def mixed_table(n, seed=0, missing=0.08):
    """Columns that follow from something hidden, and one that follows from nothing."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=n)

    def noisy(scale):
        return hidden + scale * rng.normal(size=n)

    columns = {
        "weight": np.round(70 + 12 * noisy(0.4), 1).tolist(),
        "income": np.exp(10 + noisy(0.5)).tolist(),
        "visits": np.round(5 + 2 * noisy(0.5)).astype(int).tolist(),
        "size": [["S", "M", "L", "XL"][i] for i in np.digitize(noisy(0.3), [-1, 0, 1])],
        "hour": ((9 + 3 * noisy(0.5)) % 24).tolist(),
        "colour": [["red", "green", "blue"][i] for i in np.digitize(noisy(0.6), [-0.3, 0.8])],
        "member": (rng.random(n) < 0.4).tolist(),
    }
    table = {
        name: [None if gone else value for value, gone in zip(values, lost, strict=True)]
        for (name, values), lost in zip(
            columns.items(), rng.random((len(columns), n)) < missing, strict=True
        )
    }
    return take(table, [*range(n - n // 20), *range(n // 20)])


def take(table, rows):
    """The rows of these numbers."""
    return {name: [values[row] for row in rows] for name, values in table.items()}
