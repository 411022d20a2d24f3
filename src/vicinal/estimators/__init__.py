"""scikit-learn estimators over the Model.

=============  =================================================================================
base           what all share: parameters, tags, the fit of the Model, saving
predictor      what the classifier and the regressor share: targets, neighbors
classifier     VicinalClassifier: class probabilities and prediction sets
regressor      VicinalRegressor: numbers, one or several, and intervals
density        VicinalDensity: log density in nats, samples
outliers       VicinalOutlierDetector: log conviction, ±1
imputer        VicinalImputer: missing values filled from the other columns
tables         X and sample_weight as scikit-learn's users pass them → what the Model takes
training_rows  the Model's answers, with rows of the training table for case numbers
saving         what was learned as JSON and arrays, and back
=============  =================================================================================

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
