"""The slow twins of what explanations are made of: one row, one case at a time."""

from __future__ import annotations

import numpy as np

from tests.naive import distance as naive


def boundary(query, cases, metric, outcomes, is_other, count, exclude=None):
    """Numbers of the nearest cases whose outcome is another one; ties to the lower number."""
    found = []
    for number, case in enumerate(cases):
        if number == exclude or np.isnan(outcomes[number]) or not is_other(outcomes[number]):
            continue
        found.append((naive.distance(query, case, metric), number))
    return [number for _, number in sorted(found)[:count]]


def expected_error(prediction, influences, outcomes, background, mean, deviation):
    """Mean distance of outcomes from a prediction, each by the size of its influence.

    Those of the background are Laplace about the mean, with this mean absolute deviation.
    """
    gaps = [abs(outcome - prediction) for outcome in outcomes]
    total = sum(abs(a) * gap for a, gap in zip(influences, gaps, strict=True))
    off = abs(mean - prediction)
    rest = off + deviation * np.exp(-off / deviation) if deviation else off
    return (total + background * rest) / (sum(abs(a) for a in influences) + background)


def mean_error(influences, errors):
    """Mean of errors, each by the size of its case's influence."""
    total = sum(abs(share) for share in influences)
    return sum(abs(share) * e for share, e in zip(influences, errors, strict=True)) / total
