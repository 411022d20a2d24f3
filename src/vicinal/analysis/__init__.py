"""What the cases teach about their features.

==========  ====================================================================================
sampling    which cases stand for a large table; depends on their content, not on their order
residuals   the expected error of each feature, predicted from the others, leave-one-out
==========  ====================================================================================

Encoded values → sampled cases → leave-one-out errors → residuals → the metric of the next
round. May import `index`, `features`, `formulas`, `progress`, `exceptions`.
"""

from vicinal.analysis.residuals import Residuals, TermSettings, learn_residuals
from vicinal.analysis.sampling import sample_cases

__all__ = ["Residuals", "TermSettings", "learn_residuals", "sample_cases"]
