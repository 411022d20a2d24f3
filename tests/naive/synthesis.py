"""What a synthetic table may contain, by looking it up in the real one."""

import itertools


def unseen_pairs(rows, table, names):
    """Pairs of categories of one row that no row of the table has together."""
    wrong = set()
    for one, other in itertools.combinations(names, 2):
        seen = set(zip(table[one], table[other], strict=True))
        for pair in zip(rows[one], rows[other], strict=True):
            if None not in pair and pair not in seen:
                wrong.add(pair)
    return wrong


def missing_share(values):
    """The share of values that are missing."""
    return sum(value is None or value != value for value in values) / len(values)


def weighted_median(values, weights):
    """The first value up to which there is half of all weight."""
    half, reached = sum(weights) / 2, 0
    for value, weight in sorted(zip(values, weights, strict=True)):
        reached += weight
        if reached >= half:
            return value
    return None
