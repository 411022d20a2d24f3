"""Columns with identical values, which must contribute equally."""

from __future__ import annotations

import numpy as np

from vicinal.prediction.predictor import Predictor
from vicinal.typing import Floats

#: Number of cases to compare before comparing whole columns.
_FIRST = 64
#: Learned weights of equal columns differ only by rounding in the optimizer.
_CLOSE = 0.05


def equal_columns(predictor: Predictor, columns: list[int]) -> list[list[int]]:
    """Find groups of columns with identical values in all cases that are compared alike.

    What is derived from each of them alone must be compared alike, too. Scores may use any of
    them, so the parts of scores are not compared.
    """
    index = predictor.index
    some = next(
        (values for _, values in index.blocks(size=_FIRST)), np.empty((0, len(index.kinds)))
    )
    # Wide tables have too many pairs of columns to compare each.
    alike: dict[bytes, list[list[int]]] = {}
    known = np.where(np.isnan(some), np.nan, some + 0.0).T  # one NaN, and no −0
    for column in columns:
        groups = alike.setdefault(known[column].tobytes(), [])
        for group in groups:
            if _compared_alike(predictor, column, group[0]) and bool(
                index.reduce("equal", first=column, second=group[0])["equal"]
            ):
                group.append(column)
                break
        else:
            groups.append([column])
    return sorted(group for groups in alike.values() for group in groups if len(group) > 1)


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


def _compared_alike(predictor: Predictor, one: int, other: int) -> bool:
    first, second = (list(predictor.cases.columns_of(column)) for column in (one, other))
    if len(first) != len(second):
        return False
    ensemble = predictor.ensemble
    metrics = [ensemble.spaces[member.space].metric for member in ensemble.members]
    return all(
        np.array_equal(metric.kinds[first], metric.kinds[second])
        and np.array_equal(metric.periods[first], metric.periods[second])
        and np.allclose(metric.weights[first], metric.weights[second], rtol=_CLOSE, atol=0.0)
        and np.allclose(metric.residuals[first], metric.residuals[second], rtol=_CLOSE, atol=0.0)
        for metric in metrics
    )
