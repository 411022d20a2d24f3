"""Samples of the cases of a large table, from which coalitions of features are predicted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.index.sampling import sampling_order
from vicinal.prediction.extended_cases import ExtendedCases
from vicinal.prediction.predictor import Predictor
from vicinal.typing import Floats, Ints

#: So many samples of so many cases each; tables with fewer cases are not sampled.
SAMPLES, SAMPLE_SIZE = 16, 1 << 13


@dataclass(frozen=True, eq=False)
class CaseSample:
    """Some of the cases, as a predictor searches them."""

    numbers: Ints  # ascending
    cases: ExtendedCases

    def places(self, exclude: Ints | None) -> Ints | None:
        """Return the numbers that cases to leave out have here, −1 for those that are not here."""
        if exclude is None:
            return None
        at = np.minimum(np.searchsorted(self.numbers, exclude), len(self.numbers) - 1)
        return np.where(self.numbers[at] == exclude, at, -1)


def samples_of(
    predictor: Predictor, baseline: str = "auto", *, most: int | None = None
) -> list[CaseSample]:
    """Return samples that have no case in common; none if all cases are to predict.

    Parameters
    ----------
    most : int, optional
        Larger tables are sampled; by default those that have more cases than all samples.
    """
    count = SAMPLES * SAMPLE_SIZE
    if baseline == "all" or len(predictor.index) <= (count if most is None else most):
        return []
    key = ("case samples", predictor.column, *predictor.context.tolist())
    return predictor.fitted.cached(key, lambda: _draw(predictor, count))


def _draw(predictor: Predictor, count: int) -> list[CaseSample]:
    seed = predictor.fitted.settings.random_state
    numbers, values = predictor.index.sample(count, random_state=seed, required=predictor.column)
    order = sampling_order(values, random_state=seed + 1)
    n_samples = max(1, len(numbers) // SAMPLE_SIZE)
    parts = [np.sort(numbers[order[first::n_samples]]) for first in range(n_samples)]
    return [CaseSample(one, predictor.cases.among(one)) for one in parts]


def adjusted(values: Floats, wanted: Floats) -> Floats:
    """Make contributions (m, d, width) sum to what is `wanted` (m, width).

    Each feature takes its share in the sizes of the contributions, all classes together, so that
    one without any effect keeps none and the contributions to all classes still sum to 0.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.explain.case_samples import adjusted
    >>> adjusted(np.array([[[3.0], [-1.0], [0.0]]]), np.array([[2.4]]))[0, :, 0]
    array([ 3.3, -0.9,  0. ])
    """
    size = summed(np.abs(values), 2)
    total = summed(size, 1)[:, None]
    even = np.full_like(size, 1.0 / max(size.shape[1], 1))
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(total > 0, size / total, even)
    return values + share[:, :, None] * (wanted - summed(values, 1))[:, None, :]


def summed(values: Floats, axis: int) -> Floats:
    """Add up one after the other, whatever the number of rows."""
    return np.moveaxis(np.cumsum(values, axis=axis), axis, 0)[-1]
