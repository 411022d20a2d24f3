"""The cases that rows are judged among: all of them, or a sample where they are too many."""

from __future__ import annotations

from dataclasses import replace
from warnings import warn

import numpy as np

from vicinal.fitted import Fitted, Rows
from vicinal.index.exact import ExactIndex

#: Cases that rows are judged among where not all cases are in memory.
MOST_JUDGED = 50_000


def judged_among(fitted: Fitted, rows: Rows) -> tuple[Fitted, Rows]:
    """Return the cases that rows are judged among, and the rows as these cases see them.

    To judge a row takes the distances of all cases to each other. Where the cases are in shards
    and too many to be gathered, a sample by content stands for them, and a warning says so. A
    stored case that is not in the sample is judged like a new row.
    """
    if len(fitted.index) <= fitted.index.at_once:
        return fitted, rows
    among = fitted.cached("judged among", lambda: _sampled(fitted))
    if rows.exclude is None:
        return among, rows
    there = among.index.contains(rows.exclude)
    exclude = np.where(there, rows.exclude, -1) if there.any() else None
    return among, replace(rows, exclude=exclude)


def _sampled(fitted: Fitted) -> Fitted:
    index = fitted.index
    numbers, values = index.sample(MOST_JUDGED, random_state=fitted.settings.random_state)
    warn(
        f"Convictions compare rows with a sample of {len(numbers)} of {len(index)} stored cases.",
        UserWarning,
        stacklevel=2,
    )
    sample = ExactIndex.of_cases(
        numbers, values, index.kinds, index.weights_of(numbers), next_number=index.next_number
    )
    return replace(fitted, index=sample, learned={}, _kept={}, _version=0)
