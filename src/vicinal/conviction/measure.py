"""How conviction is measured: the choices, in one place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.exceptions import ParameterError, did_you_mean
from vicinal.formulas import SAME
from vicinal.typing import Floats

_FLAVOURS = ("excess", "full")
_MEANS = ("harmonic", "geometric")


@dataclass(frozen=True)
class Measure:
    """What distance contribution and expectation mean.

    Parameters
    ----------
    n_neighbors : int, default 30
        Nearest cases whose distances make the distance contribution φ.
    circle : int, default 30
        Nearest cases whose own φ make the local expectation; at least 1.
    prior : float, default 0.2
        How much the mean φ of all cases counts beside the local one, from 0 to 1: the
        expectation is local^(1 − prior) · overall^prior. 0 is the paper's.
    flavour : {"excess", "full"}, default "excess"
        What is averaged: distances above that of identical cases, D − 1.5, with the grain of the
        table added; or distances D.
    mean : {"harmonic", "geometric"}, default "harmonic"
        How the distances are averaged.
    fade : float, default 1
        The j-th nearest case counts j^−fade, in contributions and in expectations. 0 is the
        paper's: all count alike.

    Notes
    -----
    The excess of identical cases is 0, and a harmonic mean with a 0 in it is 0, however far the
    other neighbours are. So the excess is counted on top of the *grain* of the table, the excess
    that is usual between nearest cases: differences below it say little, and contributions stay
    finite and ordered among duplicates. It makes 0.7 mean the same in tables of few features,
    where neighbours are much closer than residuals, and of many, where they are not.

    A few nearest cases tell of a case's own place, many of its surroundings, and no one number
    suits all tables. With fade 1 all numbers speak: 1/j is what the j-th nearest case weighs, but
    for an end effect, in an average of the plain means over all k, spread evenly on a log scale.
    Some prior, because anomalies live where cases are few and then expect each other. These
    defaults were chosen among many settings by their scores on the labelled tables of the anomaly
    benchmark, 19 of ODDS with nine of ADBench in view: what they score there is optimistic. On 35
    other tables priors from 0 to 0.45 were alike.

    Examples
    --------
    >>> from vicinal.conviction.measure import Measure
    >>> Measure.of_paper()
    Measure(n_neighbors=10, circle=10, prior=0.0, flavour='full', mean='harmonic', fade=0.0)
    """

    n_neighbors: int = 30
    circle: int = 30
    prior: float = 0.2
    flavour: str = "excess"
    mean: str = "harmonic"
    fade: float = 1.0

    def __post_init__(self) -> None:
        for name in ("n_neighbors", "circle"):
            value = getattr(self, name)
            if not (isinstance(value, int | np.integer) and value >= 1):
                raise ParameterError(f"{name} must be a whole number, at least 1; got {value!r}.")
        if not 0 <= self.prior <= 1:
            raise ParameterError(f"prior must be from 0 to 1; got {self.prior!r}.")
        if not 0 <= self.fade < np.inf:
            raise ParameterError(f"fade must be a number, at least 0; got {self.fade!r}.")
        _one_of("flavour", self.flavour, _FLAVOURS)
        _one_of("mean", self.mean, _MEANS)

    @classmethod
    def of_paper(cls, n_neighbors: int = 10) -> Measure:
        """Return the measure as the paper prints it."""
        return cls(n_neighbors, circle=n_neighbors, prior=0.0, flavour="full", fade=0.0)

    @classmethod
    def robust(cls, n_cases: int) -> Measure:
        """Return a measure for tables that already contain anomalies, perhaps in groups.

        Anomalies that resemble each other are each other's nearest cases, and expect each other.
        So more cases are asked, 3 √n, than such a group has, and the expectation is that of all.
        """
        k = max(1, round(3 * n_cases**0.5))
        return cls(n_neighbors=k, circle=k, prior=1.0, fade=0.0)

    @property
    def width(self) -> int:
        """How many neighbours are looked up."""
        return max(self.n_neighbors, self.circle)

    def shares(self, counts: Floats) -> Floats:
        """Return what each neighbour counts, from the places that each takes.

        Parameters
        ----------
        counts : ndarray of shape (m, k)
            Places taken, nearest first: 1 each, or what case weights make of them.

        Examples
        --------
        >>> import numpy as np
        >>> from vicinal.conviction.measure import Measure
        >>> Measure().shares(np.array([[1.0, 1.0, 1.0], [2.0, 0.5, 0.0]])).round(3).tolist()
        [[1.0, 0.5, 0.333], [1.5, 0.167, 0.0]]
        """
        if self.fade == 0:
            return counts
        last = np.cumsum(counts, axis=1)
        most = int(np.ceil(last[:, -1].max(initial=0.0)))
        worth = np.concatenate([[0.0], np.cumsum(np.arange(1, most + 1) ** -self.fade)])
        places = np.arange(most + 1)
        return np.interp(last, places, worth) - np.interp(last - counts, places, worth)

    def base(self, grain: float) -> float:
        """Return what is taken from a distance: all but the excess and the grain, or nothing."""
        return SAME - grain if self.flavour == "excess" else 0.0


def _one_of(name: str, value: object, known: tuple[str, ...]) -> None:
    if value not in known:
        options = ", ".join(map(repr, known))
        raise ParameterError(
            f"{name} must be one of {options}; got {value!r}." + did_you_mean(str(value), known)
        )
