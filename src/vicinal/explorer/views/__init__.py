"""One file for each view of a model: a function of a `State` and a request gives an answer.

schema             the columns, with what a form needs to know about each
overview           the quality of predictions, and which features matter
cases              pages of the table, predictions of some cases, how many a filter selects
case_map           the map of all cases, binned
predictions        predict, and what if
explanations       why a prediction is what it is; two rows side by side
similarity         neighbors, conviction, anomalies
counterfactuals    what would change a prediction
quality            density, imputation, drift, audit
groups             two selections; `fairness`: groups of a protected column
code               the Python code of a view

Answers are dicts of JSON values, of the types in `vicinal.explorer.answers`.
"""
