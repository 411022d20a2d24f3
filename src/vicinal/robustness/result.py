"""Certificates of predictions, as a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal.formatting.durations import is_time, shared_unit
from vicinal.formatting.sheet_html import sheet_html
from vicinal.formatting.sheet_text import sheet_text
from vicinal.formulas import SAME, laplace_term
from vicinal.tables.to_frame import build_frame
from vicinal.typing import Floats
from vicinal.views.certificates import certificates_view


@dataclass(frozen=True, eq=False)
class Certificates:
    """How far rows and training data can change without changing predictions.

    Parameters
    ----------
    target : str
        The feature that was predicted.
    predictions : ndarray
        The predictions.
    norm : {"max", "sum"}
        Whether each change or the sum of all changes is at most the radius.
    radius : ndarray of shape (m,)
        Certified radius of each row, in residuals: no change within it changes the prediction.
        This is proved. 0 if nothing could be proved, infinite if no feature can change.
    flip : ndarray of shape (m,)
        Smallest change that was found to change the prediction; infinite if none was. The true
        limit lies between both.
    counterexamples : tuple of (dict or None)
        That change, by feature: old and new value.
    units : dict of str to float
        For each number that may change, its value of one residual.
    costs : dict of str to float
        For each category that may change, what it costs.
    tolerance : ndarray of shape (m,), optional
        For numbers: how far a prediction may move and still count as the same.
    labels : ndarray of shape (m,), optional
        How many training outcomes must change to change the prediction: exactly so many, the most
        influential ones; for numbers within their observed range. Infinite if none suffice.
    removals : ndarray of shape (m, 2), optional
        How many training cases must be removed: never fewer than the first number; the second one
        is known to suffice, NaN if none is known.
    reasons : tuple of (str or None)
        Of rows without a certificate, why there is none.
    rows : tuple
        Positions of the rows; for stored cases their labels or numbers.
    library : str, optional
        The dataframe library of the fitted table, which `to_frame` uses by default.
    in_seconds : frozenset of str
        The features whose units are seconds: dates, times and durations.
    """

    target: str
    predictions: NDArray[Any]
    norm: str
    radius: Floats
    flip: Floats
    counterexamples: tuple[Mapping[str, tuple[Any, Any]] | None, ...]
    units: Mapping[str, float]
    costs: Mapping[str, float]
    tolerance: Floats | None = None
    labels: Floats | None = None
    removals: Floats | None = None
    reasons: tuple[str | None, ...] = ()
    rows: tuple[Any, ...] = ()
    library: str | None = None
    in_seconds: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return len(self.radius)

    @property
    def gap(self) -> Floats:
        """The smallest known change over the certified radius; infinite if none is known."""
        with np.errstate(divide="ignore", invalid="ignore"):
            gap = self.flip / self.radius
        return np.where(np.isnan(gap), np.inf, gap)

    @property
    def surprisal(self) -> Floats:
        """The surprisal of a change of one radius in one feature, above that of none, in nats."""
        return laplace_term(self.radius, 1.0) - SAME

    @property
    def amounts(self) -> dict[str, Floats]:
        """The certified radius of each row as an amount of each number, in its own unit."""
        return {name: self.radius * unit for name, unit in self.units.items()}

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe (pandas, polars or pyarrow: `backend`) with one row per prediction.

        Columns that begin with ± have the amounts by which features may change. Of dates, times
        and durations, names of columns end in their unit, such as in ``tolerance (hours)``.
        """
        return build_frame(self.columns(), backend or self.library)

    def columns(self) -> dict[str, Any]:
        """Return the columns of `to_frame` by name; this needs no dataframe library."""
        columns: dict[str, Any] = {
            "row": list(self.rows),
            "prediction": self.predictions.tolist(),
            "radius": self.radius,
            "flip": self.flip,
        }
        if self.tolerance is not None:
            of_times = any(map(is_time, self.predictions[:1].tolist()))
            columns |= _with_unit("tolerance", self.tolerance, in_seconds=of_times)
        if self.labels is not None and self.removals is not None:
            columns["labels"] = self.labels
            columns["removals_at_least"] = self.removals[:, 0]
            columns["removals_enough"] = self.removals[:, 1]
        if any(self.reasons):
            columns["reason"] = [one or "" for one in self.reasons]
        for name, amount in self.amounts.items():
            columns |= _with_unit(f"± {name}", amount, in_seconds=name in self.in_seconds)
        return columns

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the certified radius and the smallest known change of each row.

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
        from vicinal.plots.certificates import draw_certificates

        return draw_certificates(self, ax)

    def __repr__(self) -> str:
        return sheet_text(certificates_view(self))

    def _repr_html_(self) -> str:
        return sheet_html(certificates_view(self))


def _with_unit(name: str, amounts: Floats, *, in_seconds: bool) -> dict[str, Floats]:
    """Return a column of amounts; if they are seconds, in a unit that fits and its name says."""
    if not in_seconds:
        return {name: amounts}
    unit, seconds = shared_unit(amounts.tolist())
    return {f"{name} ({unit})": amounts / seconds}
