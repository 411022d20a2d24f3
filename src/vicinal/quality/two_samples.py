"""Test whether two samples of rows come from the same distribution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.fitted import Fitted, Rows
from vicinal.formulas import cyclic_gap
from vicinal.index.exact import ExactIndex
from vicinal.index.kinds import CYCLIC, NOMINAL
from vicinal.index.leave_one_out import predict_each_feature
from vicinal.index.metric import Metric
from vicinal.index.sampling import distinct_cases
from vicinal.index.ties import search_ties
from vicinal.progress import track
from vicinal.quality.permutation import (
    adjusted,
    distribution_gaps,
    neighbor_agreement,
    neighbor_graph,
    p_values_of_all,
    shuffled,
)
from vicinal.typing import Bools, Floats


@dataclass(frozen=True, eq=False)
class Compared:
    """The result of `compare_samples`; arrays have one entry per column compared."""

    p_value: float
    amount: float
    together: float
    gap: Floats
    p_own: Floats
    p_given_others: Floats
    p_adjusted: Floats


def compare_samples(
    fitted: Fitted, rows: Rows, values: Floats, is_new: Bools, shuffles: int
) -> Compared:
    """Test whether two samples have the same distribution of the features of some rows.

    The order of the encoded values must not depend on the sample; `is_new` marks the second one.
    Neighbors and predictions do not use these labels, so if nothing has changed every labeling is
    equally likely, and all p-values are exact.
    """
    metric, threads = fitted.metric_of(rows.columns), fitted.threads
    k, seed = fitted.settings.n_neighbors, fitted.settings.random_state
    # The columns to compare may include some of weight 0 in the metric.
    columns = [fitted.schema.column(name) for name in rows.names]
    labels = shuffled(is_new, shuffles, seed)
    places, which, repeats = distinct_cases(values)
    distinct = ExactIndex(values[places], metric.kinds, repeats)
    itself = np.arange(len(places))
    found = search_ties(
        distinct, values[places], metric, k, exclude=itself, listed=True, most=k, threads=threads
    )
    listing = found.listing
    assert listing is not None
    taken = listing.divide(found.shares(k))
    graph, mass = neighbor_graph(listing.indices, taken, which)
    kept, told = neighbor_agreement(graph, mass, which, labels)
    kinds = [{"nominal": kind == NOMINAL, "cyclic": kind == CYCLIC} for kind in metric.kinds]
    errors = unexplained(values[places], repeats, metric, k, threads)[which]
    own, given = np.empty((2, len(labels), len(columns)))
    for at, i in track(enumerate(columns), total=len(columns), what="comparing features"):
        own[:, at] = distribution_gaps(values[:, i], labels, **kinds[i])
        given[:, at] = distribution_gaps(errors[:, i], labels, nominal=False, cyclic=False)
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


def unexplained(
    values: Floats, repeats: Floats | None, metric: Metric, k: int, threads: int | None
) -> Floats:
    """Return the signed difference of each value from its prediction by the other features.

    Nominal: one minus the probability of the value. NaN if it is missing.

    The cases are distinct. One that stands for several rows counts one row less: a new row that is
    a copy of a stored one would be predicted by it, but most stored rows have no copy, which would
    look like another relation between the features.
    """
    weights = None if repeats is None else np.maximum(repeats - 1.0, 1.0)
    columns, queries = np.ascontiguousarray(values.T), np.arange(len(values))
    expected = predict_each_feature(columns, metric, queries, k, weights=weights, threads=threads)
    errors: Floats = np.where(metric.kinds == NOMINAL, 1.0 - expected, values - expected)
    for i in np.flatnonzero(metric.kinds == CYCLIC):
        period = metric.periods[i]
        size = cyclic_gap(values[:, i], expected[:, i], period)
        ahead = np.mod(values[:, i] - expected[:, i], period) < period / 2
        errors[:, i] = np.where(ahead, size, -size)
    # Equal errors can differ by rounding, so they are rounded.
    scale = np.where(metric.kinds == NOMINAL, 1.0, metric.residuals)
    return np.round(errors / scale, 9)
