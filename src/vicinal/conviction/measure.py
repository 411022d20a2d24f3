"""How conviction is measured: the choices, in one place."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

import numpy as np

from vicinal.formulas import SAME
from vicinal.typing import Floats
from vicinal.validation import check_parameters, current_name, current_parameters


def _accepts_old_names(cls: type[Measure]) -> type[Measure]:
    """Let a measure be made with the names that parameters had in the last release."""
    make = cls.__init__

    @wraps(make)
    def translate(self: Measure, *args: Any, **kwargs: Any) -> None:
        make(self, *args, **current_parameters(kwargs))

    cls.__init__ = translate  # type: ignore[method-assign]
    return cls


@_accepts_old_names
@dataclass(frozen=True)
class Measure:
    """What distance contribution and expectation mean.

    Parameters
    ----------
    n_neighbors : int, default 30
        Nearest cases whose distances make the distance contribution φ.
    n_reference : int, default 30
        Nearest cases whose own φ make the local expectation; at least 1.
    prior : float, default 0.2
        How much the mean φ of all cases counts beside the local one, from 0 to 1: the
        expectation is local^(1 − prior) · overall^prior. 0 is the paper's.
    terms : {"excess", "full"}, default "excess"
        What is averaged: distances above that of identical cases, D − 1.5, with the grain of the
        table added; or distances D.
    mean : {"harmonic", "geometric"}, default "harmonic"
        How the distances are averaged.
    rank_decay : float, default 1
        The j-th nearest case counts j^−rank_decay, in contributions and in expectations. 0 is the
        paper's: all count alike.

    Notes
    -----
    The excess of identical cases is 0, and a harmonic mean with a 0 in it is 0, however far the
    other neighbors are. So the excess is counted on top of the *grain* of the table, the excess
    that is usual between nearest cases: differences below it say little, and contributions stay
    finite and ordered among duplicates. It makes 0.7 mean the same in tables of few features,
    where neighbors are much closer than residuals, and of many, where they are not.

    A few nearest cases tell of a case's own place, many of its surroundings, and no one number
    suits all tables. With rank_decay 1 all numbers speak: 1/j is what the j-th nearest case
    weighs, but for an end effect, in an average of the plain means over all k, spread evenly on a
    log scale. Some prior, because anomalies live where cases are few and then expect each other.
    These defaults were chosen among many settings by their scores on the labeled tables of the
    anomaly benchmark, 19 of ODDS with nine of ADBench in view: what they score there is
    optimistic. On 35 other tables priors from 0 to 0.45 were alike.

    Examples
    --------
    >>> from vicinal.conviction.measure import Measure
    >>> Measure.of_paper()
    Measure(n_neighbors=10, n_reference=10, prior=0.0, terms='full', mean='harmonic', \
rank_decay=0.0)
    """

    n_neighbors: int = 30
    n_reference: int = 30
    prior: float = 0.2
    terms: str = "excess"
    mean: str = "harmonic"
    rank_decay: float = 1.0

    def __post_init__(self) -> None:
        check_parameters(vars(self))

    def __getattr__(self, name: str) -> Any:
        new = current_name(name)
        if new == name:
            raise AttributeError(f"A Measure has no {name!r}.", name=name, obj=self)
        return getattr(self, new)

    @classmethod
    def of_paper(cls, n_neighbors: int = 10) -> Measure:
        """Return the measure as the paper prints it."""
        return cls(n_neighbors, n_reference=n_neighbors, prior=0.0, terms="full", rank_decay=0.0)

    @classmethod
    def robust(cls, n_cases: int) -> Measure:
        """Return a measure for tables that already contain anomalies, perhaps in groups.

        Anomalies that resemble each other are each other's nearest cases, and expect each other.
        So more cases are asked, 3 √n, than such a group has, and the expectation is that of all.
        """
        k = max(1, round(3 * n_cases**0.5))
        return cls(n_neighbors=k, n_reference=k, prior=1.0, rank_decay=0.0)

    def within(self, mass: float) -> Measure:
        """Return the same measure with no more places than cases of this weight can take.

        One place more, so that there is room for a new row. What is measured is the same.

        Examples
        --------
        >>> from vicinal.conviction.measure import Measure
        >>> Measure(n_neighbors=10**9).within(99.0).n_neighbors
        100
        """
        most = math.ceil(mass) + 1
        if self.width <= most:
            return self
        return replace(
            self,
            n_neighbors=min(self.n_neighbors, most),
            n_reference=min(self.n_reference, most),
        )

    @property
    def width(self) -> int:
        """How many neighbors are looked up."""
        return max(self.n_neighbors, self.n_reference)

    def shares(self, counts: Floats) -> Floats:
        """Return what each neighbor counts, from the places that each takes.

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
        if self.rank_decay == 0:
            return counts
        last = np.cumsum(counts, axis=1)
        most = int(np.ceil(last[:, -1].max(initial=0.0)))
        worth = np.concatenate([[0.0], np.cumsum(np.arange(1, most + 1) ** -self.rank_decay)])
        places = np.arange(most + 1)
        return np.interp(last, places, worth) - np.interp(last - counts, places, worth)

    def base(self, grain: float) -> float:
        """Return what is taken from a distance: all but the excess and the grain, or nothing."""
        return SAME - grain if self.terms == "excess" else 0.0
