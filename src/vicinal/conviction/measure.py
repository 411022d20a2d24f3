"""How conviction is measured: the choices, in one place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.exceptions import ParameterError, did_you_mean
from vicinal.formulas import SAME

_FLAVOURS = ("excess", "full")
_MEANS = ("harmonic", "geometric")


@dataclass(frozen=True)
class Measure:
    """What distance contribution and expectation mean.

    Parameters
    ----------
    n_neighbors : int, default 5
        Nearest cases whose distances make the distance contribution φ.
    circle : int, default 30
        Nearest cases whose own φ make the local expectation; at least 1.
    prior : float, default 0.3
        How much the mean φ of all cases counts beside the local one, from 0 to 1: the
        expectation is local^(1 − prior) · overall^prior. 0 is the paper's.
    flavour : {"excess", "full"}, default "excess"
        What is averaged: distances above that of identical cases, D − 1.5, with the grain of the
        table added; or distances D.
    mean : {"harmonic", "geometric"}, default "harmonic"
        How the distances are averaged.

    Notes
    -----
    The excess of identical cases is 0, and a harmonic mean with a 0 in it is 0, however far the
    other neighbours are. So the excess is counted on top of the *grain* of the table, the excess
    that is usual between nearest cases: differences below it say little, and contributions stay
    finite and ordered among duplicates. It makes 0.7 mean the same in tables of few features,
    where neighbours are much closer than residuals, and of many, where they are not.

    The defaults were chosen once, on 19 ODDS tables: small k because φ is an inverse density, a
    wider circle because an expectation should be steadier than what it judges, and some prior
    because anomalies live where cases are few and then expect each other.

    Examples
    --------
    >>> from vicinal.conviction import Measure
    >>> Measure.of_paper()
    Measure(n_neighbors=10, circle=10, prior=0.0, flavour='full', mean='harmonic')
    """

    n_neighbors: int = 5
    circle: int = 30
    prior: float = 0.3
    flavour: str = "excess"
    mean: str = "harmonic"

    def __post_init__(self) -> None:
        for name in ("n_neighbors", "circle"):
            value = getattr(self, name)
            if not (isinstance(value, int | np.integer) and value >= 1):
                raise ParameterError(f"{name} must be a whole number, at least 1; got {value!r}.")
        if not 0 <= self.prior <= 1:
            raise ParameterError(f"prior must be from 0 to 1; got {self.prior!r}.")
        _one_of("flavour", self.flavour, _FLAVOURS)
        _one_of("mean", self.mean, _MEANS)

    @classmethod
    def of_paper(cls, n_neighbors: int = 10) -> Measure:
        """Return the measure as the paper prints it."""
        return cls(n_neighbors, circle=n_neighbors, prior=0.0, flavour="full")

    @classmethod
    def robust(cls, n_cases: int) -> Measure:
        """Return a measure for tables that already contain anomalies, perhaps in groups.

        Anomalies that resemble each other are each other's nearest cases, and expect each other.
        So more cases are asked, 3 √n, than such a group has, and the expectation is that of all.
        """
        k = max(1, round(3 * n_cases**0.5))
        return cls(n_neighbors=k, circle=k, prior=1.0)

    @property
    def width(self) -> int:
        """How many neighbours are looked up."""
        return max(self.n_neighbors, self.circle)

    def base(self, grain: float) -> float:
        """Return what is taken from a distance: all but the excess and the grain, or nothing."""
        return SAME - grain if self.flavour == "excess" else 0.0


def _one_of(name: str, value: object, known: tuple[str, ...]) -> None:
    if value not in known:
        options = ", ".join(map(repr, known))
        raise ParameterError(
            f"{name} must be one of {options}; got {value!r}." + did_you_mean(str(value), known)
        )
