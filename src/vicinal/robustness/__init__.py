"""Robustness: how far rows and training data can change without changing a prediction.

==============  ================================================================================
certify         the question: certify predictions, look for counterexamples
outcome         what it means that a prediction stays the same
perturbation    the changes of a row, and what they cost
derived_ranges  the ranges of derived columns, given those of their columns; tree_ranges: of trees
shared_radius   the same where parts of a sum share it: sum_ranges, shared_trees, tree_paths
stored_folds    stored cases that a changed row can equal, which changes its derived columns
candidates      the cases nearest to a row; grid_terms: their terms at points of a grid
budget          the same where the costs of all changes add up to one radius
neighborhood    cases that may be neighbors of a changed row, and bounds of their distances
places          which cases must and may be neighbors; settled: doubtful ones, two by two
share_bounds    the least mean outcome that kernels of distances can give
spread          where the neighbors lie about a changed row
tilt, guess     how far balancing can tilt these kernels, and a guess of it that follows the row
entrants        how it follows cases that may be neighbors; crests: how far it goes at corners
guide           how far influences are from the guess
joint           what all rivals gain from one change, together
margins         bounds of whole predictions; known_means: what is known of parts of a box
radius          the largest radius that can be certified
division        larger ones, proved part by part; pace: how far this is, and when it ends
reasons         why there is none
attack          the smallest change that is found to change a prediction
training        how many training cases a prediction depends on
result          `Certificates`
==============  ================================================================================

Bounds are sound: they may be too wide, never too narrow. May import `quality` and below.
"""
