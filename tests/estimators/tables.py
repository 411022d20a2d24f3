"""Small tables of mixed kinds, as several libraries hold them."""

import numpy as np
import pandas as pd
import polars as pl


def mixed_columns(n=90, seed=0):
    """Numbers, strings, whole numbers and gaps; the first two features tell the label."""
    rng = np.random.default_rng(seed)
    size = rng.normal(size=n)
    colour = rng.choice(["red", "green", "blue"], size=n)
    count = rng.integers(0, 6, size=n)
    label = np.where((size > 0) ^ (colour == "red"), "yes", "no")
    value = 2 * size + (colour == "red") + 0.1 * rng.normal(size=n)
    size[::11] = np.nan
    features = {"size": size, "colour": colour.astype(object), "count": count}
    features["colour"][5] = None
    return features, label, value


def as_pandas(features):
    return pd.DataFrame(features)


def as_polars(features):
    return pl.DataFrame(
        {name: pl.Series(list(values)) for name, values in features.items()}
    ).with_columns(pl.col("size").fill_nan(None))


def as_objects(features):
    return np.array([list(values) for values in features.values()], dtype=object).T


LIBRARIES = {"pandas": as_pandas, "polars": as_polars, "objects": as_objects}
