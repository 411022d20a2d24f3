"""The convictions of some rows, as a plain result."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal.case_sample import rows_or_sample
from vicinal.conviction.baseline import Baseline
from vicinal.conviction.familiarity import familiarity as familiarity_of
from vicinal.conviction.familiarity import familiarity_of_new_rows
from vicinal.conviction.measure import Measure
from vicinal.conviction.new_rows import NO_ENTRIES, Judged, entries, judge
from vicinal.conviction.p_values import own_p_values, p_values
from vicinal.conviction.sampled_baseline import baseline_of, jackknife_error
from vicinal.conviction.unseen import Unseen, unseen_values
from vicinal.fitted import Fitted, Rows
from vicinal.formatting.sheet_html import sheet_html
from vicinal.formatting.sheet_text import sheet_text
from vicinal.tables.case_labels import NO_LABELS, CaseLabels
from vicinal.tables.to_frame import build_frame
from vicinal.typing import Bools, Floats, Ints, Places
from vicinal.validation import check_parameter
from vicinal.views.convictions import convictions_view

#: Conviction below which a row is an anomaly, as in the paper.
THRESHOLD = 0.7
#: New rows judged at a time for familiarity, and cases that they would change, both at most;
#: this bounds the memory.
_BLOCK = 4096
_MOST_ENTRIES = 1 << 21


@dataclass(frozen=True, eq=False)
class Convictions:
    """How surprising each row is, against what was expected of it.

    Parameters
    ----------
    cases : ndarray of int64
        Case number of each row; for new rows their place among the rows asked about.
    contribution : ndarray
        Distance contribution φ: the mean surprisal, per feature, of the nearest cases.
    expected : ndarray
        The φ that the surroundings lead to expect.
    similarity : ndarray
        Similarity conviction, expected ÷ observed: 1 is ordinary, low an outlier, high a case
        that is too close to others.
    p_value : ndarray
        Share of the stored cases that are at least as surprising by similarity.
    familiarity : ndarray, optional
        Familiarity conviction: low for cases that change the distribution of all φ, whether they
        are too far from the others or too close to them.
    stored : bool
        Whether the rows are stored cases, each judged without itself.
    similarity_error, p_value_error, familiarity_error : ndarray, optional
        Standard errors, if the rows were compared with a sample of the cases.
    n_baseline : int, optional
        Size of this sample.
    library : str, optional
        The dataframe library of the fitted table, which `to_frame` uses by default.
    case_labels : CaseLabels
        What the cases are called, if they have labels.

    Examples
    --------
    >>> import vicinal
    >>> model = vicinal.Model().fit({"height": [1.0, 1.1, 1.2, 1.3, 1.5]})
    >>> model.conviction({"height": [1.15, 4.0]}).direction.tolist()
    ['ordinary', 'outlier']
    """

    cases: Ints
    contribution: Floats
    expected: Floats
    similarity: Floats
    p_value: Floats
    familiarity: Floats | None = None
    stored: bool = False
    similarity_error: Floats | None = None
    p_value_error: Floats | None = None
    familiarity_error: Floats | None = None
    n_baseline: int | None = None
    library: str | None = None
    case_labels: CaseLabels = NO_LABELS

    @property
    def surprisal(self) -> Floats:
        """Surprisal I(x): φ in units of the residual norm, which is 1 in surprisal space."""
        return self.contribution

    @property
    def direction(self) -> NDArray[np.str_]:
        """``"outlier"``, ``"inlier"`` or ``"ordinary"``, at conviction 0.7 and 1/0.7."""
        return directions(self.similarity)

    def __len__(self) -> int:
        return len(self.cases)

    def take(self, places: Places) -> Convictions:
        """Return those of some places."""
        arrays = {
            one.name: getattr(self, one.name)[places]
            for one in fields(self)
            if isinstance(getattr(self, one.name), np.ndarray)
        }
        return replace(self, **arrays)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe (pandas, polars or pyarrow: `backend`) with one row per row."""
        columns: dict[str, Any] = {
            "case" if self.stored else "row": self.case_labels.listed(self.cases),
            "similarity": self.similarity,
            "p_value": self.p_value,
            "direction": self.direction.tolist(),
            "contribution": self.contribution,
            "expected": self.expected,
        }
        if self.familiarity is not None:
            columns["familiarity"] = self.familiarity
        for name in ("similarity_error", "p_value_error", "familiarity_error"):
            if getattr(self, name) is not None:
                columns[name] = getattr(self, name)
        return build_frame(columns, backend or self.library)

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the similarity convictions: a histogram of many, bars of a few.

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
        from vicinal.plots.conviction import draw_convictions

        return draw_convictions(self, ax)

    def __repr__(self) -> str:
        return sheet_text(convictions_view(self))

    def _repr_html_(self) -> str:
        return sheet_html(convictions_view(self))


def directions(similarity: Floats, threshold: float = THRESHOLD) -> NDArray[np.str_]:
    """Name what each similarity conviction means.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.conviction.results import directions
    >>> directions(np.array([0.2, 1.0, 3.0])).tolist()
    ['outlier', 'ordinary', 'inlier']
    """
    close = np.where(similarity * threshold > 1.0, "inlier", "ordinary")
    return np.where(similarity < threshold, "outlier", close)


def conviction(
    fitted: Fitted,
    rows: Any = None,
    *,
    context: Iterable[str] | None = None,
    measure: Measure | None = None,
    familiarity: bool = True,
    baseline: str = "auto",
    max_cases: int | None = None,
) -> Convictions:
    """Say how surprising rows are, against what is expected of them.

    Parameters
    ----------
    rows : table, optional
        Rows to judge, each as if it alone were added. By default the stored cases, each
        without itself.
    context : list of str, optional
        Features that count; by default all columns the rows have.
    measure : Measure, optional
        How to measure, if not by the defaults; `Measure.of_paper` is the paper's way.
    familiarity : bool, default True
        Whether to give familiarity conviction as well, which takes new rows a second search.
    baseline : {"auto", "all"}, default "auto"
        The stored cases that rows are compared with. In tables of more than 50,000 cases, "auto"
        takes a random sample of 10,000 for everything that is a mean over all cases, and 2,000 of
        these for p-values, and the result has standard errors; the nearest cases of a row are
        always the exact ones. "all" judges every stored case first, as is done when all stored
        cases are asked about.
    max_cases : int, optional
        Instead of all stored cases, judge at most so many: a random sample where there are more,
        and of a store at most 250,000.

    Returns
    -------
    Convictions
        Similarity and familiarity conviction (1 is ordinary, low surprising), distance
        contributions and p-values.

    Notes
    -----
    By a sample, familiarity leaves out that a new row enters the nearest cases of others, which
    changes the sums over n cases by about 1/n.

    Examples
    --------
    >>> import vicinal
    >>> model = vicinal.Model().fit({"height": [1.0, 1.1, 1.2, 1.3, 1.5]})
    >>> model.conviction({"height": [1.15, 4.0]})
    Convictions of 2 rows
      1 outlier and 0 inliers; a conviction of 1 is ordinary.
      row  similarity         familiarity     p  direction
      1    0.0484 ██████████        0.377  0.17  outlier
      0      1.22 ░                  1.47     1  ordinary
    """
    check_parameter("baseline", baseline)
    asked = rows_or_sample(fitted, rows, context, max_cases)
    found = convictions_of(fitted, asked, measure, with_familiarity=familiarity, baseline=baseline)
    named = found.cases.tolist() if found.stored else ()
    labels = fitted.labels.some(named)
    return replace(found, case_labels=labels, library=fitted.library)


def convictions_of(
    fitted: Fitted,
    rows: Rows,
    measure: Measure | None = None,
    *,
    with_familiarity: bool = True,
    baseline: str = "auto",
) -> Convictions:
    """Return the convictions of rows: of stored cases each without itself, else as if added."""
    measure = measure or Measure()
    stored = baseline_of(fitted, rows.columns, measure, which_baseline(fitted, rows, baseline))
    if rows.exclude is None or rows.changed or stored.sampled:
        return convictions_of_rows(
            stored,
            rows.values,
            rows.exclude,
            changed=rows.changed,
            with_familiarity=with_familiarity,
            unseen=unseen_values(fitted, rows),
        )
    judged = stored_convictions(fitted, rows.columns, measure)
    if np.array_equal(rows.exclude, judged.cases):
        return judged
    known = rows.exclude >= 0
    of_cases = judged.take(stored.places(rows.exclude[known]))
    if known.all():
        return of_cases
    new = convictions_of_rows(
        stored,
        rows.values[~known],
        with_familiarity=with_familiarity,
        unseen=unseen_values(fitted, rows.take(~known)),
    )
    return _merged(of_cases, new, known)


def which_baseline(fitted: Fitted, rows: Rows, baseline: str) -> str:
    """Return "all" if all stored cases are asked about, since then all are judged anyway."""
    return "all" if rows.stored and len(rows) == len(fitted.index) else baseline


def _merged(of_cases: Convictions, of_rows: Convictions, known: Bools) -> Convictions:
    """Return the convictions of stored cases and new rows in the order of the rows."""
    arrays: dict[str, Any] = {}
    for one in fields(of_rows):
        new = getattr(of_rows, one.name)
        if isinstance(new, np.ndarray):
            arrays[one.name] = np.empty(len(known), dtype=new.dtype)
            arrays[one.name][known] = getattr(of_cases, one.name)
            arrays[one.name][~known] = new
    return replace(of_rows, **{**arrays, "cases": np.arange(len(known))})


def stored_convictions(fitted: Fitted, columns: Places, measure: Measure) -> Convictions:
    """Return the convictions of all stored cases; worked out once, until they change."""
    key = ("convictions", tuple(columns), measure)
    stored = baseline_of(fitted, columns, measure, "all")
    return fitted.cached(key, lambda: convictions_of_stored(stored))


def convictions_of_stored(stored: Baseline) -> Convictions:
    """Return the convictions of all stored cases, each judged without itself."""
    return Convictions(
        cases=stored.numbers,
        contribution=stored.contribution,
        expected=stored.expected,
        similarity=stored.similarity,
        p_value=own_p_values(stored.similarity, stored.weights),
        familiarity=familiarity_of(stored.contribution, stored.weights),
        stored=True,
    )


def convictions_of_rows(
    stored: Baseline,
    rows: Floats,
    exclude: Ints | None = None,
    *,
    changed: bool = True,
    with_familiarity: bool = True,
    unseen: Unseen | None = None,
) -> Convictions:
    """Return the convictions of new rows, each as if it alone were added.

    A case to exclude is no neighbor of its row, which is a changed version of it, or the case
    itself; familiarity still counts it among all cases.
    """
    judged = judge(stored, rows, exclude, changed=changed, unseen=unseen)
    similarity = judged.expected / judged.contribution
    own = None if changed else exclude
    known = own is not None and len(own) > 0 and bool((own >= 0).all())
    found = Convictions(
        cases=own if known and own is not None else np.arange(len(rows)),
        contribution=judged.contribution,
        expected=judged.expected,
        similarity=similarity,
        p_value=p_values(similarity, stored.similarity, stored.similarity_weights),
        stored=known,
    )
    if stored.sampled:
        return _with_errors(found, judged, stored, with_familiarity)
    if not with_familiarity:
        return found
    blocks = [slice(start, start + _BLOCK) for start in range(0, len(rows), _BLOCK)]
    parts = [
        _familiarity(
            stored,
            judged.contribution[some],
            rows[some],
            None if unseen is None else unseen.take(some),
        )
        for some in blocks
    ]
    return replace(found, familiarity=np.concatenate([np.empty(0), *parts]))


def _with_errors(
    found: Convictions, judged: Judged, stored: Baseline, with_familiarity: bool
) -> Convictions:
    """Add what a sample of the cases leaves open, and familiarity."""
    assert judged.contributions is not None
    assert judged.similarities is not None
    size = len(stored.similarity)
    familiar = familiar_error = None
    if with_familiarity:
        familiar = familiarity_of_new_rows(judged.contribution, NO_ENTRIES, stored)
        every = [
            familiarity_of_new_rows(phi, NO_ENTRIES, stored, one.sums)
            for phi, one in zip(judged.contributions, stored.replicates, strict=True)
        ]
        # A ratio, whose deviations are skewed: on the scale of logarithms they are not. Two errors
        # reach as far up as two of those, and farther down.
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            off = jackknife_error(np.log(np.array(every)), stored)
            familiar_error = familiar * np.expm1(2 * off) / 2
    share = found.p_value
    return replace(
        found,
        familiarity=familiar,
        similarity_error=jackknife_error(judged.similarities, stored),
        p_value_error=np.sqrt(share * (1.0 - share) / size),
        familiarity_error=familiar_error,
        n_baseline=len(stored.numbers),
    )


def _familiarity(
    stored: Baseline, contribution: Floats, rows: Floats, unseen: Unseen | None
) -> Floats:
    """Return the familiarity of new rows, of fewer at a time where they would change much."""
    entered = entries(stored, rows, _MOST_ENTRIES if len(rows) > 1 else None, unseen)
    if entered is not None:
        return familiarity_of_new_rows(contribution, entered, stored)
    half = len(rows) // 2
    halves = [
        _familiarity(
            *(stored, contribution[one], rows[one]), None if unseen is None else unseen.take(one)
        )
        for one in (slice(None, half), slice(half, None))
    ]
    return np.concatenate(halves)
