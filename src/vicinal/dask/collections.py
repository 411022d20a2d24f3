"""The partitions of Dask dataframes and arrays, one after the other; and results made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal.exceptions import ParameterError, TableError


def is_collection(X: Any) -> bool:
    """Return whether this is a dataframe, series or array of Dask, which is not imported for it.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.dask.collections import is_collection
    >>> is_collection(np.zeros(3))
    False
    """
    return hasattr(X, "__dask_graph__") and hasattr(X, "to_delayed")


def partitions(client: Any, *collections: Any) -> Iterator[tuple[Any, ...]]:
    """Compute the partitions of several collections, which belong together; None stays None.

    One of each is in memory at a time.

    Raises
    ------
    TableError
        If something is not a collection, or they have different numbers of partitions.
    """
    delayed = [None if one is None else _delayed(one) for one in collections]
    counts = {len(one) for one in delayed if one is not None}
    if len(counts) > 1:
        raise TableError(
            f"X and y or sample_weight have {' and '.join(map(str, sorted(counts)))} partitions; "
            "expected the same, with as many rows in each. Use repartition or rechunk."
        )
    for at in range(counts.pop()):
        futures = [None if one is None else client.compute(one[at]) for one in delayed]
        yield tuple(None if one is None else one.result() for one in futures)


def _delayed(collection: Any) -> list[Any]:
    if not is_collection(collection):
        raise TableError(
            f"Got a {type(collection).__name__}; expected a dataframe, series or array of Dask. "
            "Fit tables in memory with VicinalClassifier or VicinalRegressor."
        )
    listed: list[Any] = np.ravel(_in_rows(collection).to_delayed()).tolist()
    return listed


def _in_rows(collection: Any) -> Any:
    """Return an array with all columns in one chunk; anything else as it is."""
    wide = hasattr(collection, "rechunk") and collection.ndim == 2
    return collection.rechunk({1: -1}) if wide else collection


def mapped(
    X: Any, predict: Callable[[Any], Any], like: NDArray[Any], columns: list[Any], name: str
) -> Any:
    """Return predictions of a collection that are made when they are needed.

    Parameters
    ----------
    X : dataframe or array of Dask
        The rows.
    predict : callable
        Predicts one partition.
    like : ndarray with no rows
        The type of the predictions, and their columns if it has two dimensions.
    columns : list
        The names of these columns.
    name : str
        The name of predictions with one dimension.

    Returns
    -------
    series, dataframe or array of Dask
        A series or dataframe with the index of a dataframe, or an array.
    """
    if hasattr(X, "rechunk"):
        rows = _in_rows(X)
        if like.ndim == 1:
            return rows.map_blocks(predict, dtype=like.dtype, drop_axis=1)
        chunks = (rows.chunks[0], (like.shape[1],))
        return rows.map_blocks(predict, dtype=like.dtype, chunks=chunks)
    labeled = partial(_labeled, predict=predict, columns=columns, name=name)
    empty = X._meta.iloc[:0]
    return X.map_partitions(labeled, meta=_frame(like, empty.index, columns, name))


def _labeled(part: Any, predict: Callable[[Any], Any], columns: list[Any], name: str) -> Any:
    return _frame(predict(part), part.index, columns, name)


def _frame(values: NDArray[Any], index: Any, columns: list[Any], name: str) -> Any:
    pandas = import_module("pandas")
    if values.ndim == 1:
        return pandas.Series(values, index=index, name=name)
    return pandas.DataFrame(values, index=index, columns=columns)


def current_client(client: Any) -> Any:
    """Return a client: the given one, or that which was made last.

    Raises
    ------
    ParameterError
        If there is none.
    """
    if client is not None:
        return client
    try:
        return import_module("distributed").default_client()
    except ImportError as error:
        raise ParameterError("Dask is not installed: pip install 'vicinal[dask]'.") from error
    except ValueError as error:
        raise ParameterError(
            "There is no Dask client; make one with dask.distributed.Client, or give client=."
        ) from error
