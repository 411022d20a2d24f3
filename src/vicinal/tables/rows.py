"""Rows of dataframes on their own, and the labels that rows bring along."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal.tables.values import to_python


def row_labels(table: Any) -> NDArray[Any] | None:
    """Return the labels of a dataframe's index; None if it has none of its own.

    A default index, 0, 1, 2, …, only counts the rows, and the rows of an index of several levels
    have no single label. Only pandas has an index.

    Examples
    --------
    >>> import pandas as pd
    >>> from vicinal.tables.rows import row_labels
    >>> row_labels(pd.DataFrame({"age": [31]}, index=["P-17"]))
    array(['P-17'], dtype=object)
    >>> row_labels(pd.DataFrame({"age": [31]})) is None
    True
    """
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(table, pandas.DataFrame):
        return None
    index = table.index
    if isinstance(index, pandas.MultiIndex) or index.equals(pandas.RangeIndex(len(index))):
        return None
    labels, plain = np.empty(len(index), dtype=object), index.tolist()
    # Whole numbers and strings are plain already, and to look at each of a million takes long.
    simple = index.inferred_type in ("integer", "string")
    labels[:] = plain if simple else [to_python(one) for one in plain]
    return labels


def as_rows(table: Any) -> tuple[Any, NDArray[Any] | None]:
    """Turn a row of a pandas dataframe, or a list of them, into dicts, with their labels.

    Anything else is returned as it is, without labels. A series whose index is not made of names
    is a column, not a row.

    Examples
    --------
    >>> import pandas as pd
    >>> from vicinal.tables.rows import as_rows
    >>> as_rows(pd.DataFrame({"name": ["Ann"], "job": ["cook"]}, index=["P-17"]).loc["P-17"])
    ([{'name': 'Ann', 'job': 'cook'}], array(['P-17'], dtype=object))
    """
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return table, None
    given = table if isinstance(table, list | tuple) else [table]
    if not given or not all(_is_row(one, pandas) for one in given):
        return table, None
    labels = np.empty(len(given), dtype=object)
    labels[:] = [to_python(one.name) if _is_label(one.name) else None for one in given]
    return [dict(zip(map(str, one.index), one.tolist(), strict=True)) for one in given], labels


def _is_row(one: Any, pandas: Any) -> bool:
    if not isinstance(one, pandas.Series) or not len(one):
        return False
    return all(isinstance(name, str) for name in one.index) and one.index.is_unique


def _is_label(name: Any) -> bool:
    return name is not None and not isinstance(name, tuple)


def is_single(value: Any) -> bool:
    """Tell whether a value is a single one rather than a collection.

    Examples
    --------
    >>> from vicinal.tables.rows import is_single
    >>> is_single("P-17"), is_single(["P-17"])
    (True, False)
    """
    return isinstance(value, str | bytes) or not (
        hasattr(value, "__len__") or hasattr(value, "__iter__")
    )


def listed(cases: Any) -> list[Any]:
    """Return one label or case number, or a sequence of them, as a list.

    Examples
    --------
    >>> from vicinal.tables.rows import listed
    >>> listed("P-17"), listed(("P-17", "P-18"))
    (['P-17'], ['P-17', 'P-18'])
    """
    if is_single(cases) or (isinstance(cases, np.ndarray) and not cases.ndim):
        return [to_python(cases[()] if isinstance(cases, np.ndarray) else cases)]
    values: Sequence[Any] = cases.tolist() if isinstance(cases, np.ndarray) else list(cases)
    return [to_python(one) for one in values]
