"""The efforts of imputation: what may be spent on imputing a column."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Effort:
    """What may be spent on imputing a column."""

    #: {"entropy", "irw"}: missing values are imputed once for each stage, given what the stage
    #: before imputed in the other columns; these are weighted for the column to impute, or by
    #: their residuals alone.
    stages: tuple[str, ...]
    #: Influence rules with a ridge to try for numbers, as in `tune`; for classes the last one is
    #: not tried, which is for numbers.
    rules: tuple[str, ...]
    halvings: int | None  # as in `tune`
    max_queries: int
    max_members: int
    max_context: int  # columns to impute one from, at most: those that have most to do with it


EFFORTS = {
    "low": Effort(("irw", "irw"), (), 1, 200, 1, 1 << 30),
    "medium": Effort(("irw", "entropy"), ("linear",), 1, 300, 12, 24),
    "high": Effort(("irw", "entropy", "entropy"), ("centered", "linear"), None, 1200, 20, 64),
}
