"""The paper's experiments, with its printed figures beside ours: ``python -m benchmarks.paper``.

printed.py    the figures that the paper prints
jobs.py       a model on a split of a table, with the scores of the paper's tables
tables.py     the three tables, on the splits that all models have
figure.py     familiarity and distance contribution of two points of a Gaussian
__main__.py   the command
"""
