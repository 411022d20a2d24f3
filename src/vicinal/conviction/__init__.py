"""Convictions: how a case compares with what its surroundings lead to expect.

=====================  =========================================================================
measure                `Measure`: the choices (k, reference, terms, prior) in one place
gaps                   missing cells: rows are judged by the features that they have
unseen                 values never seen in columns that do not vary
distance_contribution  φ, the mean distance to the nearest cases
near_lists             distances of all cases' nearest ones, of large tables in a temporary file
baseline               φ and its expectation for all stored cases, each without itself; made once
sampled_baseline       the same for a sample of the cases of a large table, with standard errors
contribution_sums      sums over φ of all cases, as familiarity needs them
new_rows               the same for new rows, as if each alone were added
familiarity            how little a case changes the distribution of all φ
residual               how far one feature of a case is off, against how far its neighbors are
breakdown              which features make a case surprising
tail                   the fitted tail of the convictions, for p-values below 1/n
p_values               p-values and false discoveries
column_tails           how far out values are, one column at a time
correlations           how far cases break the correlations of most of the table
within_table           which stored cases are anomalies where anomalies come in groups
quantiles              quantiles and ranks of cases with weights
results                `Convictions`: plain results
dominating             cases that widen the residual of a column, judged without that
anomalies              `Anomalies`: the ranked table
=====================  =========================================================================

Index and metric → baseline → convictions → tail and p-values → anomalies. May import `learning`
and below.
"""
