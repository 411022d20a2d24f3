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


def local_scale(prediction, influences, outcomes, background, mean, usual):
    """Standard deviation of outcomes about a prediction, and half the usual error, or else 1."""
    squares = [(outcome - prediction) ** 2 for outcome in outcomes]
    total = sum(abs(a) * square for a, square in zip(influences, squares, strict=True))
    return np.sqrt(total + background * (mean - prediction) ** 2) + (usual / 2 or 1.0)


def mean_error(influences, errors):
    """Mean of errors, each by the size of its case's influence."""
    total = sum(abs(share) for share in influences)
    return sum(abs(share) * e for share, e in zip(influences, errors, strict=True)) / total
