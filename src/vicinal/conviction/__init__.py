"""Convictions: how a case compares with what its surroundings lead to expect.

=====================  =========================================================================
measure                `Measure`: the choices (k, reference, terms, prior) in one place
distance_contribution  φ, the mean distance to the nearest cases
baseline               φ and its expectation for all stored cases, each without itself; made once
new_rows               the same for new rows, as if each alone were added
familiarity            how little a case changes the distribution of all φ
residual               how far one feature of a case is off, against how far its neighbors are
breakdown              which features make a case surprising
p_values               p-values and false discoveries
results                `Convictions`: plain results
anomalies              `Anomalies`: the ranked table
=====================  =========================================================================

Index and metric → baseline → convictions → p-values → anomalies. May import `learning` and below.
"""
