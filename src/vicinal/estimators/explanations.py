"""Explanations in the terms of an estimator: labels, columns of X, training rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from vicinal.counterfactual.result import Counterfactuals
from vicinal.estimators.tables import taken_rows
from vicinal.explain.explanation.changes import with_counterfactuals
from vicinal.explain.explanation.result import Explanations
from vicinal.model.explaining import Naming
from vicinal.model.model import Model
from vicinal.tables.table import Table

__all__ = ["explain_rows"]


def explain_rows(
    model: Model,
    table: Table,
    target: str,
    naming: Naming,
    change: Callable[..., Counterfactuals],
    *,
    alpha: float,
    features: bool | Mapping[str, Any],
    counterfactuals: bool | Mapping[str, Any],
    n_boundary: int,
) -> Explanations:
    """Explain the predictions of an estimator.

    Parameters
    ----------
    model : Model
        The cases.
    table : Table
        The rows.
    target : str
        What the Model calls the target.
    naming : Naming
        What the estimator calls classes and cases.
    change : callable
        From a table of one row, a wish and further arguments to `Counterfactuals`.
    alpha, features, counterfactuals, n_boundary
        As in `Model.explain`.
    """
    found = model._explain(
        table, target, alpha=alpha, features=features, n_boundary=n_boundary, naming=naming
    )

    def ask(at: int, wanted: Any, options: dict[str, Any]) -> Counterfactuals:
        return change(taken_rows(table, np.array([at], dtype=np.intp)), wanted=wanted, **options)

    return with_counterfactuals(found, counterfactuals, ask)
