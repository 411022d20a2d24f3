"""Why a prediction is what it is.

==================  ============================================================================
coalitions          predictions of the model from subsets of the features
case_samples        samples of the cases of large tables, which predict from these subsets
precision           when estimated contributions are precise enough
balanced_sets       balanced samples of the sets of features
set_regression      contributions from the predictions of these sets
orders              orders of the features, evenly balanced samples of all of them
space_shares        spaces with a small share in predictions, which take fewer orders
shapley             from the predictions of coalitions to the contribution of each feature
equal_columns       features with identical values, which contribute equally
contributions       the result: contributions by row
overall_contributions
                    contributions to many predictions, summarized
dropping            held-out cases predicted without each feature, and from it alone
information         information of each feature about a target
information_matrix  information of each feature about each other feature, in `held_out_cases`;
                    `single_features` predicts columns with gaps together
knn_shapley         Shapley values of cases in an unweighted k-NN
knn_shapley_tail    those of cases too far to be ranked; `case_shapley`: sums over rows
data_values         the value of each training case to some predictions
near_cases          cases compared with a row, feature by feature
boundary            the nearest cases with another outcome
difficulty          the error to expect of a prediction
==================  ============================================================================

The folder ``explanation`` has `Explanation`, everything behind one prediction. A contribution is
a Shapley value: what a feature adds to the prediction, averaged over all orders of the features;
with the baseline they sum to the prediction. May import `counterfactual` and below.
"""
