"""What the cases teach about their features and about a target.

==========  ====================================================================================
sampling    which cases stand for a large table; depends on their content, not on their order
merging     equal cases as one that weighs more, whatever the order of the rows
reference   the cases that residuals are learned from
residuals   the expected error of each feature, predicted from the others, leave-one-out
readings    whole numbers read as numbers or as categories
entropy     feature weights that make a target least surprising
scoring     what neighbours say of left-out cases, by each rule, and how surprising that is
doubt       which of the left-out cases there is something to learn from
tuning      metrics, bandwidths and ridges for a target, and the average of the best
classic     the paper's way: inverse distances, k and p, with residual or MDA weights
targets     a column as a target, and which of these learns to predict it
screening   which columns of a wide table have most to do with each other
filling     every column learned from the others, for holes in them
==========  ====================================================================================

Encoded values → sampled cases → leave-one-out errors → residuals → metric; with a target →
weights → an `Ensemble` of members. May import `prediction`, `index`, `features`, `formulas`,
`progress`, `exceptions`.
"""

from vicinal.analysis.filling import EFFORTS, Effort, Filler
from vicinal.analysis.readings import readings
from vicinal.analysis.residuals import (
    RESIDUAL_MEANS,
    Residuals,
    TermSettings,
    learn_residuals,
)
from vicinal.analysis.sampling import (
    content_order,
    distinct_cases,
    sample_cases,
    sample_distinct,
)
from vicinal.analysis.targets import RULES, describe_target, learn_target
from vicinal.analysis.tuning import Trial, Tuning, known_numbers
from vicinal.prediction import Target

__all__ = [
    "EFFORTS",
    "RESIDUAL_MEANS",
    "RULES",
    "Effort",
    "Filler",
    "Residuals",
    "Target",
    "TermSettings",
    "Trial",
    "Tuning",
    "content_order",
    "describe_target",
    "distinct_cases",
    "known_numbers",
    "learn_residuals",
    "learn_target",
    "readings",
    "sample_cases",
    "sample_distinct",
]
