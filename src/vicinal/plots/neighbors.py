"""The neighbor table: the cases beside the row, differing values highlighted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vicinal.exceptions import ParameterError
from vicinal.formatting.durations import whole_seconds
from vicinal.formatting.values import format_percent, format_value
from vicinal.plots.style import INK, LINE, MARK, OWN, SOFT, axes_of, shorten, tidy

_HIGHLIGHTED = "highlighted: differs by more than the residual"
#: What is drawn of a result without an explanation, at most.
_MOST_CASES, _MOST_FEATURES = 8, 10


@dataclass(eq=False, repr=False)
class NeighborsDisplay:
    """A row and the training cases behind its prediction, feature by feature.

    Parameters
    ----------
    header : list of str
        Names of the columns.
    rows : list of list of str
        Cells; the first row is the one that is predicted.
    marked : set of (int, int)
        Places (row, column) of cells that differ by more than the residual of the feature.
    breaks : tuple of int
        Rows above which a line is drawn.
    title : str, optional
        Title; by default one about influential cases.

    Attributes
    ----------
    ax_, figure_
        The matplotlib axes and figure.
    """

    header: list[str]
    rows: list[list[str]]
    marked: set[tuple[int, int]]
    breaks: tuple[int, ...] = ()
    title: str = ""

    @classmethod
    def from_explanation(
        cls, explanation: Any, *, ax: Any = None, most: int = 5, most_features: int = 10
    ) -> NeighborsDisplay:
        """Draw the cases of an `Explanation`.

        Parameters
        ----------
        explanation : Explanation
            The result of `explain`.
        ax : matplotlib axes, optional
            Axes to draw on; new ones by default.
        most : int, default 5
            Cases to show; the boundary cases come after them.
        most_features : int, default 10
            Features to show: those with the largest weights.
        """
        return display_of(explanation, most, most_features).plot(ax=ax)

    @classmethod
    def from_model(cls, model: Any, rows: Any, target: str, **options: Any) -> NeighborsDisplay:
        """Explain the first of some rows and draw its cases."""
        return cls.from_explanation(model.explain(rows, target, features=False)[0], **options)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, **options: Any) -> NeighborsDisplay:
        """Explain the first row of X and draw its cases."""
        return cls.from_explanation(estimator.explain(X, features=False)[0], **options)

    @property
    def inches(self) -> float:
        """The width that the table needs."""
        return max(5.0, 0.083 * sum(self._widths))

    @property
    def _cells(self) -> list[list[str]]:
        return [[shorten(cell, 20) for cell in row] for row in [self.header, *self.rows]]

    @property
    def _widths(self) -> list[int]:
        """The characters of each column, and a gap."""
        return [max(map(len, column)) + 2 for column in zip(*self._cells, strict=True)]

    def plot(self, *, ax: Any = None) -> NeighborsDisplay:
        """Draw the table.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on; new ones by default.
        """
        from matplotlib.patches import Rectangle

        cells, widths = self._cells, self._widths
        starts = [sum(widths[:i]) for i in range(len(widths))]
        total = sum(widths)
        ax = axes_of(ax, self.inches, 0.6 + 0.27 * len(cells))
        ax.set_xlim(0, total)
        ax.set_ylim(len(cells), 0)
        if len(cells) > 1:
            ax.add_patch(Rectangle((0, 1), total, 1, color=OWN, linewidth=0))
        for at, row in enumerate(cells):
            for i, cell in enumerate(row):
                strong = (at - 1, i) in self.marked
                if strong:
                    box = (starts[i], at + 0.06), widths[i] - 0.6, 0.88
                    ax.add_patch(Rectangle(*box, color=MARK, linewidth=0))
                ax.text(
                    starts[i] + 0.7,
                    at + 0.5,
                    cell,
                    va="center",
                    fontsize=8.5,
                    color=SOFT if at == 0 else INK,
                    fontweight="bold" if strong or (i == 0 and at) else "normal",
                    clip_on=True,
                )
            line = 1.4 if at in (0, *self.breaks) else 0.5
            ax.axhline(at + 1, color=SOFT if line > 1 else LINE, linewidth=line)
        ax.xaxis.set_visible(False)
        ax.yaxis.set_visible(False)
        title = self.title or f"Most influential cases; {_HIGHLIGHTED}"
        if self.breaks:
            title += "; last: different outcome"
        tidy(ax, title=title)
        ax.spines["bottom"].set_visible(False)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def display_of(explanation: Any, most: int = 5, most_features: int = 10) -> NeighborsDisplay:
    """Return the table of the cases of an `Explanation`, not drawn yet."""
    cases, edge = explanation.cases, explanation.boundary
    heavy = sorted(range(len(cases.names)), key=lambda i: -cases.weights[i])[:most_features]
    kept = sorted(heavy)
    names = [cases.names[i] for i in kept]
    own = [format_value(explanation.given[name]) for name in names]
    rows = [["this row", "", format_value(whole_seconds(explanation.prediction)), *own]]
    marked = set()
    for found, count in ((cases, min(most, len(cases))), (edge, len(edge))):
        for at in range(count):
            values = [format_value(found.values[name][at]) for name in names]
            differing = [at_i for at_i, i in enumerate(kept) if found.differs[at][i]]
            marked |= {(len(rows), 3 + place) for place in differing}
            influence = format_percent(float(found.influences[at]))
            outcome = format_value(found.outcomes[at])
            case = found.case_labels.text(found.numbers[at])
            rows.append([case, influence, outcome, *values])
    breaks = (1 + min(most, len(cases)),) if len(edge) else ()
    header = ["case", "influence", explanation.target, *names]
    return NeighborsDisplay(header, rows, marked, breaks)


def draw_neighbors(found: Any, ax: Any = None) -> Any:
    """Draw the first row of `Neighbors` beside its cases; return the axes."""
    compared = found.compared
    if compared is None or not len(compared):
        raise ParameterError("There is nothing to draw: no row has neighbors to show.")
    given, cases, differs = compared.given(0), compared.beside(0), compared.differs(0)
    numbers = compared.numbers[0][compared.numbers[0] >= 0]
    order = np.argsort(-np.nan_to_num(compared.surprisals(0)).sum(axis=0), kind="stable")
    kept = np.sort(order[:_MOST_FEATURES]).tolist()
    names = [compared.names[i] for i in kept]
    rows = [["this row", "", *(format_value(given[name]) for name in names)]]
    marked = set()
    for at, case in enumerate(cases[:_MOST_CASES]):
        marked |= {(at + 1, 2 + place) for place, i in enumerate(kept) if differs[at, i]}
        values = [format_value(case[name]) for name in names]
        rows.append(
            [found.case_labels.text(int(numbers[at])), f"{found.distances[0][at]:.3f}", *values]
        )
    title = f"Nearest cases; {_HIGHLIGHTED}"
    return (
        NeighborsDisplay(["case", "distance", *names], rows, marked, title=title).plot(ax=ax).ax_
    )
