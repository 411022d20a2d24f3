"""Convictions: how a case compares with what its surroundings lead to expect.

=====================  =========================================================================
measure                `Measure`: the choices (k, reference, terms, prior) in one place
gaps                   missing cells: rows are judged by the features that they have
among                  the cases that rows are judged among: all, or a sample of too many
distance_contribution  φ, the mean distance to the nearest cases
baseline               φ and its expectation for all stored cases, each without itself; made once
new_rows               the same for new rows, as if each alone were added
familiarity            how little a case changes the distribution of all φ
residual               how far one feature of a case is off, against how far its neighbors are
breakdown              which features make a case surprising
tail                   the fitted tail of the convictions, for p-values below 1/n
p_values               p-values and false discoveries
results                `Convictions`: plain results
anomalies              `Anomalies`: the ranked table
=====================  =========================================================================

Index and metric → baseline → convictions → tail and p-values → anomalies. May import `learning`
and below.
"""
