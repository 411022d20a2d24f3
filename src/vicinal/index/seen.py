"""One index that is seen in several ways: some columns differ from one to the other.

Cases that are left out may not see what was learned from them, so a few columns have other values
for each fold. An index for each fold would hold all other columns as often. Here all versions of
these columns lie in the same row, behind the others, and a view is a choice among them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vicinal.index.metric import Metric
from vicinal.index.protocol import Found, Index
from vicinal.typing import Floats, Ints, Places


class SharedColumns:
    """Rows with several versions of their last columns.

    Parameters
    ----------
    index : Index
        The cases: the columns that all views share, then the others, version by version.
    shared, versions : int
        Number of columns that are shared, and of versions of the others.
    """

    def __init__(self, index: Index, shared: int, versions: int) -> None:
        self.index = index
        each = (len(index.kinds) - shared) // versions
        common, own = np.arange(shared), np.arange(each)
        self._places = [
            np.append(common, shared + version * each + own) for version in range(versions)
        ]
        # The column of a view that each one is.
        self._column = np.append(common, np.tile(shared + own, versions))
        self._terms: tuple[Metric, Metric] | None = None

    def views(self) -> tuple[SeenColumns, ...]:
        """Return what each version sees.

        They are not kept here: views know what they share, and a circle would stay in memory
        until Python looks for circles.
        """
        return tuple(SeenColumns(self, places) for places in self._places)

    def terms_of_all(self, metric: Metric) -> Metric:
        """Return a metric of all columns with the terms of one of a view; the last one is kept."""
        if self._terms is None or self._terms[0] is not metric:
            self._terms = metric, metric.taken(self._column)
        return self._terms[1]


class SeenColumns:
    """The cases of an index with some of its columns, ascending.

    The order makes sums the same to the last bit as in an index of these columns alone.

    Parameters
    ----------
    places : ndarray of int
        Where each of them is among all columns.
    """

    def __init__(self, shared: SharedColumns, places: Places) -> None:
        self._shared, self.places = shared, places
        self._metric: tuple[Metric, Metric] | None = None

    @property
    def index(self) -> Index:
        """The index with all columns."""
        return self._shared.index

    @property
    def kinds(self) -> NDArray[np.uint8]:
        """The kind of each column."""
        return self.index.kinds[self.places]

    def __len__(self) -> int:
        return len(self.index)

    def search(
        self,
        queries: Floats,
        metric: Metric,
        k: int,
        *,
        exclude: Ints | None = None,
        required: int | None = None,
        ceilings: Floats | None = None,
        with_keys: bool = False,
        with_values: bool = False,
        threads: int | None = None,
    ) -> Found:
        """Find the k nearest cases of each query; see `ExactIndex.search`."""
        found = self.index.search(
            self.whole_rows(queries),
            self.whole_metric(metric),
            k,
            exclude=exclude,
            required=None if required is None else int(self.places[required]),
            ceilings=ceilings,
            with_keys=with_keys,
            with_values=with_values,
            threads=threads,
        )
        if found.values is None:
            return found
        return found._replace(values=found.values[:, :, self.places])

    def rows(self, numbers: ArrayLike) -> Floats:
        """Return the encoded values of the cases of these numbers."""
        return self.index.rows(numbers)[:, self.places]

    def cells(self, numbers: Ints, column: int) -> Floats:
        """Return one column of the cases of these numbers, which may have any shape."""
        return self.index.cells(numbers, int(self.places[column]))

    def weights_of(self, numbers: ArrayLike) -> Floats | None:
        """Return the weights of the cases of these numbers, or None where all are 1."""
        return self.index.weights_of(numbers)

    def whole_rows(self, rows: Floats) -> Floats:
        """Return rows with all columns, 0 in those that are not seen."""
        whole = np.zeros((len(rows), len(self.index.kinds)))
        whole[:, self.places] = rows
        return whole

    def whole_metric(self, metric: Metric) -> Metric:
        """Return a metric of all columns in which those that are not seen do not count."""
        if self._metric is None or self._metric[0] is not metric:
            terms = self._shared.terms_of_all(metric)
            weights = np.zeros(len(terms.weights))
            weights[self.places] = metric.weights
            self._metric = metric, terms.with_weights(weights)
        return self._metric[1]
