"""Alternative representations of the same columns: codes, ranks, and scores."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vicinal.derived.columns import DerivedColumns
from vicinal.index.kinds import NOMINAL, NUMERIC
from vicinal.index.metric import Metric, TermSettings
from vicinal.index.protocol import Index
from vicinal.learning.reference import Reference
from vicinal.learning.residuals import learn_from
from vicinal.typing import Places

#: Numbers with at most this many distinct values may be codes. Whether they are integers does not
#: matter: a change of unit must not change the result.
FEW = 12
#: With up to this many they still may, if each occurs often enough.
MANY = 64
#: Representations with columns that were learned from outcomes.
WITH_SCORES = (
    "ranks and additive scores",
    "as given and trees",
    "ranks and scores",
    "scores",
    "trees",
)
#: Of these, those with scores of a user's own estimators, if there are any.
WITH_ESTIMATORS = ("as given and estimators", "ranks, scores and estimators", "estimators")
#: Of all these, those with nothing but scores.
SCORES_ALONE = ("scores", "trees", "estimators")
#: Number of cases used to learn the residuals of such a representation. For numbers those of each
#: one are learned apart, from fewer cases.
QUERIES = 128
QUERIES_OF_EACH = 64


def representations(
    index: Index,
    settings: TermSettings,
    metric: Metric,
    *,
    k: int,
    random_state: int = 0,
    threads: int | None = None,
) -> dict[str, Metric]:
    """Return the metric as it is, and with columns of few values treated as categories.

    Returns
    -------
    dict of str to Metric
        By name: ``"as given"``, and if they differ ``"few as categories"`` and ``"codes as
        categories"``.
    """
    found = {"as given": metric}
    reference = None
    columns = np.flatnonzero((settings.kinds == NUMERIC) & (settings.weights > 0))
    found_sizes = index.reduce("sizes", columns=columns, most=MANY)
    sizes = dict(zip(columns.tolist(), found_sizes["sizes"].tolist(), strict=True))
    seen: list[list[int]] = [[]]
    mass = index.reduce("mass")
    cases = max(int(mass["count"]), int(mass["mass"]))
    limits = {
        "few as categories": min(FEW, cases // 3),
        "codes as categories": min(MANY, cases // 5),
    }
    for name, limit in limits.items():
        few = [column for column, size in sizes.items() if 2 < size <= limit]
        if few in seen:
            continue
        seen.append(few)
        kinds = settings.kinds.copy()
        kinds[few] = NOMINAL
        if reference is None:
            reference = Reference.of(index, random_state=random_state)
        found[name] = learn_from(
            reference,
            replace(settings, kinds=kinds),
            k=k,
            # Learned weights compensate for contrasts, so these need not converge; the residuals
            # of the unchanged columns are close to their previous values.
            start=np.where(kinds == NOMINAL, np.nan, metric.residuals),
            max_rounds=1,
            max_queries=QUERIES,
            threads=threads,
        ).metric
    return found


def derived_representations(
    index: Index,
    settings: TermSettings,
    metric: Metric,
    derived: DerivedColumns,
    others: dict[str, Metric],
    *,
    classes: bool,
    k: int,
    random_state: int = 0,
    threads: int | None = None,
) -> dict[str, Metric]:
    """Return other representations as metrics of extended rows, and those with derived columns.

    Those in which no column tells cases apart are left out; none at all are returned if there are
    none with derived columns.

    Parameters
    ----------
    index : Index
        The cases with the derived columns.
    settings : TermSettings
        How they are compared, with weights of the context alone.
    metric : Metric
        The metric of the encoded columns.
    others : dict of str to Metric
        Representations without derived columns.
    classes : bool
        Whether the target has classes. Then the residuals of derived columns are learned once,
        from all of them; numbers lose by this.
    """
    groups = derived.groups
    given = metric.active
    as_given = np.flatnonzero(settings.weights > 0)
    without = np.setdiff1d(given, [one.column for one in derived.ranks])
    ranked = np.concatenate([without, groups["ranks"], groups["means"]])
    scores = np.concatenate([groups["additive"], groups["trees"]])
    theirs = groups["estimators"]
    wanted = {
        "ranks": ranked if len(groups["ranks"]) or len(groups["means"]) else given[:0],
        "ranks and additive scores": np.concatenate([ranked, groups["additive"]]),
        "as given and trees": np.concatenate([as_given, groups["trees"]]),
        "ranks and scores": np.concatenate([ranked, scores]),
        "scores": scores,
        "trees": groups["trees"],
        "as given and estimators": np.concatenate([as_given, theirs]),
        "ranks, scores and estimators": np.concatenate([ranked, scores, theirs]),
        "estimators": theirs,
    }
    reference = Reference.of(index, random_state=random_state)
    start = np.append(metric.residuals, np.full(derived.count, np.nan))
    start[settings.kinds == NOMINAL] = np.nan

    def learned(columns: Places) -> Metric:
        weights = np.zeros(len(settings.weights))
        weights[columns] = 1.0
        return learn_from(
            reference,
            replace(settings, weights=weights),
            k=k,
            start=start,
            max_rounds=2,
            max_queries=QUERIES if classes else QUERIES_OF_EACH,
            threads=threads,
        ).metric

    together = None
    if classes:
        every = np.unique(np.concatenate([ranked, scores, theirs]))
        together = _with_given(learned(every), metric, every)
    found: dict[str, Metric] = {}
    seen = [set(as_given.tolist())]
    for name, columns in wanted.items():
        if not len(columns) or set(columns.tolist()) in seen:
            continue
        seen.append(set(columns.tolist()))
        one = learned(columns) if together is None else together.restricted(columns)
        if len(one.active):  # scores of an unpredictable target do not vary
            found[name] = one
    like = next(iter(found.values()), None)
    if like is None:
        return {}
    return {name: _widened(one, like) for name, one in others.items()} | found


def _with_given(metric: Metric, given: Metric, but: Places) -> Metric:
    """Return a metric of extended rows with encoded columns as they are given, but for some."""
    weights, residuals = metric.weights.copy(), metric.residuals.copy()
    others = np.setdiff1d(given.active, but)
    weights[others], residuals[others] = 1.0, given.residuals[others]
    return replace(metric, weights=weights, residuals=residuals)


def _widened(metric: Metric, like: Metric) -> Metric:
    """Return a metric of extended rows in which derived columns have no weight."""
    d = len(metric.kinds)
    return Metric(
        kinds=np.append(metric.kinds, like.kinds[d:]),
        residuals=np.append(metric.residuals, like.residuals[d:]),
        periods=np.append(metric.periods, like.periods[d:]),
        weights=np.append(metric.weights, np.zeros(len(like.kinds) - d)),
        p=metric.p,
        supports=metric.supports + like.supports[d:],
        distinct=np.append(metric.distinct, like.distinct[d:]),
    )
