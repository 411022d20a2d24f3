"""Results of a Model for an estimator: case numbers become rows of the training table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar, cast

import numpy as np

from vicinal.counterfactual.result import Counterfactual, Counterfactuals, Relaxation
from vicinal.explain.explanation.parts import NearCases
from vicinal.explain.explanation.result import Explanation, Explanations
from vicinal.prediction.cases import CaseInfluences
from vicinal.typing import Ints

T = TypeVar("T")

#: Fields that contain case numbers, and fields whose values contain some.
_NUMBERS: dict[type, str] = {
    CaseInfluences: "indices",
    Counterfactual: "case",
    NearCases: "numbers",
}
_PARTS: dict[type, tuple[str, ...]] = {
    Counterfactuals: ("items", "relaxation"),
    Explanation: ("cases", "boundary", "counterfactuals"),
    Relaxation: ("counterfactual",),
}


def in_training_rows(found: T, rows: Ints) -> T:
    """Return a result with each case number replaced by its row in the training table.

    Parameters
    ----------
    found : CaseInfluences, Counterfactuals, Explanations, or a part of them
        The result.
    rows : ndarray of int64
        The training row of each case; they differ if rows of weight 0 were dropped.
    """
    return cast("T", _renumbered(found, rows))


def _renumbered(found: Any, rows: Ints) -> Any:
    if type(found) in _NUMBERS:
        name = _NUMBERS[type(found)]
        cases = np.asarray(getattr(found, name))
        numbers = np.where(cases >= 0, rows[cases], -1)
        changed: dict[str, Any] = {name: numbers if numbers.ndim else int(numbers)}
        if not isinstance(found, Counterfactual):
            changed["case_labels"] = found.case_labels.moved(rows)
        return replace(found, **changed)
    if type(found) in _PARTS:
        parts = {name: getattr(found, name) for name in _PARTS[type(found)]}
        return replace(found, **{name: _renumbered(one, rows) for name, one in parts.items()})
    if isinstance(found, tuple | Explanations):
        kind = tuple if isinstance(found, tuple) else Explanations
        return kind([_renumbered(one, rows) for one in found])
    return found
