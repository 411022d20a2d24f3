"""From neighbours to answers.

==========  ====================================================================================
influences  the share of each neighbour in a prediction: inverse, probability, centred, linear
twins       neighbours at the same place, taken as one
ensemble    several metrics and rules that answer together, their influences averaged
outcomes    influences → class probabilities and values
target      the column that is asked for
answer      a prediction with the cases behind it
cases       the cases behind a prediction, merged and ranked, as a table
conformal   intervals and label sets, calibrated on left-out cases
==========  ====================================================================================

Prediction = Σ influence × outcome, exactly. Takes parts (index, metrics, arrays), never the
Model. May import `index`, `features`, `formulas`, `exceptions`.
"""

from vicinal.prediction.answer import Answer, answer, combine
from vicinal.prediction.cases import CaseInfluences
from vicinal.prediction.conformal import Calibration, calibrate_classes, calibrate_numbers
from vicinal.prediction.ensemble import Ensemble, Influences, Member, Space, find_influences
from vicinal.prediction.influences import (
    influence_paths,
    influence_shares,
    total_excess,
)
from vicinal.prediction.outcomes import class_probabilities, expected_values
from vicinal.prediction.target import MIX, Target

__all__ = [
    "MIX",
    "Answer",
    "Calibration",
    "CaseInfluences",
    "Ensemble",
    "Influences",
    "Member",
    "Space",
    "Target",
    "answer",
    "calibrate_classes",
    "calibrate_numbers",
    "class_probabilities",
    "combine",
    "expected_values",
    "find_influences",
    "influence_paths",
    "influence_shares",
    "total_excess",
]
