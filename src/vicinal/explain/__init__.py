"""Why an answer is what it is.

=============  ==================================================================================
coalitions     what the model says when it is given some of the features only
shapley        from what coalitions say to the contribution of each feature
alike          features that cannot be told apart, which contribute alike
contributions  the plain result: contributions by row and overall
=============  ==================================================================================

A contribution is a Shapley value: what a feature adds to the prediction, averaged over all orders
in which features could become known. Contributions and baseline sum to the prediction. Takes parts
(index, ensemble, target, arrays), never the Model. May import `prediction`, `index`, `features`,
`formulas`, `exceptions`.
"""

from vicinal.explain.contributions import Contributions, OverallContributions
from vicinal.explain.shapley import explain_features

__all__ = ["Contributions", "OverallContributions", "explain_features"]
