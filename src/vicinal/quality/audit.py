"""The result of an audit: what looks wrong in a table, each with its evidence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from vicinal.exceptions import ParameterError, did_you_mean
from vicinal.tables.to_frame import build_frame

#: What an audit looks for, in the order it reports.
KINDS = {
    "label": "outcomes that are likely wrong",
    "duplicate": "cases that are there more than once, or nearly",
    "leak": "test rows that training has seen, or nearly",
    "unusual": "cases unlike the others",
    "feature": "features without information",
}


@dataclass(frozen=True)
class Finding:
    """One thing that looks wrong.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    case : int or None
        Number of the case; of a leak, the row of the test. None for features.
    feature : str or None
        The feature concerned, where there is one.
    score : float
        How strong the evidence is, comparable within a kind; larger is stronger.
    evidence : str
        What speaks for it, in words.
    details : dict
        The same as values: what was found, what was expected, and beside which cases.
    """

    kind: str
    case: int | None
    feature: str | None
    score: float
    evidence: str
    details: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        return {
            "kind": self.kind,
            "case": self.case,
            "feature": self.feature,
            "score": self.score,
            "evidence": self.evidence,
            **self.details,
        }

    def __repr__(self) -> str:
        word = "row" if self.kind == "leak" else "case"
        where = f"{word} {self.case}" if self.case is not None else f"{self.feature}"
        return f"{where}: {self.evidence}"


@dataclass(frozen=True, eq=False)
class Audit:
    """What looks wrong in a table.

    Parameters
    ----------
    findings : tuple of Finding
        The kinds one after the other, of each the strongest first.
    looked_for : tuple of str
        The kinds that were looked for.
    n_cases : int
        Cases that were looked at.
    target : str or None
        The feature whose outcomes were doubted.
    scores : dict of int to float
        With a target: the score of every case, not of the likely wrong ones alone.

    Examples
    --------
    >>> import vicinal
    >>> model = vicinal.Model().fit(
    ...     {"x": [1.0, 1.1, 1.2, 5.0, 5.1, 5.0], "y": [3.0, 3.5, 4.0, 9.0, 9.5, 9.0]}
    ... )
    >>> model.audit().of("duplicate")
    (case 5: equal to case 3,)
    """

    findings: tuple[Finding, ...]
    looked_for: tuple[str, ...]
    n_cases: int
    target: str | None = None
    scores: dict[int, float] = field(default_factory=dict)

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
        """Return a dataframe with one row per finding.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            Library to use; by default the first of these that is installed.
        """
        return build_frame(
            {
                "kind": [one.kind for one in self.findings],
                # −1 where there is none, so that the numbers stay whole in every library.
                "case": [-1 if one.case is None else one.case for one in self.findings],
                "feature": [one.feature or "" for one in self.findings],
                "score": [float(one.score) for one in self.findings],
                "evidence": [one.evidence for one in self.findings],
            },
            backend,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        return {
            "n_cases": self.n_cases,
            "target": self.target,
            "looked_for": list(self.looked_for),
            "findings": [one.to_dict() for one in self.findings],
        }

    def __repr__(self) -> str:
        about = f", target {self.target!r}" if self.target else ""
        lines = [f"Audit of {self.n_cases} case{'s' * (self.n_cases != 1)}{about}"]
        for kind in self.looked_for:
            found = self.of(kind)
            lines.append(f"  {KINDS[kind]}: {len(found) or 'none'}")
            lines += [f"    {one!r}" for one in found[:5]]
            if len(found) > 5:
                lines.append(f"    … {len(found) - 5} more")
        return "\n".join(lines)
