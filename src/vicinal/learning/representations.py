"""Numbers of few values may be codes: other ways to read the columns of a table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vicinal.index.kinds import NOMINAL, NUMERIC
from vicinal.index.metric import Metric, TermSettings
from vicinal.index.protocol import Index
from vicinal.learning.reference import Reference
from vicinal.learning.residuals import learn_from

#: Numbers with at most so many distinct values may well be codes. Whether they are whole is not
#: asked: another unit would change that, and must change nothing.
FEW = 12
#: With up to so many they still may, if each comes often enough.
MANY = 64
#: Cases that tell the residuals of such a reading.
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
    """Return the metric as it is, and with columns of few values read as categories.

    Returns
    -------
    dict of str to Metric
        By name: ``"as given"``, and where they differ ``"few as categories"`` and ``"codes as
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
            # Weights that are learned make up for contrasts, so these need not be settled; what
            # the columns have that are read as before is not far from where it was.
            start=np.where(kinds == NOMINAL, np.nan, metric.residuals),
            max_rounds=1,
            max_queries=QUERIES,
            threads=threads,
        ).metric
    return found
