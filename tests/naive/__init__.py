"""The references that everything fast is checked against: plain loops that share none of its code.

cells           bins, interpolated values, hashes of rows
distance        terms, distances and neighbors, by the formulas
prediction      influences, answers, conformal quantiles
conviction      distance contributions, similarity, familiarity
explain         what coalitions predict, and Shapley values
explanation     what an explanation says
domain          which values a column can have
synthesis       what a synthetic table may contain
robustness      the least mean over changed rows, and the fewest cases, by trying all
counterfactual  broken constraints, and the sparsest change by trying all
quality         permutation tests and information, by counting
"""
