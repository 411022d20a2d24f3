"""Audits: likely errors in a table, each with its evidence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from vicinal.case_sample import checked_cases
from vicinal.conviction.anomalies import anomalies
from vicinal.exceptions import ParameterError, did_you_mean
from vicinal.fitted import Fitted, Rows
from vicinal.formatting.sheet_html import sheet_html
from vicinal.formatting.sheet_text import sheet_text
from vicinal.index.memory import returning_memory
from vicinal.prediction.predictor import learn
from vicinal.progress import stages
from vicinal.quality.duplicates import find_duplicates, nearest_cases, usual_spacing
from vicinal.quality.findings import Finding
from vicinal.quality.giveaways import find_giveaways
from vicinal.quality.labels import find_label_errors
from vicinal.quality.uninformative import find_uninformative
from vicinal.tables.to_frame import build_frame
from vicinal.validation import check_parameters
from vicinal.views.audit import audit_view

#: The kinds of findings, in the order in which an audit reports them.
KINDS = {
    "label": "labels that are likely wrong",
    "surprising": "surprising labels, which may be right",
    "duplicate": "duplicates and near-duplicates",
    "leak": "test rows that repeat training cases",
    "unusual": "unusual cases",
    "giveaway": "features that give the target away",
    "feature": "uninformative features",
}


@dataclass(frozen=True, eq=False)
class Audit:
    """Likely errors in a table.

    Parameters
    ----------
    findings : tuple of Finding
        The findings, grouped by kind, strongest first within each kind.
    looked_for : tuple of str
        The kinds of findings that were checked.
    n_cases : int
        Number of cases that were checked.
    target : str or None
        The feature whose values were checked for errors.
    scores : dict of int to float
        With a target: how surprising the label of every case is, not only of the likely errors.
    library : str, optional
        The dataframe library of the fitted table, which `to_frame` uses by default.
    n_stored : int, optional
        Number of stored cases, of which `n_cases` were checked.

    Examples
    --------
    >>> import vicinal
    >>> model = vicinal.Model().fit(
    ...     {"x": [1.0, 1.1, 1.2, 5.0, 5.1, 5.0], "y": [3.0, 3.5, 4.0, 9.0, 9.5, 9.0]}
    ... )
    >>> model.audit().of("duplicate")
    (case #5: equal to case #3,)
    """

    findings: tuple[Finding, ...]
    looked_for: tuple[str, ...]
    n_cases: int
    target: str | None = None
    scores: dict[int, float] = field(default_factory=dict)
    library: str | None = None
    n_stored: int | None = None

    def of(self, kind: str) -> tuple[Finding, ...]:
        """Return the findings of one kind."""
        if kind not in KINDS:
            raise ParameterError(
                f"kind is {kind!r}; expected one of {', '.join(map(repr, KINDS))}."
                + did_you_mean(kind, KINDS)
            )
        return tuple(one for one in self.findings if one.kind == kind)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe (pandas, polars or pyarrow: `backend`) with one row per finding."""
        return build_frame(
            {
                "kind": [one.kind for one in self.findings],
                # −1 for none, so that the column stays integer in every library.
                "case": self._cases(),
                "feature": [one.feature or "" for one in self.findings],
                "score": [float(one.score) for one in self.findings],
                "evidence": [one.evidence for one in self.findings],
            },
            backend or self.library,
        )

    def _cases(self) -> list[Any]:
        if all(one.label is None for one in self.findings):
            return [-1 if one.case is None else one.case for one in self.findings]
        return ["" if one.name is None else str(one.name) for one in self.findings]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can represent."""
        return {
            "n_cases": self.n_cases,
            "target": self.target,
            "looked_for": list(self.looked_for),
            "findings": [one.to_dict() for one in self.findings],
        }

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the strongest findings of each kind.

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
        from vicinal.plots.audit import draw_audit

        return draw_audit(self, ax)

    def __repr__(self) -> str:
        return sheet_text(audit_view(self, KINDS))

    def _repr_html_(self) -> str:
        return sheet_html(audit_view(self, KINDS))


def audit(
    fitted: Fitted,
    target: str | None = None,
    *,
    test: Any = None,
    by_chance: float = 0.05,
    threshold: float = 0.4,
    false_discovery_rate: float = 0.05,
    max_cases: int | str | None = "auto",
) -> Audit:
    """Look for likely errors in the table, each with its evidence.

    Parameters
    ----------
    target : str, optional
        A feature to check: the audit lists cases whose value is likely wrong, other cases whose
        value is surprising, features that give it away, and features that are uninformative
        about it.
    test : table, optional
        Test rows for a model of these cases. The audit lists rows that equal or nearly equal a
        stored case, whatever their target: they leak training data into the test.
    by_chance : float, default 0.05
        Cases are near-duplicates if at most this many pairs as close are expected by chance,
        given the distances between the other cases.
    threshold : float, default 0.4
        Conviction below which a case is unusual. `anomalies` uses 0.7; an audit is stricter,
        because people read everything that it lists.
    false_discovery_rate : float, default 0.05
        Expected share of right values among those called likely wrong.
    max_cases : int, "auto" or None, default "auto"
        Number of cases to check; in larger tables they are sampled, and the result says so.
        "auto" checks a sample of 10,000 where there are more than 131,072, and otherwise all; None
        checks all, but of stores at most 250,000. The cases that are not checked still serve as
        evidence.

    Returns
    -------
    Audit
        Labels that are likely wrong or surprising, duplicates, leaks, unusual cases, features
        that give the target away, and uninformative features.

    Examples
    --------
    >>> import vicinal
    >>> table = {
    ...     "x": [1.0, 1.1, 1.2, 1.3, 1.4, 5.0, 5.1, 5.2, 5.3, 5.4],
    ...     "same": [3.0] * 10,
    ...     "kind": ["a", "a", "a", "b", "a", "b", "b", "b", "b", "b"],
    ... }
    >>> audit = vicinal.Model().fit(table).audit("kind")
    >>> audit.of("label")  # ten cases are too few to call a label wrong
    ()
    >>> audit.of("surprising")[0].case, audit.of("surprising")[0].details["suggested"]
    (3, 'a')
    >>> audit.of("feature")
    (same: one value only,)
    """
    given = {"by_chance": by_chance, "threshold": threshold}
    check_parameters({**given, "false_discovery_rate": false_discovery_rate})
    cases = checked_cases(fitted, max_cases)
    labels: list[Finding] = []
    scores: dict[int, float] = {}
    predictor = None
    with stages(4, what="auditing") as stage:
        begin = returning_memory(stage, fitted.index)
        begin()
        if target is not None:
            predictor = learn(fitted, target, fitted.columns_for(fitted.schema.names, target))
            labels, scores = find_label_errors(predictor, cases, false_discovery_rate)
        begin()
        repeated = _repeated(fitted, cases, target, test, by_chance)
        begin()
        unusual = list(_unusual(fitted, cases, threshold))
        begin()
        features = find_uninformative(fitted, cases.values, predictor)
        if predictor is not None:
            features = find_giveaways(fitted, cases.values, predictor.column) + features
    findings = [_named(fitted, one) for one in [*labels, *repeated, *unusual, *features]]
    skipped = dict.fromkeys(("label", "surprising", "giveaway"), target is None)
    skipped["leak"] = test is None
    looked_for = tuple(kind for kind in KINDS if not skipped.get(kind))
    return Audit(
        tuple(findings), looked_for, len(cases), target, scores, fitted.library, len(fitted.index)
    )


def _named(fitted: Fitted, found: Finding) -> Finding:
    """Add the label of the case; a leak is in a test row, which is no case."""
    if found.case is None or found.kind == "leak":
        return found
    return replace(found, label=fitted.labels.label_of(found.case))


def _repeated(
    fitted: Fitted, cases: Rows, target: str | None, test: Any, by_chance: float
) -> list[Finding]:
    """Find duplicates among the cases, then test rows that repeat a case."""
    nearest = nearest_cases(fitted, cases)
    spacing = usual_spacing(nearest)
    found = find_duplicates(fitted, cases, nearest, spacing, by_chance, target)
    if test is None:
        return found
    hidden = () if target is None else (target,)
    # A test row that is a training case, label and all, is what is looked for.
    rows = fitted.rows(test, without=hidden, all_new=True)
    return found + find_duplicates(fitted, rows, nearest_cases(fitted, rows), spacing, by_chance)


def _unusual(fitted: Fitted, cases: Rows, threshold: float) -> Iterator[Finding]:
    found = anomalies(fitted, cases, threshold=threshold)
    for at in range(len(found)):
        why = ", ".join(name for name, _ in found.features[at][:3])
        words = f"conviction {found.conviction[at]:.2g}" + f" because of {why}" * bool(why)
        details = {
            "conviction": float(found.conviction[at]),
            "p_value": float(found.p_value[at]),
            "features": dict(found.features[at]),
            "ordinary": [int(case) for case in found.ordinary[at] if case >= 0],
        }
        score = float(-np.log(found.conviction[at]))
        yield Finding("unusual", int(found.cases[at]), None, score, words, details)
