"""Impute missing values from the other columns, with the uncertainty of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from vicinal.fitted import Fitted, Rows
from vicinal.influence.answer import Answer
from vicinal.prediction.conformal import Calibration, calibrate
from vicinal.prediction.interval import interval_ends
from vicinal.quality.effort import EFFORTS
from vicinal.quality.filler import ColumnFiller, Filler
from vicinal.quality.imputation import Imputation, ImputedColumn
from vicinal.schema.align import table_names
from vicinal.schema.decode import decode
from vicinal.stored_cases import StoredCases
from vicinal.tables.reading_labels import column_labels
from vicinal.tables.rows import as_rows
from vicinal.tables.table import read_table
from vicinal.tables.write_cells import write_cells
from vicinal.typing import Bools, Floats, Ints
from vicinal.validation import check_parameters

#: Added to the expected error of classes, so that convictions stay finite.
_LEAST_ERROR = 1e-3


def impute(
    fitted: Fitted,
    table: Any = None,
    *,
    effort: str = "medium",
    alpha: float = 0.1,
    intervals: bool = True,
) -> Imputation:
    """Impute the missing values of a table, with the uncertainty of each.

    Each column is predicted from the others, using the stored cases in which it is observed; of
    more than 250,000 a sample, from which intervals and convictions are learned, too.
    Missing values of the context are imputed first, so that a few in many columns do no harm.
    Columns are learned when first needed, and cached.

    Parameters
    ----------
    table : table, optional
        Rows to impute, in any form that `fit` accepts; they may have only some of the columns. By
        default the stored cases.
    effort : {"low", "medium", "high"}, default "medium"
        Computing time per column: ``"low"`` weights features by their residuals alone,
        ``"medium"`` learns weights for each column from a few hundred cases, ``"high"`` from
        as many as a prediction does, and imputes in one more pass.
    alpha : float, default 0.1
        Share of the prediction intervals and sets that may miss the true value.
    intervals : bool, default True
        Whether to estimate the uncertainty of each cell. False is faster; intervals and sets are
        then empty, and convictions NaN.

    Returns
    -------
    Imputation
        The imputed table, in the form of the input, and for every imputed cell a prediction
        interval or set and a conviction. Columns without any value stay empty. Imputed numbers
        lie within the range of the stored ones, and on their step: counts stay whole, and prices
        have whole cents.

    Examples
    --------
    >>> import vicinal
    >>> from vicinal.data import load_penguins
    >>> penguins = load_penguins()
    >>> model = vicinal.Model().fit(penguins)
    >>> row = {"species": ["Gentoo"], "flipper_length_mm": [230], "body_mass_g": [None]}
    >>> imputed = model.impute(row, effort="low")
    >>> imputed.features, 5000 < imputed.table["body_mass_g"][0] < 6000
    (('body_mass_g',), True)
    """
    check_parameters({"effort": effort, "alpha": alpha})
    whole, rows, names, labels = _read(fitted, table)
    filler = fitted.cached(("filler", effort), lambda: Filler(fitted, EFFORTS[effort]))
    context = filler.context(rows.values) if np.isnan(rows.values).any() else rows.values
    columns, cells = [], {}
    for feature, name in zip(rows.names, names, strict=True):
        column = fitted.schema.column(feature)
        missing = np.flatnonzero(np.isnan(rows.values[:, column]))
        if len(missing) and filler.knows(column):
            learned = filler.column(column)
            given = filler.queries(_without(context[missing], column))
            incomplete = filler.queries(rows.values[missing]) if intervals else given
            answered = _cautious_answer(learned, given, incomplete)
            known = None
            if intervals:
                known = fitted.cached(
                    ("confidence", effort, column), partial(_learn_confidence, filler, column)
                )
            columns.append(
                _imputed_column(fitted, column, rows.numbers[missing], answered, known, alpha)
            )
            cells[name] = (missing, columns[-1].values)
    made = write_cells(whole, cells)
    return Imputation.of(made, columns, alpha, fitted.library, filler.n_cases, labels)


def _read(
    fitted: Fitted, table: Any
) -> tuple[Any, Rows, tuple[str, ...], Mapping[int, Any] | None]:
    """Return the table to write to, its encoded rows, its names of the features, its labels."""
    if table is None or isinstance(table, StoredCases):
        rows = fitted.rows(table)
        known = fitted.labels_of(rows)
        labels = None if known is None else dict(zip(rows.numbers.tolist(), known, strict=True))
        return decode(rows.values, fitted.schema), rows, rows.names, labels
    whole, single = as_rows(table)
    read = read_table(whole)
    own: Any = read.labels if single is None else single
    if fitted.labels.column is not None and fitted.labels.column in read.names:
        own = column_labels(read, fitted.labels.column)
    pairs = zip(read.names, table_names(read, fitted.schema), strict=True)
    names = tuple(written for written, name in pairs if name in fitted.schema)
    labels = None if own is None else dict(enumerate(own))
    return whole, fitted.rows(read, all_new=True), names, labels


def _without(context: Floats, column: int) -> Floats:
    """Return rows without a column: its earlier imputed values must not count as known."""
    rows = context.copy()
    rows[:, column] = np.nan
    return rows


class _Confidence(NamedTuple):
    """Leave-one-out errors, and the errors that were expected."""

    calibration: Calibration
    #: Mean expected error: for numbers the local scale, for classes the probability of all classes
    #: but the predicted one.
    expected: float


def _imputed_column(
    fitted: Fitted,
    column: int,
    rows: Ints,
    answered: Answer,
    known: _Confidence | None,
    alpha: float,
) -> ImputedColumn:
    """Return the imputed cells of a column, with intervals or sets and convictions if known."""
    feature = fitted.schema.storage[column]
    possible = fitted.domain(column).nearest(answered.values)
    lower = upper = [None] * len(rows)
    classes: list[tuple[Any, ...]] = [()] * len(rows)
    conviction = np.full(len(rows), np.nan)
    if known is not None:
        conviction = known.expected / _expected_errors(answered, known.calibration)
        if answered.probabilities is not None:
            categories = feature.categories or ()
            limits = known.calibration.limits(alpha, len(categories))
            # A class without any case has no probability, and no limit either.
            within = (1.0 - answered.probabilities <= limits) & (answered.probabilities > 0)
            # The set always contains the predicted class, so none is empty.
            within[np.arange(len(within)), answered.values.astype(np.intp)] = True
            classes = [tuple(categories[i] for i in np.flatnonzero(one)) for one in within]
        else:
            assert answered.spread is not None
            half = known.calibration.quantile(alpha) * known.calibration.scale(answered.spread)
            ends = interval_ends(fitted, answered.values, half, column, imputed=possible)
            lower, upper = (end.tolist() for end in ends)
    values = fitted.decoded(possible, column).tolist()
    return ImputedColumn(feature.name, rows, values, lower, upper, classes, conviction)


def _learn_confidence(filler: Filler, column: int) -> _Confidence:
    """Impute cases as if they lacked the column, and return the calibration of the errors.

    The missing values of their context are imputed again, because those known so far were
    imputed from the column, too.
    """
    learned = filler.column(column)
    index = learned.target.index
    cases, tuned = filler.left_out(column)
    rows = _without(filler.cases(cases), column)
    imputed = _without(filler.context(rows), column)
    answered = _cautious_answer(
        learned, filler.queries(imputed), filler.queries(rows), exclude=cases
    )
    if tuned is not None and not learned.target.period:
        others = np.delete(rows, column, axis=1)
        answered = _as_tuned(answered, tuned, np.array(~np.isnan(others).any(axis=1)))
    calibration = calibrate(learned.target, cases, answered)
    errors = _expected_errors(answered, calibration)
    weights = index.weights_of(cases)
    expected = float(np.average(errors, weights=weights)) if len(errors) else np.nan
    return _Confidence(calibration, expected)


def _as_tuned(answered: Answer, tuned: Floats, complete: Bools) -> Answer:
    """Take the predictions of tuning for complete rows: by metrics learned from other cases."""
    known = complete & ~np.isnan(tuned).any(axis=1)
    if answered.probabilities is not None:
        given = np.where(known[:, None], tuned, answered.probabilities)
        return replace(answered, values=given.argmax(axis=1).astype(float), probabilities=given)
    return replace(answered, values=np.where(known, tuned[:, 0], answered.values))


def _expected_errors(answered: Answer, calibration: Calibration) -> Floats:
    """Return the expected error of each prediction."""
    if answered.probabilities is not None:
        return np.maximum(1.0 - answered.probabilities.max(axis=1), 0.0) + _LEAST_ERROR
    assert answered.spread is not None
    return calibration.scale(answered.spread)


def _cautious_answer(
    learned: ColumnFiller, imputed: Floats, incomplete: Floats, *, exclude: Ints | None = None
) -> Answer:
    """Impute a column, no more certain than without the imputed values of the others.

    The values are those of the rows (m, 2 d) with their other missing values imputed.
    """
    sure = learned.answer(imputed, exclude)
    rows = np.flatnonzero((np.isnan(incomplete) & ~np.isnan(imputed)).any(axis=1))
    if not len(rows):
        return sure
    unsure = learned.answer(incomplete[rows], None if exclude is None else exclude[rows])
    if sure.probabilities is not None:
        assert unsure.probabilities is not None
        probabilities = sure.probabilities.copy()
        probabilities[rows] = (probabilities[rows] + unsure.probabilities) / 2
        return replace(sure, probabilities=probabilities)
    assert sure.spread is not None
    assert unsure.spread is not None
    spread = sure.spread.copy()
    spread[rows] = np.maximum(spread[rows], unsure.spread)
    return replace(sure, spread=spread)
