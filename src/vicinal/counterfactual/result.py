"""Counterfactuals as result objects: what to change in a row to get another prediction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from vicinal.formatting.durations import whole_seconds
from vicinal.formatting.sheet_html import sheet_html
from vicinal.formatting.sheet_text import sheet_text
from vicinal.formatting.values import format_count, format_pair, format_value
from vicinal.tables.to_frame import build_frame
from vicinal.views.counterfactuals import counterfactuals_view

_ADVICE = {
    "immutable": "to let {name!r} change",
    "ranges": "to let {name!r} leave its range",
    "directions": "to let {name!r} go the other way",
    "allowed": "to let {name!r} have other values",
}


@dataclass(frozen=True)
class Counterfactual:
    """A changed row whose prediction meets the goal.

    Parameters
    ----------
    changes : mapping of str to tuple
        Each feature that changed, with its old and its new value.
    row : mapping of str to value
        The whole changed row, ready to pass to `predict`.
    prediction : value
        The model's prediction for the changed row.
    probabilities : mapping of value to float, optional
        For nominal targets, the probability of each class.
    conviction : float
        Similarity conviction of the changed row: 1 is ordinary, low is unlike the training data.
    case : int
        The nearest training case with a wanted outcome.
    label : value, optional
        The label of this case, if it has one.
    """

    changes: Mapping[str, tuple[Any, Any]]
    row: Mapping[str, Any]
    prediction: Any
    conviction: float
    case: int
    probabilities: Mapping[Any, float] | None = None
    label: Any = None

    @property
    def case_name(self) -> Any:
        """What the nearest training case is called: its label, or its number."""
        return self.case if self.label is None else self.label

    @property
    def case_text(self) -> str:
        """The same as text, with ``#`` before a number."""
        name = self.case_name
        return f"#{name}" if isinstance(name, int) else format_value(name)

    def to_dict(self) -> dict[str, Any]:
        """Return a dict of JSON values; dates and similar values become text."""
        shares = self.probabilities
        return {
            "changes": {
                name: {"from": _plain(a), "to": _plain(b)} for name, (a, b) in self.changes.items()
            },
            "row": {name: _plain(value) for name, value in self.row.items()},
            "prediction": _plain(self.prediction),
            "probabilities": None if shares is None else {str(k): v for k, v in shares.items()},
            "conviction": self.conviction,
            "case": self.case,
            **({} if self.label is None else {"label": _plain(self.label)}),
        }

    def __str__(self) -> str:
        steps = [
            f"{name} {' → '.join(format_pair(before, after))}"
            for name, (before, after) in self.changes.items()
        ]
        return (
            f"{', '.join(steps) or 'no change'}: {format_value(whole_seconds(self.prediction))}"
            f"{self._probability()} (like case {self.case_text}, "
            f"conviction {self.conviction:.3g})"
        )

    def _probability(self) -> str:
        if self.probabilities is None:
            return ""
        return f" with probability {self.probabilities[self.prediction]:.2f}"


@dataclass(frozen=True)
class Relaxation:
    """The fewest constraints to drop for a counterfactual to exist.

    Parameters
    ----------
    constraints : tuple of (str, str)
        Each constraint to drop: the name of its argument, and the feature.
    counterfactual : Counterfactual
        What is possible without these constraints.
    """

    constraints: tuple[tuple[str, str], ...]
    counterfactual: Counterfactual

    def to_dict(self) -> dict[str, Any]:
        """Return a dict of JSON values."""
        dropped = [{"argument": rule, "feature": name} for rule, name in self.constraints]
        return {"constraints": dropped, "counterfactual": self.counterfactual.to_dict()}

    def __str__(self) -> str:
        advice = [_ADVICE[rule].format(name=name) for rule, name in self.constraints]
        return f"{' and '.join(advice)}: {self.counterfactual}"


@dataclass(frozen=True)
class Counterfactuals(Sequence[Counterfactual]):
    """The counterfactuals of one row, sparsest change first; may be empty.

    Parameters
    ----------
    items : tuple of Counterfactual
        The counterfactuals found.
    target : str
        The feature that is predicted.
    asked : int
        How many counterfactuals were requested.
    relaxation : Relaxation, optional
        If the constraints permit none: which constraints to drop, and the result without them.
    library : str, optional
        The dataframe library of the fitted table, which `to_frame` uses by default.

    Examples
    --------
    >>> import vicinal
    >>> table = {"height": [1.0, 1.1, 1.2, 3.0, 3.1, 3.2], "size": ["S"] * 3 + ["L"] * 3}
    >>> model = vicinal.Model().fit(table)
    >>> found = model.counterfactual({"height": 1.1}, "size", "L")
    >>> found[0].changes, found[0].prediction, found[0].case
    ({'height': (1.1, 3.0)}, 'L', 3)
    """

    items: tuple[Counterfactual, ...]
    target: str
    asked: int = 1
    relaxation: Relaxation | None = None
    library: str | None = None

    @property
    def message(self) -> str:
        """A sentence that says what was found, or why nothing was."""
        if self.items and not self.items[0].changes:
            return "The prediction already meets the goal; nothing has to change."
        if len(self.items) == self.asked:
            return f"Found {format_count(self.asked, 'counterfactual')}."
        if self.items:
            return f"Found {len(self.items)} of {self.asked} counterfactuals."
        if self.relaxation is None:
            return (
                "No counterfactual: none exists in the data, and dropping constraints would not "
                f"help. The model predicts no such {self.target!r} near these cases."
            )
        return (
            "No counterfactual: none exists in the data under these constraints; the closest "
            f"relaxation is {self.relaxation}."
        )

    @overload
    def __getitem__(self, index: int) -> Counterfactual: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Counterfactual, ...]: ...

    def __getitem__(self, index: int | slice) -> Counterfactual | tuple[Counterfactual, ...]:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def to_dict(self) -> dict[str, Any]:
        """Return a dict of JSON values."""
        relaxed = self.relaxation
        return {
            "target": self.target,
            "counterfactuals": [one.to_dict() for one in self.items],
            "message": self.message,
            "relaxation": None if relaxed is None else relaxed.to_dict(),
        }

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe (pandas, polars or pyarrow: `backend`), one row per counterfactual.

        Its columns are the features of the changed row, the predicted target, ``changed`` (names
        of the features that changed), ``conviction`` and ``case``.
        """
        names = list(self.items[0].row) if self.items else []
        columns: dict[str, Any] = {name: [one.row[name] for one in self.items] for name in names}
        columns[self.target] = [one.prediction for one in self.items]
        for name, values in (
            ("changed", [", ".join(one.changes) for one in self.items]),
            ("conviction", [one.conviction for one in self.items]),
            ("case", [one.case_name for one in self.items]),
        ):
            columns[f"{name}_" if name in columns else name] = values
        return build_frame(columns, backend or self.library)

    def plot(self, *, ax: Any = None) -> Any:
        """Draw what changes: the row above the changed rows.

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
        from vicinal.plots.counterfactual import draw_counterfactuals

        return draw_counterfactuals(self, ax)

    def __repr__(self) -> str:
        return sheet_text(counterfactuals_view(self))

    def _repr_html_(self) -> str:
        return sheet_html(counterfactuals_view(self))


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    return value if value is None or isinstance(value, str | bool | int | float) else str(value)
