"""Which cases of a table are anomalies, if it may contain them, perhaps in groups.

Anomalies that resemble each other are each other's nearest cases, and expect each other. So stored
cases are compared with the table as a whole, in three ways: by their distance from many nearest
cases, more than a group has (*wide*); by how far out their values are, one column at a time
(*tails*); and by how far they break the correlations that most of the table has (*correlations*).
Each finds what the others overlook, and none needs to know how many anomalies there are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vicinal.conviction.baseline import BLOCK, Baseline, blocks_of
from vicinal.conviction.column_tails import tail_surprisals
from vicinal.conviction.correlations import correlation_parts
from vicinal.conviction.distance_contribution import distance_contributions, grain_of
from vicinal.conviction.gaps import fill, gaps_of, search_known
from vicinal.conviction.measure import Measure
from vicinal.conviction.quantiles import lower_quantile
from vicinal.index.case_weights import counted_weights
from vicinal.index.exact import ExactIndex
from vicinal.index.protocol import Index
from vicinal.typing import Bools, Floats, Ints

#: The share of the table that a case is compared with, its nearest.
WIDTH = 0.1
#: Cases of larger tables are compared with a sample of so many.
MOST_WITNESSES = 4000
#: Mean surprisals below this are alike.
_LEAST = 1e-3
#: Decimals of a surprise that are more than rounding.
_DECIMALS = 9
#: Deviations above the median beyond which a surprise is out of line.
MOST_DEVIATIONS = 4.0


def surprise_within(stored: Baseline, *, random_state: int = 0) -> Floats:
    r"""Return how surprising each stored case is in its table; only the order means something.

    Parameters
    ----------
    stored : Baseline
        All stored cases.
    random_state : int
        Seed of the sample of cases that those of a large table are compared with.

    Notes
    -----
    The logarithm of each of the three surprisals is standardized, and the surprise is
    :math:`\ln \operatorname{mean}_v e^{z_v}`: the harmonic mean of three convictions.
    """
    values, masses = stored.index.rows(stored.numbers), stored.masses
    tails = tail_surprisals(values, stored.metric, masses)
    known = (~np.isnan(tails)).sum(axis=1)
    seen = [
        np.log(wide_contributions(stored, random_state)),
        _log(np.nansum(tails, axis=1) / np.maximum(known, 1)),
    ]
    parts = correlation_parts(values, stored.metric, masses)
    if parts is not None:
        seen.append(0.5 * _log(parts.sum(axis=1), _LEAST**2))
    scores = np.array([_standardized(one, masses) for one in seen])
    most = scores.max(axis=0)
    return np.round(most + np.log(np.exp(scores - most).mean(axis=0)), _DECIMALS)


def out_of_line(surprise: Floats, masses: Floats) -> Bools | None:
    """Return which cases are too surprising for their table; None if the table does not tell.

    Anomalies lie above the median, as long as they are less than half of the table. So the cases
    below it tell how far surprises of ordinary cases deviate, however many anomalies there are.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.conviction.within_table import out_of_line
    >>> surprise = np.array([-1.0, -0.5, 0.0, 0.5, 1.0, 9.0, 9.5])
    >>> np.flatnonzero(out_of_line(surprise, np.ones(7)))
    array([5, 6])
    """
    order = np.argsort(surprise, kind="stable")  # sums do not depend on the order of the cases
    median = lower_quantile(surprise, masses, 0.5)
    below = order[(surprise[order] <= median) & (masses[order] > 0)]
    mass = masses[below] / masses[below].sum()
    deviation = float(np.sqrt(mass @ (surprise[below] - median) ** 2))
    return surprise > median + MOST_DEVIATIONS * deviation if deviation > 0 else None


def _log(surprisal: Floats, least: float = _LEAST) -> Floats:
    return np.log(np.maximum(surprisal, least))


def _standardized(scores: Floats, masses: Floats) -> Floats:
    """Return scores from their median, in units of their standard deviation."""
    order = np.argsort(scores, kind="stable")  # sums do not depend on the order of the cases
    sorted_, mass = scores[order], masses[order] / masses.sum()
    spread = float(np.sqrt(mass @ (sorted_ - mass @ sorted_) ** 2))
    return (scores - lower_quantile(scores, masses, 0.5)) / max(spread, 1e-9)


def wide_contributions(stored: Baseline, random_state: int = 0) -> Floats:
    """Return φ of every stored case by a tenth of the table, all of which count alike.

    A group with fewer cases cannot expect itself. It is 3 √n cases at least, in a small table;
    the cases of a large table are compared with a sample.
    """
    index, own = stored.index, stored.numbers
    sampled = len(stored.numbers) > MOST_WITNESSES
    if sampled:
        own = index.sample(MOST_WITNESSES, random_state=random_state)[0]
        index = ExactIndex(index.rows(own), stored.metric.kinds, index.weights_of(own))
    mass = float(index.reduce("mass")["mass"])
    k = max(1, round(max(WIDTH * mass, 3 * mass**0.5)))
    measure = Measure(k, prior=1.0, rank_decay=0.0).within(max(len(index), mass))
    lists = _Lists(stored, index, measure)
    witnesses = np.arange(len(own)) if sampled else own
    distances, counts = lists.near(own, witnesses)
    grain = grain_of(distances, counts, stored.index.weights_of(own), measure)
    if not sampled:
        return distance_contributions(distances, counts, measure, grain)
    phi = np.empty(len(stored.numbers))
    for start in range(0, len(phi), BLOCK):
        some = stored.numbers[start : start + BLOCK]
        at = np.minimum(np.searchsorted(own, some), len(own) - 1)
        near = lists.near(some, np.where(own[at] == some, at, -1))
        phi[start : start + BLOCK] = distance_contributions(*near, measure, grain)
    return phi


class _Lists(NamedTuple):
    """Where the nearest cases are looked up, and how many."""

    stored: Baseline
    cases: Index
    measure: Measure

    def near(self, numbers: Ints, exclude: Ints) -> tuple[Floats, Floats | None]:
        """Return the distances of the nearest cases, and the places that these take."""
        metric, k = self.stored.metric, self.measure.n_neighbors
        distances, places = np.empty((len(numbers), k), order="F"), []
        done = 0
        for some, values in blocks_of(self.stored.index, numbers):
            rows = slice(done, done + len(some))
            alone = exclude[rows]
            found = search_known(
                *(self.cases, values, metric, k), exclude=alone, threads=self.stored.threads
            )
            gaps, near = gaps_of(values, metric), found.nearest
            filled = near.distances[:, :k]
            if gaps.any():
                filled = fill(filled, gaps, self.stored.usual_terms, metric)
            distances[rows] = filled
            places.append(counted_weights(self.cases, near.indices[:, :k], k, alone))
            done += len(some)
        counted = [one for one in places if one is not None]
        return distances, np.concatenate(counted) if counted else None
