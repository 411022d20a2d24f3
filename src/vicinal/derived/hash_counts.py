"""How many cases have each hash."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from vicinal.typing import Bools, Ints, Words


class HashCounts:
    """Hashes of cases, sorted, and what has changed since.

    Parameters
    ----------
    hashes : ndarray of uint64
        The distinct hashes, ascending.
    counts : ndarray of int64
        How many cases have each.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.derived.hash_counts import HashCounts
    >>> known = HashCounts.of([np.array([5, 7, 7], dtype=np.uint64)])
    >>> known.change(new=np.array([9], dtype=np.uint64), old=np.array([5, 7], dtype=np.uint64))
    >>> known.contains(np.array([5, 7, 9], dtype=np.uint64))
    array([False,  True,  True])
    """

    def __init__(self, hashes: Words, counts: Ints) -> None:
        self._hashes, self._counts = hashes, counts
        self._changes: Counter[int] = Counter()

    @classmethod
    def of(cls, blocks: Iterable[Words]) -> HashCounts:
        """Count the hashes of all blocks."""
        every = np.concatenate([np.empty(0, dtype=np.uint64), *blocks])
        return cls(*np.unique(every, return_counts=True))

    def contains(self, hashes: Words) -> Bools:
        """Return whether any case has each hash."""
        found = np.zeros(len(hashes), dtype=np.int64)
        if len(self._hashes):
            place = np.minimum(np.searchsorted(self._hashes, hashes), len(self._hashes) - 1)
            found = np.where(self._hashes[place] == hashes, self._counts[place], 0)
        if self._changes:
            found += np.array([self._changes.get(one, 0) for one in hashes.tolist()], dtype=int)
        held: Bools = found > 0
        return held

    def change(self, new: Words, old: Words) -> None:
        """Count cases that have come, and others that have gone."""
        self._changes.update(new.tolist())
        self._changes.subtract(old.tolist())
