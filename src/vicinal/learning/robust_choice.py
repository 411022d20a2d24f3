"""Members chosen for rows that are attacked, too, where this costs next to nothing for others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from vicinal.typing import Floats

#: Share of the loss of attacked cases in what members are chosen by.
SHARE = 0.25
#: Part of the loss that may be lost where nobody attacks.
AFFORDABLE = 0.01


def robust_choice(choose: Callable[[float], Floats], loss: Callable[[Floats], float]) -> Floats:
    """Return the choice in which attacked cases have a share, or that without, if it costs more.

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
    >>> [robust_choice(np.array, lambda share: 1 + slope * share).item() for slope in (0.02, 0.2)]
    [0.25, 0.0]
    """
    plain, robust = choose(0.0), choose(SHARE)
    # In single precision, because rounding must not choose among equals.
    affordable = np.float32(loss(robust)) <= np.float32((1 + AFFORDABLE) * loss(plain))
    return robust if affordable else plain
