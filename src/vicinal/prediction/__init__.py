"""From neighbours to answers.

==========  ====================================================================================
influences  the share of each neighbour in a prediction: inverse, probability, centred, linear
ensemble    several metrics and rules that answer together, their influences averaged
outcomes    influences → class probabilities, values, and their spread
==========  ====================================================================================

Prediction = Σ influence × outcome, exactly. Takes parts (index, metrics, arrays), never the
Model. May import `index`, `features`, `formulas`, `exceptions`.
"""

from vicinal.prediction.ensemble import Ensemble, Influences, Member, Space, find_influences
from vicinal.prediction.influences import influence_shares, scaled_offsets, total_excess
from vicinal.prediction.outcomes import class_probabilities, expected_values

__all__ = [
    "Ensemble",
    "Influences",
    "Member",
    "Space",
    "class_probabilities",
    "expected_values",
    "find_influences",
    "influence_shares",
    "scaled_offsets",
    "total_excess",
]
