"""Values never seen in columns that do not vary: what the data tell is that all cases are equal.

Such a column has no residual and no weight: by it no case is nearer than another. But a new row
that differs there from all of n cases is surprising. By the rule of succession another value has
the probability 1 / (n + 2), so that its surprisal beyond that of the same value is ln(n + 1). How
far off the value is does not matter: a column without any spread has no unit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.fitted import Fitted, Rows
from vicinal.formulas import SAME, nominal_contrast
from vicinal.typing import Floats, Places

#: Numbers that differ by less than this share are the same but for rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Unseen:
    """The surprisal of values never seen in columns that do not vary.

    Parameters
    ----------
    terms : ndarray of shape (m, d)
        The term of each column against every case; 1.5 wherever nothing is new.
    shares : ndarray of shape (d,)
        What each such column counts in a distance, as any other column would.
    """

    terms: Floats
    shares: Floats

    @property
    def excess(self) -> Floats:
        """What each column adds to the mean excess of a row, of shape (m, d)."""
        return self.shares * (self.terms - SAME)

    def take(self, places: Places | slice) -> Unseen:
        """Return those of some rows."""
        return Unseen(self.terms[places], self.shares)

    def farther(self, distances: Floats, p: float) -> Floats:
        r"""Return distances (m, k) of these rows with the terms of such columns.

        Notes
        -----
        With W the weight of the columns that vary, and D their power mean,

        .. math:: D' = \Bigl(D^p + \sum_i \frac{w_i}{W} (s_i^p - 1.5^p)\Bigr)^{1/p},

        so that a row with nothing new keeps its distances, and with p = 1 the convictions are
        those of a metric in which constant columns count, too.
        """
        rows = np.flatnonzero((self.terms > SAME).any(axis=1))
        if not len(rows):
            return distances
        moved = distances.copy(order="K")
        terms, known = self.terms[rows], np.isfinite(distances[rows])
        least = np.where(known, np.maximum(distances[rows], SAME), SAME)
        if p == 0:
            found = least * np.exp(np.log(terms / SAME) @ self.shares)[:, None]
        else:
            top = np.maximum(least, terms.max(axis=1)[:, None])  # powers must not overflow
            ratio = (terms[:, None, :] / top[..., None]) ** p - (SAME / top[..., None]) ** p
            found = top * ((least / top) ** p + ratio @ self.shares) ** (1 / p)
        moved[rows] = np.where(known, found, np.inf)
        return moved


def unseen_values(fitted: Fitted, rows: Rows) -> Unseen | None:
    """Look for values that no case has, in columns that do not vary; None if there are none."""
    constants = fitted.cached(
        ("constants", tuple(rows.columns)), lambda: _constants(fitted, rows.columns)
    )
    terms = np.full(rows.values.shape, SAME)
    for column, value, mass in constants:
        given = rows.values[:, column]
        differs = np.abs(given - value) > _ROUNDING * abs(value)  # missing values do not
        terms[differs, column] += float(nominal_contrast(1.0 / (mass + 2.0), 2))
    if not (terms > SAME).any():
        return None
    weights = np.zeros(rows.values.shape[1])
    weights[[column for column, _, _ in constants]] = 1.0
    weights *= fitted.terms.weights
    varying = float(fitted.metric_of(rows.columns).weights.sum())
    return Unseen(terms, weights / (varying or float(weights.sum())))


def _constants(fitted: Fitted, columns: Places) -> list[tuple[int, float, float]]:
    """Return the columns with a single value, that value, and the weight of its cases."""
    found = []
    for column in columns[fitted.metric.weights[columns] == 0].tolist():
        if fitted.terms.weights[column] == 0:  # the user wants it so
            continue
        seen = fitted.distribution(column)
        counted = seen["mass"] > 0
        if counted.sum() == 1:
            found.append((column, float(seen["values"][counted][0]), float(seen["mass"].sum())))
    return found
