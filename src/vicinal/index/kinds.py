"""The kinds of columns that the kernels distinguish."""

#: Continuous and ordinal columns are numeric.
NUMERIC, CYCLIC, NOMINAL = 0, 1, 2
