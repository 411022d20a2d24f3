"""From neighbours to answers.

==========  ====================================================================================
influences  the share of each neighbour in a prediction: inverse, probability, centred, linear
ties        neighbors at the same place, taken as one
ensemble    several metrics and rules that answer together, their influences averaged
outcomes    influences → class probabilities and values
target      the column that is asked for
answer      a prediction with the cases behind it
cases       the cases behind a prediction, merged and ranked, as a table
conformal   intervals and label sets, calibrated on left-out cases
==========  ====================================================================================

Prediction = Σ influence × outcome, exactly. Takes parts (index, metrics, arrays), never the
Model. May import `index`, `features`, `formulas`, `exceptions`.
"""
