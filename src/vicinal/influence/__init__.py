"""From neighbors to influences, and from influences to predicted outcomes.

===============  ===============================================================================
influences       the share of each neighbor: inverse, probability, centered, linear
equal_neighbors  neighbors at the same place, taken as one
ensemble         several metrics and rules that predict together, their influences averaged
outcomes         influences → class probabilities and values
target           the column that is asked for
answer           a prediction: Σ influence × outcome, exactly
losses           how far predictions are from the truth; every loss is defined here
tuning           what was tried to predict a target, and what came of it
===============  ===============================================================================

Neighbors → influences → outcomes. `learning` chooses the metrics and rules, `prediction` makes
the predictions. May import `fitted` and below.
"""
