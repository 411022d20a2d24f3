"""Learning from the cases: residuals of the features, and predictors of a target.

===============  ===============================================================================
fit              a table's schema, residuals and index: everything that a fit produces
reference        the cases from which residuals are learned
residuals        the expected error of each feature, predicted from the others, leave-one-out
merging          merges equal cases into one weighted case, whatever the order of the rows
representations  integers treated as numbers or as categories
entropy          feature weights that minimize the surprisal of a target
moved_cases      left-out cases as an attacker would move them, for robust predictions
attacked_sample  some of these, by which every model chooses its members
robust_choice    how much these may count at next to no cost where nobody attacks
robust_radius    how far all cases may be moved at no cost where nobody attacks
views            the cases as those that are left out see them: by scores that do not know them
neighborhoods    left-out cases with their neighbors, and what each rule predicts for them
scoring          the loss of these predictions
learner          the metrics of one representation, and the neighbors of left-out cases in them
tuning           metrics, bandwidths and ridges for a target; `greedy_average` of the best
even_shares      half of the shares of a class prediction, divided evenly among its metrics
paper            the paper's method: inverse distances, k and p, residual or `mda_weights`
targets          which of these methods learns to predict a target
===============  ===============================================================================

Encoded values → sampled cases → leave-one-out errors → residuals → metric; with a target →
weights → an `Ensemble` of members. May import `influence` and below.
"""
