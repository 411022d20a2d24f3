"""The tail of surprise: how probable an ordinary row is that is more surprising than any seen.

Ranks among n cases say nothing below 1/n, and a p-value must be far below it to stand out among n
rows. So the scores of the most surprising fifth are fitted by a generalized Pareto distribution
that falls off no faster than exponentially, and p-values are means over all such distributions,
each by its likelihood.

Anomalies among the cases must not pass for the tail. Where gaps in the scores are far too wide for
an exponential tail, the cases beyond the outermost of them are left out, except that two fifths
of them may be ordinary.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.typing import Floats

#: The share of the cases that make the tail, and the number of them, at least.
_SHARE, _FEWEST = 0.2, 20

#: The chance that a tail without anomalies has such a gap, and the share of the cases beyond a
#: gap that count as ordinary.
_LEVEL, _ORDINARY = 3e-4, 0.4

#: Cases that are left out at a time, which bounds the memory.
_BLOCK = 4096

#: Differences of log conviction below this say nothing.
_FINEST = 0.02

#: Shapes, from exponential to heavy, and scales, as multiples of the mean, that are averaged.
_SHAPES = np.linspace(0.0, 0.25, 6)
_SCALES = np.exp(np.linspace(-1.5, 1.2, 40))


@dataclass(frozen=True, eq=False)
class Tail:
    """The distribution of the scores of ordinary rows, above a start.

    Parameters
    ----------
    start : float
        The score from which on the tail is fitted.
    above, mass : float
        Weight of the ordinary cases above the start, and of all.
    scales : ndarray of shape (t,)
        Scales of the distributions that are averaged.
    likelihood : ndarray of shape (s, t)
        The log likelihood of each shape and scale.
    farthest : float
        The highest score of the cases that the tail was fitted to.
    n_beyond : float
        Weight of the cases beyond a gap, which were left out.
    """

    start: float
    above: float
    mass: float
    scales: Floats
    likelihood: Floats
    farthest: float
    n_beyond: float

    def p_values(self, scores: Floats, own: Floats | None = None) -> Floats:
        """Return the probability of at least these scores; NaN below the start.

        Parameters
        ----------
        scores : ndarray of shape (m,)
            Scores of rows.
        own : ndarray of shape (m,), optional
            For rows that are cases which the tail was fitted to, their weights, else 0. A unit of
            it is left out: a case would otherwise make its own score more probable.

        Examples
        --------
        >>> import numpy as np
        >>> from vicinal.conviction.tail import fit_tail
        >>> scores = np.random.default_rng(0).exponential(size=500)
        >>> tail = fit_tail(scores)
        >>> tail.p_values(np.array([np.log(100), np.log(10_000)])).round(4)
        array([0.0135, 0.0007])
        """
        scores = np.asarray(scores, dtype=np.float64)
        unit = np.zeros(len(scores)) if own is None else np.minimum(own, 1.0)
        result = np.full(len(scores), np.nan)
        for start in range(0, len(scores), _BLOCK):
            some = start + np.flatnonzero(scores[start : start + _BLOCK] > self.start)
            result[some] = self._without(scores[some] - self.start, unit[some])
        return result

    def _without(self, above: Floats, unit: Floats) -> Floats:
        """Return p-values of excesses, each without so much of the weight of a case with it."""
        farthest = self.farthest - self.start
        beyond = above > farthest
        # Of the cases beyond a gap only a part counts, and as if at the farthest of the others.
        gone = unit * np.where(beyond, _ORDINARY, 1.0)
        likelihood = np.empty((*self.likelihood.shape, len(above)))
        for s, shape in enumerate(_SHAPES):
            for t, scale in enumerate(self.scales):
                survival = _log_survival(farthest / scale, shape)
                own = np.where(beyond, survival, _log_density(above, scale, shape))
                likelihood[s, t] = self.likelihood[s, t] - gone * own
        share = (self.above - gone + 1.0) / (self.mass - gone + 1.0)
        return share * self._survival(above, likelihood)

    def score_at(self, p: float) -> float:
        """Return the score that has this p-value, at most the share of the tail."""
        low, high = self.start, self.start + float(self.scales[-1])
        while self.p_values(np.array([high]))[0] > p:
            high = self.start + 2.0 * (high - self.start)
        for _ in range(100):
            middle = (low + high) / 2
            beyond = middle <= self.start or self.p_values(np.array([middle]))[0] > p
            low, high = (middle, high) if beyond else (low, middle)
        return high

    def _survival(self, above: Floats, likelihood: Floats) -> Floats:
        """Return the mean survival over shapes and scales, each by its likelihood."""
        posterior = np.exp(likelihood - likelihood.max(axis=(0, 1)))
        posterior = posterior / posterior.sum(axis=(0, 1))
        total = np.zeros(len(above))
        for shape, of_shape in zip(_SHAPES, posterior, strict=True):
            for scale, share in zip(self.scales, of_shape, strict=True):
                total += share * np.exp(_log_survival(above / scale, shape))
        return total


def fit_tail(scores: Floats, weights: Floats | None = None) -> Tail:
    """Fit the tail of the scores of cases; the higher, the more surprising.

    Parameters
    ----------
    scores : ndarray of shape (n,)
        Such as minus the log conviction.
    weights : ndarray of shape (n,), optional
        Case weights; 2 counts like a repeated case.
    """
    mass = np.ones(len(scores)) if weights is None else weights
    order = np.argsort(-scores, kind="stable")
    order = order[mass[order] > 0]
    scores, mass = scores[order], mass[order]
    size = min(max(_SHARE * mass.sum(), _FEWEST), mass.sum() - 1.0)
    beyond = _before_gap(scores, mass, size)
    n_beyond = float(mass[:beyond].sum())
    scores, mass = scores[beyond:], mass[beyond:]
    ordinary = _ORDINARY * n_beyond
    start, above = _start(scores, mass, size)
    excess, counts = scores[:above] - start, mass[:above]
    mean = max((counts @ excess + _FINEST) / (counts.sum() + 1.0), _FINEST)
    scales = mean * _SCALES
    return Tail(
        start,
        float(counts.sum() + ordinary),
        float(mass.sum() + ordinary),
        scales,
        _likelihood(excess, counts, ordinary, scales),
        float(scores[0]) if len(scores) else start,
        n_beyond,
    )


def _start(scores: Floats, mass: Floats, size: float) -> tuple[float, int]:
    """Return the score that at most so many cases exceed, and how many do; highest first."""
    if not len(scores):
        return 0.0, 0
    last = int(np.searchsorted(np.cumsum(mass), size * (1 + 1e-12), side="right"))
    start = float(scores[min(last, len(scores) - 1)])
    return start, int((scores > start).sum())


def _before_gap(scores: Floats, mass: Floats, size: float) -> int:
    """Return how many cases lie beyond the outermost improbable gap in the tail; 0 for none.

    Between a gap farther in and this one, ordinary cases and anomalies may lie side by side.
    In an exponential tail the gaps between neighboring scores, times the number of cases beyond,
    are independent and of one mean.
    """
    _, within = _start(scores, mass, size)
    if within == 0:
        return 0
    reached = np.cumsum(mass[:within])
    gaps = reached * (scores[:within] - scores[1 : within + 1])
    total, count = gaps.sum() - np.cumsum(gaps), reached[-1] - reached
    tried = reached <= size / 2
    # Of the inner gaps, as if there were one more of the finest width.
    ratio = np.log1p(gaps / (np.maximum(total, 0.0) + _FINEST))
    improbable = np.where(tried, count * ratio, 0.0)
    found = np.flatnonzero(improbable > np.log(max(size / 2, 1.0) / _LEVEL))
    return int(found[0]) + 1 if len(found) else 0


def _likelihood(excess: Floats, counts: Floats, ordinary: float, scales: Floats) -> Floats:
    """Return the log likelihood of each shape and scale."""
    logs = np.empty((len(_SHAPES), len(scales)))
    farthest = excess[0] if len(excess) else 0.0
    for s, shape in enumerate(_SHAPES):
        for t, scale in enumerate(scales):
            known = counts @ _log_density(excess, scale, shape)
            logs[s, t] = known + ordinary * _log_survival(farthest / scale, shape)
    return logs


def _log_density(excess: Floats, scale: float, shape: float) -> Floats:
    """Log density of a generalized Pareto variable."""
    return (1.0 + shape) * _log_survival(excess / scale, shape) - np.log(scale)


def _log_survival(ratio: Floats | float, shape: float) -> Floats:
    """Log probability that a generalized Pareto variable exceeds this multiple of its scale."""
    return np.asarray(-ratio if shape == 0 else -np.log1p(shape * np.asarray(ratio)) / shape)
