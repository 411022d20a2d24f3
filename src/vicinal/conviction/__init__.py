"""Convictions: how a case compares with what its surroundings lead to expect.

============  ===================================================================================
measure       `Measure`: the choices (k, circle, flavour, prior) in one place
contribution  φ, the mean distance to the nearest cases
survey        φ and its expectation for all stored cases, each without itself; made once
newcomers     the same for new cases, as if each alone were added
familiarity   how little a case changes the distribution of all φ
residual      how far one feature of a case is off, against how far its neighbours are
breakdown     which features make a case surprising
calibration   p-values, false discoveries
results       `Convictions`: plain results
anomalies     `Anomalies`: the ranked table
============  ===================================================================================

Index and metric → survey → convictions → p-values → anomalies. Functions take these parts, never
the Model. May import `index`, `features`, `formulas`, `exceptions`.
"""

from vicinal.conviction.anomalies import Anomalies, flagged, nearest_ordinary, responsible
from vicinal.conviction.breakdown import Breakdown, break_down
from vicinal.conviction.calibration import discoveries, own_p_values, p_values
from vicinal.conviction.contribution import contributions
from vicinal.conviction.familiarity import familiarity, familiarity_of_newcomers
from vicinal.conviction.measure import Measure
from vicinal.conviction.newcomers import entries, judge
from vicinal.conviction.residual import ResidualConvictions, residual_conviction
from vicinal.conviction.results import Convictions, convictions_of_rows, convictions_of_stored
from vicinal.conviction.survey import Survey, survey

__all__ = [
    "Anomalies",
    "Breakdown",
    "Convictions",
    "Measure",
    "ResidualConvictions",
    "Survey",
    "break_down",
    "contributions",
    "convictions_of_rows",
    "convictions_of_stored",
    "discoveries",
    "entries",
    "familiarity",
    "familiarity_of_newcomers",
    "flagged",
    "judge",
    "nearest_ordinary",
    "own_p_values",
    "p_values",
    "residual_conviction",
    "responsible",
    "survey",
]
