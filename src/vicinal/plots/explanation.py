"""An explanation in one figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vicinal.formatting.values import printable, truncate
from vicinal.plots.contribution import ContributionDisplay
from vicinal.plots.influence import InfluenceDisplay
from vicinal.plots.neighbors import display_of
from vicinal.plots.style import INK, in_lines, plotting


@dataclass(eq=False, repr=False)
class ExplanationDisplay:
    """Contributions, influences and neighbors of one explanation.

    Parameters
    ----------
    explanation : Explanation
        The result of `explain`.

    Attributes
    ----------
    figure_
        The figure.
    axes_ : tuple
        Its axes: contributions (where there are any), influences, neighbors.
    """

    explanation: Any

    @classmethod
    def from_explanation(cls, explanation: Any, **options: Any) -> ExplanationDisplay:
        """Draw an explanation; options are those of `plot`."""
        return cls(explanation).plot(**options)

    @classmethod
    def from_model(cls, model: Any, rows: Any, target: str, **options: Any) -> ExplanationDisplay:
        """Explain the first of some rows and draw it."""
        return cls(model.explain(rows, target)[0]).plot(**options)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, **options: Any) -> ExplanationDisplay:
        """Explain the first row of X and draw it."""
        return cls(estimator.explain(X)[0]).plot(**options)

    def plot(self, *, most: int = 8, most_features: int = 10) -> ExplanationDisplay:
        """Draw the three plots in a new figure.

        Parameters
        ----------
        most : int, default 8
            Cases and features with a line of their own.
        most_features : int, default 10
            Columns of the neighbor table.
        """
        one = self.explanation
        split = one.features is not None
        lines = 2 + min(5, len(one.cases)) + len(one.boundary)
        table = display_of(one, most_features=most_features)
        width = max(11.5, table.inches + 0.3)
        figure = plotting().figure(figsize=(width, 4.5 + 0.27 * lines), layout="constrained")
        figure.get_layout_engine().set(w_pad=0.12, h_pad=0.09)
        # In figures of their own, so that the table need not line up with the bars.
        above, below = figure.subfigures(2, 1, height_ratios=[3.4, 0.6 + 0.27 * lines])
        axes = list(above.subplots(1, 1 + split, squeeze=False)[0])
        if split:
            ContributionDisplay.from_explanation(one, ax=axes[0], most=most)
        InfluenceDisplay.from_explanation(one, ax=axes[-1], most=most)
        axes.append(below.subplots())
        table.plot(ax=axes[-1])
        title = in_lines(truncate(printable(one.headline), 150), 96)
        figure.suptitle(title, x=0.01, ha="left", fontsize=14, color=INK, weight="bold")
        self.figure_, self.axes_ = figure, tuple(axes)
        return self
