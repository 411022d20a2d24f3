"""What can happen to a table: eight disturbances, each at some levels.

A disturbance takes a sample, a level and a random generator, and returns another sample. Only
what its first line says is changed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.quality.prepare import preparation
from benchmarks.quality.robustness.samples import Sample

Disturb = Callable[[Sample, float, np.random.Generator], Sample]

CLUSTERS = 4
FEWEST_ROWS = 20
FEWEST_COLUMNS_ADDED = 10
COPIES = 4
OUTLIER_SPREAD = 10.0


def undisturbed(sample: Sample, level: float, rng: np.random.Generator) -> Sample:
    """The table as it is."""
    return sample


def label_noise(sample: Sample, level: float, rng: np.random.Generator) -> Sample:
    """A share of the training labels becomes another class."""
    target, classes = sample.target.copy(), int(sample.target.max()) + 1
    wrong = rng.choice(sample.train, round(level * len(sample.train)), replace=False)
    target[wrong] = (target[wrong] + rng.integers(1, classes, len(wrong))) % classes
    return replace(sample, target=target)


def cell_noise(sample: Sample, level: float, rng: np.random.Generator) -> Sample:
    """Noise of this many standard deviations in all numbers; so many words are drawn anew."""
    return _noise(sample, level, rng, np.arange(len(sample.table)))


def new_cell_noise(sample: Sample, level: float, rng: np.random.Generator) -> Sample:
    """The same in test rows alone: they are measured worse than the training data."""
    return _noise(sample, level, rng, sample.test)


def cells_lost(sample: Sample, level: float, rng: np.random.Generator) -> Sample:
    """A share of all cells is missing."""
    return replace(sample, table=sample.table.mask(rng.random(sample.table.shape) < level))


def irrelevant_columns(sample: Sample, level: float, rng: np.random.Generator) -> Sample:
    """So many times as many columns, at least ten, are added: shuffled copies of the others."""
    names, count = list(sample.table), _added(sample, level)
    chosen = np.resize(rng.permutation(len(names)), count)
    added = {
        f"irrelevant {i}": sample.table[names[column]].to_numpy()[
            rng.permutation(len(sample.table))
        ]
        for i, column in enumerate(chosen)
    }
    return replace(sample, table=pd.concat([sample.table, pd.DataFrame(added)], axis=1))


def duplicated_columns(sample: Sample, level: float, rng: np.random.Generator) -> Sample:
    """So many times as many columns, at least ten, are added: four copies each of a few."""
    names, count = list(sample.table), _added(sample, level)
    chosen = rng.permutation(len(names))[: -(-count // COPIES)]
    added = {
        f"copy {i}": sample.table[names[column]].to_numpy()
        for i, column in enumerate(np.resize(chosen, count))
    }
    return replace(sample, table=pd.concat([sample.table, pd.DataFrame(added)], axis=1))


def planted_outliers(sample: Sample, level: float, rng: np.random.Generator) -> Sample:
    """So many training rows are added as outliers: ten times as wide, with labels at random."""
    count = round(level * len(sample.train))
    models = sample.table.iloc[rng.choice(sample.train, count)].reset_index(drop=True)
    for name in models:
        column = sample.table[name].iloc[sample.train]
        if name in sample.numbers:
            wide = OUTLIER_SPREAD * float(column.std()) * rng.normal(size=count)
            models[name] = column.mean() + wide
        else:
            models[name] = column.to_numpy()[rng.integers(len(column), size=count)]
    labels = rng.choice(np.unique(sample.target), count)
    return Sample(
        pd.concat([sample.table, models], ignore_index=True),
        np.concatenate([sample.target, labels]),
        np.concatenate([sample.train, len(sample.table) + np.arange(count)]),
        sample.test,
    )


def class_balance(sample: Sample, level: float, rng: np.random.Generator) -> Sample:
    """Of the most frequent class, only this share of the training rows is left."""
    target = sample.target[sample.train]
    often = int(np.bincount(target).argmax())
    rows = sample.train[target == often]
    kept = rng.choice(rows, max(2, round(level * len(rows))), replace=False)
    return replace(sample, train=np.concatenate([sample.train[target != often], kept]))


def cluster_left_out(sample: Sample, level: float, rng: np.random.Generator) -> Sample:
    """Test rows are a cluster of the table, training rows are those of the others."""
    rows = np.concatenate([sample.train, sample.test])
    steps = preparation(sample.table, gaps=False, scale=True)
    points = make_pipeline(*(steps or [StandardScaler()])).fit_transform(sample.table.iloc[rows])
    found = KMeans(CLUSTERS, n_init=3, random_state=int(rng.integers(1 << 30))).fit(points).labels_
    sizes = np.bincount(found, minlength=CLUSTERS)
    for cluster in rng.permutation(np.flatnonzero(sizes >= min(FEWEST_ROWS, sizes.max()))):
        train, test = rows[found != cluster], rows[found == cluster]
        test = test[np.isin(sample.target[test], np.unique(sample.target[train]))]
        if len(test) and len(np.unique(sample.target[train])) > 1:
            return replace(sample, train=train[: 2 * len(sample.train)], test=test)
    return sample


#: By the name of the study: the function and its levels.
DISTURBANCES: dict[str, tuple[Disturb, tuple[float, ...]]] = {
    "none": (undisturbed, (0.0,)),
    "label noise": (label_noise, (0.1, 0.2, 0.4)),
    "cell noise": (cell_noise, (0.5,)),
    "new cell noise": (new_cell_noise, (0.5,)),
    "cells lost": (cells_lost, (0.25, 0.5)),
    "irrelevant columns": (irrelevant_columns, (1.0,)),
    "duplicated columns": (duplicated_columns, (1.0,)),
    "outliers planted": (planted_outliers, (0.1,)),
    "class balance": (class_balance, (0.2,)),
    "cluster left out": (cluster_left_out, (1.0,)),
}
#: Both are cell noise, in all rows and in new rows alone.
SAME_TABLE = {"new cell noise": "cell noise"}


def _noise(sample: Sample, level: float, rng: np.random.Generator, rows: np.ndarray) -> Sample:
    table = sample.table.copy()
    for name in table:
        column = table[name]
        if name in sample.numbers:
            scale = level * float(column.iloc[sample.train].std())
            values = column.to_numpy(dtype=np.float64, copy=True)
            values[rows] += np.nan_to_num(scale) * rng.normal(size=len(rows))
            table[name] = values
        else:
            words = column.to_numpy(copy=True)
            some = rows[rng.random(len(rows)) < level / 2]
            words[some] = words[rng.choice(sample.train, len(some))]
            table[name] = words
    return replace(sample, table=table)


def _added(sample: Sample, level: float) -> int:
    return max(FEWEST_COLUMNS_ADDED, round(level * sample.table.shape[1]))
