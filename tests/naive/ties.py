"""The slow and obvious twin of ties: who takes the last places, one case at a time.

A *case* is a tuple (key, number, weight). It shares no code with the package.
"""

from __future__ import annotations

from fractions import Fraction


def places(cases, k):
    """How many of k places each case takes, by number: ties for the last ones share them.

    Nearest first, cases take as many places as they weigh, until k cases or k places are taken.
    """
    taken, before, count = {}, Fraction(0), 0
    for key in sorted({key for key, _, _ in cases}):
        tied = [(number, Fraction(weight)) for other, number, weight in cases if other == key]
        total = sum(weight for _, weight in tied)
        part = min(1, (k - before) / total, Fraction(k - count, len(tied)))
        if part <= 0:
            break
        for number, weight in tied:
            taken[number] = part * weight
        before, count = before + total, count + len(tied)
    return taken
