"""Spaces with a small share in predictions, which take fewer orders of the features."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from vicinal.influence.ensemble import Ensemble
from vicinal.influence.target import Target
from vicinal.typing import Floats

#: Parts of the orders that spaces of small shares may take.
_PARTS = (0.5, 0.25, 0.125)


@dataclass(frozen=True)
class SpaceGroup:
    """Spaces of an ensemble that contribute along the same orders.

    Parameters
    ----------
    spaces : tuple of int
        Their numbers.
    share : float
        Their share in predictions; the background, which all cases share, is in the first group.
    part : float
        The part of the orders that they take.
    """

    spaces: tuple[int, ...]
    share: float
    part: float

    def joined(self, others: Iterable[SpaceGroup]) -> SpaceGroup:
        """Return one group of all, which takes all orders."""
        every = [self, *others]
        spaces = sorted(one for group in every for one in group.spaces)
        return SpaceGroup(tuple(spaces), sum(group.share for group in every), 1.0)


def space_groups(ensemble: Ensemble, target: Target) -> list[SpaceGroup]:
    """Divide the spaces into those that take all orders, and those that take a part of them.

    A prediction is the sum of what the spaces predict by their shares, so contributions are, too,
    and the errors of a small share matter little. With shares a and b that take n and p · n
    orders, errors that vary together have the variance (a² + 2ab + b² ÷ p) ÷ n; the division has
    the least variance for its time. There is one group if predictions are no such sum: those of
    cyclic numbers, and of classes whose influences may be negative.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.explain.space_shares import divided
    >>> divided(np.array([0.15, 0.85])), divided(np.array([0.5, 0.5]))[1]
    (([1], 0.125), 0.5)
    """
    used = sorted({member.space for member in ensemble.members})
    whole = SpaceGroup(tuple(used), 1.0, 1.0)
    shares = np.array(list(additive_shares(ensemble, target).values()))
    if not len(shares):
        return [whole]
    first, part = divided(shares)
    if part == 1.0:
        return [whole]
    rest = [at for at in range(len(used)) if at not in first]
    small = float(shares[rest].sum())
    return [
        SpaceGroup(tuple(used[at] for at in first), whole.share - small, 1.0),
        SpaceGroup(tuple(used[at] for at in rest), small, part),
    ]


def additive_shares(ensemble: Ensemble, target: Target) -> dict[int, float]:
    """Return the share of each space in predictions; none if predictions are no such sum."""
    negative = any(member.rule == "linear" for member in ensemble.members)
    if target.period or (target.n_classes and negative):
        return {}
    used = sorted({member.space for member in ensemble.members})
    return {one: sum(m.share for m in ensemble.members if m.space == one) for one in used}


def divided(shares: Floats) -> tuple[list[int], float]:
    """Return the places of the spaces that take all orders, and what part the others take."""
    order = np.argsort(-shares, kind="stable")
    total, best = float(shares.sum()), (len(shares) * float(shares.sum()) ** 2, len(shares), 1.0)
    for count in range(1, len(shares)):
        large = float(shares[order[:count]].sum())
        small = total - large
        for part in _PARTS:
            time = count + part * (len(shares) - count)
            variance = large**2 + 2 * large * small + small**2 / part
            best = min(best, (time * variance, count, part))
    _, count, part = best
    return sorted(order[:count].tolist()), part
