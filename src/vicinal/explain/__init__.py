"""Why a prediction is what it is.

==================  ============================================================================
coalitions          what the model predicts when it is given some of the features only
shapley             from the predictions of coalitions to the contribution of each feature
equal_columns       features that hold the same values, which contribute alike
contributions       the plain result: contributions by row and overall
information         what each feature tells about a target
information_matrix  what each feature tells about each other one
knn_shapley         exact Shapley values of cases in an unweighted k-NN
data_values         what each case is worth to some predictions
near_cases          cases beside a row, feature by feature
boundary            the nearest cases with another outcome
difficulty          the error to expect of a prediction
==================  ============================================================================

The folder ``explanation`` has `Explanation`, everything behind one prediction. A contribution is
a Shapley value: what a feature adds to the prediction, averaged over all orders in which features
could become known; with the baseline they sum to the prediction. May import `counterfactual` and
below.
"""
