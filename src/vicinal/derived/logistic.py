"""Ridge logistic regression, in several runs without some of the cases each.

The runs share the columns of the cases, so that one product has what each of them needs, and
they end one by one: what a run learns does not depend on the others.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from vicinal.typing import Bools, Floats, Places

#: A run ends when no slope of its mean loss exceeds this, or after so many steps.
TOLERANCE = 1e-3
MOST_STEPS = 200
#: Steps whose curvature is remembered, and halvings of a step that does not lower the loss.
MEMORY = 8
MOST_HALVINGS = 16
#: Share that a step must gain of what the slope promises.
LEAST_GAIN = 1e-4
#: Mass of a class that a run does not see.
UNSEEN = 1e-9


def logistic(
    design: Any, truth: Floats, weights: Floats, held: Bools, *, n_classes: int, penalty: float
) -> Floats:
    """Return coefficients without the intercept, which is not penalized: (runs, columns, width).

    Parameters
    ----------
    design : sparse matrix of shape (n, columns)
        The cases.
    truth : ndarray of shape (n,)
        Class codes.
    held : ndarray of bool of shape (runs, n)
        The cases that each run is learned without.
    penalty : float
        Strength of the penalty on half the sum of squares.
    """
    loss = _Loss(design, truth, np.where(held, 0.0, weights), n_classes, penalty)
    # Nothing is known of a class that a run does not see, nor of one that it sees alone.
    seen = loss.masses > 0
    told = seen & (seen.sum(axis=1) > 1)[:, None]
    return _descend(loss)[:, :-1] * told[:, None, n_classes - loss.width :]


class _Point(NamedTuple):
    """Coefficients of some runs with the intercept last, their mean loss, and its slopes."""

    at: Floats
    loss: Floats
    slopes: Floats


class _Loss:
    """The mean loss of each run: the log loss of its cases, and the penalty."""

    def __init__(
        self, design: Any, truth: Floats, weights: Floats, n_classes: int, penalty: float
    ) -> None:
        self.design, self.turned, self.penalty = design, design.T.tocsr(), penalty
        self.weights = weights  # (runs, n)
        self.codes = truth.astype(np.intp)
        self.width = n_classes if n_classes > 2 else 1
        each = [(weights * (self.codes == c)).sum(axis=1) for c in range(n_classes)]
        self.masses = np.stack(each, axis=1)  # (runs, classes)
        self.totals = np.maximum(self.masses.sum(axis=1), UNSEEN)

    def start(self) -> Floats:
        """Return no coefficients, and intercepts that fit the shares of the classes."""
        logs = np.log(np.maximum(self.masses, UNSEEN) / self.totals[:, None])
        out = np.zeros((len(logs), self.design.shape[1] + 1, self.width))
        out[:, -1] = logs if self.width > 1 else logs[:, 1:] - logs[:, :1]
        return out

    def __call__(self, at: Floats, runs: Places) -> _Point:
        """Return the loss of some runs, each at its own coefficients."""
        count, size = len(runs), self.design.shape[1]
        flat = at.transpose(1, 0, 2).reshape(size + 1, count * self.width)
        logits = (self.design @ flat[:-1] + flat[-1]).reshape(-1, count, self.width)
        weights, totals = self.weights[runs], self.totals[runs]
        losses, off = self._several(logits) if self.width > 1 else self._two(logits)
        off *= weights.T[:, :, None]
        off = off.reshape(len(off), -1)
        slopes = np.empty((size + 1, count, self.width))
        slopes[:-1] = (self.turned @ off).reshape(size, count, self.width)
        slopes[-1] = _sums(off.T).reshape(count, self.width)
        inner = at[:, :-1]
        loss = _sums(weights * losses.T) + self.penalty / 2 * _dot(inner, inner)
        slopes = np.ascontiguousarray(slopes.transpose(1, 0, 2))
        slopes[:, :-1] += self.penalty * inner
        return _Point(at, loss / totals, slopes / totals[:, None, None])

    def _two(self, logits: Floats) -> tuple[Floats, Floats]:
        """Return the log loss of each case in each run, and its slope by the logit."""
        signs = np.where(self.codes == 1, 1.0, -1.0)[:, None, None]
        margins = signs * logits
        small = np.exp(-np.abs(margins))  # never overflows
        losses = np.log1p(small) + np.maximum(-margins, 0.0)
        off = -signs * np.where(margins > 0, small, 1.0) / (1.0 + small)
        return losses[:, :, 0], off

    def _several(self, logits: Floats) -> tuple[Floats, Floats]:
        logits = logits - logits.max(axis=2, keepdims=True)
        parts = np.exp(logits)
        totals = parts.sum(axis=2)
        every = np.arange(len(logits))
        losses = np.log(totals) - logits[every, :, self.codes]
        off = parts / totals[:, :, None]
        off[every, :, self.codes] -= 1.0
        return losses, off


def _descend(loss: _Loss) -> Floats:
    """Lower the loss of all runs by L-BFGS."""
    out = loss.start()
    runs = np.arange(len(out))
    now, memory = loss(out, runs), _Memory()
    for _ in range(MOST_STEPS):
        going = np.abs(now.slopes).max(axis=(1, 2), initial=0.0) > TOLERANCE
        if not going.all():
            out[runs] = now.at
            runs, now = runs[going], _Point(*(part[going] for part in now))
            memory.keep(going)
        if not len(runs):
            return out
        step = memory.direction(now.slopes)
        following = _stepped(loss, now, step, runs)
        memory.add(following.at - now.at, following.slopes - now.slopes)
        now = following
    out[runs] = now.at
    return out


def _stepped(loss: _Loss, now: _Point, step: Floats, runs: Places) -> _Point:
    """Take a step in each run, halved until it lowers the loss."""
    slope = _dot(step, now.slopes)
    found = _Point(now.at.copy(), now.loss.copy(), now.slopes.copy())
    left, length = np.arange(len(runs)), 1.0
    for _ in range(MOST_HALVINGS):
        tried = loss(now.at[left] + length * step[left], runs[left])
        good = tried.loss <= now.loss[left] + LEAST_GAIN * length * slope[left]
        for old, new in zip(found, tried, strict=True):
            old[left[good]] = new[good]
        left, length = left[~good], length / 2
        if not len(left):
            break
    return found


class _Memory:
    """The last steps of the runs, which tell the curvature of the loss."""

    def __init__(self) -> None:
        self._steps: list[tuple[Floats, Floats, Floats]] = []

    def keep(self, which: Bools) -> None:
        """Forget the runs that have ended."""
        self._steps = [(a[which], b[which], c[which]) for a, b, c in self._steps]

    def add(self, step: Floats, change: Floats) -> None:
        """Remember a step, and how the slopes changed with it."""
        curve = _dot(step, change)
        inverse = np.where(curve > 0, 1.0 / np.where(curve > 0, curve, 1.0), 0.0)
        self._steps = [*self._steps[1 - MEMORY :], (step, change, inverse)]

    def direction(self, slopes: Floats) -> Floats:
        """Return where to go: down the slope, as far as the curvature suggests."""
        if not self._steps:
            return -slopes / np.maximum(np.sqrt(_dot(slopes, slopes)), 1.0)[:, None, None]
        way, parts = -slopes, []
        for step, change, inverse in reversed(self._steps):
            parts.append(inverse * _dot(step, way))
            way = way - parts[-1][:, None, None] * change
        _, change, inverse = self._steps[-1]
        squares = _dot(change, change)
        scale = np.where(inverse > 0, 1.0 / np.maximum(inverse * squares, 1e-300), 1.0)
        way = way * scale[:, None, None]
        for (step, change, inverse), part in zip(self._steps, reversed(parts), strict=True):
            way = way + (part - inverse * _dot(change, way))[:, None, None] * step
        return way


def _dot(one: Floats, other: Floats) -> Floats:
    return _sums((one * other).reshape(len(one), -1))


def _sums(rows: Floats) -> Floats:
    """Return the sum of each row, whose rounding does not depend on how many rows there are."""
    sums: Floats = np.ascontiguousarray(rows).sum(axis=1)
    return sums
