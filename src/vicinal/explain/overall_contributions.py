"""Contributions of features to many predictions, summarized."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vicinal.formatting.durations import shared_unit
from vicinal.formatting.sheet_html import sheet_html
from vicinal.formatting.sheet_text import sheet_text
from vicinal.tables.to_frame import build_frame
from vicinal.typing import Floats, Places
from vicinal.views.contributions import overall_view


@dataclass(frozen=True, eq=False)
class OverallContributions:
    """How much each feature matters to predictions, and in which direction.

    Parameters
    ----------
    names : tuple of str
        The features.
    size : ndarray of shape (d,), for classes (d, n_classes)
        Mean of the absolute contributions.
    mean : ndarray of the same shape
        Mean of the contributions.
    direction : ndarray of the same shape
        Correlation of the feature's value with its contribution: 1 if higher values raise the
        prediction, −1 if they lower it; NaN for categories, and where nothing varies.
    classes : tuple, optional
        The classes, for nominal targets.
    library : str, optional
        The dataframe library of the fitted table, which `to_frame` uses by default.
    of_times : bool
        Whether dates, times or durations are predicted: sizes and means are in seconds here, and
        in a unit that fits in `to_frame`.
    """

    names: tuple[str, ...]
    size: Floats
    mean: Floats
    direction: Floats
    classes: tuple[Any, ...] | None = None
    library: str | None = None
    of_times: bool = False

    @property
    def order(self) -> Places:
        """The positions of the features, most important first."""
        total = self.size if self.size.ndim == 1 else self.size.sum(axis=1)
        return np.argsort(-total, kind="stable")

    def __len__(self) -> int:
        return len(self.names)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe with one row per feature (and class), most important first."""
        return build_frame(self.columns(), backend or self.library)

    def columns(self) -> dict[str, Any]:
        """Return the columns of `to_frame` by name; this needs no dataframe library."""
        order = self.order
        k = 1 if self.classes is None else len(self.classes)
        columns: dict[str, Any] = {"feature": [self.names[i] for i in order for _ in range(k)]}
        if self.classes is not None:
            columns["class"] = list(self.classes) * len(order)
        unit, seconds = shared_unit(self.size.ravel().tolist())
        seconds = seconds if self.of_times else 1.0
        columns["size"] = self.size[order].ravel() / seconds
        columns["mean"] = self.mean[order].ravel() / seconds
        columns["direction"] = self.direction[order].ravel()
        if self.of_times:
            columns["unit"] = [unit] * len(order)
        return columns

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the mean size of the contributions.

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
        from vicinal.plots.contribution import draw_overall

        return draw_overall(self, ax)

    def __repr__(self) -> str:
        return sheet_text(overall_view(self))

    def _repr_html_(self) -> str:
        return sheet_html(overall_view(self))
