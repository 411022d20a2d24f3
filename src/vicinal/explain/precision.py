"""When estimated contributions are precise enough."""

from __future__ import annotations

import numpy as np

from vicinal.explain.case_samples import summed
from vicinal.influence.target import Target
from vicinal.typing import Bools, Floats

#: Standard errors of a row are to be within this part of how much the target varies.
ENOUGH = 0.05


def is_precise(errors: Floats, target: Target) -> Bools:
    """Say which rows have standard errors (m, d, width) within `ENOUGH` of the target's variation.

    This is their root mean square over features; for classes, of all probabilities together.
    """
    scale = target.scale
    if target.n_classes:  # a standard deviation is 5/4 of a mean absolute one, about
        scale = 0.8 * float(np.sqrt(np.sum(target.shares * (1 - target.shares))))
    if not scale > 0:
        return np.asarray(~errors.any(axis=(1, 2)))
    squares = (errors / (ENOUGH * scale)) ** 2
    return np.asarray(summed(summed(squares, 2), 1) <= errors.shape[1])
