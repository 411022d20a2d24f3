"""Cases and some others near each of them, whose terms are worked out where they are needed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from vicinal.index import _native
from vicinal.index.metric import Metric
from vicinal.index.protocol import Cases
from vicinal.index.terms import prepared_cases
from vicinal.typing import Floats, Ints, Places


class Candidates(NamedTuple):
    """Cases, and the candidates of each as rows of a table.

    The excess terms of all candidates would fill memory if the table is wide, so they are worked
    out for one case at a time.

    Parameters
    ----------
    table : Table
        The rows.
    metrics : list of Metric
        The metric of each view of the rows.
    views : ndarray of int64 of shape (m,)
        The view that each case has.
    queries : ndarray of shape (m, d)
        The cases.
    near : ndarray of int64 of shape (m, pool)
        Rows of the candidates; −1 for none.
    """

    table: _native.Table
    metrics: list[_native.Metric]
    views: Ints
    queries: Floats
    near: Ints

    @classmethod
    def of(
        cls, parts: Iterable[tuple[Cases, Places, Floats]], indices: Ints, metric: Metric
    ) -> Candidates | None:
        """Put cases together that see others in different ways.

        Parameters
        ----------
        parts : iterable of (Cases, ndarray of int, ndarray)
            What some of the cases see, the positions of these, and their values.
        indices : ndarray of int64 of shape (m, pool)
            Case numbers of the candidates; −1 for none.

        Returns
        -------
        Candidates or None
            None if the parts are not views of one table.
        """
        found: Candidates | None = None
        for index, at, rows in parts:
            table, seen, given = prepared_cases(index, rows, indices[at], metric)
            if found is None:
                size, width = len(indices), given["queries"].shape[1]
                views, near = np.zeros(size, dtype=np.int64), np.zeros_like(indices)
                found = cls(table, [], views, np.zeros((size, width)), near)
            if table is not found.table:
                return None
            found.views[at] = len(found.metrics)
            found.metrics.append(seen.native)
            found.queries[at], found.near[at] = given["queries"], given["rows"]
        return found
