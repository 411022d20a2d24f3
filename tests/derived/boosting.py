"""Small binned tables, and trees grown on them by the kernel."""

from __future__ import annotations

import numpy as np

from vicinal.derived.bins import MISSING
from vicinal.index import _native

OPTIONS = {
    "rounds": 3,
    "patience": 99,
    "patience_together": 99,
    "leaves": 4,
    "path_columns": 2,
    "most_columns": 99,
    "symmetric": False,
    "rate": 0.3,
    "ridge": 1.0,
    "nominal_ridge": 5.0,
    "least_mass": 3.0,
    "faster": 0.0,
}


def binned(seed, n=40, classes=0):
    """Bins of two numbers with gaps, a category and a switch; what follows from them; folds."""
    rng = np.random.default_rng(seed)
    bins = np.column_stack(
        [
            rng.integers(0, 9, size=n),
            rng.integers(0, 30, size=n),
            rng.integers(0, 5, size=n),
            rng.integers(0, 2, size=n),
        ]
    ).astype(np.uint8)
    told = bins[:, 0] / 4 + (bins[:, 2] == 1) * (bins[:, 3] - 0.5) * 2 + 0.3 * rng.normal(size=n)
    bins[rng.random(bins.shape) < 0.15] = MISSING
    truth = np.clip(np.floor(told / 0.8), 0, classes - 1) if classes else told - told.mean()
    weights = rng.choice([0.5, 1.0, 2.0], size=n)
    return bins, truth, weights, rng.integers(0, 3, size=n)


NOMINAL = np.array([0, 0, 1, 1], dtype=np.uint8)


def boost(bins, truth, weights, folds, classes=0, threads=1, own=None, **options):
    """Grow trees; the last columns may be the runs' own, (runs, n, columns)."""
    own = np.empty((3, len(bins), 0), dtype=np.uint8) if own is None else own
    return _native.boost(
        bins=np.ascontiguousarray(bins.T),
        own=np.ascontiguousarray(own.transpose(0, 2, 1)),
        nominal=NOMINAL[: bins.shape[1] + own.shape[2]],
        weights=weights,
        truth=truth,
        held=(folds == np.arange(3)[:, None]).astype(np.uint8),
        classes=classes,
        threads=threads,
        **{**OPTIONS, **options},
    )


def forest_of(grown):
    return _native.Forest(nodes=grown[0], sets=grown[1], values=grown[2])


def parts_of(forest, bins, reference, folds, owners=None, threads=1):
    owners = np.arange(bins.shape[1]) if owners is None else owners
    return _native.forest_parts(
        forest,
        bins=bins,
        reference=reference,
        owners=owners,
        features=int(owners.max()) + 1,
        folds=folds,
        threads=threads,
    )
