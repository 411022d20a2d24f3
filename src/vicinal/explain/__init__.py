"""Why an answer is what it is, and what would change it.

=========================  ======================================================================
coalitions                 what the model says when it is given some of the features only
shapley                    from what coalitions say to the contribution of each feature
alike                      features that cannot be told apart, which contribute alike
contributions              the plain result: contributions by row and overall
losses                     how far predictions are from the truth, in errors and in nats
information                what each feature tells about a target
matrix                     what each feature tells about each other one
knn_shapley                exact Shapley values of cases in an unweighted k-NN
data_values                what each case is worth to some predictions
counterfactual             the plain result: changes, the case behind them, what is in the way
counterfactual_arguments   what the user says about them, checked and encoded
constraints                what may change in a row, and how far
counterfactual_wish        the answer wished for, and how near others come
counterfactual_oracle      the model as the search asks it; what a change takes
counterfactual_candidates  real cases with a wished outcome, and what may be taken over
counterfactual_search      the sparsest change towards them that gets the wished answer
counterfactual_relaxation  which constraint to give up where there is none
=========================  ======================================================================

A contribution is a Shapley value: what a feature adds to the prediction, averaged over all orders
in which features could become known. Contributions and baseline sum to the prediction. Takes parts
(index, ensemble, target, arrays), never the Model. May import `prediction`, `index`, `features`,
`formulas`, `exceptions`.
"""

from vicinal.explain.contributions import Contributions, OverallContributions
from vicinal.explain.counterfactual import Counterfactual, Counterfactuals, Relaxation
from vicinal.explain.counterfactual_arguments import read_constraints, read_wish
from vicinal.explain.counterfactual_candidates import find_candidates, wished_cases
from vicinal.explain.counterfactual_oracle import Oracle
from vicinal.explain.counterfactual_relaxation import find_relaxation
from vicinal.explain.counterfactual_search import Change, Search
from vicinal.explain.data_values import DataValues, value_cases
from vicinal.explain.information import Information, Measured, measure_features
from vicinal.explain.matrix import InformationMatrix, feature_information
from vicinal.explain.shapley import explain_features

__all__ = [
    "Change",
    "Contributions",
    "Counterfactual",
    "Counterfactuals",
    "DataValues",
    "Information",
    "InformationMatrix",
    "Measured",
    "Oracle",
    "OverallContributions",
    "Relaxation",
    "Search",
    "explain_features",
    "feature_information",
    "find_candidates",
    "find_relaxation",
    "measure_features",
    "read_constraints",
    "read_wish",
    "value_cases",
    "wished_cases",
]
