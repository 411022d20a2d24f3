"""The loss of feature weights on left-out cases, and its descent, native."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal.index import _native
from vicinal.index.candidates import Candidates
from vicinal.index.pairs import Pairs
from vicinal.typing import Floats, Ints

#: Logarithms of weights stay within these bounds.
LOWEST, HIGHEST = -8.0, 6.0

#: Strength of the pull of each log weight towards its start.
PULL = 1e-3

#: Errors below this, in units of the outcomes given, count as if squared.
SMOOTH = 0.1


@dataclass(frozen=True, eq=False, kw_only=True)
class _LeftOutCases:
    """What is known of left-out cases, wherever the terms of others are.

    Parameters
    ----------
    rows : ndarray of int64 of shape (m,)
        Where each of them is among those that have terms.
    truth : ndarray of shape (m,)
        What the left-out cases have.
    prior : ndarray of shape (m,)
        Share of the true class; unused for numbers.
    weights : ndarray of shape (m,)
        Weights of the left-out cases; they sum to 1.
    start : ndarray of shape (d,)
        Log weights that the pull draws to.
    k : int
        Places; those nearest by the weights to begin with take them.
    classes : bool
        Whether outcomes are classes.
    mix : float
        Share of the prior in the probability of a class.
    """

    rows: Ints
    truth: Floats
    prior: Floats
    weights: Floats
    start: Floats
    k: int
    classes: bool
    mix: float


@dataclass(frozen=True, eq=False, kw_only=True)
class LeftOut(_LeftOutCases):
    """Left-out cases, each with a pool of others.

    Parameters
    ----------
    excess : ndarray of float32 of shape (any, d, pool)
        From `ExactIndex.excess`.
    places : ndarray of shape (m, pool)
        How many of the k places each would take: its weight; 0 where there is none.
    outcomes : ndarray of shape (m, pool)
        Class codes, or numbers.
    """

    excess: NDArray[np.float32]
    places: Floats
    outcomes: Floats

    def native(self) -> _native.Sample:
        """Return the sample as the kernels take it."""
        return _native.SampleOfTerms(**_contiguous(vars(self)), **_CONSTANTS)


@dataclass(frozen=True, eq=False, kw_only=True)
class LeftOutOfCandidates(_LeftOutCases):
    """Left-out cases, each with a pool of others, whose terms are worked out case by case.

    Parameters
    ----------
    candidates : Candidates
        The cases and their pools.
    coded : bool
        Whether the terms of those near enough are kept as bytes, good to 3 %.
    places, outcomes : ndarray of shape (m, pool)
        As those of `LeftOut`.
    """

    candidates: Candidates
    coded: bool
    places: Floats
    outcomes: Floats

    def native(self) -> _native.Sample:
        """Return the sample as the kernels take it."""
        given = _contiguous(vars(self))
        given |= given.pop("candidates")._asdict()
        return _native.SampleOfCandidates(**given, **_CONSTANTS)


@dataclass(frozen=True, eq=False, kw_only=True)
class LeftOutOfPairs(_LeftOutCases):
    """Left-out cases with the same pool.

    Parameters
    ----------
    pairs : Pairs
        The cases beside the pool, among which `rows` are.
    own : ndarray of int64 of shape (m,)
        Where each is in the pool: one unit of its weight is left out. −1 for nowhere.
    places, outcomes : ndarray of shape (pool,)
        The weights of the pool, all above 0, and class codes or numbers.
    """

    pairs: Pairs
    own: Ints
    places: Floats
    outcomes: Floats

    def native(self) -> _native.Sample:
        """Return the sample as the kernels take it."""
        given = _contiguous(vars(self)) | {"pairs": self.pairs.native}
        return _native.SampleOfPairs(**given, **_CONSTANTS)


#: Left-out cases in any of these forms.
Sample = LeftOut | LeftOutOfCandidates | LeftOutOfPairs

_CONSTANTS: dict[str, Any] = {"smooth": SMOOTH, "pull": PULL, "lowest": LOWEST, "highest": HIGHEST}


def _contiguous(given: dict[str, Any]) -> dict[str, Any]:
    return {
        name: np.ascontiguousarray(value) if isinstance(value, np.ndarray) else value
        for name, value in given.items()
    }


def weights_loss(sample: Sample, logs: Floats, *, path: str | None = None) -> tuple[float, Floats]:
    """Return the loss of log weights and its gradient."""
    return _native.entropy_loss(sample.native(), np.ascontiguousarray(logs), path)


def descend(sample: Sample, logs: Floats, iterations: int, *, path: str | None = None) -> Floats:
    """Lower the loss by L-BFGS within the bounds, and return the log weights reached."""
    return _native.descend(sample.native(), np.ascontiguousarray(logs), iterations, path)
