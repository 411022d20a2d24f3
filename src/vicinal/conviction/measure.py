"""How conviction is measured: the choices, in one place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vicinal.exceptions import ParameterError, did_you_mean
from vicinal.formulas import SAME

Floats = NDArray[np.float64]

#: The residual of a prediction in surprisal space, where every residual is its own unit.
RESIDUAL = 1.0

_FLAVOURS = {"full": 0.0, "excess": RESIDUAL}
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
        What is averaged: distances above the expected residual, D − 1, or distances D.
    mean : {"harmonic", "geometric"}, default "harmonic"
        How the distances are averaged.

    Notes
    -----
    In surprisal space a residual is 1 nat, whatever the feature. Two measurements of the same
    thing are 1.5 apart (`SAME`): one residual, and ½ because the other one is uncertain too. So
    the excess of identical cases is ½, never 0, and φ stays finite and ordered among duplicates.

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
        _one_of("flavour", self.flavour, tuple(_FLAVOURS))
        _one_of("mean", self.mean, _MEANS)

    @classmethod
    def of_paper(cls, n_neighbors: int = 10) -> Measure:
        """Return the measure as the paper prints it."""
        return cls(n_neighbors, circle=n_neighbors, prior=0.0, flavour="full")

    @property
    def width(self) -> int:
        """How many neighbours are looked up."""
        return max(self.n_neighbors, self.circle)

    @property
    def least(self) -> float:
        """The distance contribution of a case with identical ones around it."""
        return SAME - _FLAVOURS[self.flavour]

    def surprisals(self, distances: Floats) -> Floats:
        """Return distances in this flavour."""
        # Where no feature counts the engine says 0; then all cases are the same.
        return np.maximum(distances, SAME) - _FLAVOURS[self.flavour]


def _one_of(name: str, value: object, known: tuple[str, ...]) -> None:
    if value not in known:
        options = ", ".join(map(repr, known))
        raise ParameterError(
            f"{name} must be one of {options}; got {value!r}." + did_you_mean(str(value), known)
        )
