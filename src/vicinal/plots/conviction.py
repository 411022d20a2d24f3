"""Rows among the convictions of all cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vicinal.plots.bars import draw_bars
from vicinal.plots.style import DOWN, INK, PALETTE, UP, axes_of, shorten, tidy
from vicinal.schema.align import table_names
from vicinal.typing import Floats

#: More rows than this are drawn as a histogram.
_MOST_BARS = 12
_TICKS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 0.7, 1, 3, 10, 30, 100)


@dataclass(eq=False, repr=False)
class ConvictionDisplay:
    """The convictions of rows, compared with those of all stored cases.

    Parameters
    ----------
    stored : ndarray of shape (n,)
        Similarity convictions of the stored cases, each without itself.
    rows : ndarray of shape (m,)
        Similarity convictions of the rows.
    labels : sequence of str, optional
        Names of the rows.
    threshold : float
        Conviction below which a row is an outlier.

    Attributes
    ----------
    ax_, figure_
        The matplotlib axes and figure.
    """

    stored: Floats
    rows: Floats
    labels: Sequence[str] | None = None
    threshold: float = 0.7

    @classmethod
    def from_model(cls, model: Any, rows: Any, **options: Any) -> ConvictionDisplay:
        """Compute and draw the convictions of rows; options are ``labels`` and those of `plot`."""
        labels = options.pop("labels", None)
        judged = model.conviction(rows, familiarity=False)
        # By the features that the rows have, since others could not be compared.
        names = [name for name in table_names(rows, model.schema_) if name in model.schema_]
        stored = model.conviction(None, context=names, familiarity=False)
        return cls(stored.similarity, judged.similarity, labels).plot(**options)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, **options: Any) -> ConvictionDisplay:
        """Compute and draw the convictions of rows of X; options as `from_model`."""
        return cls.from_model(estimator.model_, estimator._table(X), **options)

    def plot(self, *, ax: Any = None, bins: int = 30, most: int = 8) -> ConvictionDisplay:
        """Draw a histogram of the stored cases with the rows as lines.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on; new ones by default.
        bins : int, default 30
            Bins of the histogram.
        most : int, default 8
            Rows with a label, at most.
        """
        ax = axes_of(ax, 6.4, 3.0)
        known = np.concatenate([self.stored, self.rows])
        known = known[np.isfinite(known) & (known > 0)]
        low, high = (known.min(), known.max()) if len(known) else (0.5, 2.0)
        edges = np.geomspace(min(low, 0.5) * 0.9, max(high, 2.0) * 1.1, bins + 1)
        ax.hist(self.stored, bins=edges, color="#b9cfe0", edgecolor="white", linewidth=0.5)
        ax.set_xscale("log")
        ax.axvspan(edges[0], self.threshold, color=DOWN, alpha=0.07, linewidth=0)
        ax.axvline(self.threshold, color=DOWN, linewidth=0.8, linestyle=(0, (3, 2)))
        top = ax.get_ylim()[1]
        ax.text(
            self.threshold * 0.98, top, "outliers ", ha="right", va="top", fontsize=8.5, color=DOWN
        )
        self._draw_rows(ax, top, most)
        ticks = [tick for tick in _TICKS if edges[0] <= tick <= edges[-1]]
        ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        ax.minorticks_off()
        ax.yaxis.set_visible(False)
        tidy(
            ax,
            title="How unusual is it?",
            xlabel="similarity conviction (1 is ordinary); bars: all stored cases",
        )
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw_rows(self, ax: Any, top: float, most: int) -> None:
        for at, value in enumerate(self.rows):
            ax.axvline(value, color=PALETTE[at % len(PALETTE)], linewidth=1.6)
            if at < most:
                name = str(self.labels[at]) if self.labels is not None else f"row {at}"
                height = top * (0.86 - 0.1 * (at % 6))
                ax.text(value, height, f" {shorten(name)}", fontsize=8.5, color=INK)


def draw_convictions(found: Any, ax: Any = None) -> Any:
    """Draw `Convictions`: a histogram of stored cases or many rows, else one bar each."""
    if found.stored or len(found) > _MOST_BARS:
        return ConvictionDisplay(found.similarity, np.empty(0)).plot(ax=ax).ax_
    surprise = -np.log(np.maximum(found.similarity, 1e-300))
    return draw_bars(
        [f"row {one}" for one in found.cases],
        surprise,
        ax,
        title="How unusual are the rows?",
        xlabel="surprise: −ln similarity conviction (0 is ordinary)",
        texts=[
            f"{one:.3g}, {way}" for one, way in zip(found.similarity, found.direction, strict=True)
        ],
        colors=[DOWN if way == "outlier" else UP for way in found.direction],
    )
