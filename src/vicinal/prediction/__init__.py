"""Any feature predicted from any others.

==========  ====================================================================================
predict     predictions, probabilities, intervals, sets, influences: the questions of a Model
predictor   `Predictor`: a target and what was learned to predict it; left-out predictions
conformal   how far off left-out cases are, for intervals and prediction sets
interval    prediction intervals in the terms of the target
cases       the cases behind a prediction, merged and ranked, as a table
==========  ====================================================================================

Prediction = Σ influence × outcome, exactly. May import `learning` and below.
"""
