"""Care of tables: holes, doubtful cases, fewer cases, change.

============  ===================================================================================
imputation    `Imputation`: filled cells, with intervals and convictions
labels        cases whose outcome is likely wrong
duplicates    cases that are there twice, or nearly; test rows that training has seen
information   features that say nothing
audit         `Audit`: all of these findings, with their evidence
merging       the most alike cases merged first, one speaking for both
reduction     `Reduction`: fewer cases, and the loss that comes of it
permutation   two samples compared by shuffling which row is of which
drift         `Drift`: whether, how much and where the data has changed
============  ===================================================================================

Functions take parts (index, metric, arrays), never the Model. May import `prediction`, `index`,
`features`, `formulas`, `exceptions`; what it takes from `analysis` and `conviction` is put
together in `vicinal.model.caring`.
"""

from vicinal.care.audit import Audit, Finding
from vicinal.care.drift import Compared, Drift, compare
from vicinal.care.duplicates import Twin, Usual, find_twins, usual_nearness
from vicinal.care.imputation import (
    FilledColumn,
    Imputation,
    Sureness,
    careful_answer,
    check_share,
    learn_sureness,
)
from vicinal.care.information import (
    copies,
    describe_emptiness,
    information,
    information_by_chance,
    parts_of,
)
from vicinal.care.labels import Doubts, classes_are_told, doubt_classes, doubt_numbers
from vicinal.care.merging import merge_to
from vicinal.care.reduction import Reduction, errors_of_features, smallest_size

__all__ = [
    "Audit",
    "Compared",
    "Doubts",
    "Drift",
    "FilledColumn",
    "Finding",
    "Imputation",
    "Reduction",
    "Sureness",
    "Twin",
    "Usual",
    "careful_answer",
    "check_share",
    "classes_are_told",
    "compare",
    "copies",
    "describe_emptiness",
    "doubt_classes",
    "doubt_numbers",
    "errors_of_features",
    "find_twins",
    "information",
    "information_by_chance",
    "learn_sureness",
    "merge_to",
    "parts_of",
    "smallest_size",
    "usual_nearness",
]
