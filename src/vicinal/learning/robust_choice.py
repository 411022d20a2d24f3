"""How much members may be chosen for rows that are attacked, at next to no cost for others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from vicinal.typing import Floats

#: Shares of the loss of attacked cases in what members are chosen by, largest first.
SHARES = (0.5, 0.25, 0.1)
#: Part of the loss that may be lost where nobody attacks.
AFFORDABLE = 0.05


def robust_choice(choose: Callable[[float], Floats], loss: Callable[[Floats], float]) -> Floats:
    """Return the choice by the largest share that is affordable, or by none.

    Parameters
    ----------
    choose : callable
        Chooses members by a mean of two losses, of which that of attacked cases has this share.
    loss : callable
        The loss of such a choice where cases are, each by what others choose.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.learning.robust_choice import robust_choice
    >>> robust_choice(np.array, lambda share: 1 + 0.2 * float(share)).item()
    0.25
    """
    plain = choose(0.0)
    # In single precision, because rounding must not choose among equals.
    most = np.float32((1 + AFFORDABLE) * loss(plain))
    each = (choose(share) for share in SHARES)
    return next((chosen for chosen in each if np.float32(loss(chosen)) <= most), plain)
