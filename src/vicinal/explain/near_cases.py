"""Compare cases with a row, feature by feature: values and the surprisal of the differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from vicinal.explain.explanation.parts import NearCases
from vicinal.formulas import SAME, power_mean
from vicinal.index.metric import Metric
from vicinal.index.terms import case_terms
from vicinal.prediction.predictor import Predictor
from vicinal.schema.decode import decode_rows
from vicinal.side_by_side import ONE_RESIDUAL
from vicinal.typing import Floats, Ints


def near_cases(
    predictor: Predictor,
    weighed: Metric,
    names: tuple[str, ...],
    query: Floats,
    cases: Ints,
    *,
    influences: Floats,
    outcomes: tuple[Any, ...],
    codes: Floats,
    background: float = 0.0,
    expected: Any = None,
) -> NearCases:
    """Compare cases with one encoded row, feature by feature; the rest is as in `NearCases`.

    The predictor's metric has the terms of the context; `weighed` also has the feature weights
    of the target (see `mean_metric`).
    """
    fitted, weights = predictor.fitted, weighed.weights
    columns = [fitted.schema.column(name) for name in names]
    terms = case_terms(
        fitted.index, query[None], cases[None], predictor.metric, threads=predictor.threads
    )[0]
    known = np.where(np.isnan(terms), SAME, terms)
    distances = np.full(len(cases), SAME)
    if weights.any():
        distances = power_mean(known, weights, weighed.p)
    values = fitted.index.rows(cases)
    # What is missing, in one of them or in both, is not known to differ.
    compared = ~np.isnan(values[:, columns]) & ~np.isnan(query[columns])
    return NearCases(
        numbers=cases,
        influences=influences,
        outcomes=outcomes,
        codes=codes,
        distances=np.asarray(distances, dtype=np.float64),
        names=names,
        values={
            name: tuple(decode_rows(values[:, column], fitted.schema.storage[column]))
            for name, column in zip(names, columns, strict=True)
        },
        terms=terms[:, columns],
        differs=compared & (known[:, columns] > ONE_RESIDUAL),
        weights=weights[columns] / (weights.sum() or 1.0),
        background=background,
        expected=expected,
        case_labels=fitted.labels.some(cases.tolist()),
    )
