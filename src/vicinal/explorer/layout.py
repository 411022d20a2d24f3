"""Where each case is on the map: similar cases near each other, in two dimensions.

A sample of cases, the landmarks, is laid out by t-SNE on their surprisal distances, which keeps
neighbors together. All other cases are placed among their nearest landmarks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# scikit-learn imports pandas, if it is there. Were that left to the background, a question could
# meet a pandas that is half imported.
from sklearn.manifold import TSNE
from threadpoolctl import threadpool_limits

from vicinal.explorer.tasks import Report
from vicinal.fitted import Fitted
from vicinal.formatting.values import format_count
from vicinal.formulas import SAME
from vicinal.index.exact import ExactIndex
from vicinal.index.protocol import Found
from vicinal.index.sampling import content_order
from vicinal.typing import Floats, Ints

#: Cases that are laid out among each other, at most.
LANDMARKS = 1500
#: Landmarks that a case is placed among.
_NEAREST = 6
#: Fewer cases are laid out by their distances alone, since t-SNE needs neighbors and others.
_LEAST_FOR_TSNE = 12
_PERPLEXITY, _ITERATIONS = 30.0, 500
#: What stays empty at each edge of the map.
_MARGIN = 0.02


@dataclass(frozen=True, eq=False)
class Layout:
    """Places on the map, from 0 to 1; arrays run over `numbers`, ascending."""

    numbers: Ints
    x: Floats
    y: Floats
    n_landmarks: int


def lay_out(fitted: Fitted, report: Report) -> Layout:
    """Lay out all cases of a table."""
    index, seed = fitted.index, fitted.settings.random_state
    report(0.0, "Choosing landmarks")
    chosen, values = index.sample(LANDMARKS, random_state=seed)
    # By content, so that the map does not depend on the order of the rows.
    order = content_order(values)
    chosen, values = chosen[order], values[order]
    if not len(chosen):
        return Layout(chosen, np.empty(0), np.empty(0), 0)
    metric = fitted.metric_of(fitted.schema.columns(fitted.schema.names))
    landmarks = ExactIndex(values, index.kinds, scales=fitted.metric.residuals)
    gaps = _gaps_among(landmarks.search(values, metric, len(values), threads=fitted.threads))
    report(0.1, f"Laying out {format_count(len(values), 'case')}")
    places = arrange(gaps, seed)
    report(0.5, "Placing all cases")
    count, numbers, every = format_count(len(index), "case"), [], []
    done = 0
    for some, rows in index.blocks():
        near = landmarks.search(rows, metric, min(_NEAREST, len(values)), threads=fitted.threads)
        numbers.append(some)
        every.append(_between(near.indices, near.distances, places))
        done += len(some)
        report(0.5 + 0.5 * done / len(index), f"Placed {done} of {count}")
    placed = _scaled(np.concatenate(every))
    return Layout(np.concatenate(numbers), placed[:, 0], placed[:, 1], len(chosen))


def _gaps_among(found: Found) -> Floats:
    """Return the excess distances of cases that were each searched among all, symmetric."""
    gaps = np.zeros((len(found.indices), len(found.indices)))
    there = found.indices >= 0
    gaps[np.nonzero(there)[0], found.indices[there]] = found.distances[there] - SAME
    gaps = np.maximum(gaps + gaps.T, 0.0) / 2
    np.fill_diagonal(gaps, 0.0)
    return gaps


def arrange(gaps: Floats, seed: int) -> Floats:
    """Return places in the plane for points of given distances.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.explorer.layout import arrange
    >>> line = np.abs(np.arange(4.0)[:, None] - np.arange(4.0))
    >>> np.ptp(arrange(line, 0), axis=0).round(6).tolist()
    [3.0, 0.0]
    """
    first = _principal(gaps)
    if len(gaps) < _LEAST_FOR_TSNE or not np.ptp(first) > 0:
        return first
    spread = np.std(first[:, 0]) or 1.0
    drawn = TSNE(
        perplexity=min(_PERPLEXITY, (len(gaps) - 1) / 3),
        metric="precomputed",
        init=(first / spread * 1e-4).astype(np.float32),
        max_iter=_ITERATIONS,
        learning_rate="auto",
        random_state=seed,
    )
    # One thread: on a busy machine, threads that wait for each other at every step take longer.
    with threadpool_limits(1):
        placed: Floats = drawn.fit_transform(gaps).astype(np.float64)
    return placed if np.isfinite(placed).all() else first


def _principal(gaps: Floats) -> Floats:
    """Return the plane that keeps the distances best (classical scaling)."""
    if len(gaps) < 2:
        return np.zeros((len(gaps), 2))
    squares = gaps**2
    squares = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    from scipy.linalg import eigh

    count = len(gaps)
    sizes, vectors = eigh(-squares / 2, subset_by_index=(count - 2, count - 1))
    vectors = vectors[:, ::-1] * np.sqrt(np.maximum(sizes[::-1], 0.0))
    # The sign of an eigenvector is arbitrary.
    largest = vectors[np.abs(vectors).argmax(axis=0), [0, 1]]
    signed: Floats = vectors * np.where(largest < 0, -1.0, 1.0)
    return signed


def _between(indices: Ints, distances: Floats, places: Floats) -> Floats:
    """Return places among landmarks, much nearer to the nearest ones."""
    nearest = distances[:, :1]
    span = np.where(np.isfinite(distances), distances, nearest).max(axis=1, keepdims=True)
    scale = np.maximum(span - nearest, 1e-12) / 4
    with np.errstate(invalid="ignore"):
        shares = np.where(indices >= 0, np.exp(-(distances - nearest) / scale), 0.0)
    # A case that equals a landmark is where it is.
    shares[(nearest[:, 0] <= SAME + 1e-9) & (span[:, 0] > SAME + 1e-9), 1:] = 0.0
    shares /= shares.sum(axis=1, keepdims=True)
    return np.einsum("ij,ijk->ik", shares, places[np.maximum(indices, 0)])


def _scaled(places: Floats) -> Floats:
    """Return places from 0 to 1, with the same scale in both directions."""
    low, high = places.min(axis=0), places.max(axis=0)
    span = float((high - low).max())
    if not span > 0:
        return np.full(places.shape, 0.5)
    middle = (low + high) / 2
    return 0.5 + (places - middle) / span * (1 - 2 * _MARGIN)
