"""Counterfactuals in the terms of an estimator: labels, columns of X, training rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from vicinal.counterfactual.result import Counterfactual, Counterfactuals
from vicinal.estimators.tables import named_features, named_mapping
from vicinal.exceptions import TableError
from vicinal.model.model import Model
from vicinal.tables.table import Table
from vicinal.typing import Places

__all__ = ["find_counterfactuals"]


def find_counterfactuals(
    model: Model,
    table: Table,
    target: str,
    wanted: Any,
    *,
    rows: Places,
    labels: Callable[[Any], Any] = lambda value: value,
    immutable: Iterable[Any] = (),
    ranges: Mapping[Any, Any] | None = None,
    directions: Mapping[Any, str] | None = None,
    allowed: Mapping[Any, Any] | None = None,
    n: int = 1,
) -> Counterfactuals:
    """Ask the Model of an estimator, and put its answer in the estimator's terms.

    Parameters
    ----------
    model : Model
        The cases.
    table : Table
        The row.
    target : str
        What the Model calls the target.
    wanted : value, collection of values, or (low, high)
        The wished answer, as the Model takes it.
    rows : ndarray of int
        The row of the training table that each case was.
    labels : callable, optional
        From the Model's classes to those of the estimator.
    immutable, ranges, directions, allowed, n
        As in `Model.counterfactual`; features by name or by column number.
    """
    names = table.names
    if len(table) != 1:
        raise TableError(f"X has {len(table)} rows; expected one at a time, such as X[:1].")
    found = model.counterfactual(
        table,
        target,
        wanted,
        immutable=named_features(
            [immutable] if isinstance(immutable, str) else immutable, names, "immutable"
        ),
        ranges=named_mapping(ranges, names, "ranges"),
        directions=named_mapping(directions, names, "directions"),
        allowed=named_mapping(allowed, names, "allowed"),
        n=n,
    )

    def translated(one: Counterfactual) -> Counterfactual:
        shares = one.probabilities
        return replace(
            one,
            prediction=labels(one.prediction),
            probabilities=None if shares is None else {labels(k): v for k, v in shares.items()},
            case=int(rows[one.case]),
        )

    relaxed = found.relaxation
    if relaxed is not None:
        relaxed = replace(relaxed, counterfactual=translated(relaxed.counterfactual))
    return replace(found, items=tuple(map(translated, found.items)), relaxation=relaxed)
