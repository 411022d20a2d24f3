"""Numbers of few values may be codes: other ways to read the columns of a table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vicinal.index.metric import NOMINAL, NUMERIC, Metric
from vicinal.learning.reference import Reference
from vicinal.learning.residuals import MOST_REFERENCE, TermSettings, learn_from
from vicinal.typing import Floats

#: Numbers with at most so many distinct values may well be codes. Whether they are whole is not
#: asked: another unit would change that, and must change nothing.
FEW = 12
#: With up to so many they still may, if each comes often enough.
MANY = 64
#: Cases that tell the residuals of such a reading.
QUERIES = 128


def representations(
    values: Floats,
    settings: TermSettings,
    metric: Metric,
    *,
    k: int,
    case_weights: Floats | None = None,
    random_state: int = 0,
    threads: int | None = None,
) -> dict[str, Metric]:
    """Return the metric as it is, and with columns of few values read as categories.

    Parameters
    ----------
    values : ndarray of shape (n, d)
        Encoded cases.
    settings : TermSettings
        How the columns are read so far.
    metric : Metric
        The metric of that reading.
    k, case_weights, random_state, threads
        As in `learn_residuals`, for the residuals of the other representations.

    Returns
    -------
    dict of str to Metric
        By name: ``"as given"``, and where they differ ``"few as categories"`` and ``"codes as
        categories"``.
    """
    found = {"as given": metric}
    reference = None
    if case_weights is not None:
        values, case_weights = values[case_weights > 0], case_weights[case_weights > 0]
    sizes = _code_sizes(values, settings)
    seen: list[list[int]] = [[]]
    cases = len(values) if case_weights is None else max(len(values), int(case_weights.sum()))
    limits = {
        "few as categories": min(FEW, cases // 3),
        "codes as categories": min(MANY, cases // 5),
    }
    for name, limit in limits.items():
        columns = [column for column, size in sizes.items() if 2 < size <= limit]
        if columns in seen:
            continue
        seen.append(columns)
        kinds = settings.kinds.copy()
        kinds[columns] = NOMINAL
        if reference is None:
            reference = Reference(values, case_weights, MOST_REFERENCE, random_state=random_state)
        found[name] = learn_from(
            reference,
            replace(settings, kinds=kinds),
            k=k,
            # Weights that are learned make up for contrasts, so these need not be settled; what
            # the columns have that are read as before is not far from where it was.
            start=np.where(kinds == NOMINAL, np.nan, metric.residuals),
            max_rounds=1,
            max_queries=QUERIES,
            threads=threads,
        ).metric
    return found


def _code_sizes(values: Floats, settings: TermSettings) -> dict[int, int]:
    """Count the distinct values of each used column of numbers, where they are few."""
    sizes = {}
    for column in np.flatnonzero((settings.kinds == NUMERIC) & (settings.weights > 0)):
        seen = values[~np.isnan(values[:, column]), column]
        # Most columns have too many; the first rows show it.
        if len(np.unique(seen[: 4 * MANY])) <= MANY:
            sizes[int(column)] = len(np.unique(seen))
    return sizes
