"""The result of reducing the number of cases."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

from vicinal.formatting.sheet_html import sheet_html
from vicinal.formatting.sheet_text import sheet_text
from vicinal.tables.case_labels import NO_LABELS, CaseLabels
from vicinal.tables.to_frame import build_frame
from vicinal.typing import Floats, Ints
from vicinal.views.reduction import reduction_view


@dataclass(frozen=True, eq=False)
class Reduction:
    """A model with fewer cases, and the loss that this costs.

    Parameters
    ----------
    model : Model
        The model of the remaining cases, with their weights; what was learned is kept.
    cases : ndarray of int64
        Original number of each remaining case.
    weights : ndarray
        Their weights: each case represents those that were merged into it.
    representative : ndarray of int64
        For every original case, in ascending order of numbers, the one that represents it; −1
        for cases of weight 0.
    loss_before, loss_after : float
        Loss on held-out cases: predicted from all other cases, and from the reduced share of
        them.
    what : str
        Description of the loss.
    library : str, optional
        The dataframe library of the fitted table, which `to_frame` uses by default.
    case_labels : CaseLabels
        What the cases are called, if they have labels.

    Examples
    --------
    >>> import vicinal
    >>> table = {"x": [1.0, 1.0, 1.1, 5.0, 5.1, 9.0], "y": [2.0, 2.0, 2.0, 7.0, 7.0, 8.0]}
    >>> reduction = vicinal.Model().fit(table).reduce(n_cases=3)
    >>> len(reduction.model), reduction.weights.sum()
    (3, np.float64(6.0))
    """

    model: Any
    cases: Ints
    weights: Floats
    representative: Ints
    loss_before: float
    loss_after: float
    what: str
    library: str | None = None
    case_labels: CaseLabels = NO_LABELS

    @property
    def loss(self) -> float:
        """The increase in loss."""
        return self.loss_after - self.loss_before

    @property
    def speaks(self) -> Ints:
        """The old name of `representative`."""
        warnings.warn(
            "Reduction.speaks is now called Reduction.representative; the old name will be "
            "removed in the next release.",
            FutureWarning,
            stacklevel=2,
        )
        return self.representative

    def __len__(self) -> int:
        return len(self.cases)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe (pandas, polars or pyarrow: `backend`) with one row per case."""
        names = self.case_labels.listed(self.cases)
        return build_frame({"case": names, "weight": self.weights}, backend or self.library)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can represent."""
        return {
            "n_before": len(self.representative),
            "n_after": len(self),
            "loss_before": self.loss_before,
            "loss_after": self.loss_after,
            "what": self.what,
            "cases": self.cases.tolist(),
            "weights": self.weights.tolist(),
        }

    def plot(self, *, ax: Any = None) -> Any:
        """Draw how many cases each remaining case represents, and the loss.

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
        from vicinal.plots.reduction import draw_reduction

        return draw_reduction(self, ax)

    def __repr__(self) -> str:
        return sheet_text(reduction_view(self))

    def _repr_html_(self) -> str:
        return sheet_html(reduction_view(self))
