"""Cases that dominate a column, judged by residuals that are learned without them.

A case that is far from all others in a column widens its residual, which is a mean error, so that
its conviction is bounded by the number of cases, however far it is. Among heavy tails it would not
stand out. So a case that makes up more than half of all deviations in a column, of which there is
at most one for each, is judged as if it had not been there when residuals were learned.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vicinal.conviction.baseline import Baseline
from vicinal.conviction.results import convictions_of
from vicinal.fitted import Fitted, Rows
from vicinal.index.exact import ExactIndex
from vicinal.index.kinds import NUMERIC
from vicinal.learning.fit import residuals_of


def similarity_without(fitted: Fitted, stored: Baseline) -> dict[int, float]:
    """Return the similarity conviction of cases that dominate a column, by case number."""
    if stored.sampled or len(fitted.index) > fitted.index.at_once:
        return {}
    key = ("dominating", tuple(stored.metric.active), stored.measure)
    return fitted.cached(
        key, lambda: {case: _judged(fitted, stored, case) for case in _dominating(fitted, stored)}
    )


def _dominating(fitted: Fitted, stored: Baseline) -> list[int]:
    metric, found = stored.metric, set()
    for column in metric.active[metric.kinds[metric.active] == NUMERIC].tolist():
        seen = fitted.distribution(column)
        values, mass = seen["values"], seen["mass"]
        if len(values) < 2:
            continue
        middle = values[np.searchsorted(np.cumsum(mass), mass.sum() / 2)]
        with np.errstate(over="ignore"):
            away = np.abs(values - middle)
            total = float(mass @ away)
        place = int(away.argmax())
        # Of a weight above 1, or of several cases, the rest would remain.
        if seen["counts"][place] == 1 and min(mass[place], 1.0) * away[place] > total / 2:
            cells = fitted.index.cells(stored.numbers, column)
            found.add(int(stored.numbers[np.flatnonzero(cells == values[place])[0]]))
    return sorted(found)


def _judged(fitted: Fitted, stored: Baseline, case: int) -> float:
    """Return the conviction of a case as a new row of the table without it."""
    others = stored.numbers[stored.numbers != case]
    values, weights = fitted.index.rows(others), fitted.index.weights_of(others)
    learned = residuals_of(values, fitted.terms, fitted.settings, weights)
    rest = replace(
        fitted,
        metric=learned.metric,
        index=ExactIndex(values, fitted.index.kinds, weights),
        learned={},
        estimates={},
        _kept={},
        _version=-1,
    )
    row = Rows(fitted.index.rows([case]), (), stored.metric.active)
    judged = convictions_of(rest, row, stored.measure, with_familiarity=False, baseline="all")
    return float(judged.similarity[0])
