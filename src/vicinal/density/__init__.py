"""Density: normalized log densities of rows, and sampling of synthetic rows.

=========  ====================================================================================
kernels    the density of one feature's value around one case, for every kind
widths     the widths of the kernels, learned by leave-one-out likelihood
mixture    `Mixture`: kernels around all cases; log density and sampling
synthesis  `Synthetic`: sampled rows, with the closest training case of each
=========  ====================================================================================

Cases and metric → widths → mixture → nats, or rows. May import `prediction` and below.
"""
