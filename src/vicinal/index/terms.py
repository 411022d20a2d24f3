"""The terms of found cases against their queries, in every form that rules and learning need.

Cases are given by number, −1 for none. Any instruction path gives the same answers bit by bit.
They are worked out by the kernels of this machine. Cases of another kind of index are fetched by
`rows` first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal.index import _native
from vicinal.index.checks import checked_rows
from vicinal.index.exact import ExactIndex
from vicinal.index.layout import bare_table
from vicinal.index.metric import Metric
from vicinal.index.protocol import Cases
from vicinal.index.seen import SeenColumns
from vicinal.index.threads import thread_count
from vicinal.typing import Floats, Ints


def case_terms(
    index: Cases,
    queries: Floats,
    indices: Ints,
    metric: Metric,
    *,
    threads: int | None = None,
    path: str | None = None,
) -> Floats:
    """Return the term of every column for each query and each case found for it.

    Returns
    -------
    ndarray of shape (m, k, d)
        In nats; NaN where there is no case, and for columns of weight 0.
    """
    table, metric, given = prepared_cases(index, queries, indices, metric)
    found = _native.terms(table, metric.native, **given, threads=thread_count(threads), path=path)
    return found[:, :, index.places] if isinstance(index, SeenColumns) else found


def case_excess(
    index: Cases,
    queries: Floats,
    indices: Ints,
    metric: Metric,
    *,
    threads: int | None = None,
    path: str | None = None,
) -> NDArray[np.float32]:
    """Return how much the terms of columns that count exceed those of equal values.

    Returns
    -------
    ndarray of float32 of shape (m, d', k)
        In nats, good to about 1e-7 of a whole one and of itself, column by column of those that
        count; 0 where there is no case.
    """
    table, metric, given = prepared_cases(index, queries, indices, metric)
    return _native.excess(table, metric.native, **given, threads=thread_count(threads), path=path)


def case_offsets(
    index: Cases, queries: Floats, indices: Ints, metric: Metric, *, threads: int | None = None
) -> Floats:
    """Return how far each case found lies from its query, column by column, with sign.

    Offsets are in residuals, times the square root of the column's weight.

    Returns
    -------
    ndarray of shape (m, k, d')
        One column per column that counts (the heaviest `MOST_DIRECTIONS`). Nominal columns have
        the square root of their contrast where the categories differ; 0 stands for missing, and
        for no case.
    """
    table, metric, given = prepared_cases(index, queries, indices, metric)
    columns, factors = metric.directions
    return _native.offsets(
        table,
        metric.native,
        **given,
        columns=columns,
        factors=factors,
        threads=thread_count(threads),
    )


def prepared_cases(
    index: Cases, queries: Floats, indices: Ints, metric: Metric
) -> tuple[_native.Table, Metric, dict[str, Any]]:
    """Return the cases as the kernels take them, the metric, and queries and rows of the cases."""
    if isinstance(index, SeenColumns):
        queries, metric = index.whole_rows(queries), index.whole_metric(metric)
        index = index.index
    numbers = np.asarray(indices)
    if isinstance(index, ExactIndex) and numbers.size and numbers.min() >= 0:  # all of them are
        given = {
            "queries": checked_rows(queries, index.kinds),
            "rows": np.ascontiguousarray(index.storage.rows_of(numbers)),
        }
        return index.storage.table, metric, given
    rows, there = np.full(numbers.shape, -1, dtype=np.int64), numbers >= 0
    if isinstance(index, ExactIndex):
        table = index.storage.table
        rows[there] = index.storage.rows_of(numbers[there])
    else:
        named, rows[there] = np.unique(numbers[there], return_inverse=True)
        table = bare_table(index.rows(named), index.kinds)
    return table, metric, {"queries": checked_rows(queries, index.kinds), "rows": rows}
