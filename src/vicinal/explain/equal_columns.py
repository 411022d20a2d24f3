"""Columns with identical values, which must contribute equally."""

from __future__ import annotations

import numpy as np

from vicinal.index.protocol import Index
from vicinal.influence.ensemble import Ensemble
from vicinal.typing import Floats

#: Number of cases to compare before comparing whole columns.
_FIRST = 64
#: Learned weights of equal columns differ only by rounding in the optimizer.
_CLOSE = 0.05


def equal_columns(index: Index, ensemble: Ensemble, columns: list[int]) -> list[list[int]]:
    """Find groups of columns with identical values in all cases that are compared alike."""
    some = next(
        (values for _, values in index.blocks(size=_FIRST)), np.empty((0, len(index.kinds)))
    )
    groups: list[list[int]] = []
    for column in columns:
        for group in groups:
            first = group[0]
            if (
                _same(some[:, column], some[:, first])
                and _compared_alike(ensemble, column, first)
                and bool(index.reduce("equal", first=column, second=first)["equal"])
            ):
                group.append(column)
                break
        else:
            groups.append([column])
    return [group for group in groups if len(group) > 1]


def average_equal(values: Floats, queries: Floats, groups: list[list[int]]) -> Floats:
    """Assign columns of a group their mean contribution, in rows where their values are equal.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.explain.equal_columns import average_equal
    >>> values = np.array([[[1.0], [3.0]], [[1.0], [3.0]]])
    >>> average_equal(values, np.array([[7.0, 7.0], [7.0, 8.0]]), [[0, 1]])[:, :, 0]
    array([[2., 2.],
           [1., 3.]])
    """
    out = values.copy()
    for group in groups:
        own, given = values[:, group], queries[:, group]
        same = given[:, :, None] == given[:, None, :]
        same |= np.isnan(given)[:, :, None] & np.isnan(given)[:, None, :]
        sums = np.einsum("mij,mjw->miw", same.astype(np.float64), own)
        out[:, group] = sums / same.sum(axis=2)[:, :, None]
    return out


def _same(one: Floats, other: Floats) -> bool:
    return bool(np.array_equal(one, other, equal_nan=True))


def _compared_alike(ensemble: Ensemble, one: int, other: int) -> bool:
    metrics = [ensemble.spaces[member.space].metric for member in ensemble.members]
    return all(
        metric.kinds[one] == metric.kinds[other]
        and metric.periods[one] == metric.periods[other]
        and np.isclose(metric.weights[one], metric.weights[other], rtol=_CLOSE, atol=0.0)
        and np.isclose(metric.residuals[one], metric.residuals[other], rtol=_CLOSE, atol=0.0)
        for metric in metrics
    )
