"""The distance metric."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vicinal.exceptions import ParameterError
from vicinal.index import _native
from vicinal.index.kinds import NOMINAL
from vicinal.index.missing import missing_terms, random_pair_term
from vicinal.index.shared_supports import SharedSupports
from vicinal.typing import Bools, Floats, Ints, Places

if TYPE_CHECKING:
    from vicinal.index.support import Support


_LEAST_POWER = 1e-9

#: Directions in which influences are centered, at most: the ones that matter most. With more, the
#: few neighbors would be balanced in what is mostly noise.
MOST_DIRECTIONS = _native.MOST_DIRECTIONS


@dataclass(frozen=True, eq=False)
class TermSettings:
    """What terms need besides residuals; see `Metric`."""

    kinds: NDArray[np.uint8]
    periods: Floats
    weights: Floats
    p: float
    distinct: Bools


@dataclass(frozen=True, eq=False)
class Metric:
    """Everything that turns two encoded cases into a distance; arrays run over the columns.

    Parameters
    ----------
    kinds : ndarray of uint8
        0 numeric (continuous, ordinal), 1 cyclic, 2 nominal.
    residuals : ndarray
        Numeric and cyclic: the residual, in the units of the column. Nominal: the contrast, the
        surprisal of another category above that of the same one.
    periods : ndarray
        Period of the cyclic columns, 0 elsewhere.
    weights : ndarray
        At least 0, in any unit; a column of weight 0 does not count.
    p : float
        Power of the mean, at least 0.
    supports : tuple of Support
        The observed distribution of each column: a value against a missing one costs the
        expectation of the term over it, two missing values the expectation over both.
    distinct : ndarray of bool
        Columns where "missing" is a value of its own instead: equal to itself, and as far from
        every other as two values drawn at random (nominal: as another category).
    """

    kinds: NDArray[np.uint8]
    residuals: Floats
    periods: Floats
    weights: Floats
    p: float
    supports: tuple[Support, ...]
    distinct: Bools

    def __post_init__(self) -> None:
        if not (np.isfinite(self.p) and self.p >= 0):
            raise ParameterError(f"p must be a finite number, at least 0; got {self.p}.")
        if (self.weights < 0).any() or not np.isfinite(self.weights).all():
            worst = int(np.argmax((self.weights < 0) | ~np.isfinite(self.weights)))
            raise ParameterError(
                f"Feature weights must be finite and not negative; got {self.weights[worst]} "
                f"in column {worst}."
            )

    @cached_property
    def active(self) -> Places:
        """Columns that count, ascending."""
        return np.flatnonzero(self.weights > 0)

    @cached_property
    def total(self) -> float:
        """The sum of the weights."""
        return float(self.weights.sum())

    @cached_property
    def directions(self) -> tuple[Ints, Floats]:
        """The columns that offsets have, the heaviest, and the factor of each.

        It is the square root of the weight, for nominal columns times that of the contrast.
        """
        active = self.active
        if len(active) > MOST_DIRECTIONS:
            heaviest = np.argsort(-self.weights[active], kind="stable")[:MOST_DIRECTIONS]
            active = np.sort(active[heaviest])
        contrasts = np.where(self.kinds[active] == NOMINAL, self.residuals[active], 1.0)
        return active.astype(np.int64), np.sqrt(contrasts * self.weights[active])

    def restricted(self, columns: Places) -> Metric:
        """Return the metric of these columns alone."""
        weights = np.zeros_like(self.weights)
        weights[columns] = self.weights[columns]
        return self.with_weights(weights)

    def heaviest(self, most: int) -> Metric:
        """Return the metric of so many columns of most weight, and of those that tie with them."""
        if len(self.active) <= most:
            return self
        least = np.partition(self.weights, -most)[-most]
        return self.restricted(np.flatnonzero(self.weights >= least))

    def with_weights(self, weights: Floats) -> Metric:
        """Return the same terms with other weights."""
        reweighed = replace(self, weights=np.asarray(weights, dtype=np.float64))
        # These do not depend on the weights.
        reweighed.__dict__["random_pairs"] = self.random_pairs
        reweighed.__dict__["shared_supports"] = self.shared_supports
        if "native" in self.__dict__:
            reweighed.__dict__["known_pairs"] = self.native.both_missing
        return reweighed

    def taken(self, columns: Places) -> Metric:
        """Return the metric of rows that have these of the columns only, in this order."""
        taken = Metric(
            kinds=self.kinds[columns],
            residuals=self.residuals[columns],
            periods=self.periods[columns],
            weights=self.weights[columns],
            p=self.p,
            supports=tuple(self.supports[column] for column in columns.tolist()),
            distinct=self.distinct[columns],
        )
        # Those of a column do not depend on the others.
        for name in ("random_pairs", "known_pairs"):
            if name in self.__dict__:
                taken.__dict__[name] = self.__dict__[name][columns]
        return taken

    @cached_property
    def known_pairs(self) -> Floats:
        """The terms of two missing values that the kernels have worked out; NaN elsewhere."""
        return np.full(len(self.kinds), np.nan)

    @cached_property
    def random_pairs(self) -> Floats:
        """The expected term of two values drawn from a column whose missing values are distinct.

        NaN for the others, where the kernels work it out.
        """
        pairs = np.full(len(self.kinds), np.nan)
        for column in np.flatnonzero(self.distinct).tolist():
            pairs[column] = random_pair_term(self, column)
        return pairs

    @cached_property
    def shared_supports(self) -> SharedSupports:
        """The supports as the kernels take them, of all metrics that have the same ones."""
        return SharedSupports.of(self.supports)

    @cached_property
    def native(self) -> _native.Metric:
        """The metric as the kernels take it."""
        one_missing, both_missing = missing_terms(self)
        return _native.make_metric(
            kinds=self.kinds,
            residuals=self.residuals,
            periods=self.periods,
            weights=self.weights,
            one_missing=one_missing,
            both_missing=both_missing,
            supports=self.shared_supports.native,
            # Powers of so small a p are all 1 but for rounding, and it is 0 but for as much.
            p=float(self.p) if self.p >= _LEAST_POWER else 0.0,
        )

    def __getstate__(self) -> dict[str, Any]:
        # The native twin, and what comes of it, is made again where it is needed.
        made = ("native", "known_pairs", "shared_supports")
        return {key: value for key, value in self.__dict__.items() if key not in made}
