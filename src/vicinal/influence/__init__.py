"""From neighbors to influences, and from influences to predicted outcomes.

===============  ===============================================================================
influences       the share of each neighbor: inverse, probability, centered, linear
equal_neighbors  neighbors with the same position, treated as one
nearby           neighbors in one space, and what each rule makes of them
ensemble         several metrics and rules that predict together, their influences averaged
outcomes         influences → class probabilities and values
target           the column to predict
answer           a prediction: Σ influence × outcome, exactly
losses           how far predictions are from the truth; every loss is defined here
small_samples    standard errors of small samples
tuning           the candidates tried for a target, and the result
===============  ===============================================================================

Neighbors → influences → outcomes. `learning` chooses the metrics and rules, `prediction` makes
the predictions. May import `fitted` and below.
"""
