"""Few queries in several spaces at once, in one native call.

Most of the time of a single prediction would be spent between the calls for each space.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from vicinal.index import _native
from vicinal.index.checks import checked_rows
from vicinal.index.exact import ExactIndex
from vicinal.index.large_powers import key_limit
from vicinal.index.metric import Metric
from vicinal.index.protocol import Found, Index
from vicinal.index.shares import arranged
from vicinal.index.threads import thread_count
from vicinal.typing import Floats

#: So many queries are few; of more each takes longer than all that is between the calls.
FEW_QUERIES = 8


class BalancedSpace:
    """A space, and the rules that balance the offsets of its neighbors.

    Parameters
    ----------
    metric : Metric
        The metric of the space.
    k : int
        Number of neighbors.
    rules : sequence of (rule, bandwidth, ridge)
        As in `balanced_shares`.
    mean : sequence of (int, float)
        Places among these rules, and what each adds to the mean of their shares; none if the
        mean is not needed.
    """

    def __init__(
        self,
        metric: Metric,
        k: int,
        rules: Sequence[tuple[str, float, float]],
        mean: Sequence[tuple[int, float]],
    ) -> None:
        self.k = k
        #: Whether keys are of any size that floats have.
        self.searchable = len(metric.active) > 0 and not key_limit(metric) < np.inf
        influences, places = arranged(tuple(rules))
        self._places = np.arange(len(rules)) if places is None else places
        self.native = _native.Space(
            metric.native,
            metric.total,
            k,
            *metric.directions,
            influences.reshape(-1, 4),
            self._places[[place for place, _ in mean]].astype(np.int64),
            np.array([weight for _, weight in mean], dtype=np.float64),
        )

    def found(self, searched: _native.SearchedSpace) -> FoundSpace:
        """Return what the kernels found."""
        numbers, distances, keys, evaluated, excess, shares, mean = searched
        near = Found(numbers.view(np.int64), distances, evaluated, keys)
        return FoundSpace(near, excess, None if shares is None else shares[self._places], mean)


class FoundSpace(NamedTuple):
    """What one space has for some queries.

    Parameters
    ----------
    found : Found
        One neighbor more than asked for, with keys.
    excess : ndarray of shape (m, k), optional
        Total excess of the neighbors asked for. None if any query has fewer, or some at the same
        distance; then there is nothing further, either.
    shares : ndarray of shape (rules, m, k), optional
        Their shares by each rule.
    mean : ndarray of shape (m, k), optional
        The mean of these, if it was asked for.
    """

    found: Found
    excess: Floats | None
    shares: Floats | None
    mean: Floats | None


def search_spaces(
    index: Index,
    spaces: Sequence[BalancedSpace],
    queries: Floats,
    *,
    required: int,
    threads: int | None = None,
) -> list[FoundSpace] | None:
    """Search all spaces; None where this is not faster, or would not be the same."""
    if len(queries) > FEW_QUERIES or not isinstance(index, ExactIndex):
        return None
    cases = index.storage
    if cases.weighted or any(not one.searchable or one.k >= cases.size for one in spaces):
        return None
    found = _native.search_spaces(
        cases.table,
        [one.native for one in spaces],
        cases.row_of,
        checked_rows(queries, cases.kinds),
        required,
        thread_count(threads),
    )
    return [space.found(one) for space, one in zip(spaces, found, strict=True)]
