"""Density: how probable a row is, properly normalized, and rows drawn from it.

=========  ====================================================================================
kernels    the density of one feature's value around one case, for every kind
widths     how wide the kernels are: learned by leaving each case out
mixture    `Mixture`: kernels around all cases; log density and drawing
synthesis  `Synthetic`: drawn rows, with the closest real case of each
=========  ====================================================================================

Cases and metric → widths → mixture → nats, or rows. May import `learning` and below.
"""
