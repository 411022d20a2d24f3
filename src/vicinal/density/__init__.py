"""Density: normalized log densities of rows, and sampling of synthetic rows.

==================  =============================================================================
kernels             the density of one feature's value around one case, for every kind
widths              the widths of the kernels, learned by leave-one-out likelihood
mixture             `Mixture`: kernels around all distinct cases, and their log density
local_spread        how far cases are from others that are not equal
sampled             `SampledMixture`: the same for large tables, from near cases and a sample
sampled_centers     kernels around a sample of the cases, for synthetic rows of large tables
log_density         the question: `density`
limits              what values synthetic rows may have: those that can exist, within constraints
seen_pairs          pairs of categories that occur together
determined_numbers  numbers that a category determines, and their ranges
sampler             `Sampler`: rows around cases, with values that can exist; no near copies
synthesis           `Synthetic`: sampled rows, with the closest training case of each
==================  =============================================================================

Cases and metric → widths → mixture → nats, or rows. Constraints are those of `counterfactual`. May
import `counterfactual` and below.
"""
