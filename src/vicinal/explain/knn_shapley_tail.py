"""Shapley values in a k-NN of cases that are too far to be ranked, and what they change.

Far cases matter little: the one at rank i changes no Shapley value of a class by more than 1/i.
So only the nearest cases of a row need be ranked. All others count as equally far: their order is
any of all orders, each as probable, and every value is the mean over these. It has a closed form,
in which the others appear only by their number and the sums of their outcomes and of the squares.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from vicinal.typing import Floats


@dataclass(frozen=True)
class Unranked:
    """Cases that are farther than all that were ranked: how many, and sums of their outcomes.

    Examples
    --------
    >>> from vicinal.explain.knn_shapley_tail import Unranked
    >>> Unranked(4, 2.0, 2.0).mean, round(Unranked(4, 2.0, 2.0).product, 3)
    (0.5, 0.167)
    """

    count: int = 0
    total: float = 0.0
    squares: float = 0.0

    @property
    def mean(self) -> float:
        """The mean outcome."""
        return self.total / max(self.count, 1)

    @property
    def product(self) -> float:
        """The mean product of the outcomes of two of them."""
        return (self.total**2 - self.squares) / max(self.count * (self.count - 1), 1)

    @property
    def squared(self) -> Unranked:
        """The same cases with their squared outcomes, of which only the sum is known."""
        return Unranked(self.count, self.squares, np.nan)


class RankSums(NamedTuple):
    """Sums over the ranks of the cases that are not ranked, from T + 1 to n; see `rank_factors`.

    With N of them, a mean over the ranks q of sums over m > q is a sum over m of (m − 1 − T)/N.
    """

    factor: float  # mean over q
    step: float  # factor of n minus factor of T
    last: float  # factor of n
    joins: float  # Σ over m
    joins_after: float  # mean over q of Σ over m > q
    leaves: float  # Σ over m
    leaves_before: float  # Σ over m, times m − 1 − T
    leaves_after: float  # mean over q of Σ over m > q
    leaves_between: float  # mean over q of Σ over m > q, times m − 2 − T


def rank_factors(rank: Floats, k: int) -> Floats:
    """Return min(k, i)/(i k) for each rank i: how likely a case is among the k nearest, over k."""
    return np.minimum(k, rank) / (rank * k)


def joins(rank: Floats, k: int) -> Floats:
    """Return the probability that a case completes a pair with the case of each rank."""
    most = np.minimum(k - 1, rank - 1)
    return most * (most + 1) / np.maximum(2 * rank * (rank - 1), 1.0)


def leaves(rank: Floats, k: int) -> Floats:
    """Return the probability that a case displaces that of each rank from the k nearest."""
    divided = k * (k - 1) / np.maximum(rank * (rank - 1) * (rank - 2), 1.0)
    return np.where((rank > k) & (rank > 2), divided, 0.0)


@lru_cache(maxsize=64)
def rank_sums(ranked: int, count: int, k: int) -> RankSums:
    """Return the sums over the ranks of `count` cases that are farther than those ranked."""
    n = ranked + count
    end, start = (float(rank_factors(np.array([max(at, 1)]), k)[0]) for at in (n, ranked))
    rank = np.arange(ranked + 1.0, n + 1)
    before, joined, left = rank - 1 - ranked, joins(rank, k), leaves(rank, k)
    most = max(count, 1)
    return RankSums(
        factor=float(rank_factors(rank, k).sum()) / most,
        step=end - (start if ranked else 1.0 / k),
        last=end,
        joins=float(joined.sum()),
        joins_after=float(joined @ before) / most,
        leaves=float(left.sum()),
        leaves_before=float(left @ before),
        leaves_after=float(left @ before) / most,
        leaves_between=float(left @ (before * (before - 1))) / most,
    )


def unranked_classes(ranked: int, others: Unranked, k: int) -> Floats:
    """Return the value of a case that is not ranked: a constant, and what a hit adds.

    Examples
    --------
    >>> from vicinal.explain.knn_shapley_tail import Unranked, unranked_classes
    >>> unranked_classes(0, Unranked(2, 1.0, 1.0), 1).tolist()
    [-0.25, 1.0]
    """
    sums, rest = rank_sums(ranked, others.count, k), max(others.count - 1, 1)
    constant = others.total / rest * (sums.last - sums.factor)
    return np.array([constant, sums.factor - (sums.last - sums.factor) / rest])


def unranked_numbers(
    ranked: int, others: Unranked, ranked_total: float, truth: float, k: int
) -> Floats:
    """Return the value of a case that is not ranked, as factors of 1, its outcome and the square.

    Parameters
    ----------
    ranked, ranked_total : int, float
        How many cases are ranked, and the sum of their outcomes.
    """
    sums, n, total = rank_sums(ranked, others.count, k), others.count, others.total
    rest, pairs_left = max(n - 1, 1), max((n - 1) * (n - 2), 1)
    one = unranked_classes(ranked, others, k)
    two = unranked_classes(ranked, others.squared, k)
    plain = 2 * truth * np.append(one, 0.0) - np.array([two[0], 0.0, two[1]]) / k
    # Each line is a factor times a product of outcomes, by powers of the outcome of the case.
    pairs = (
        2 * sums.joins_after / rest * np.array([0.0, total, -1.0])
        + sums.joins / max(n, 1) * ranked_total * np.array([0.0, 1.0, 0.0])
        - sums.leaves_after / rest * ranked_total * np.array([total, -1.0, 0.0])
        - sums.leaves_between / pairs_left * np.array([total**2 - others.squares, -2 * total, 2.0])
    )
    made: Floats = plain - 2 / k**2 * pairs
    return made
