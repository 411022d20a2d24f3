"""Contributions of features: a waterfall of one prediction, a summary of many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vicinal.exceptions import ParameterError
from vicinal.formatting.values import format_signed, format_value
from vicinal.plots.style import DOWN, INK, LINE, SOFT, UP, axes_of, fitted, tidy
from vicinal.typing import Floats, Places

__all__ = ["ContributionDisplay"]


@dataclass(eq=False)
class ContributionDisplay:
    """What each feature contributes to predictions.

    Parameters
    ----------
    names : tuple of str
        The features.
    values : ndarray of shape (m, d)
        Contributions in each of m predictions.
    baseline : float
        The answer when nothing is known.
    predictions : ndarray of shape (m,)
        The answers: baseline + Σ contributions.
    standard_errors : ndarray of shape (m, d), optional
        Of contributions that were sampled.
    given : dict of str to value, optional
        The values of the row, where there is one.
    what : str
        What is predicted, for the title.

    Attributes
    ----------
    ax_, figure_
        What was drawn on.

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

    @classmethod
    def from_explanation(cls, explanation: Any, **options: Any) -> ContributionDisplay:
        """Draw the contributions of an `Explanation`; options are those of `plot`."""
        found = explanation.features
        if found is None:
            raise ParameterError(
                "This explanation has no contributions; ask for them: explain(…, features=True)."
            )
        what = explanation.target
        if found.outcome is not None:
            what = f"probability of {format_value(found.outcome)}"
        display = cls(
            found.names,
            found.values[None],
            found.baseline,
            np.array([found.prediction]),
            found.standard_errors[None],
            dict(explanation.given),
            what,
        )
        return display.plot(**options)

    @classmethod
    def from_contributions(
        cls, found: Any, *, row: int | None = None, outcome: Any = None, **options: Any
    ) -> ContributionDisplay:
        """Draw `Contributions`.

        Parameters
        ----------
        found : Contributions
            What `Model.contributions` gave.
        row : int, optional
            The row to draw a waterfall of; by default a summary of all, or the only one.
        outcome : Any, optional
            For classes: which one; by default that with the largest contributions.
        **options
            Those of `plot`.
        """
        values, errors = np.asarray(found.values), found.standard_errors
        baseline, predictions = np.asarray(found.baseline), np.asarray(found.predictions)
        what = str(getattr(found, "target", "") or "")
        if values.ndim == 3:
            classes = list(found.classes)
            if outcome is None:
                at = int(np.abs(values).sum(axis=(0, 1)).argmax())
            elif outcome in classes:
                at = classes.index(outcome)
            else:
                raise ParameterError(f"{outcome!r} is not one of the classes {classes}.")
            values, predictions = values[:, :, at], predictions[:, at]
            baseline = baseline[..., at]
            errors = None if errors is None else np.asarray(errors)[:, :, at]
            what = f"probability of {format_value(classes[at])}"
        if row is not None:
            values, predictions = values[[row]], predictions[[row]]
            errors = None if errors is None else np.asarray(errors)[[row]]
        display = cls(
            tuple(found.names),
            values,
            float(baseline.ravel()[0]),
            predictions,
            None if errors is None else np.asarray(errors),
            what=what,
        )
        return display.plot(**options)

    @classmethod
    def from_model(cls, model: Any, rows: Any, target: str, **options: Any) -> ContributionDisplay:
        """Find the contributions in some rows and draw them; options as `from_contributions`."""
        return cls.from_contributions(model.contributions(rows, target), **options)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, **options: Any) -> ContributionDisplay:
        """Find the contributions in rows of X and draw them; options as `from_contributions`."""
        return cls.from_contributions(estimator.contributions(X), **options)

    def order(self) -> Places:
        """Places of the features, the largest mean ``|contribution|`` first."""
        return np.argsort(-np.abs(self.values).mean(axis=0), kind="stable")

    def plot(
        self, *, ax: Any = None, kind: str | None = None, most: int = 12
    ) -> ContributionDisplay:
        """Draw a waterfall of one prediction or a summary of several.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on; new ones by default.
        kind : {"waterfall", "summary"}, optional
            By default a waterfall where there is one prediction.
        most : int, default 12
            Features with a line of their own; the others have one together.
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
        order, values = self.order(), self.values[0]
        steps = [(self._label(i), float(values[i]), self._error(i)) for i in order[:most]]
        rest = order[most:]
        if len(rest):
            steps.append((f"{len(rest)} more", float(values[rest].sum()), 0.0))
        ends = self.baseline + np.cumsum([0.0] + [value for _, value, _ in steps])
        low, high = float(min(ends)), float(max(ends))
        room = 0.16 * ((high - low) or 1.0)
        for place, ((_, value, error), start) in enumerate(zip(steps, ends[:-1], strict=True)):
            colour = UP if value >= 0 else DOWN
            ax.barh(place, value, left=start, color=colour, height=0.66)
            ax.plot([start + value] * 2, [place - 0.33, place + 1.33], color=SOFT, linewidth=0.7)
            if error > 0:
                ax.errorbar(start + value, place, xerr=error, color=INK, linewidth=1, capsize=2)
            edge = max(start, start + value) + error
            text = format_signed(value, float(np.abs(values).max()))
            ax.text(edge, place, f" {text}", va="center", fontsize=8.5, color=colour)
        ax.axvline(self.baseline, color=SOFT, linewidth=0.8, linestyle=(0, (2, 2)), zorder=0)
        ax.axvline(ends[-1], color=INK, linewidth=0.8, zorder=0)
        ax.set_yticks(range(len(steps)), [label for label, _, _ in steps])
        ax.set_ylim(len(steps) - 0.4, -0.6)
        ax.set_xlim(low - room / 3, high + room)
        title = f"Why? {fitted(self.what or 'prediction', 40)}"
        start, end = format_value(self.baseline), format_value(self.predictions[0])
        expected = f"from {start} (nothing known) to {end}"
        tidy(ax, title=title, xlabel=expected)

    def _summary(self, ax: Any, most: int) -> None:
        order = self.order()[:most]
        means = np.abs(self.values).mean(axis=0)[order]
        places = np.arange(len(order))
        ax.barh(places, means, color=LINE, height=0.78)
        for place, i in zip(places, order, strict=True):
            drawn = self.values[:, i]
            # Spread by the golden ratio, so that the picture is the same every time.
            spread = (np.arange(len(drawn)) * 0.6180339887 % 1.0 - 0.5) * 0.5
            colours = np.where(drawn >= 0, UP, DOWN)
            ax.scatter(drawn, place + spread, c=colours, s=9, alpha=0.55, linewidths=0)
        ax.axvline(0, color=SOFT, linewidth=0.8)
        ax.set_yticks(places, [fitted(self.names[i], 32) for i in order])
        ax.set_ylim(len(order) - 0.5, -0.5)
        title = f"Which features? {fitted(self.what or 'predictions', 40)}"
        tidy(ax, title=title, xlabel=f"contribution in {len(self.values)} rows; bar: mean size")

    def _label(self, i: int) -> str:
        name = self.names[i]
        if self.given is None or name not in self.given:
            return fitted(name, 32)
        return f"{fitted(name)} = {fitted(format_value(self.given[name]), 14)}"

    def _error(self, i: int) -> float:
        return 0.0 if self.standard_errors is None else float(self.standard_errors[0, i])
