"""Counterfactuals by trying everything: the reference for the search."""

from __future__ import annotations

from itertools import combinations, product


def sparsest_change(row, sources, permitted, gets_the_wish):
    """The fewest features to take over from one of the sources; None where none will do.

    A source has some values for each feature. `permitted(name, value)` says whether a feature may
    have a value, `gets_the_wish(rows)` whether the model answers each row as wished.
    """
    sizes, rows = [], []
    for source in sources:
        usable = {
            name: [v for v in values if v not in (None, row[name]) and permitted(name, v)]
            for name, values in source.items()
        }
        for size in range(1, len(row) + 1):
            for names in combinations(row, size):
                for values in product(*(usable[name] for name in names)):
                    sizes.append(size)
                    rows.append(row | dict(zip(names, values, strict=True)))
    if not rows:
        return None
    answers = gets_the_wish(rows)
    return min((size for size, good in zip(sizes, answers, strict=True) if good), default=None)


def broken_constraints(row, changed, *, immutable=(), ranges=(), directions=(), allowed=()):
    """Names of the features of a changed row that break a constraint.

    Ranges are of numbers, with None for an open end; missing values break nothing by staying.
    """
    broken = [name for name in row if changed[name] is None and row[name] is not None]
    broken += [name for name in immutable if changed[name] != row[name]]
    for name, (low, high) in dict(ranges).items():
        value = changed[name]
        if value is not None and not (
            (low is None or low <= value) and (high is None or value <= high)
        ):
            broken.append(name)
    for name, word in dict(directions).items():
        before, after = row[name], changed[name]
        if before is None:
            wrong = after is not None
        else:
            wrong = after < before if word == "increase" else after > before
        if wrong:
            broken.append(name)
    for name, values in dict(allowed).items():
        if changed[name] is not None and changed[name] not in values:
            broken.append(name)
    return broken
