"""Sums over the distance contributions of all cases, as familiarity needs them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.typing import Floats, Places

#: Shares below this are summed by a series, which nine terms bring to full precision.
_LIGHT = 0.004
#: Terms of that series.
TERMS = 10


@dataclass(frozen=True, eq=False)
class ContributionSums:
    """Sums over φ of all cases; the few with a large share of the total are listed.

    Parameters
    ----------
    count : float
        The weight of the cases.
    total, entropy : float
        Σ φ and Σ φ ln φ.
    light_mass : float
        The weight of the cases that are not listed.
    powers : ndarray of shape (TERMS − 1,)
        Of these, Σ φ, Σ φ², …
    heavy : ndarray of int
        Places of the cases that are listed.
    heavy_contribution, heavy_mass : ndarray
        Their φ and weight.
    """

    count: float
    total: float
    entropy: float
    light_mass: float
    powers: Floats
    heavy: Places
    heavy_contribution: Floats
    heavy_mass: Floats

    @classmethod
    def of(cls, contribution: Floats, mass: Floats) -> ContributionSums:
        """Sum up the contributions of cases of some weight.

        Examples
        --------
        >>> import numpy as np
        >>> from vicinal.conviction.contribution_sums import ContributionSums
        >>> sums = ContributionSums.of(np.array([1.0] * 999 + [9.0]), np.ones(1000))
        >>> sums.total, sums.heavy.tolist()
        (1008.0, [999])
        """
        total = float(mass @ contribution)
        heavy = (contribution > _LIGHT * total) & (mass > 0)
        light, light_mass = contribution[~heavy], mass[~heavy]
        return cls(
            float(mass.sum()),
            total,
            float(mass @ (contribution * np.log(contribution))),
            float(light_mass.sum()),
            np.array([light_mass @ light**t for t in range(1, TERMS)]),
            np.flatnonzero(heavy),
            contribution[heavy],
            mass[heavy],
        )
