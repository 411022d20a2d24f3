"""scikit-learn estimators over the Model.

===============  ===============================================================================
classifier       VicinalClassifier: class probabilities and label sets
regressor        VicinalRegressor: numbers, one or several, and intervals
predictor        what these two share: parameters, the fit of the Model, neighbours
counterfactuals  what would change an answer of these two
explanations     everything behind an answer of these two
density          VicinalDensity: log density in nats, samples
outliers         VicinalOutlierDetector: log conviction, ±1
imputer          VicinalImputer: holes filled from the other columns
observer         what estimators without a target share
saving           to a file and back
tables           X and sample_weight as scikit-learn's users pass them → what the Model takes
parameters       one table of rules for all parameters
===============  ===============================================================================

Constructors only store; `fit` is "validate, build the Model, learn the target", and every other
method is one call of it. Uses scikit-learn's public interface only. May import all but `cli`.
"""

from vicinal.estimators.classifier import VicinalClassifier
from vicinal.estimators.density import VicinalDensity
from vicinal.estimators.imputer import VicinalImputer
from vicinal.estimators.outliers import VicinalOutlierDetector
from vicinal.estimators.regressor import VicinalRegressor

__all__ = [
    "VicinalClassifier",
    "VicinalDensity",
    "VicinalImputer",
    "VicinalOutlierDetector",
    "VicinalRegressor",
]
