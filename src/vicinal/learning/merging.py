"""Merge equal cases into one weighted case, in an order that depends only on content."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal.index.exact import ExactIndex
from vicinal.index.protocol import Index
from vicinal.index.sampling import distinct_cases, sample_distinct
from vicinal.influence.target import Target
from vicinal.influence.tuning import Tuning
from vicinal.typing import Ints, Places

#: Tables of up to this many cases are learned in content order, with equal cases merged.
MOST_MERGED = 8192


@dataclass(frozen=True, eq=False)
class Merged:
    """Which distinct case each case of an index equals.

    Parameters
    ----------
    count : int
        Number of distinct cases.
    numbers : ndarray of int64
        Numbers of the cases with a positive weight.
    which : ndarray of int
        The distinct case that each of them equals.
    """

    count: int
    numbers: Ints
    which: Places

    def apart(self, tuning: Tuning) -> Tuning:
        """Return for every case the result for the distinct case it equals."""
        place = np.full(self.count, -1)
        place[tuning.queries] = np.arange(len(tuning.queries))
        rows = np.flatnonzero(place[self.which] >= 0)
        predictions = tuning.predictions[place[self.which[rows]]]
        return replace(tuning, queries=self.numbers[rows], predictions=predictions)


def merge_cases(index: Index, kinds: NDArray[np.uint8]) -> tuple[ExactIndex, Merged]:
    """Merge equal cases, so that neither repetition nor row order affects the result.

    Returns
    -------
    index : ExactIndex
        One case for all equal ones, with the sum of their weights.
    merged : Merged
        Which of them each case equals.
    """
    numbers, values = index.sample(len(index))
    places, which, mass = distinct_cases(values, index.weights_of(numbers))
    # Any edges work; choosing them again would take longer than everything else.
    merged = ExactIndex(values[places], kinds, mass, edges=index.edges()[:, 1:-1])
    return merged, Merged(len(places), numbers, which)


def sampled_cases(
    index: Index, target: Target, context: Places, count: int, *, random_state: int = 0
) -> Ints:
    """Sample cases with the target; of a table of merged cases those with equal features together.

    A merged case may stand for many rows. Sampled without its twin of another outcome, it
    would teach that all of them have its own.
    """
    sample: dict[str, Any] = {"required": target.column, "random_state": random_state}
    heaviest = float(index.reduce("mass", required=target.column)["heaviest"])
    if heaviest <= 1 or not count < len(index) <= MOST_MERGED:
        return index.sample(count, **sample)[0]
    cases, values = index.sample(len(index), **sample)
    return cases[sample_distinct(values[:, context], count, random_state=random_state)]
