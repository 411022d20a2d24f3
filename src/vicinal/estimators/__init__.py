"""scikit-learn estimators over the Model.

=============  =================================================================================
base           base class: parameters, tags, fitting the Model, saving
predictor      base class of the classifier and the regressor: targets, neighbors
classifier     VicinalClassifier: class probabilities and prediction sets
regressor      VicinalRegressor: one or several numbers, and prediction intervals
density        VicinalDensity: log density in nats, samples
outliers       VicinalOutlierDetector: log conviction, ±1
imputer        VicinalImputer: missing values imputed from the other columns
labels         the labels of the classifier: reading, comparing, giving them to the Model
scoring        the method `score`
targets        the names of the targets, and which are missing
tables         converts X and sample_weight from scikit-learn's conventions for the Model
training_rows  the Model's results, with case numbers replaced by training rows
saving         converts fitted attributes to JSON and arrays, and back
=============  =================================================================================

Constructors only store parameters; `fit` validates, fits the Model and learns the target; every
other method is one call to the Model. Uses scikit-learn's public API. May import all but `cli`.
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
