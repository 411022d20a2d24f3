"""The influences of training cases on predictions, as a result object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal.formatting.sheet_html import sheet_html
from vicinal.formatting.sheet_text import sheet_text
from vicinal.influence.ensemble import Influences
from vicinal.influence.target import Target
from vicinal.tables.case_labels import NO_LABELS, CaseLabels
from vicinal.tables.to_frame import build_frame
from vicinal.typing import Floats, Ints
from vicinal.views.influences import influences_view


@dataclass(frozen=True, eq=False)
class CaseInfluences:
    """The training cases behind each prediction, most influential first.

    Parameters
    ----------
    indices : ndarray of int64 of shape (m, j)
        Case numbers, each at most once per row; −1 for none.
    shares : ndarray of shape (m, j)
        Influences. Together with the background, every row sums to 1.
    outcomes : ndarray of shape (m, j)
        Encoded outcome of each case; for classes, its position in the order of probabilities.
    background : float
        The baseline: influence that is shared equally by all cases.
    expected : ndarray
        What the background predicts: the mean outcome, or the class frequencies.
    labels : ndarray of object of shape (m, j), optional
        The outcomes as in the table.
    library : str, optional
        The dataframe library of the fitted table, which `to_frame` uses by default.
    case_labels : CaseLabels
        What the cases are called, if they have labels.
    queries : tuple, optional
        The labels of the rows asked about, if they are stored cases that have them.
    """

    indices: Ints
    shares: Floats
    outcomes: Floats
    background: float
    expected: Floats
    labels: NDArray[Any] | None = None
    library: str | None = None
    case_labels: CaseLabels = NO_LABELS
    queries: tuple[Any, ...] | None = None

    @classmethod
    def merged(cls, found: Influences, target: Target) -> CaseInfluences:
        """Sum the influences of each case over several spaces."""
        order = np.argsort(found.indices, axis=1, kind="stable")
        indices = np.take_along_axis(found.indices, order, axis=1)
        shares = np.take_along_axis(found.shares, order, axis=1)
        values = target.outcomes_of(indices)
        first = np.ones(indices.shape, dtype=bool)
        first[:, 1:] = indices[:, 1:] != indices[:, :-1]
        group = np.cumsum(first, axis=1) - 1
        sums = np.zeros_like(shares)
        np.add.at(sums, (np.arange(len(shares))[:, None], group), shares)
        shares = np.where(first, np.take_along_axis(sums, group, axis=1), 0.0)
        indices = np.where(first, indices, -1)
        ranked = np.argsort(np.where(indices >= 0, -np.abs(shares), np.inf), axis=1, kind="stable")
        width = int((indices >= 0).sum(axis=1).max(initial=0))
        ranked = ranked[:, :width]
        return cls(
            np.take_along_axis(indices, ranked, axis=1),
            np.take_along_axis(shares, ranked, axis=1),
            np.take_along_axis(values, ranked, axis=1),
            found.background,
            target.expected,
        )

    def __len__(self) -> int:
        return len(self.indices)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe with one row per influential case, with outcomes as in the table."""
        there = self.indices >= 0
        query, _ = np.nonzero(there)
        return build_frame(
            {
                "query": query if self.queries is None else [self.queries[at] for at in query],
                "case": self.case_labels.listed(self.indices[there]),
                "influence": self.shares[there],
                "outcome": (
                    self.outcomes[there] if self.labels is None else self.labels[there].tolist()
                ),
            },
            backend or self.library,
        )

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the most influential cases of the first row.

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
        from vicinal.plots.influence import draw_influences

        return draw_influences(self, ax)

    def __repr__(self) -> str:
        return sheet_text(influences_view(self))

    def _repr_html_(self) -> str:
        return sheet_html(influences_view(self))
