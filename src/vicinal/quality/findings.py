"""One likely error in a table, with its evidence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Finding:
    """One likely error.

    Parameters
    ----------
    kind : str
        ``"label"``, ``"duplicate"``, ``"leak"``, ``"unusual"`` or ``"feature"``; see `Audit`.
    case : int or None
        Case number; for a leak, the test row. None for features.
    feature : str or None
        The feature concerned, if any.
    score : float
        How strong the evidence is, comparable within a kind; larger is stronger.
    evidence : str
        A description of the evidence.
    details : dict
        The same as values: what was found, what was expected, and which cases support it.
    """

    kind: str
    case: int | None
    feature: str | None
    score: float
    evidence: str
    details: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can represent."""
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
