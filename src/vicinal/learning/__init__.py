"""What the cases teach about their features and about a target.

===============  ===============================================================================
fit              a table's schema, residuals and index: everything that a fit leaves behind
reference        the cases that residuals are learned from
residuals        the expected error of each feature, predicted from the others, leave-one-out
merging          equal cases as one that weighs more, whatever the order of the rows
representations  whole numbers read as numbers or as categories
entropy          feature weights that make a target least surprising
hard_cases       which of the left-out cases there is something to learn from
scoring          what neighbors say of left-out cases, by each rule, and the loss of that
tuning           metrics, bandwidths and ridges for a target; `greedy_average` of the best
paper            the paper's way: inverse distances, k and p, residual weights or `mda_weights`
targets          which of these ways learns to predict a target
===============  ===============================================================================

Encoded values → sampled cases → leave-one-out errors → residuals → metric; with a target →
weights → an `Ensemble` of members. May import `influence` and below.
"""
