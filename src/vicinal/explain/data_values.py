"""The value of each training case to some predictions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vicinal.exceptions import TableError
from vicinal.explain.case_shapley import CaseShapley
from vicinal.fitted import Fitted, Rows
from vicinal.formatting.durations import shared_unit
from vicinal.formatting.sheet_html import sheet_html
from vicinal.formatting.sheet_text import sheet_text
from vicinal.influence.answer import combine
from vicinal.prediction.predictor import Predictor, learn
from vicinal.progress import track
from vicinal.tables.case_labels import NO_LABELS, CaseLabels
from vicinal.tables.to_frame import build_frame
from vicinal.typing import Floats, Ints, Places
from vicinal.validation import check_parameter
from vicinal.views.data_values import data_values_view

#: Maximum size of an array in memory at a time.
_MOST_NUMBERS = 1 << 20
#: Cases that are ranked by distance for each row, unless others are asked for.
MOST_RANKED = 1 << 14


@dataclass(frozen=True, eq=False)
class DataValues:
    """The value of each training case to the predictions of some rows.

    Parameters
    ----------
    cases : ndarray of int64
        Case numbers.
    influence : ndarray
        Sum of the case's influences over the rows; together with the baseline that all cases
        share, the influences sum to the number of rows.
    harm : ndarray
        Share of the case in the errors. The absolute error of a row is Σ a (y − truth), with the
        sign of the error, and each case contributes one term; for classes, the error is the
        probability not given to the true class. Negative for cases that reduce the errors. (For
        cyclic targets, whose means are directions, the sum approximates the error.)
    shapley : ndarray or None
        Mean over the rows of the case's exact Shapley value in an unweighted k-NN, in the same
        spaces: its contribution to the share of correct neighbors, or for numbers to the
        reduction of the squared error relative to the mean outcome. None if cases have weights,
        for which there is no closed form. See `n_ranked`.
    background_harm : float
        The part of the errors that comes from the baseline and not from single cases.
    mae : float
        Mean absolute error over the rows.
    n_rows : int
        Number of rows that were predicted.
    library : str, optional
        The dataframe library of the fitted table, which `to_frame` uses by default.
    in_seconds : bool
        Whether harm and errors are seconds: those of dates, times and durations. `to_frame` has
        a unit that fits, and Shapley values in its square.
    of_numbers : bool
        Whether Shapley values are of squared errors.
    n_ranked : int, optional
        How many cases were ranked by distance for the Shapley values of a row, if not all. The
        others count as equally far, so that no value of a class is off by more than 1/n_ranked.

    Examples
    --------
    A wrong label does harm:

    >>> import numpy as np
    >>> import vicinal
    >>> x = np.arange(40.0)
    >>> label = np.where(x < 20, "low", "high")
    >>> label[5] = "high"
    >>> model = vicinal.Model(influence="probability").fit({"x": x, "label": label})
    >>> rows = {"x": x[:20], "label": ["low"] * 20}
    >>> model.data_values(rows, "label").worst(1).tolist()
    [5]
    """

    cases: Ints
    influence: Floats
    harm: Floats
    shapley: Floats | None
    background_harm: float
    mae: float
    n_rows: int
    library: str | None = None
    case_labels: CaseLabels = NO_LABELS
    in_seconds: bool = False
    of_numbers: bool = False
    n_ranked: int | None = None

    def __len__(self) -> int:
        return len(self.cases)

    def worst(self, n: int = 10) -> Ints:
        """Return the numbers of the cases most responsible for the errors."""
        return self.cases[self._order[:n]]

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe (pandas, polars or pyarrow: `backend`), most harmful cases first."""
        columns: dict[str, Any] = {"case": self.case_labels.listed(self.cases[self._order])}
        for name in ("influence", "harm", "shapley"):
            if (values := getattr(self, name)) is not None:
                columns[name] = values[self._order]
        if self.in_seconds:
            unit, seconds = shared_unit(self.harm.tolist())
            columns["harm"] = columns["harm"] / seconds
            if self.shapley is not None:
                columns["shapley"] = columns["shapley"] / seconds**2
            columns["unit"] = [unit] * len(self)
        return build_frame(columns, backend or self.library)

    @property
    def _order(self) -> Places:
        return np.argsort(-self.harm, kind="stable")

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the most harmful and the most helpful cases.

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
        from vicinal.plots.data_values import draw_data_values

        return draw_data_values(self, ax)

    def __repr__(self) -> str:
        return sheet_text(data_values_view(self))

    def _repr_html_(self) -> str:
        return sheet_html(data_values_view(self))


def data_values(
    fitted: Fitted,
    rows: Any,
    target: str,
    *,
    context: Iterable[str] | None = None,
    k: int | None = None,
    max_ranked: int | None = MOST_RANKED,
) -> DataValues:
    """Measure the value of each training case to the predictions of some rows.

    Parameters
    ----------
    rows : table or None
        Rows with the true values of the target. None uses the training cases, each predicted
        from the others (leave-one-out).
    target : str
        The feature to predict. Rows where it is missing are ignored.
    context : list of str, optional
        Features to predict from; by default all columns of the rows except the target.
    k : int, optional
        Number of neighbors of the unweighted k-NN used for Shapley values; `n_neighbors` by
        default.
    max_ranked : int, optional
        Number of cases that are ranked by distance for each row, for Shapley values: 16,384 by
        default, and all with None. In larger tables the others count as equally far, in any of
        all orders; their Shapley values are exact otherwise. No value of a class is off by more
        than one by this number, where the values of the nearest cases are about 1/k.

    Returns
    -------
    DataValues
        Influence, share in the errors, and Shapley value of every training case.
    """
    k = fitted.settings.n_neighbors if k is None else k
    check_parameter("k", k)
    if max_ranked is not None:
        check_parameter("max_ranked", max_ranked)
    asked = fitted.rows(rows, target, context)
    if asked.table is not None and target not in asked.table.names:
        raise TableError(
            f"The rows lack {target!r}; the value of a case is measured against the true values "
            "of the target, so add this column to the rows."
        )
    predictor = learn(fitted, target, asked.columns)
    truth = fitted.truth(asked, target, strict=True)
    return value_cases(predictor, asked, truth, int(k), max_ranked)


def value_cases(
    predictor: Predictor, rows: Rows, truth: Floats, k: int, ranked: int | None = MOST_RANKED
) -> DataValues:
    """Sum the influence of every case and its share in the errors.

    Rows without a known outcome are ignored. Shapley values are those of a k-NN with this k.
    """
    rows, truth = rows.take(~np.isnan(truth)), truth[~np.isnan(truth)]
    index, target = predictor.index, predictor.target
    numbers = np.concatenate([np.empty(0, dtype=np.int64), *(one for one, _ in index.blocks())])
    size = int(numbers[-1]) + 1 if len(numbers) else 0
    influence, harm = np.zeros(size), np.zeros(size)
    errors, rest = 0.0, 0.0
    weighted = index.weights_of(numbers) is not None
    most = len(index) if ranked is None else min(ranked, len(index))
    shapley = CaseShapley(predictor, numbers, k, most)
    batch = max(1, _MOST_NUMBERS // max(most, 1))
    starts = range(0, len(rows), batch)
    batches = zip(starts, rows.batches(batch), strict=True)
    for start, some in track(batches, total=len(starts), what="valuing cases"):
        true = truth[start : start + batch]
        found = predictor.influences(some)
        there = found.indices >= 0
        outcomes = target.outcomes_of(found.indices)
        if target.n_classes:
            wrong = (outcomes != true[:, None]).astype(np.float64)
            seen = true < target.n_classes
            own = np.where(seen, true, 0).astype(np.intp)
            left = 1.0 - np.where(seen, target.shares[own], 0.0)
        else:
            said = combine(found, target).values[:, None]
            near = target.near(true[:, None], said)
            signs = np.sign(said - near)
            wrong = signs * (target.near(outcomes, said) - near)
            left = (signs * (target.near(target.mean, said) - near))[:, 0]
        parts = np.where(there, found.shares * wrong, 0.0)
        np.add.at(influence, found.indices[there], found.shares[there])
        np.add.at(harm, found.indices[there], parts[there])
        rest += found.background * float(left.sum())
        errors += float(parts.sum()) + found.background * float(left.sum())
        if not weighted:
            shapley.add(some, true)
    count = max(len(rows), 1)
    return DataValues(
        cases=numbers,
        influence=influence[numbers],
        harm=harm[numbers],
        shapley=None if weighted else shapley.total()[numbers] / count,
        background_harm=rest,
        mae=errors / count,
        n_rows=len(rows),
        library=predictor.fitted.library,
        case_labels=predictor.fitted.labels.some(numbers.tolist()),
        in_seconds=predictor.fitted.schema.storage[predictor.column].in_seconds,
        of_numbers=not target.n_classes,
        n_ranked=most if most < len(index) and not weighted else None,
    )
