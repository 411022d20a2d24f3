"""Shares of members drawn halfway towards even ones among the spaces that were chosen."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from vicinal.typing import Floats

#: Part of the members' shares that their spaces divide evenly.
EVEN_PART = 0.5


def even_shares(shares: Floats, spaces: Sequence[Hashable]) -> Floats:
    """Divide half of what all members have evenly among the spaces in which some have a share.

    What is chosen leave-one-out suits the cases at hand too well, and shares are the noisiest part
    of it: the losses of averages that differ in them alone are nearly equal. Even shares have no
    such noise, so that something between has the lower loss on new rows (the forecast combination
    puzzle). Nobody gets a share who had none, and members of one space keep their proportions.

    Parameters
    ----------
    shares : ndarray of shape (m, n + 1)
        The shares of n candidates, and of the prior, which keeps its own.
    spaces : sequence of length n
        The space of each candidate, or its spaces.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.learning.even_shares import even_shares
    >>> even_shares(np.array([[0.6, 0.2, 0.0, 0.2]]), ["ranks", "scores", "as given"])
    array([[0.5, 0.3, 0. , 0.2]])
    """
    places = [
        [at for at, one in enumerate(spaces) if one == space] for space in dict.fromkeys(spaces)
    ]
    sums = np.array([shares[:, own].sum(axis=1) for own in places])
    even = sums.sum(axis=0) / np.maximum((sums > 0).sum(axis=0), 1)
    evened = shares.copy()
    for own, of_space in zip(places, sums, strict=True):
        some = of_space > 0
        factor = np.ones_like(even)
        factor[some] += EVEN_PART * (even[some] / of_space[some] - 1.0)
        evened[:, own] *= factor[:, None]
    return evened
