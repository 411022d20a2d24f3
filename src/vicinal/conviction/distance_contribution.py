"""The distance contribution φ: how much distance a case adds to those around it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vicinal.conviction.gaps import usual_mean
from vicinal.conviction.measure import Measure
from vicinal.formulas import SAME
from vicinal.typing import Bools, Floats, Places

#: Distances of identical cases may differ from 1.5 by as much as this.
_ROUNDING = 1e-9

#: Distances that differ by less than this share are the same but for rounding.
_TIED = 1e-12

#: Rows at a time, whose lists stay in cache.
_ROWS = 4096


def distance_contributions(
    distances: Floats, counts: Floats | None, measure: Measure, grain: float
) -> Floats:
    r"""Average the distances to the nearest cases.

    Parameters
    ----------
    distances : ndarray of shape (m, k)
        Nearest first; infinite where there are no more cases.
    counts : ndarray of shape (m, k), optional
        How many of the k places each case takes, where cases have weights.
    measure : Measure
        The terms and the mean.
    grain : float
        The excess that is usual between nearest cases; see `grain_of`.

    Returns
    -------
    ndarray of shape (m,)
        Where there is no other case nothing is out of the ordinary: as among identical cases.

    Notes
    -----
    .. math:: \phi(x) = \Bigl(\sum_{j=1}^k \frac{j^{-f}}{D(x, x_j)}
              \Big/ \sum_{j=1}^k j^{-f} \Bigr)^{-1}

    with f the measure's rank decay; 0 is the plain harmonic mean.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.conviction.measure import Measure
    >>> from vicinal.conviction.distance_contribution import distance_contributions
    >>> distances = np.array([[2.0, 4.0]])
    >>> distance_contributions(distances, None, Measure(rank_decay=0.0), grain=0.5).round(6)
    array([1.5])
    >>> distance_contributions(distances, None, Measure(), grain=0.5).round(6)
    array([1.285714])
    """
    base, found = measure.base(grain), np.empty(len(distances))
    for some, lists, shares in _by_columns(distances, counts, measure):
        total, places = np.zeros(len(lists)), np.zeros(len(lists))
        for surprisal, there, count in zip(lists.T, np.isfinite(lists).T, shares.T, strict=True):
            # Where no feature counts the engine says 0; then all cases are the same.
            surprisal = np.where(there, np.maximum(surprisal, SAME) - base, 1.0)
            if measure.mean == "harmonic":
                total += count / surprisal
            else:
                total += count * np.log(surprisal)
            places += count
        there = places > 0
        mean = np.where(there, total, 1.0) / np.where(there, places, 1.0)
        value = 1.0 / mean if measure.mean == "harmonic" else np.exp(mean)
        found[some] = np.where(there, value, SAME - base)
    return found


def _by_columns(
    distances: Floats, counts: Floats | None, measure: Measure
) -> Iterator[tuple[slice, Floats, Floats]]:
    """Yield which rows, their distances and what each neighbor counts, a few at a time.

    They are by columns, because sums go from one place to the next: so they do not depend on how
    many rows or places there are.
    """
    for start in range(0, len(distances), _ROWS):
        some = slice(start, start + _ROWS)
        lists = np.asfortranarray(distances[some])
        own = None if counts is None else np.asfortranarray(counts[some])
        yield some, lists, shares_of(np.isfinite(lists), own, measure)


def shares_of(there: Bools, counts: Floats | None, measure: Measure) -> Floats:
    """Return what each neighbor counts; 0 where there is none, which come last.

    Where all count alike, row by row, the shares are not to be written to.
    """
    if counts is None:
        alike = measure.shares(np.ones((1, there.shape[1])))
        return np.broadcast_to(alike, there.shape) if there.all() else np.where(there, alike, 0.0)
    return measure.shares(np.where(there, counts, 0.0))


def leveled_shares(distances: Floats, counts: Floats | None, measure: Measure) -> Floats:
    """Return what each neighbor counts, alike at the same distance: their order says nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.conviction.measure import Measure
    >>> from vicinal.conviction.distance_contribution import leveled_shares
    >>> leveled_shares(np.array([[2.0, 2.0, 4.0, np.inf]]), None, Measure()).round(2).tolist()
    [[0.75, 0.75, 0.33, 0.0]]
    """
    there = np.isfinite(distances)
    shares = shares_of(there, counts, measure)
    tied = distances[:, 1:] <= distances[:, :-1] * (1.0 + _TIED)
    if measure.rank_decay == 0 or not tied.any():
        return shares
    rows = np.flatnonzero((tied & there[:, 1:]).any(axis=1))
    level = np.zeros((len(rows), distances.shape[1]), dtype=np.int64)
    np.cumsum(~tied[rows], axis=1, out=level[:, 1:])
    group = (level + np.arange(len(rows))[:, None] * distances.shape[1]).ravel()
    places = np.where(there[rows], 1.0 if counts is None else counts[rows], 0.0)
    taken = np.bincount(group, weights=places.ravel())
    each = np.bincount(group, weights=shares[rows].ravel()) / np.where(taken > 0, taken, 1.0)
    shares = shares.copy()
    shares[rows] = places * each[group].reshape(places.shape)
    return shares


def grain_of(
    distances: Floats, counts: Floats | None, weights: Floats | None, measure: Measure
) -> float:
    """Return the excess that is usual between nearest cases.

    It is the usual mean over the cases, in which the farthest twentieth counts no more than the
    one next to them. ½, the uncertainty of a value, where all are identical.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.conviction.measure import Measure
    >>> from vicinal.conviction.distance_contribution import grain_of
    >>> round(grain_of(np.array([[1.6, 1.8], [1.7, 1.9]]), None, None, Measure(rank_decay=0.0)), 6)
    0.25
    """
    return usual_grain(excess_of_lists(distances, counts, measure), weights)


def excess_of_lists(distances: Floats, counts: Floats | None, measure: Measure) -> Floats:
    """Return the mean excess of each list of nearest cases, as each of them counts."""
    found = np.empty(len(distances))
    for some, lists, shares in _by_columns(distances, counts, measure):
        total, places = np.zeros(len(lists)), np.zeros(len(lists))
        for excess, there, count in zip(lists.T, np.isfinite(lists).T, shares.T, strict=True):
            total += count * np.where(there, np.maximum(excess, SAME) - SAME, 0.0)
            places += count
        found[some] = total / np.where(places > 0, places, 1.0)
    return found


def usual_grain(excess: Floats, weights: Floats | None) -> float:
    """Return the grain, as in `grain_of`, from the mean excess of each list."""
    mean = usual_mean(excess, weights)
    return mean if mean > _ROUNDING else 0.5


def with_new_row(
    distances: Floats, counts: Floats | None, newcomer: Floats
) -> tuple[Floats, Floats | None]:
    """Put one more case of weight 1 into lists of neighbors; it comes after its equals.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.conviction.distance_contribution import with_new_row
    >>> with_new_row(np.array([[2.0, 4.0]]), None, np.array([3.0]))[0]
    array([[2., 3.]])
    """
    k = distances.shape[1]
    # The lists are sorted, so everything after the new row moves by one place.
    place = (distances <= newcomer[:, None]).sum(axis=1)[:, None]
    merged = _inserted(distances, place, newcomer[:, None])
    if counts is None:
        return merged, None
    weights = _inserted(counts, place, np.ones((len(counts), 1)))
    return merged, np.clip(k - (np.cumsum(weights, axis=1) - weights), 0.0, weights)


def _inserted(lists: Floats, place: Places, values: Floats) -> Floats:
    """Put one value into each list, which keeps its length."""
    columns = np.arange(lists.shape[1])
    moved = np.concatenate([lists[:, :1], lists[:, :-1]], axis=1)
    return np.where(columns < place, lists, np.where(columns == place, values, moved))


def entry_distance(distances: Floats, counts: Floats | None) -> Floats:
    """Return how near a case must come to enter each list; infinite where there is room."""
    if counts is None:
        return distances[:, -1].copy()  # a view would keep all lists
    k = distances.shape[1]
    last = np.where(counts > 0, distances, -np.inf).max(axis=1)
    full = (counts.sum(axis=1) >= k) | np.isfinite(distances[:, -1])
    return np.where(full, last, np.inf)
