"""The influence of training cases on a prediction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vicinal.exceptions import ParameterError
from vicinal.formatting.durations import whole_seconds
from vicinal.formatting.values import format_percent, format_value
from vicinal.plots.bars import draw_bars
from vicinal.plots.style import (
    CHARACTER,
    DOWN,
    INK,
    LINE,
    PALETTE,
    SOFT,
    UP,
    axes_of,
    shorten,
    tidy,
    width_between,
)

#: Cases with a bar of their own, at most.
_MOST = 12


@dataclass(eq=False, repr=False)
class InfluenceDisplay:
    """The influence of each training case on one prediction, as bars.

    Parameters
    ----------
    target : str
        The feature that is predicted.
    prediction : Any
        The prediction.
    numbers : sequence of int
        Case numbers, the most influential first.
    influences : sequence of float
        Their influences.
    outcomes : sequence
        Their outcomes.
    classes : tuple, optional
        The classes, the most probable first; each has a color. Numbers are colored by whether
        they are above or below the prediction.
    background : float
        Influence that all cases share equally.

    Attributes
    ----------
    ax_, figure_
        The matplotlib axes and figure.

    Examples
    --------
    >>> from vicinal.plots import InfluenceDisplay
    >>> display = InfluenceDisplay("mass", 3.0, [7, 2], [0.75, 0.25], [2.0, 6.0])
    >>> display.shares
    [0.75, 0.25]
    """

    target: str
    prediction: Any
    numbers: Sequence[int]
    influences: Sequence[float]
    outcomes: Sequence[Any]
    classes: tuple[Any, ...] | None = None
    background: float = 0.0

    @property
    def shares(self) -> list[float]:
        """The influences as plain floats."""
        return [float(share) for share in self.influences]

    @classmethod
    def from_explanation(cls, explanation: Any, **options: Any) -> InfluenceDisplay:
        """Draw the cases of an `Explanation`; options are those of `plot`."""
        cases = explanation.cases
        classes = explanation.probabilities
        display = cls(
            explanation.target,
            explanation.prediction,
            [cases.case_labels.of(number) for number in cases.numbers],
            cases.influences.tolist(),
            cases.outcomes,
            None if classes is None else tuple(classes),
            cases.background,
        )
        return display.plot(**options)

    @classmethod
    def from_model(cls, model: Any, rows: Any, target: str, **options: Any) -> InfluenceDisplay:
        """Explain the first of some rows and draw its cases; options are those of `plot`."""
        return cls.from_explanation(model.explain(rows, target, features=False)[0], **options)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, **options: Any) -> InfluenceDisplay:
        """Explain the first row of X and draw its cases; options are those of `plot`."""
        return cls.from_explanation(estimator.explain(X, features=False)[0], **options)

    def plot(self, *, ax: Any = None, most: int = 12) -> InfluenceDisplay:
        """Draw the bars.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on; new ones by default.
        most : int, default 12
            Cases with a bar of their own; the others share one.
        """
        names, bars, colors = self._bars(most)
        ax = axes_of(ax, 6.0, 0.8 + 0.27 * len(bars))
        places = np.arange(len(bars))
        ax.barh(places, bars, color=colors, height=0.72)
        ax.set_yticks(places, names)
        ax.invert_yaxis()
        for place, share in zip(places, bars, strict=True):
            text = " " + format_percent(share)
            ax.text(max(share, 0), place, text, va="center", fontsize=8.5, color=SOFT)
        if min(bars, default=0) < 0:
            ax.axvline(0, color=INK, linewidth=0.8)
        ax.set_xlim(min(0.0, *bars, 0.0) * 1.05, max([*bars, 1e-9]) * 1.18)
        ax.xaxis.set_visible(False)
        tidy(ax, title=f"Influence of training cases on {shorten(self.target)}")
        ax.spines["bottom"].set_visible(False)
        self._legend(ax, most)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _bars(self, most: int) -> tuple[list[str], list[float], list[str]]:
        """The name, the length and the color of each bar."""
        shares = self.shares
        names = [
            f"{_case_text(number)}  {shorten(format_value(outcome), 18)}"
            for number, outcome in zip(self.numbers[:most], self.outcomes, strict=False)
        ]
        colors = [self._color(outcome) for outcome in self.outcomes[:most]]
        bars = shares[:most]
        if len(shares) > most:
            names.append(f"{len(shares) - most} more")
            bars.append(sum(shares[most:]))
        if self.background > 0.005:
            names.append("baseline (all cases)")
            bars.append(self.background)
        return names, bars, colors + ["#b8c0c7"] * (len(bars) - len(colors))

    def _color(self, outcome: Any) -> str:
        if self.classes is not None:
            return PALETTE[self.classes.index(outcome) % len(PALETTE)]
        try:
            return UP if outcome >= self.prediction else DOWN
        except TypeError:  # ordinal labels have no order of their own in Python
            return UP

    def _legend(self, ax: Any, most: int) -> None:
        """Name the colors of the bars, in as many columns as there is room for."""
        if self.classes is not None:
            drawn = self.outcomes[:most]
            present = [one for one in self.classes if one in drawn][: len(PALETTE)]
            entries = [(shorten(format_value(one), 40), self._color(one)) for one in present]
        else:
            value = shorten(format_value(whole_seconds(self.prediction)), 20)
            entries = [(f"at or above {value}", UP), (f"below {value}", DOWN)]
        handles = [ax.barh([0], [0], color=color) for _, color in entries]
        longest = max((len(name) for name, _ in entries), default=0)
        columns = int(width_between(ax) / (CHARACTER * longest + 0.4))
        ax.legend(
            handles,
            [name for name, _ in entries],
            frameon=False,
            fontsize=8.5,
            labelcolor=INK,
            loc="upper left",
            bbox_to_anchor=(0.0, 0.02),
            ncols=max(min(len(entries), columns, 4), 1),
            handlelength=1.0,
        )


def _case_text(name: Any) -> str:
    return f"#{name}" if isinstance(name, int) else shorten(format_value(name), 18)


def draw_influences(found: Any, ax: Any = None) -> Any:
    """Draw the most influential cases of the first row of `CaseInfluences`; return the axes."""
    if not len(found):
        raise ParameterError("There is nothing to draw: no row was predicted.")
    there = found.indices[0] >= 0
    cases, shares = found.indices[0][there], found.shares[0][there]
    outcomes = (found.outcomes if found.labels is None else found.labels)[0][there]
    names = [
        f"{found.case_labels.text(case)}  {shorten(format_value(outcome), 18)}"
        for case, outcome in zip(cases[:_MOST].tolist(), outcomes, strict=False)
    ]
    lengths = [float(share) for share in shares[:_MOST]]
    if len(shares) > _MOST:
        names.append(f"{len(shares) - _MOST} more")
        lengths.append(float(shares[_MOST:].sum()))
    return draw_bars(
        names,
        lengths,
        ax,
        title="Influence of training cases",
        xlabel="share in the prediction",
        texts=[format_percent(one) for one in lengths],
        colors=[UP] * min(len(shares), _MOST) + [LINE] * (len(shares) > _MOST),
    )
