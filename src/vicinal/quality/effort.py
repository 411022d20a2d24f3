"""The effort levels of imputation: how much computation each column gets."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Effort:
    """How much computation to spend on imputing a column."""

    #: {"entropy", "irw"}: each stage imputes the missing values once, given what the previous
    #: stage imputed in the other columns; these are weighted for the column to impute, or by
    #: their residuals alone.
    stages: tuple[str, ...]
    #: Influence rules with a ridge to try for numbers, as in `tune`; the last one is for numbers
    #: only and is not tried for classes.
    rules: tuple[str, ...]
    halvings: int | None  # as in `tune`
    max_queries: int
    max_members: int
    max_context: int  # maximum number of context columns: the most strongly associated ones


EFFORTS = {
    "low": Effort(("irw", "irw"), (), 1, 200, 1, 64),
    "medium": Effort(("irw", "entropy"), ("linear",), 1, 300, 12, 24),
    "high": Effort(("irw", "entropy", "entropy"), ("centered", "linear"), None, 2400, 20, 64),
}
