"""Contributions of features: a waterfall of one prediction, a summary of many."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vicinal.exceptions import ParameterError
from vicinal.formatting.durations import shared_unit, time_texts
from vicinal.formatting.values import format_signed, format_value
from vicinal.plots.bars import draw_bars
from vicinal.plots.style import DOWN, INK, LINE, SOFT, UP, axes_of, shorten, tidy
from vicinal.plots.waterfall import waterfall_steps
from vicinal.typing import Floats, Places

#: Features of a summary of all rows, at most.
_MOST_OVERALL = 15


@dataclass(eq=False, repr=False)
class ContributionDisplay:
    """The contributions of features to one or more predictions.

    Parameters
    ----------
    names : tuple of str
        The features.
    values : ndarray of shape (m, d)
        Contributions to each of m predictions.
    baseline : float
        The prediction when no feature is known.
    predictions : ndarray of shape (m,)
        The predictions: baseline + Σ contributions.
    standard_errors : ndarray of shape (m, d), optional
        Standard errors of sampled contributions.
    given : dict of str to value, optional
        The values of the row, where there is only one.
    what : str
        What is predicted, for the title.
    limits : tuple of float, optional
        The range of what is predicted, 0 to 1 for probabilities. A waterfall stays within it:
        its steps are ordered so that no partial sum leaves the range.
    ends : tuple of str, optional
        The baseline and the only prediction as text, where these are not numbers.
    unit : str
        The unit of contributions to times, as it is named on the axis.

    Attributes
    ----------
    ax_, figure_
        The matplotlib axes and figure.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.plots import ContributionDisplay
    >>> display = ContributionDisplay(("a", "b"), np.array([[1.0, -3.0]]), 5.0, np.array([3.0]))
    >>> display.order().tolist()
    [1, 0]
    """

    names: tuple[str, ...]
    values: Floats
    baseline: float
    predictions: Floats
    standard_errors: Floats | None = None
    given: dict[str, Any] | None = None
    what: str = ""
    limits: tuple[float, float] | None = None
    ends: tuple[str, str] | None = None
    unit: str = ""

    @classmethod
    def from_explanation(cls, explanation: Any, **options: Any) -> ContributionDisplay:
        """Draw the contributions in an `Explanation`; options are those of `plot`."""
        found = explanation.features
        if found is None:
            raise ParameterError(
                "This explanation has no contributions; ask for them: explain(…, features=True)."
            )
        what = explanation.target if found.outcome is None else _probability_of(found.outcome)
        times = (explanation.prediction,) if found.in_seconds else None
        display = cls(
            found.names,
            found.values[None],
            found.baseline,
            np.array([found.prediction]),
            found.standard_errors[None],
            dict(explanation.given),
            what,
            None if found.outcome is None else (0.0, 1.0),
        )._of_times(times)
        return display.plot(**options)

    @classmethod
    def from_contributions(
        cls, found: Any, *, row: int | None = None, outcome: Any = None, **options: Any
    ) -> ContributionDisplay:
        """Draw `Contributions`.

        Parameters
        ----------
        found : Contributions
            The result of `Model.contributions`.
        row : int, optional
            The row to draw a waterfall of; by default all rows are drawn.
        outcome : Any, optional
            For classes: which one; by default the one with the largest contributions.
        **options
            Options of `plot`.
        """
        at: Any = slice(None) if row is None else [row]
        values, errors, predictions = found.values, found.standard_errors, found.predictions
        baseline, what = found.baseline, ""
        if found.classes is not None:
            one = _class_of(found, outcome)
            values, errors, predictions = values[:, :, one], errors[:, :, one], predictions[:, one]
            baseline, what = baseline[one], _probability_of(found.classes[one])
        display = cls(
            found.names,
            values[at],
            float(baseline),
            predictions[at],
            errors[at],
            _values_of(found, row),
            what,
            None if found.classes is None else (0.0, 1.0),
        )._of_times(found.times if found.times is None or row is None else (found.times[row],))
        return display.plot(**options)

    @classmethod
    def from_model(cls, model: Any, rows: Any, target: str, **options: Any) -> ContributionDisplay:
        """Compute contributions for rows and draw them; options as `from_contributions`."""
        return cls.from_contributions(model.contributions(rows, target), **options)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, **options: Any) -> ContributionDisplay:
        """Compute contributions for rows of X and draw them; options as `from_contributions`."""
        return cls.from_contributions(estimator.contributions(X), **options)

    def _of_times(self, times: tuple[Any, ...] | None) -> ContributionDisplay:
        """Return contributions to times in a unit that fits, counted from the baseline."""
        if times is None:
            return self
        unit, size = shared_unit(self.values.ravel().tolist())
        later = self.predictions - self.baseline
        ends = time_texts(times[0], -float(later[0])) if len(times) == 1 else None
        errors = None if self.standard_errors is None else self.standard_errors / size
        return replace(
            self,
            values=self.values / size,
            baseline=0.0,
            predictions=later / size,
            standard_errors=errors,
            ends=ends,
            unit=unit,
        )

    def order(self) -> Places:
        """Return the features by place, the largest mean ``|contribution|`` first."""
        return np.argsort(-np.abs(self.values).mean(axis=0), kind="stable")

    def plot(
        self, *, ax: Any = None, kind: str | None = None, most: int = 12
    ) -> ContributionDisplay:
        """Draw a waterfall of one prediction, or a summary of several.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on; new ones by default.
        kind : {"waterfall", "summary"}, optional
            By default a waterfall if there is one prediction only.
        most : int, default 12
            Features with a line of their own; the others share one.
        """
        chosen = kind or ("waterfall" if len(self.values) == 1 else "summary")
        if chosen not in ("waterfall", "summary"):
            raise ParameterError(f"kind must be 'waterfall' or 'summary'; got {kind!r}.")
        if not len(self.values):
            raise ParameterError("There is nothing to draw: no row has contributions.")
        lines = min(len(self.names), most) + (len(self.names) > most)
        ax = axes_of(ax, 6.4, 1.3 + 0.34 * lines)
        (self._waterfall if chosen == "waterfall" else self._summary)(ax, most)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _waterfall(self, ax: Any, most: int) -> None:
        steps = self._steps(most)
        ends = self.baseline + np.cumsum([0.0] + [value for _, value, _ in steps])
        low, high = float(min(ends)), float(max(ends))
        room = 0.16 * ((high - low) or 1.0)
        left, right = low - room / 3, high + room
        if self.limits is not None:
            left, right = max(left, self.limits[0]), min(right, self.limits[1])
        scale = float(np.abs(self.values[0]).max(initial=0.0))
        for place, ((_, value, error), start) in enumerate(zip(steps, ends[:-1], strict=True)):
            color = UP if value >= 0 else DOWN
            ax.barh(place, value, left=start, color=color, height=0.66)
            ax.plot([start + value] * 2, [place - 0.33, place + 1.33], color=SOFT, linewidth=0.7)
            if error > 0:
                spread = self._spread(start + value, error)
                ax.errorbar(start + value, place, xerr=spread, color=INK, linewidth=1, capsize=2)
            edges = min(start, start + value) - error, max(start, start + value) + error
            after = edges[1] + room <= right + 1e-9 or edges[0] - room < left
            ax.annotate(
                format_signed(value, scale),
                (min(edges[1], right) if after else max(edges[0], left), place),
                xytext=(4 if after else -4, 0),
                textcoords="offset points",
                va="center",
                ha="left" if after else "right",
                fontsize=8.5,
                color=color,
            )
        ax.axvline(self.baseline, color=SOFT, linewidth=0.8, linestyle=(0, (2, 2)), zorder=0)
        ax.axvline(ends[-1], color=INK, linewidth=0.8, zorder=0)
        ax.set_yticks(range(len(steps)), [label for label, _, _ in steps])
        ax.set_ylim(len(steps) - 0.4, -0.6)
        ax.set_xlim(left, right)
        title = f"Contributions to {shorten(self.what or 'the prediction', 40)}"
        numbers = format_value(self.baseline), format_value(self.predictions[0])
        start, end = self.ends or numbers
        unit = f", in {self.unit}" if self.unit else ""
        path = f"from {start} (baseline) to {end} (prediction){unit}"
        tidy(ax, title=title, xlabel=path)

    def _steps(self, most: int) -> list[tuple[str, float, float]]:
        """The label, the length and the standard error of each bar, within the limits."""
        order, values = self.order(), self.values[0]
        kept, rest = order[:most], order[most:]
        lengths = [float(values[i]) for i in kept]
        labels, errors = [self._label(i) for i in kept], [self._error(i) for i in kept]
        if len(rest):
            lengths.append(float(values[rest].sum()))
            labels.append(f"{len(rest)} more")
            errors.append(0.0)
        steps = waterfall_steps(self.baseline, lengths, self.limits)
        seen: set[int] = set()
        named = []
        for i, length in steps:
            named.append((f"{labels[i]} (rest)" if i in seen else labels[i], length, errors[i]))
            seen.add(i)
        return named

    def _spread(self, at: float, error: float) -> list[list[float]]:
        """Both sides of an error bar, which ends at the limits."""
        low, high = self.limits or (-np.inf, np.inf)
        return [[max(min(error, at - low), 0.0)], [max(min(error, high - at), 0.0)]]

    def _summary(self, ax: Any, most: int) -> None:
        order = self.order()[:most]
        means = np.abs(self.values).mean(axis=0)[order]
        places = np.arange(len(order))
        ax.barh(places, means, color=LINE, height=0.78)
        for place, i in zip(places, order, strict=True):
            drawn = self.values[:, i]
            # Spread by the golden ratio, so that the picture is the same every time.
            spread = (np.arange(len(drawn)) * 0.6180339887 % 1.0 - 0.5) * 0.5
            colors = np.where(drawn >= 0, UP, DOWN)
            ax.scatter(drawn, place + spread, c=colors, s=9, alpha=0.55, linewidths=0)
        ax.axvline(0, color=SOFT, linewidth=0.8)
        ax.set_yticks(places, [shorten(self.names[i], 32) for i in order])
        ax.set_ylim(len(order) - 0.5, -0.5)
        title = f"Contributions to {shorten(self.what or 'predictions', 40)}"
        unit = f"{self.unit}; " if self.unit else ""
        said = f"{unit}dots: {len(self.values)} rows; bars: mean absolute value"
        tidy(ax, title=title, xlabel=said)

    def _label(self, i: int) -> str:
        name = self.names[i]
        if self.given is None or name not in self.given:
            return shorten(name, 32)
        return f"{shorten(name)} = {shorten(format_value(self.given[name]), 14)}"

    def _error(self, i: int) -> float:
        return 0.0 if self.standard_errors is None else float(self.standard_errors[0, i])


def draw_contributions(found: Any, ax: Any = None) -> Any:
    """Draw a waterfall of one prediction, or a summary of several; return the axes.

    One prediction of a class is explained by the probability of the predicted class.
    """
    one = len(found) == 1
    outcome = None
    if one and found.classes is not None:
        outcome = found.classes[int(found.predictions[0].argmax())]
    row = 0 if one else None
    return ContributionDisplay.from_contributions(found, row=row, outcome=outcome, ax=ax).ax_


def draw_overall(found: Any, ax: Any = None) -> Any:
    """Draw the mean size of `OverallContributions`; return the axes."""
    order = found.order[:_MOST_OVERALL]
    sizes, unit = np.asarray(found.size), ""
    if found.of_times:
        unit, seconds = shared_unit(sizes.tolist())
        sizes, unit = sizes / seconds, f" in {unit}"
    several = "" if sizes.ndim == 1 else ", summed over the classes"
    return draw_bars(
        [found.names[i] for i in order],
        sizes.reshape(len(sizes), -1).sum(axis=1)[order],
        ax,
        title="How much each feature contributes",
        xlabel=f"mean absolute contribution{unit}{several}",
    )


def _values_of(found: Any, row: int | None) -> dict[str, Any] | None:
    """The values of a row, if it is one of those that are shown."""
    known = row is not None and 0 <= row < len(found.row_values)
    return found.row_values[row] if known else None


def _probability_of(outcome: Any) -> str:
    return f"the probability of {format_value(outcome)}"


def _class_of(found: Any, outcome: Any) -> int:
    """The place of a class; without one, of the class with the largest contributions."""
    if outcome is None:
        return int(np.abs(found.values).sum(axis=(0, 1)).argmax())
    if outcome not in found.classes:
        classes = ", ".join(map(repr, found.classes))
        raise ParameterError(f"{outcome!r} is not one of the classes {classes}.")
    return int(found.classes.index(outcome))
