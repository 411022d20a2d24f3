"""Nearest neighbors of rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vicinal.fitted import Fitted
from vicinal.formatting.sheet_html import sheet_html
from vicinal.formatting.sheet_text import sheet_text
from vicinal.index.case_weights import counted_weights
from vicinal.index.terms import case_terms
from vicinal.side_by_side import Comparisons, compare
from vicinal.tables.case_labels import NO_LABELS, CaseLabels
from vicinal.tables.to_frame import build_frame
from vicinal.typing import Floats, Ints
from vicinal.validation import check_parameter
from vicinal.views.neighbors import neighbors_view


@dataclass(frozen=True, eq=False)
class Neighbors:
    """The nearest training cases of each row, nearest first.

    Parameters
    ----------
    indices : ndarray of int64 of shape (m, k)
        Case numbers; −1 where there are no more cases.
    distances : ndarray of shape (m, k)
        Mean surprisal per feature, in nats: 1.5 for identical cases, infinite where there is no
        case.
    names : tuple of str
        The features, in the order of the table.
    terms : ndarray of shape (m, k, d), optional
        The surprisal of each feature's difference, if requested; NaN for features outside the
        context.
    weights : ndarray of shape (m, k), optional
        How many of the k neighbors each case counts as, if cases have weights: a case of weight
        2 counts as two.
    compared : Comparisons, optional
        The first rows beside their cases, feature by feature, for showing them.
    library : str, optional
        The dataframe library of the fitted table, which `to_frame` uses by default.
    queries : tuple, optional
        The label of each row, if the rows are stored cases that have labels.
    places : tuple of int, optional
        Where the rows are in the table that they were chosen from, for showing it; by default
        0, 1, ….
    case_labels : CaseLabels
        What the cases are called, if they have labels.

    Examples
    --------
    >>> import vicinal
    >>> table = {"height": [1.0, 1.1, 3.0], "color": ["red", "red", "blue"]}
    >>> found = vicinal.Model().fit(table).neighbors({"height": [1.1], "color": ["red"]}, k=1)
    >>> found.indices, found.distances
    (array([[1]]), array([[1.5]]))
    """

    indices: Ints
    distances: Floats
    names: tuple[str, ...]
    terms: Floats | None = None
    weights: Floats | None = None
    compared: Comparisons | None = None
    library: str | None = None
    queries: tuple[Any, ...] | None = None
    places: tuple[int, ...] | None = None
    case_labels: CaseLabels = NO_LABELS

    def __len__(self) -> int:
        return len(self.indices)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe with one row per neighbor.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            Library to use; by default that of the fitted table, or else the first installed.

        Returns
        -------
        dataframe
            Columns ``query`` (row number, or label of a stored case), ``rank`` (0 is the nearest),
            ``case``, ``distance``, ``weight`` if cases have weights, and, if terms were
            requested, the term of each feature under the feature's name.
        """
        return build_frame(self.columns(), backend or self.library)

    def columns(self) -> dict[str, Any]:
        """Return the columns of `to_frame` by name; this needs no dataframe library."""
        there = self.indices >= 0
        query, rank = np.nonzero(there)
        names = self.queries
        columns: dict[str, Any] = {
            "query": query if names is None else [names[at] for at in query],
            "rank": rank,
            "case": self.case_labels.listed(self.indices[there]),
            "distance": self.distances[there],
        }
        if self.weights is not None:
            columns["weight"] = self.weights[there]
        if self.terms is not None:
            for place, name in enumerate(self.names):
                # A feature may also be called "rank".
                columns[f"term_{name}" if name in columns else name] = self.terms[there][:, place]
        return columns

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the first row beside its cases; differing values are highlighted.

        This requires matplotlib (the extra ``plots``).

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on; new ones by default.

        Returns
        -------
        matplotlib axes
            The axes.
        """
        from vicinal.plots.neighbors import draw_neighbors

        return draw_neighbors(self, ax)

    def __repr__(self) -> str:
        return sheet_text(neighbors_view(self))

    def _repr_html_(self) -> str:
        return sheet_html(neighbors_view(self))


def neighbors(
    fitted: Fitted,
    rows: Any = None,
    k: int | None = None,
    *,
    context: Iterable[str] | None = None,
    terms: bool = False,
) -> Neighbors:
    """Find the nearest neighbors of rows among the training cases.

    Parameters
    ----------
    rows : table, optional
        Rows in any form `fit` takes; some columns may be absent. By default the training
        cases, each excluded from its own neighbors.
    k : int, optional
        Number of neighbors, at least 1; `n_neighbors` by default.
    context : list of str, optional
        Features to compare; by default all columns of the rows.
    terms : bool, default False
        Whether to also return the surprisal of each feature's difference.

    Returns
    -------
    Neighbors
        The neighbors of each row. Ties are broken by the lower case number.
    """
    k = fitted.settings.n_neighbors if k is None else k
    check_parameter("k", k)
    asked, index, threads = fitted.rows(rows, context=context), fitted.index, fitted.threads
    metric = fitted.metric_of(asked.columns)
    # No row has more neighbors than there are cases, so more columns would only take memory.
    most = min(int(k), max(len(index), 1))
    found = index.search(asked.values, metric, most, exclude=asked.exclude, threads=threads)
    of_features = None
    if terms:
        of_features = case_terms(index, asked.values, found.indices, metric, threads=threads)
        of_features = of_features[:, :, fitted.schema.table_order]
    return Neighbors(
        indices=found.indices,
        distances=found.distances,
        names=fitted.schema.names,
        terms=of_features,
        weights=counted_weights(index, found.indices, int(k), asked.exclude),
        compared=compare(fitted, asked, found.indices, metric),
        library=fitted.library,
        queries=fitted.labels_of(asked),
        case_labels=fitted.labels.some(found.indices.ravel().tolist()),
    )
