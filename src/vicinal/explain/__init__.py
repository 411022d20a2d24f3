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
counterfactual_arguments   what the user says about them, checked and encoded: `constraints` on
                           what may change, and `counterfactual_wish`, the answer wished for
counterfactual_oracle      the model as the search asks it; what a change takes
counterfactual_candidates  real cases with a wished outcome; `counterfactual_search`: the sparsest
                           change towards them; `counterfactual_relaxation`: what to give up
near, boundary             cases beside a row; the nearest ones with another outcome
difficulty                 the error to expect of a prediction
explanation                `Explanation`: everything behind one answer, in `explanation_parts`, as
                           `explanation_text` or `explanation_html` (`explanation_style`);
                           `explanation_changes` adds counterfactuals
=========================  ======================================================================

A contribution is a Shapley value: what a feature adds to the prediction, averaged over all orders
in which features could become known. Contributions and baseline sum to the prediction. Takes parts
(index, ensemble, target, arrays), never the Model. May import `plots`, `prediction`, `index`,
`features`, `formulas`, `exceptions`.
"""

from vicinal.explain.boundary import find_boundary, mean_metric
from vicinal.explain.contributions import Contributions, OverallContributions
from vicinal.explain.counterfactual import Counterfactual, Counterfactuals, Relaxation
from vicinal.explain.counterfactual_arguments import read_constraints, read_wish
from vicinal.explain.counterfactual_candidates import find_candidates, nearest_wished, wished_cases
from vicinal.explain.counterfactual_oracle import Oracle
from vicinal.explain.counterfactual_relaxation import find_relaxation
from vicinal.explain.counterfactual_search import Change, Search
from vicinal.explain.data_values import DataValues, value_cases
from vicinal.explain.difficulty import errors_around, errors_of, expected_errors
from vicinal.explain.explanation import PARTS, Explanation, Explanations
from vicinal.explain.explanation_changes import with_counterfactuals
from vicinal.explain.explanation_parts import (
    FeatureShares,
    NearCases,
    ResidualConviction,
    RowConviction,
)
from vicinal.explain.information import Information, Measured, measure_features
from vicinal.explain.matrix import InformationMatrix, feature_information
from vicinal.explain.near import CaseView
from vicinal.explain.shapley import explain_features

__all__ = [
    "PARTS",
    "CaseView",
    "Change",
    "Contributions",
    "Counterfactual",
    "Counterfactuals",
    "DataValues",
    "Explanation",
    "Explanations",
    "FeatureShares",
    "Information",
    "InformationMatrix",
    "Measured",
    "NearCases",
    "Oracle",
    "OverallContributions",
    "Relaxation",
    "ResidualConviction",
    "RowConviction",
    "Search",
    "errors_around",
    "errors_of",
    "expected_errors",
    "explain_features",
    "feature_information",
    "find_boundary",
    "find_candidates",
    "find_relaxation",
    "mean_metric",
    "measure_features",
    "nearest_wished",
    "read_constraints",
    "read_wish",
    "value_cases",
    "wished_cases",
    "with_counterfactuals",
]
