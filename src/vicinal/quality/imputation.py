"""Imputed cells and their uncertainty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vicinal.exceptions import ParameterError, did_you_mean
from vicinal.formatting.sheet_html import sheet_html
from vicinal.formatting.sheet_text import sheet_text
from vicinal.formatting.values import json_value
from vicinal.tables.asked_names import text_name
from vicinal.tables.to_frame import build_frame
from vicinal.typing import Floats, Ints
from vicinal.views.imputation import imputation_view


@dataclass(frozen=True, eq=False)
class ImputedColumn:
    """The imputed cells of one column; as in `Imputation`."""

    name: str
    rows: Ints
    values: list[Any]
    lower: list[Any]
    upper: list[Any]
    classes: list[tuple[Any, ...]]
    conviction: Floats


@dataclass(frozen=True, eq=False)
class Imputation:
    """A table with imputed missing values, and the uncertainty of each imputed cell.

    Parameters
    ----------
    table : dataframe, ndarray or dict
        The imputed table, in the form of the input; a dict of lists for stored cases.
    rows : ndarray of int64
        Row of each imputed cell; the case number for stored cases.
    features : tuple of str
        Feature of each imputed cell.
    values : tuple
        The imputed values.
    lower, upper : tuple
        Ends of the prediction interval that contains the true value with probability 1 − alpha;
        None for categories, and for times if there are too few cases.
    classes : tuple of tuple
        For categories: the prediction set that contains the true one with probability 1 − alpha,
        within each category. The imputed one is always in it.
    conviction : ndarray
        Expected leave-one-out error of the feature ÷ expected error of this cell: 1 is as certain
        as usual, lower values are less certain.
    alpha : float
        Share of the intervals and sets that may miss the true value.
    library : str, optional
        The dataframe library of the fitted table, which `to_frame` uses by default.
    n_cases : int, optional
        How many stored cases values were imputed from; a sample if there are more than 250,000.
        Intervals and sets are calibrated on the same cases, so they include what that costs.
    labels : tuple, optional
        What the row of each imputed cell is called, if the rows have labels.

    Examples
    --------
    >>> import vicinal
    >>> table = {"x": [1.0, 2.0, 3.0, 4.0, None], "y": [2.0, 4.0, 6.0, 8.0, 7.0]}
    >>> imputed = vicinal.Model().fit(table).impute(table)
    >>> imputed.features, imputed.rows.tolist(), 3 <= imputed.table["x"][4] <= 4
    (('x',), [4], True)
    """

    table: Any
    rows: Ints
    features: tuple[str, ...]
    values: tuple[Any, ...]
    lower: tuple[Any, ...]
    upper: tuple[Any, ...]
    classes: tuple[tuple[Any, ...], ...]
    conviction: Floats
    alpha: float = 0.1
    library: str | None = None
    n_cases: int | None = None
    labels: tuple[Any, ...] | None = None

    @classmethod
    def of(
        cls,
        table: Any,
        columns: list[ImputedColumn],
        alpha: float,
        library: str | None = None,
        n_cases: int | None = None,
        labels: Mapping[int, Any] | None = None,
    ) -> Imputation:
        """Put imputed columns together; rows that have labels are called by them."""
        rows = np.concatenate([np.empty(0, dtype=np.int64), *(one.rows for one in columns)])
        named = None if labels is None else tuple(labels[row] for row in rows.tolist())
        return cls(
            table=table,
            rows=rows,
            features=tuple(one.name for one in columns for _ in one.rows),
            values=tuple(value for one in columns for value in one.values),
            lower=tuple(value for one in columns for value in one.lower),
            upper=tuple(value for one in columns for value in one.upper),
            classes=tuple(value for one in columns for value in one.classes),
            conviction=np.concatenate([np.empty(0), *(one.conviction for one in columns)]),
            alpha=alpha,
            library=library,
            n_cases=n_cases,
            labels=named,
        )

    def __len__(self) -> int:
        return len(self.rows)

    def to_frame(self, backend: str | None = None, *, feature: str | None = None) -> Any:
        """Return a dataframe (pandas, polars or pyarrow: `backend`), one row per imputed cell.

        Rows go by their labels, if they have any. Values and interval ends are text if they are
        of several types. With `feature`, only the cells of this feature are returned, whose values
        are of one type.
        """
        feature = text_name(feature, self.features)
        if feature is not None and feature not in self.features:
            raise ParameterError(
                f"No cell of {feature!r} was imputed."
                + did_you_mean(feature, dict.fromkeys(self.features))
            )
        kept = [at for at, name in enumerate(self.features) if feature in (None, name)]
        return build_frame(
            {
                "row": self.row_names(kept),
                "feature": [self.features[at] for at in kept],
                "value": [self.values[at] for at in kept],
                "lower": [self.lower[at] for at in kept],
                "upper": [self.upper[at] for at in kept],
                "classes": [", ".join(map(str, self.classes[at])) for at in kept],
                "conviction": self.conviction[kept],
            },
            backend or self.library,
        )

    def row_names(self, cells: Sequence[int]) -> list[Any]:
        """Return what the rows of some imputed cells are called: labels, or else numbers."""
        if self.labels is None:
            return self.rows[list(cells)].tolist()
        return [self.labels[at] for at in cells]

    def to_dict(self) -> dict[str, Any]:
        """Return one dict per imputed cell, and the level of the intervals."""
        return {"alpha": self.alpha, "cells": [self._cell(at) for at in range(len(self))]}

    def _cell(self, at: int) -> dict[str, Any]:
        cell: dict[str, Any] = {
            "row": int(self.rows[at]),
            **({} if self.labels is None else {"label": json_value(self.labels[at])}),
            "feature": self.features[at],
            "value": json_value(self.values[at]),
            "conviction": float(self.conviction[at]),
        }
        if self.classes[at]:
            return {**cell, "classes": [json_value(one) for one in self.classes[at]]}
        return {
            **cell,
            "lower": json_value(self.lower[at]),
            "upper": json_value(self.upper[at]),
        }

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the least certain numbers with their intervals.

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
        from vicinal.plots.imputation import draw_imputation

        return draw_imputation(self, ax)

    def __repr__(self) -> str:
        return sheet_text(imputation_view(self))

    def _repr_html_(self) -> str:
        return sheet_html(imputation_view(self))
