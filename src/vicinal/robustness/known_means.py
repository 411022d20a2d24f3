"""What members of an ensemble are known to say at least, handed on from a box to its parts."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from vicinal.typing import Bools, Floats, Places


@dataclass(frozen=True, eq=False)
class KnownMeans:
    """Lower bounds of the means of members within a box, which hold within its parts, too.

    With these and with what members say about the row itself, those are looked at first of which
    the most may still be proved, and no more than needed.

    Parameters
    ----------
    own : ndarray of shape (members, rivals)
        What the members say about the row itself. Nothing is proved by it.
    by_fold : dict of int to ndarray of shape (members, rivals)
        The bounds, for each fold that rows may be in.
    """

    own: Floats
    by_fold: dict[int, Floats] = field(default_factory=dict)

    def of(self, fold: int, nothing: Floats) -> Floats:
        """Return the bounds of a fold, to be raised; by default those that always hold."""
        if fold not in self.by_fold:
            self.by_fold[fold] = np.tile(nothing, (len(self.own), 1))
        return self.by_fold[fold]

    def take(self, rivals: Bools) -> KnownMeans:
        """Return a copy for some of the rivals."""
        some = {fold: found[:, rivals] for fold, found in self.by_fold.items()}
        return KnownMeans(self.own[:, rivals], some)

    def order(self, found: Floats, shares: Floats) -> Places:
        """Return the members, those first of which the most may still be proved."""
        return np.argsort(-shares * (self.own - found).max(axis=1), kind="stable")

    def hopeless(self, found: Floats, shares: Floats, rest: Places, missing: Floats) -> bool:
        """Return whether too much is missing, if the rest says no more than of the row itself.

        This may be wrong, so that a box is divided which need not be.
        """
        more = np.maximum(self.own[rest] - found[rest], 0.0)
        return bool((shares[rest] @ more < missing).any())
