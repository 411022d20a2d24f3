"""The sections of the page, each a function from plain results to markup.

overview     the features of the table
performance  how well the target is predicted, and how well calibrated the predictions are
ranking      how well classes are ranked, and what other decisions would change
importance   which features matter, and how predictions depend on them
findings     anomalies and data quality
examples     predictions explained down to the training cases
what_if      cases whose features can be changed on the page
"""
