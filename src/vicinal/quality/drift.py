"""Has the data changed, by how much, and in which features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vicinal.formulas import cyclic_gap
from vicinal.index.exact import ExactIndex
from vicinal.index.leave_one_out import predict_each_feature
from vicinal.index.metric import CYCLIC, NOMINAL, Metric
from vicinal.quality.permutation import (
    adjusted,
    company,
    p_values_of_all,
    places_graph,
    share_gaps,
    shuffled,
)
from vicinal.tables.to_frame import build_frame
from vicinal.typing import Bools, Floats, Places


@dataclass(frozen=True, eq=False)
class Drift:
    """How new rows differ from the stored cases.

    Parameters
    ----------
    p_value : float
        How often rows that have not changed differ as much in any of the ways tested.
    amount : float
        How much they differ, taken together: 0 where a row's nearest rows say nothing about
        whether it is new, 1 where they always tell.
    together : float
        P-value of that alone: whether new rows keep to new rows.
    features : tuple of str
        The features, those that changed most surely first.
    gap : ndarray
        How much each feature's distribution has changed, from 0 to 1: the largest difference of
        cumulated shares; of nominal features half the sum of the differences of their shares.
    p_own : ndarray
        P-value of that, for each feature by itself.
    p_given_others : ndarray
        P-value of a change in how the feature follows from the others.
    p_adjusted : ndarray
        The smaller of the two, having looked at all features: below 0.05 it is wrong for any
        feature of an unchanged table in one table of twenty.
    changes : tuple of str
        What changed, in words.
    n_stored, n_new : int
        Rows compared.

    Examples
    --------
    >>> import vicinal
    >>> model = vicinal.Model().fit({"x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]})
    >>> drift = model.drift({"x": [11.0, 12.0, 13.0, 14.0, 15.0, 16.0]})
    >>> drift.changed(), drift.features, drift.gap
    (True, ('x',), array([1.]))
    """

    p_value: float
    amount: float
    together: float
    features: tuple[str, ...]
    gap: Floats
    p_own: Floats
    p_given_others: Floats
    p_adjusted: Floats
    changes: tuple[str, ...]
    n_stored: int
    n_new: int

    def changed(self, alpha: float = 0.05) -> bool:
        """Whether the data has changed, at a level of false alarms."""
        return bool(self.p_value <= alpha)

    def __len__(self) -> int:
        return len(self.features)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe with one row per feature.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            Library to use; by default the first of these that is installed.
        """
        return build_frame(self._columns(), backend)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        whole = {name: getattr(self, name) for name in ("p_value", "amount", "together")}
        whole |= {"n_stored": self.n_stored, "n_new": self.n_new}
        columns = self._columns()
        rows = zip(*columns.values(), strict=True)
        return {**whole, "features": [dict(zip(columns, row, strict=True)) for row in rows]}

    def _columns(self) -> dict[str, list[Any]]:
        return {
            "feature": list(self.features),
            "gap": self.gap.tolist(),
            "p_own": self.p_own.tolist(),
            "p_given_others": self.p_given_others.tolist(),
            "p_adjusted": self.p_adjusted.tolist(),
            "change": list(self.changes),
        }

    def __repr__(self) -> str:
        verdict = "changed" if self.changed() else "no sign of change"
        lines = [
            f"Drift of {self.n_new} new rows from {self.n_stored} cases: {verdict}, "
            f"p = {self.p_value:.2g}, amount {self.amount:.2g}"
        ]
        shown = np.flatnonzero(self.p_adjusted <= 0.05)[:8]
        lines += [
            f"  {self.features[at]}: p = {self.p_adjusted[at]:.2g}, gap {self.gap[at]:.2g}, "
            f"{self.changes[at]}"
            for at in shown
        ]
        more = int((self.p_adjusted <= 0.05).sum()) - len(shown)
        return "\n".join(lines + [f"  … {more} more features"] * (more > 0))


@dataclass(frozen=True, eq=False)
class Compared:
    """What `compare` found; arrays run over the columns compared."""

    p_value: float
    amount: float
    together: float
    gap: Floats
    p_own: Floats
    p_given_others: Floats
    p_adjusted: Floats


def compare(
    values: Floats,
    is_new: Bools,
    metric: Metric,
    columns: Places,
    which: Places,
    distinct: ExactIndex,
    *,
    k: int,
    shuffles: int = 999,
    seed: int = 0,
    threads: int | None = None,
) -> Compared:
    """Test whether two samples of rows are of one distribution.

    Parameters
    ----------
    values : ndarray of shape (n, d)
        Encoded rows of both samples, in an order that does not depend on the sample.
    is_new : ndarray of bool of shape (n,)
        Which are of the second sample.
    metric : Metric
        What distance means.
    columns : ndarray of int
        The columns to compare; among them may be some that the metric does not count.
    which, distinct
        The distinct row that each row equals, and the index of the distinct rows with their
        numbers of repetitions as weights.
    k : int
        Rows beside a row.
    shuffles : int
        Labellings to compare with.

    Notes
    -----
    Neighbours and predictions are found without looking at the labels, so under no change every
    labelling is as likely as any other, and all p-values are exact.
    """
    labels = shuffled(is_new, shuffles, seed)
    numbers = distinct.numbers
    found = distinct.search(distinct.values, metric, k, exclude=numbers, threads=threads)
    counts = distinct.counted_weights(found.indices, k, numbers)
    taken = (found.indices >= 0).astype(np.float64) if counts is None else counts
    graph, mass = places_graph(found.indices, taken, which)
    kept, told = company(graph, mass, which, labels)
    nominal, cyclic = metric.kinds == NOMINAL, metric.kinds == CYCLIC
    own = np.column_stack(
        [
            share_gaps(values[:, i], labels, nominal=bool(nominal[i]), cyclic=bool(cyclic[i]))
            for i in columns
        ]
    )
    errors = unexplained(values, metric, k, threads)
    given = np.column_stack(
        [share_gaps(errors[:, i], labels, nominal=False, cyclic=False) for i in columns]
    )
    statistics = np.column_stack([own, given, kept])
    p = p_values_of_all(statistics)
    together, each = adjusted(statistics)
    d = len(columns)
    chance = float(told[1:].mean()) if len(told) > 1 else 0.0
    return Compared(
        p_value=together,
        amount=float(np.clip((told[0] - chance) / (1.0 - chance), 0.0, 1.0)),
        together=float(p[0, -1]),
        gap=own[0],
        p_own=p[0, :d],
        p_given_others=p[0, d : 2 * d],
        p_adjusted=np.minimum(each[:d], each[d : 2 * d]),
    )


def unexplained(values: Floats, metric: Metric, k: int, threads: int | None) -> Floats:
    """Return how far each value is from what the row's other features lead to expect, signed.

    Nominal: the probability not given to the value. NaN where it is missing.
    """
    n = len(values)
    columns = np.ascontiguousarray(values.T)
    expected = predict_each_feature(columns, metric, np.arange(n), k, threads=threads)
    errors: Floats = np.where(metric.kinds == NOMINAL, 1.0 - expected, values - expected)
    for i in np.flatnonzero(metric.kinds == CYCLIC):
        period = metric.periods[i]
        size = cyclic_gap(values[:, i], expected[:, i], period)
        ahead = np.mod(values[:, i] - expected[:, i], period) < period / 2
        errors[:, i] = np.where(ahead, size, -size)
    # Differences of equal numbers may differ by rounding; as errors they are the same.
    scale = np.where(metric.kinds == NOMINAL, 1.0, metric.residuals)
    return np.round(errors / scale, 9)
