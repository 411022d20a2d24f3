"""Permutation tests that compare two samples by shuffling the sample labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from vicinal.typing import Bools, Floats, Ints, Places

if TYPE_CHECKING:
    from scipy import sparse

#: Cells processed at a time, which bounds the memory.
_CELLS = 1 << 22


def shuffled(is_new: Bools, count: int, seed: int) -> Bools:
    """Return the original labels, followed by `count` shuffled copies.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.quality.permutation import shuffled
    >>> shuffled(np.array([True, False, False]), 2, 0).sum(axis=1).tolist()
    [1, 1, 1]
    """
    rng = np.random.default_rng(seed)
    labels = np.tile(is_new, (count + 1, 1))
    rng.permuted(labels[1:], axis=1, out=labels[1:])
    return labels


def distribution_gaps(values: Floats, labels: Bools, *, nominal: bool, cyclic: bool) -> Floats:
    """Return how differently two samples are distributed, for every labeling of the rows.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Values of all rows; NaN is a value of its own.
    labels : ndarray of bool of shape (l, n)
        Each row marks the values that belong to the second sample.
    nominal, cyclic : bool
        The kind of the values.

    Returns
    -------
    ndarray of shape (l,)
        From 0 to 1. Nominal: total variation distance. Numeric: the largest difference of the
        cumulative distributions (Kolmogorov–Smirnov), with missing values first; cyclic: the sum
        of the largest differences in both directions (Kuiper).

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.quality.permutation import distribution_gaps
    >>> labels = np.array([[False, False, True, True], [False, True, False, True]])
    >>> distribution_gaps(np.array([1.0, 2.0, 3.0, 4.0]), labels, nominal=False, cyclic=False)
    array([1. , 0.5])
    """
    _, codes = np.unique(np.where(np.isnan(values), -np.inf, values), return_inverse=True)
    codes = codes.ravel()
    order = np.argsort(codes, kind="stable")
    last = np.flatnonzero(np.append(np.diff(codes[order]) > 0, True))
    gaps = []
    for some in _blocks(labels):
        second = np.cumsum(some[:, order], axis=1, dtype=np.int32)[:, last]
        both = (last + 1).astype(np.float64)
        n_second = float(second[0, -1])
        ahead = second / n_second - (both - second) / (len(values) - n_second)
        if nominal:
            gaps.append(0.5 * np.abs(np.diff(ahead, axis=1, prepend=0.0)).sum(axis=1))
        elif cyclic:
            gaps.append(ahead.max(axis=1) - ahead.min(axis=1))
        else:
            gaps.append(np.abs(ahead).max(axis=1))
    return np.concatenate(gaps)


def neighbor_graph(
    indices: Ints, counts: Floats, which: Places
) -> tuple[sparse.csr_array, Floats]:
    """Return the nearest-neighbor graph of distinct cases, and the number of rows of each.

    Parameters
    ----------
    indices : ndarray of shape (g, k)
        The nearest distinct cases of each distinct case, including itself if it represents
        several rows; −1 for none.
    counts : ndarray of shape (g, k)
        How many of the k places each takes.
    which : ndarray of int of shape (n,)
        The distinct case that each row equals.
    """
    from scipy import sparse

    size = len(indices)
    there = (indices >= 0) & (counts > 0)
    rows = np.repeat(np.arange(size), there.sum(axis=1))
    taken = np.where(there, counts, 0.0)
    shares = taken / np.maximum(taken.sum(axis=1, keepdims=True), 1e-300)
    graph = sparse.csr_array((shares[there], (rows, indices[there])), shape=(size, size))
    return graph, np.bincount(which, minlength=size).astype(np.float64)


def neighbor_agreement(
    graph: sparse.csr_array, mass: Floats, which: Places, labels: Bools
) -> tuple[Floats, Floats]:
    """Return how often the neighbors of a row are from its own sample, for every labeling.

    Returns
    -------
    kept : ndarray of shape (l,)
        Mean share of a row's neighbors that are from its own sample; both samples have equal
        weight.
    accuracy : ndarray of shape (l,)
        How well neighbors identify the sample of a row: the rescaled mean accuracy over both
        samples, from 1 (always) through 0 (chance) to −1.
    """
    own = graph.diagonal()
    rest = np.maximum(mass - 1.0, 1.0)
    kept, accuracy = [], []
    for some in _blocks(labels, per_row=2 * graph.nnz // max(len(mass), 1) + 4):
        second = np.stack([np.bincount(which, one, len(mass)) for one in some], axis=1)
        base = second.sum(axis=0) / mass.sum()
        part = second / mass[:, None]
        around = graph @ part - own[:, None] * part
        # A row is not its own neighbor, but the other rows equal to it are.
        seen_by_new = around + own[:, None] * (second - 1.0) / rest[:, None]
        seen_by_old = around + own[:, None] * second / rest[:, None]
        first = mass[:, None] - second
        n_new, n_old = second.sum(axis=0), first.sum(axis=0)
        kept.append(
            0.5
            * (
                (second * seen_by_new).sum(axis=0) / n_new
                + (first * (1.0 - seen_by_old)).sum(axis=0) / n_old
            )
        )
        right_new = (second * _above(seen_by_new, base)).sum(axis=0) / n_new
        right_old = (first * (1.0 - _above(seen_by_old, base))).sum(axis=0) / n_old
        accuracy.append(right_new + right_old - 1.0)
    return np.concatenate(kept), np.concatenate(accuracy)


def _above(share: Floats, base: Floats) -> Floats:
    """Return 1 above the base rate, 0 below it, and one half at it."""
    return 0.5 * (1.0 + np.sign(np.round(share - base, 12)))


def p_values_of_all(statistics: Floats) -> Floats:
    """Return the p-value of every labeling among all of them; large statistics are extreme.

    Parameters
    ----------
    statistics : ndarray of shape (l, t)
        One column for each test.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.quality.permutation import p_values_of_all
    >>> p_values_of_all(np.array([[3.0], [1.0], [2.0], [1.0]])).ravel()
    array([0.25, 1.  , 0.5 , 1.  ])
    """
    rounded = np.round(statistics, 12)  # treats values that differ by rounding as equal
    total = len(rounded)
    p = np.empty(rounded.shape)
    for at, column in enumerate(rounded.T):
        p[:, at] = (total - np.searchsorted(np.sort(column), column, side="left")) / total
    return p


def adjusted(statistics: Floats) -> tuple[float, Floats]:
    """Return one p-value for all tests together, and the adjusted p-value of each test.

    Parameters
    ----------
    statistics : ndarray of shape (l, t)
        One column for each test, with the original labels in the first row.

    Notes
    -----
    Statistics are standardized over the labelings, and the largest of a labeling is compared
    with the largest of the others (Westfall and Young): exact for any dependence between the
    tests.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.quality.permutation import adjusted
    >>> adjusted(np.array([[3.0, 1.0], [1.0, 2.0], [2.0, 1.0], [1.0, 2.0]]))
    (0.25, array([0.25, 1.  ]))
    """
    if not statistics.shape[1]:
        return 1.0, np.empty(0)
    spread = statistics.std(axis=0)
    centered = statistics - statistics.mean(axis=0)
    scores = np.round(
        np.divide(centered, spread, out=np.zeros_like(centered), where=spread > 0), 9
    )
    largest = np.sort(scores.max(axis=1))
    total = len(largest)
    each = (total - np.searchsorted(largest, scores[0], side="left")) / total
    return float(each.min()), each


def _blocks(labels: Bools, per_row: int = 3) -> Iterator[Bools]:
    step = max(1, _CELLS // max(labels.shape[1] * per_row, 1))
    return (labels[start : start + step] for start in range(0, len(labels), step))
