"""What rows are compared with in a large table: a sample of its cases, with standard errors.

A new row needs φ of its own nearest cases, and these are looked up. Whatever is a mean over all
cases (the grain, the usual terms, the mean φ, the sums behind familiarity) comes from a sample,
and p-values from a smaller part of it, the reference, whose own nearest cases are looked up as
well. How far means may be off is estimated by leaving out one group of the sample after another
(the jackknife).
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from vicinal.conviction.baseline import (
    Baseline,
    Replicate,
    blocks_of,
    expectation,
    measure_baseline,
    nearest,
    own_excess,
    reference_shares,
    with_prior,
)
from vicinal.conviction.contribution_sums import ContributionSums
from vicinal.conviction.distance_contribution import (
    distance_contributions,
    entry_distance,
    grain_of,
)
from vicinal.conviction.gaps import fill, gaps_of, search_known, usual_terms
from vicinal.conviction.measure import Measure
from vicinal.fitted import Fitted
from vicinal.index.case_weights import counted_weights
from vicinal.index.metric import Metric
from vicinal.index.protocol import Index
from vicinal.index.sampling import sampling_order
from vicinal.influence.small_samples import small_sample_factor
from vicinal.typing import Bools, Floats, Ints, Places

#: Tables with more cases are compared with a sample of so many, and a reference of so many.
MOST_CASES = 50_000
SAMPLE_SIZE = 10_000
REFERENCE_SIZE = 2000
#: Share of the cases that may change before another sample is drawn.
MOST_CHANGED = 0.01
#: Groups of the sample that are left out in turn.
GROUPS = 40
#: Cases whose terms to their nearest cases are computed at a time.
_TERMS = 1024


class Lists(NamedTuple):
    """Distances of the nearest cases of some stored ones, by the features that each has."""

    numbers: Ints
    weights: Floats | None
    distances: Floats  # (n, k)
    counts: Floats | None
    gaps: Bools  # (n, d)

    def filled(self, usual: Floats, metric: Metric) -> Floats:
        """Return the distances over all features."""
        return fill(self.distances, self.gaps, usual, metric)


def baseline_of(
    fitted: Fitted, columns: Places, measure: Measure, baseline: str = "auto"
) -> Baseline:
    """Return what rows of some columns are compared with; measured once, until the cases change.

    A sample is drawn again when more than a hundredth of the cases have changed. Until then it is
    off by less than its standard errors; the cases around a row are always the present ones.

    Parameters
    ----------
    baseline : {"auto", "all"}
        Whether a sample of the cases will do if there are more than `MOST_CASES`.
    """
    metric = fitted.metric_of(columns)
    if baseline == "auto" and len(fitted.index) > MOST_CASES:
        return _lasting_sample(fitted, metric, measure)
    return fitted.cached(
        ("baseline", tuple(metric.active), measure),
        lambda: measure_baseline(fitted.index, metric, measure, threads=fitted.threads),
    )


def _lasting_sample(fitted: Fitted, metric: Metric, measure: Measure) -> Baseline:
    """Return the sample that was drawn last, or another one where too many cases have changed."""
    key = ("baseline", tuple(metric.active), measure)
    kept = fitted.estimates.get(key)
    if kept is None or fitted.n_changes - kept[0] > MOST_CHANGED * len(fitted.index):
        seed, threads = fitted.settings.random_state, fitted.threads
        made = sample_baseline(fitted.index, metric, measure, random_state=seed, threads=threads)
        kept = fitted.estimates[key] = (fitted.n_changes, made)
    stored: Baseline = kept[1]
    return stored


def sample_baseline(
    index: Index,
    metric: Metric,
    measure: Measure,
    *,
    size: int = SAMPLE_SIZE,
    reference_size: int = REFERENCE_SIZE,
    random_state: int = 0,
    threads: int | None = None,
) -> Baseline:
    """Judge a sample of the stored cases, each without itself."""
    numbers = index.sample(size, random_state=random_state)[0]
    values, n_cases = index.rows(numbers), float(index.reduce("mass")["mass"])
    measure = measure.within(max(len(index), n_cases))
    own = _lists(index, metric, measure, numbers, threads)
    order = sampling_order(values, random_state=random_state)
    reference = np.sort(order[:reference_size])
    alone = numbers[reference]
    found = nearest(index, values[reference], metric, measure, alone, threads)
    around = _lists(index, metric, measure, _named(found.indices), threads)
    # Rows to come may have gaps even if the sample has none, and its cases may be gone by then.
    excess = _excess(index, metric, measure, numbers, threads)
    usual = usual_terms(excess, own.gaps, own.weights)
    distances = own.filled(usual, metric)
    grain = grain_of(distances, own.counts, own.weights, measure)
    phi = distance_contributions(distances, own.counts, measure, grain)
    overall = float(np.average(phi, weights=own.weights))
    near = distance_contributions(around.filled(usual, metric), around.counts, measure, grain)
    # One more for places without a case, where it counts nothing.
    places = np.searchsorted(around.numbers, np.maximum(found.indices, 0))
    beside = np.append(near, 1.0)[places]
    local = expectation(beside, reference_shares(found, measure), fallback=phi[reference])
    made = Baseline(
        *(index, metric, threads, measure, numbers, own.weights, distances, own.counts, phi),
        expected=with_prior(local, overall, measure),
        entry_distance=entry_distance(distances, own.counts),
        grain=grain,
        overall=overall,
        gaps=own.gaps if own.gaps.any() else None,
        known_terms=usual,
        n_cases=n_cases,
        reference=reference,
    )
    groups = np.empty(len(numbers), dtype=np.int64)
    groups[order] = np.arange(len(numbers)) % GROUPS
    kept = [groups != group for group in range(min(GROUPS, len(numbers)))]
    return replace(
        made, replicates=tuple(_replicate(own, some, excess, made) for some in kept if some.any())
    )


def _excess(
    index: Index, metric: Metric, measure: Measure, numbers: Ints, threads: int | None
) -> Floats:
    """Return the mean excess of each feature between cases and their nearest."""
    parts = [np.empty((0, len(metric.kinds)))]
    for alone, values in blocks_of(index, numbers, _TERMS):
        found = nearest(index, values, metric, measure, alone, threads)
        parts.append(own_excess(index, values, metric, measure, found, threads))
    return np.concatenate(parts)


def lists_around(stored: Baseline, indices: Ints) -> Lists:
    """Find the nearest cases of the cases found around rows."""
    return _lists(stored.index, stored.metric, stored.measure, _named(indices), stored.threads)


def of_lists(stored: Baseline, lists: Lists) -> Baseline:
    """Return the baseline of some cases, by what a sample says of all."""
    distances = lists.filled(stored.usual_terms, stored.metric)
    phi = distance_contributions(distances, lists.counts, stored.measure, stored.grain)
    return replace(
        stored,
        numbers=lists.numbers,
        weights=lists.weights,
        distances=distances,
        counts=lists.counts,
        contribution=phi,
        expected=phi,
        entry_distance=entry_distance(distances, lists.counts),
        gaps=lists.gaps if lists.gaps.any() else None,
        reference=None,
    )


def jackknife_error(values: Floats, stored: Baseline) -> Floats:
    """Return the standard error of what replicates say, (replicates, m), of a sample."""
    count = len(values)
    assert stored.n_cases is not None
    # What is sampled completely has no error.
    open_ = 1.0 - min(len(stored.numbers) / stored.n_cases, 1.0)
    variance = (count - 1) / count * ((values - values.mean(axis=0)) ** 2).sum(axis=0)
    return np.sqrt(variance * open_) * small_sample_factor(count - 1)


def _replicate(own: Lists, kept: Bools, excess: Floats, stored: Baseline) -> Replicate:
    measure, metric = stored.measure, stored.metric
    weights = None if own.weights is None else own.weights[kept]
    counts = None if own.counts is None else own.counts[kept]
    some = Lists(own.numbers[kept], weights, own.distances[kept], counts, own.gaps[kept])
    usual = usual_terms(excess[kept], some.gaps, weights)
    distances = some.filled(usual, metric)
    grain = grain_of(distances, counts, weights, measure)
    phi = distance_contributions(distances, counts, measure, grain)
    mass = np.ones(len(phi)) if weights is None else weights
    assert stored.n_cases is not None
    return Replicate(
        grain,
        usual,
        float(np.average(phi, weights=weights)),
        ContributionSums.of(phi, mass * (stored.n_cases / mass.sum())),
    )


def _named(indices: Ints) -> Ints:
    return np.unique(indices[indices >= 0])


def _lists(
    index: Index, metric: Metric, measure: Measure, numbers: Ints, threads: int | None
) -> Lists:
    """Find the nearest cases of some stored ones, each without itself."""
    k, n = measure.n_neighbors, len(numbers)
    weights = index.weights_of(numbers)
    distances = np.empty((n, k), order="F")
    counts = None if weights is None else np.empty((n, k), order="F")
    gaps = np.zeros((n, len(metric.kinds)), dtype=bool)
    done = 0
    for alone, values in blocks_of(index, numbers):
        rows = slice(done, done + len(alone))
        near = search_known(index, values, metric, k, exclude=alone, threads=threads).nearest
        distances[rows] = near.distances
        gaps[rows] = gaps_of(values, metric)
        if counts is not None:
            counts[rows] = counted_weights(index, near.indices, k, alone)
        done += len(alone)
    return Lists(numbers, weights, distances, counts, gaps)
