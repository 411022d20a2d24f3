"""Alternative representations: numbers with few distinct values may be codes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vicinal.index.kinds import NOMINAL, NUMERIC
from vicinal.index.metric import Metric, TermSettings
from vicinal.index.protocol import Index
from vicinal.learning.reference import Reference
from vicinal.learning.residuals import learn_from

#: Numbers with at most this many distinct values may be codes. Whether they are integers does not
#: matter: a change of unit must not change the result.
FEW = 12
#: With up to this many they still may, if each occurs often enough.
MANY = 64
#: Number of cases used to learn the residuals of such a representation.
QUERIES = 128


def representations(
    index: Index,
    settings: TermSettings,
    metric: Metric,
    *,
    k: int,
    random_state: int = 0,
    threads: int | None = None,
) -> dict[str, Metric]:
    """Return the metric as it is, and with columns of few values treated as categories.

    Returns
    -------
    dict of str to Metric
        By name: ``"as given"``, and if they differ ``"few as categories"`` and ``"codes as
        categories"``.
    """
    found = {"as given": metric}
    reference = None
    columns = np.flatnonzero((settings.kinds == NUMERIC) & (settings.weights > 0))
    found_sizes = index.reduce("sizes", columns=columns, most=MANY)
    sizes = dict(zip(columns.tolist(), found_sizes["sizes"].tolist(), strict=True))
    seen: list[list[int]] = [[]]
    mass = index.reduce("mass")
    cases = max(int(mass["count"]), int(mass["mass"]))
    limits = {
        "few as categories": min(FEW, cases // 3),
        "codes as categories": min(MANY, cases // 5),
    }
    for name, limit in limits.items():
        few = [column for column, size in sizes.items() if 2 < size <= limit]
        if few in seen:
            continue
        seen.append(few)
        kinds = settings.kinds.copy()
        kinds[few] = NOMINAL
        if reference is None:
            reference = Reference.of(index, random_state=random_state)
        found[name] = learn_from(
            reference,
            replace(settings, kinds=kinds),
            k=k,
            # Learned weights compensate for contrasts, so these need not converge; the residuals
            # of the unchanged columns are close to their previous values.
            start=np.where(kinds == NOMINAL, np.nan, metric.residuals),
            max_rounds=1,
            max_queries=QUERIES,
            threads=threads,
        ).metric
    return found
