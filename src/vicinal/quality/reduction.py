"""Fewer cases at a stated loss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vicinal.formulas import cyclic_gap
from vicinal.index.exact import ExactIndex
from vicinal.index.metric import CYCLIC, NOMINAL, Metric
from vicinal.tables.to_frame import build_frame
from vicinal.typing import Floats, Ints

#: Steps of halving the gap between the smallest size that will do and the largest that will not.
_REFINEMENTS = 3


@dataclass(frozen=True, eq=False)
class Reduction:
    """A model of fewer cases, and what that costs.

    Parameters
    ----------
    model : Model
        The cases that are left, with their weights; what was learned stays.
    cases : ndarray of int64
        Number that each of its cases had before.
    weights : ndarray
        Their weights: each case speaks for those that were merged into it.
    speaks : ndarray of int64
        For every case there was, in ascending order of numbers, the one that speaks for it; −1
        for those of weight 0.
    loss_before, loss_after : float
        Loss on cases that neither model had, all cases or so small a share of them.
    what : str
        What the loss is.

    Examples
    --------
    >>> import vicinal
    >>> table = {"x": [1.0, 1.0, 1.1, 5.0, 5.1, 9.0], "y": [2.0, 2.0, 2.0, 7.0, 7.0, 8.0]}
    >>> reduction = vicinal.Model().fit(table).reduce(n_cases=3)
    >>> len(reduction.model), reduction.weights.sum()
    (3, np.float64(6.0))
    """

    model: Any
    cases: Ints
    weights: Floats
    speaks: Ints
    loss_before: float
    loss_after: float
    what: str

    @property
    def loss(self) -> float:
        """How much the loss rises."""
        return self.loss_after - self.loss_before

    def __len__(self) -> int:
        return len(self.cases)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe with one row per case that is left.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            Library to use; by default the first of these that is installed.
        """
        return build_frame({"case": self.cases, "weight": self.weights}, backend)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        return {
            "n_before": len(self.speaks),
            "n_after": len(self),
            "loss_before": self.loss_before,
            "loss_after": self.loss_after,
            "what": self.what,
            "cases": self.cases.tolist(),
            "weights": self.weights.tolist(),
        }

    def __repr__(self) -> str:
        return (
            f"Reduction of {len(self.speaks)} cases to {len(self)}: {self.what} "
            f"{self.loss_before:.4g} → {self.loss_after:.4g}"
        )


def errors_of_features(
    index: ExactIndex, metric: Metric, rows: Floats, k: int, *, threads: int | None = None
) -> Floats:
    """Predict every feature of rows from the others, and return the mean error of each.

    The k nearest cases speak, each by the inverse of its distance. For nominal features the
    error is the share of those that have another category. NaN for features that do not count.
    """
    result = np.full(rows.shape[1], np.nan)
    for column in metric.active:
        others = metric.restricted(metric.active[metric.active != column])
        found = index.search(rows, others, k, required=int(column), threads=threads)
        there = found.indices >= 0
        outcomes = np.zeros(found.indices.shape)
        outcomes[there] = index.case_values(found.indices[there])[:, column]
        counts = index.counted_weights(found.indices, k)
        share = (there if counts is None else counts) / found.distances
        total = share.sum(axis=1)
        truth = rows[:, column]
        if metric.kinds[column] == NOMINAL:
            errors = (share * (outcomes != truth[:, None])).sum(axis=1)
        elif metric.kinds[column] == CYCLIC:
            gaps = cyclic_gap(outcomes, truth[:, None], float(metric.periods[column]))
            errors = (share * np.nan_to_num(gaps)).sum(axis=1)
        else:
            errors = np.abs((share * outcomes).sum(axis=1) - truth * total)
        known = ~np.isnan(truth) & (total > 0)
        if known.any():
            result[column] = (errors[known] / total[known]).mean()
    return result


def smallest_size(n: int, rise_at: Callable[[int], float], most: float) -> int:
    """Return about the smallest number of cases at which the loss rises no more than allowed.

    Examples
    --------
    >>> from vicinal.quality.reduction import smallest_size
    >>> smallest_size(1000, lambda size: 10 / size, 0.05)
    210
    """
    good, bad = n, 0
    while good > 1:
        size = max(good // 2, 1)
        if rise_at(size) > most:
            bad = size
            break
        good = size
    for _ in range(_REFINEMENTS if bad else 0):
        if good - bad < 2:
            break
        size = round((good * bad) ** 0.5)
        size = min(max(size, bad + 1), good - 1)
        if rise_at(size) > most:
            bad = size
        else:
            good = size
    return good
