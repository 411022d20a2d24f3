"""One likely error in a table, with its evidence; and all label errors, as arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from vicinal.formatting.values import format_value, json_value
from vicinal.typing import Bools, Floats


@dataclass(frozen=True)
class Finding:
    """One likely error.

    Parameters
    ----------
    kind : str
        ``"label"``, ``"surprising"``, ``"duplicate"``, ``"leak"``, ``"unusual"``,
        ``"giveaway"`` or ``"feature"``; see `Audit`.
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
    label : value, optional
        The label of the case, if it has one.
    """

    kind: str
    case: int | None
    feature: str | None
    score: float
    evidence: str
    details: dict[str, Any] = field(default_factory=dict)
    label: Any = None

    @property
    def name(self) -> Any:
        """What the case is called: its label, or its number; None for features."""
        return self.case if self.label is None else self.label

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can represent."""
        return {
            "kind": self.kind,
            "case": self.case,
            **({} if self.label is None else {"label": json_value(self.label)}),
            "feature": self.feature,
            "score": self.score,
            "evidence": self.evidence,
            **self.details,
        }

    def __repr__(self) -> str:
        word = "row" if self.kind == "leak" else "case"
        mark = "#" if isinstance(self.name, int) and self.kind != "leak" else ""
        name = f"{word} {mark}{format_value(self.name)}"
        return f"{self.feature if self.case is None else name}: {self.evidence}"


@dataclass(frozen=True, eq=False)
class LabelErrors:
    """How far each case's outcome is from what the other cases suggest; arrays run over cases."""

    #: The larger, the more likely the outcome is wrong. NaN if there is none.
    score: Floats
    suggested: Floats  # what the other cases suggest: an encoded value or class code
    #: Classes: the probability of the suggested class. Numbers: the local scale of errors.
    support: Floats
    surprising: Bools  # whether the other cases suggest something else; it may well be right
    likely: Bools  # whether the outcome is likely wrong, at the false discovery rate
