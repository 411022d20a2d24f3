"""Counterfactuals as plain results: what to change in a row to get another answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from vicinal.tables.to_frame import build_frame

_ADVICE = {
    "immutable": "to let {name!r} change",
    "ranges": "to let {name!r} leave its range",
    "directions": "to let {name!r} go the other way",
    "allowed": "to let {name!r} have other values",
}


@dataclass(frozen=True)
class Counterfactual:
    """A changed row that the model answers as wished.

    Parameters
    ----------
    changes : mapping of str to tuple
        Each feature that changed, with the value it had and the one it got.
    row : mapping of str to value
        The whole changed row, ready to be predicted.
    prediction : value
        What the model predicts for it.
    probabilities : mapping of value to float, optional
        For classes, the probability of each.
    conviction : float
        Similarity conviction of the changed row: 1 is ordinary, low a row unlike the cases.
    case : int
        The real case it leans on: the nearest to it of those with a wished outcome.
    """

    changes: Mapping[str, tuple[Any, Any]]
    row: Mapping[str, Any]
    prediction: Any
    conviction: float
    case: int
    probabilities: Mapping[Any, float] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return values that JSON can hold; dates and the like as text."""
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
        }

    def __str__(self) -> str:
        steps = [f"{name} {_shown(a)} → {_shown(b)}" for name, (a, b) in self.changes.items()]
        return (
            f"{', '.join(steps) or 'no change'}: {_shown(self.prediction)}"
            f"{self._probability()} (like case {self.case}, conviction {self.conviction:.3g})"
        )

    def _probability(self) -> str:
        if self.probabilities is None:
            return ""
        return f" with probability {self.probabilities[self.prediction]:.2f}"


@dataclass(frozen=True)
class Relaxation:
    """The least that has to be given up for a counterfactual to exist.

    Parameters
    ----------
    constraints : tuple of (str, str)
        Each constraint to drop: the argument it was given in, and the feature.
    counterfactual : Counterfactual
        What is possible without them.
    """

    constraints: tuple[tuple[str, str], ...]
    counterfactual: Counterfactual

    def to_dict(self) -> dict[str, Any]:
        """Return values that JSON can hold."""
        dropped = [{"argument": rule, "feature": name} for rule, name in self.constraints]
        return {"constraints": dropped, "counterfactual": self.counterfactual.to_dict()}

    def __str__(self) -> str:
        advice = [_ADVICE[rule].format(name=name) for rule, name in self.constraints]
        return f"{' and '.join(advice)}: {self.counterfactual}"


@dataclass(frozen=True)
class Counterfactuals(Sequence[Counterfactual]):
    """Counterfactuals of one row, the sparsest change first; perhaps none.

    Parameters
    ----------
    items : tuple of Counterfactual
        Those found.
    target : str
        The feature asked for.
    asked : int
        How many were asked for.
    relaxation : Relaxation, optional
        Where there is none under the constraints: which to drop, and what that would give.

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

    @property
    def message(self) -> str:
        """What was found, or why nothing was, in words."""
        if self.items and not self.items[0].changes:
            return "The model already answers as wished; nothing has to change."
        if len(self.items) == self.asked:
            return f"Found {self.asked}, as asked for."
        if self.items:
            return f"Found {len(self.items)} of the {self.asked} asked for."
        if self.relaxation is None:
            return (
                "No counterfactual: none exists in the data, and dropping constraints would not "
                f"help. The model gives no row near these cases such a {self.target!r}."
            )
        return (
            "No counterfactual: none exists in the data under these constraints, the closest "
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
        """Return values that JSON can hold."""
        relaxed = self.relaxation
        return {
            "target": self.target,
            "counterfactuals": [one.to_dict() for one in self.items],
            "message": self.message,
            "relaxation": None if relaxed is None else relaxed.to_dict(),
        }

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe (pandas, polars or pyarrow: `backend`), one row per counterfactual.

        It has the features of the changed row, then the target as predicted, ``changed`` (names
        of the features that changed), ``conviction`` and ``case``.
        """
        names = list(self.items[0].row) if self.items else []
        columns: dict[str, Any] = {name: [one.row[name] for one in self.items] for name in names}
        columns[self.target] = [one.prediction for one in self.items]
        for name, values in (
            ("changed", [", ".join(one.changes) for one in self.items]),
            ("conviction", [one.conviction for one in self.items]),
            ("case", [one.case for one in self.items]),
        ):
            columns[f"{name}_" if name in columns else name] = values
        return build_frame(columns, backend)

    def __repr__(self) -> str:
        lines = [f"Counterfactuals of {self.target!r}: {self.message}"]
        return "\n".join(lines + [f"  {one}" for one in self.items])


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    return value if value is None or isinstance(value, str | bool | int | float) else str(value)


def _shown(value: Any) -> str:
    return f"{value:.5g}" if isinstance(value, float) else str(value)
