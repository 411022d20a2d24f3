"""Several metrics and rules that answer together; their influences are averaged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vicinal.index import ExactIndex, Metric
from vicinal.prediction.influences import influence_shares, scaled_offsets, total_excess

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Space:
    """A learned metric: where neighbours are sought."""

    metric: Metric
    name: str = ""


@dataclass(frozen=True)
class Member:
    """One way to turn the neighbours of a space into influences, and its share of the answer."""

    space: int
    rule: str
    bandwidth: float
    ridge: float
    share: float


@dataclass(frozen=True, eq=False)
class Ensemble:
    """How a target is predicted.

    Parameters
    ----------
    target : int
        Column of the target.
    spaces : tuple of Space
        The metrics.
    members : tuple of Member
        Their shares and `background` sum to 1.
    k : int
        Neighbours sought in each space.
    background : float
        Share of the answer that all cases have alike: what is expected before anything is known
        of the query.
    """

    target: int
    spaces: tuple[Space, ...]
    members: tuple[Member, ...]
    k: int
    background: float


@dataclass(frozen=True, eq=False)
class Influences:
    """The cases behind each prediction.

    Parameters
    ----------
    indices : ndarray of int64 of shape (m, j)
        Case numbers, the neighbours of one space after those of another; −1 for none. A case may
        occur once in each space.
    shares : ndarray of shape (m, j)
        Influences; with `background` every row sums to 1.
    background : float
        Influence that all cases share alike.
    """

    indices: Ints
    shares: Floats
    background: float


def find_influences(
    index: ExactIndex,
    ensemble: Ensemble,
    queries: Floats,
    *,
    exclude: Ints | None = None,
    threads: int | None = None,
) -> Influences:
    """Find the cases that answer for some rows, and their influence.

    Parameters
    ----------
    index : ExactIndex
        The cases.
    ensemble : Ensemble
        How the target is predicted.
    queries : ndarray of shape (m, d)
        Encoded rows.
    exclude : ndarray of int64, optional
        Case to leave out for each row, −1 for none.
    """
    indices, shares = [], []
    for number, space in enumerate(ensemble.spaces):
        members = [member for member in ensemble.members if member.space == number]
        if not members:
            continue
        near = seek(index, space.metric, ensemble, queries, exclude=exclude, threads=threads)
        indices.append(near.indices)
        shares.append(
            sum(
                member.share
                * influence_shares(
                    member.rule,
                    near.reach(member.rule),
                    near.offsets,
                    bandwidth=member.bandwidth,
                    ridge=member.ridge,
                    counts=near.counts,
                    threads=threads,
                )
                for member in members
            )
        )
    empty = np.empty((len(queries), 0))
    return Influences(
        np.concatenate([empty.astype(np.int64), *indices], axis=1),
        np.concatenate([empty, *shares], axis=1),
        ensemble.background,
    )


@dataclass(frozen=True, eq=False)
class Nearby:
    """Neighbours in one space, with all that the influence rules need."""

    indices: Ints
    distances: Floats
    excess: Floats
    offsets: Floats
    counts: Floats | None

    def reach(self, rule: str) -> Floats:
        """Return what the rule measures nearness by; infinite where there is no neighbour."""
        return self.distances if rule == "inverse" else self.excess


def seek(
    index: ExactIndex,
    metric: Metric,
    ensemble: Ensemble,
    queries: Floats,
    *,
    exclude: Ints | None = None,
    threads: int | None = None,
) -> Nearby:
    """Find neighbours that have the target."""
    found = index.search(
        queries, metric, ensemble.k, exclude=exclude, required=ensemble.target, threads=threads
    )
    there = found.indices >= 0
    cases = index.case_values(np.where(there, found.indices, found.indices[:, :1]))
    return Nearby(
        found.indices,
        found.distances,
        np.where(there, total_excess(found.distances, metric), np.inf),
        scaled_offsets(queries, cases, metric),
        index.counted_weights(found.indices, ensemble.k, exclude),
    )
