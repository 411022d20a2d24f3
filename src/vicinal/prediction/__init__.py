"""Prediction of any feature from any others.

=================  =============================================================================
predict            predictions, probabilities, intervals, sets, influences: the methods of a Model
predictor          `Predictor`: a target and what was learned to predict it
extended_cases     the cases as a predictor searches them, with the columns derived for its target
decision           `Decision`: a class from probabilities, by weights or costs, or tuned for a goal
goals              accuracy, balanced accuracy, F1 and MCC, as functions of counts
rule               the decision that the parameters `decision` and `class_weight` ask for
left_out           leave-one-out predictions, kept until the cases change
calibration_cases  the cases that predictions are calibrated on, and what predicts them
conformal          errors of left-out cases, for prediction intervals and prediction sets
cross_fitting      fits without a part of the cases, which are then predicted as new rows are
interval           prediction intervals in the units of the target
cases              the cases behind a prediction, merged and ranked, as a table
heaviest           the features with the greatest weights, which are looked at one by one if many
=================  =============================================================================

Prediction = Σ influence × outcome, exactly. May import `learning` and below.
"""
