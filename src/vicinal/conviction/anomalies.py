"""The ranked table of anomalies: what is strange, how surely, why, and beside what."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal.case_sample import rows_or_sample
from vicinal.conviction.baseline import Baseline
from vicinal.conviction.breakdown import Breakdown, explain_surprise
from vicinal.conviction.dominating import similarity_without
from vicinal.conviction.measure import Measure
from vicinal.conviction.new_rows import judge
from vicinal.conviction.p_values import discoveries, tail_p_values
from vicinal.conviction.results import (
    THRESHOLD,
    Convictions,
    convictions_of,
    directions,
    which_baseline,
)
from vicinal.conviction.sampled_baseline import baseline_of
from vicinal.conviction.tail import Tail, fit_tail
from vicinal.fitted import Fitted, Rows
from vicinal.formatting.sheet_html import sheet_html
from vicinal.formatting.sheet_text import sheet_text
from vicinal.side_by_side import Comparisons, compare
from vicinal.tables.case_labels import NO_LABELS, CaseLabels
from vicinal.tables.to_frame import build_frame
from vicinal.typing import Bools, Floats, Ints, Places
from vicinal.validation import check_parameter, check_parameters
from vicinal.views.anomalies import anomalies_view

#: By default no more than about this share of ordinary rows is listed, or a single row.
LISTED = 0.01


@dataclass(frozen=True, eq=False)
class Anomalies:
    """Flagged rows, the most surprising first.

    Parameters
    ----------
    cases : ndarray of int64
        Case number of each, or place among the rows asked about.
    conviction : ndarray
        Similarity conviction.
    p_value : ndarray
        Share of the stored cases at least as surprising, whatever their distribution; so it is
        never below 1/n.
    tail_p_value : ndarray
        The same with a fitted tail, which says how far beyond all others a row is; false
        discovery rates rely on it.
    direction : ndarray of str
        ``"outlier"``: farther from others than expected; ``"inlier"``: closer.
    features : tuple of tuple of (str, float)
        The features responsible, and the surprisal in nats that each adds; largest first.
    ordinary : ndarray of int64 of shape (m, k)
        The nearest cases that are ordinary themselves, −1 for none.
    n_judged : int
        How many rows were judged.
    clean_share : float
        Estimated share of ordinary rows that the same rule would list: so many would be listed of
        a table without anomalies.
    stored : bool
        Whether they are stored cases.
    compared : Comparisons, optional
        The first anomalies beside ordinary cases, feature by feature, for showing them.
    library : str, optional
        The dataframe library of the fitted table, which `to_frame` uses by default.
    case_labels : CaseLabels
        What the cases are called, if they have labels.

    Examples
    --------
    >>> import vicinal
    >>> model = vicinal.Model().fit(
    ...     {"x": [1.0, 1.1, 1.2, 1.3, 9.0], "y": [1.0, 2.0, 1.0, 2.0, 1.5]}
    ... )
    >>> found = model.anomalies()
    >>> found.cases.tolist(), found.features[0][0][0]
    ([4], 'x')
    """

    cases: Ints
    conviction: Floats
    p_value: Floats
    tail_p_value: Floats
    direction: NDArray[np.str_]
    features: tuple[tuple[tuple[str, float], ...], ...]
    ordinary: Ints
    n_judged: int
    clean_share: float
    stored: bool = False
    compared: Comparisons | None = None
    library: str | None = None
    case_labels: CaseLabels = NO_LABELS

    def __len__(self) -> int:
        return len(self.cases)

    @property
    def promise(self) -> str:
        """What the rule would do to ordinary rows, in words."""
        word = "case" if self.stored else "row"
        percent = 100 * self.clean_share
        share = f"about {percent:.2g} %" if percent >= 0.01 else "fewer than 0.01 %"
        return f"of ordinary {word}s, the same rule lists {share}"

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe (pandas, polars or pyarrow: `backend`) with one row per anomaly."""
        return build_frame(
            {
                "case" if self.stored else "row": self._names(),
                "conviction": self.conviction,
                "p_value": self.p_value,
                "tail_p_value": self.tail_p_value,
                "direction": self.direction.tolist(),
                "features": [", ".join(name for name, _ in one) for one in self.features],
                "nearest_ordinary": [
                    ", ".join(str(self.case_labels.of(case)) for case in one[one >= 0])
                    for one in self.ordinary
                ],
            },
            backend or self.library,
        )

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the strongest anomalies by conviction, with the features responsible.

        This requires matplotlib (the extra ``plots``).

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on; new ones by default.

        Returns
        -------
        matplotlib axes
            The axes.
        """
        from vicinal.plots.anomalies import draw_anomalies

        return draw_anomalies(self, ax)

    def __repr__(self) -> str:
        return sheet_text(anomalies_view(self))

    def _repr_html_(self) -> str:
        return sheet_html(anomalies_view(self))

    def _names(self) -> Any:
        return self.case_labels.listed(self.cases) if self.stored else self.cases


def anomalies(
    fitted: Fitted,
    rows: Any = None,
    *,
    threshold: float | None = None,
    alpha: float | None = None,
    false_discovery_rate: float | None = None,
    inliers: bool = False,
    context: Iterable[str] | None = None,
    measure: Measure | None = None,
    baseline: str = "auto",
    max_cases: int | None = None,
) -> Anomalies:
    """List the rows that are surprising, with the features responsible.

    By default these are rows with a conviction below 0.7, as in the paper, that at most 1 % of
    ordinary rows have by the fitted tail, or that no other case has.

    Parameters
    ----------
    rows : table, optional
        Rows to judge, each as if it alone were added. By default the stored cases, each
        without itself.
    threshold : float, optional
        Instead: conviction below which a row is an anomaly, however common that is. Of some tables
        0.7 lists a tenth.
    alpha : float, optional
        Instead: the p-value up to which a row is an anomaly. Of ordinary rows about this share is
        called one.
    false_discovery_rate : float, optional
        Instead: the share of false alarms among the anomalies, at most, on average over tables;
        see the notes.
    inliers : bool, default False
        By default and with a threshold: whether rows that are too close to others count too, with
        a conviction above 1/threshold.
    context : list of str, optional
        Features that count; by default all columns the rows have.
    measure : Measure, optional
        How to measure; `Measure.robust` for tables that already contain groups of anomalies.
    baseline : {"auto", "all"}, default "auto"
        The stored cases that new rows are compared with, as in `conviction`: in tables of more
        than 50,000 cases "auto" takes a sample.
    max_cases : int, optional
        Instead of all stored cases, judge at most so many: a random sample where there are more,
        and of a store at most 250,000.

    Returns
    -------
    Anomalies
        The most surprising first.

    Notes
    -----
    A false discovery rate needs p-values far below 1/n, so the tail of the convictions is fitted,
    for a stored case without itself; see `vicinal.conviction.tail`. The rate holds as long as the
    log convictions of ordinary rows have a tail like that of a generalized Pareto distribution, at
    most a tenth of the rows are anomalies, and the rows depend on each other only weakly or
    positively (Benjamini and Yekutieli, 2001). In simulations it is well below.
    """
    given = {"threshold": threshold, "alpha": alpha, "false_discovery_rate": false_discovery_rate}
    check_parameters({name: share for name, share in given.items() if share is not None})
    check_parameter("baseline", baseline)
    asked, measure = rows_or_sample(fitted, rows, context, max_cases), measure or Measure()
    baseline = which_baseline(fitted, asked, baseline)
    stored = baseline_of(fitted, asked.columns, measure, baseline)
    judged = _judged(fitted, asked, stored, measure, baseline)
    judged = _without_own(judged, asked, similarity_without(fitted, stored))
    tail = tail_of(fitted, stored)
    own = weights_left_out(fitted, asked, stored)
    tail_p = tail_p_values(judged.similarity, judged.p_value, tail, own)
    if false_discovery_rate is not None:
        chosen = discoveries(tail_p, false_discovery_rate)
        least = false_discovery_rate / max(len(judged), 1)
        clean = float(tail_p[chosen].max(initial=least))
    elif alpha is not None:
        chosen, clean = judged.p_value <= alpha, alpha
    else:
        chosen, clean = _below(judged, tail_p, stored, tail, threshold, inliers)
    found = np.flatnonzero(chosen)
    surprise = np.abs(np.log(judged.similarity[found]))
    found = found[np.argsort(-surprise, kind="stable")]
    broken = explain_surprise(fitted, asked.take(found), measure, baseline)
    schema = fitted.schema
    ordinary = nearest_ordinary(broken.neighbors, stored, 5, threshold or THRESHOLD)
    cases = judged.cases[found]
    return Anomalies(
        cases=cases,
        conviction=judged.similarity[found],
        p_value=judged.p_value[found],
        tail_p_value=tail_p[found],
        direction=np.where(judged.similarity[found] > 1, "inlier", "outlier"),
        features=responsible(broken, schema.table_order, schema.names),
        ordinary=ordinary,
        n_judged=len(judged),
        clean_share=clean,
        stored=asked.stored,
        compared=compare(fitted, asked.take(found), ordinary, fitted.metric_of(asked.columns)),
        library=fitted.library,
        case_labels=fitted.labels.some(
            [*ordinary.ravel().tolist(), *(cases.tolist() if asked.stored else ())]
        ),
    )


def _judged(
    fitted: Fitted, rows: Rows, stored: Baseline, measure: Measure, baseline: str
) -> Convictions:
    """Return the similarity convictions of rows; of a sample of the cases they are kept.

    The nearest cases of each of their nearest cases are searched, which takes a report and its
    audit, asking about the same cases, longer than all else.
    """

    def judge_rows() -> Convictions:
        return convictions_of(fitted, rows, measure, with_familiarity=False, baseline=baseline)

    if not (stored.sampled and rows.stored) or rows.changed or rows.exclude is None:
        return judge_rows()
    key = ("judged", tuple(rows.columns), measure, rows.exclude.tobytes())
    return fitted.cached(key, judge_rows)


def tail_of(fitted: Fitted, stored: Baseline) -> Tail:
    """Return the tail of the log convictions of the stored cases; fitted once."""
    key = ("tail", tuple(stored.metric.active), stored.measure, stored.sampled)

    def fit() -> Tail:
        similarity = stored.similarity
        without = similarity_without(fitted, stored)
        if without:
            similarity = similarity.copy()
            similarity[stored.places(np.array(list(without)))] = list(without.values())
        return fit_tail(-np.log(similarity), stored.similarity_weights)

    return fitted.cached(key, fit)


def _without_own(judged: Convictions, rows: Rows, without: dict[int, float]) -> Convictions:
    """Return convictions with those of cases that were judged without their own errors."""
    if rows.exclude is None or rows.changed or not without:
        return judged
    similarity = judged.similarity.copy()
    for case, own in without.items():
        similarity[rows.exclude == case] = own
    return replace(judged, similarity=similarity)


def weights_left_out(fitted: Fitted, rows: Rows, stored: Baseline) -> Floats:
    """Return the weight in the tail of the case that each row is, 0 for a new row.

    A case that the tail was not fitted to, since cases were sampled, has none.
    """
    own = np.zeros(len(rows))
    if rows.exclude is not None and not rows.changed:
        numbers = stored.numbers if stored.reference is None else stored.numbers[stored.reference]
        known = (rows.exclude >= 0) & np.isin(rows.exclude, numbers)
        weights = fitted.index.weights_of(rows.exclude[known])
        own[known] = 1.0 if weights is None else weights
    return own


def _below(
    judged: Convictions,
    tail_p: Floats,
    stored: Baseline,
    tail: Tail,
    threshold: float | None,
    inliers: bool,
) -> tuple[Bools, float]:
    """Return which rows are below the threshold, and the share of ordinary rows that are.

    Without one, only rows count that are also rare, or beyond all cases.
    """
    limit = threshold or THRESHOLD
    named, of_cases = (directions(one.similarity, limit) for one in (judged, stored))
    chosen = named == "outlier"
    # Anomalies among the stored cases only add to those listed.
    most = float((of_cases == "outlier").sum() + 1) / (len(of_cases) + 1)
    share = float(np.fmin(tail.p_values(-np.log(np.array([limit])))[0], most))
    if threshold is None:
        weights = stored.similarity_weights
        first = 1.0 / max(len(of_cases) if weights is None else float(weights.sum()), 1.0)
        chosen &= (tail_p <= LISTED) | (judged.p_value <= first)
        share = min(share, max(LISTED, first))
    if inliers:
        chosen |= named == "inlier"
        share += float((of_cases == "inlier").sum()) / max(len(of_cases), 1)
    return chosen, share


def responsible(
    broken: Breakdown, order: Places, names: tuple[str, ...]
) -> tuple[tuple[tuple[str, float], ...], ...]:
    """Name the features whose surplus is positive, largest first, up to nine tenths of it all."""
    result = []
    for surplus in broken.surplus[:, order]:
        places = np.argsort(-surplus, kind="stable")
        raised = places[surplus[places] > 0]
        reached = np.cumsum(surplus[raised])
        enough = int(np.searchsorted(reached, 0.9 * reached[-1])) + 1 if len(raised) else 0
        result.append(tuple((names[i], float(surplus[i])) for i in raised[:enough]))
    return tuple(result)


def nearest_ordinary(
    neighbors: Ints, stored: Baseline, most: int, threshold: float = THRESHOLD
) -> Ints:
    """Keep the neighbors that are no anomalies themselves at the threshold, the nearest first."""
    kept = np.full((len(neighbors), most), -1, dtype=np.int64)
    for row, near in enumerate(neighbors):
        good = near[:0]
        near = near[near >= 0]
        # A few at a time: if cases were sampled, each has to be judged.
        for start in range(0, len(near), most):
            some = near[start : start + most]
            good = np.append(good, some[_similarity(stored, some) >= threshold])
            if len(good) >= most:
                break
        kept[row, : len(good[:most])] = good[:most]
    return kept


def _similarity(stored: Baseline, cases: Ints) -> Floats:
    """Return the similarity conviction of stored cases."""
    if not stored.sampled:
        return stored.similarity[stored.places(cases)]
    judged = judge(stored, stored.index.rows(cases), cases, changed=False)
    return judged.expected / judged.contribution
