"""Bins, interpolated values and hashes of rows, cell by cell."""

import bisect
import math

MASK = (1 << 64) - 1


def bin_code(value, edges, *, nominal, others=62, missing=63):
    if math.isnan(value):
        return missing
    if nominal:
        return edges.index(value) if value in edges else others
    return bisect.bisect_right(edges, value)


def interpolated(value, points, heights):
    if math.isnan(value) or not points:
        return math.nan
    for at, point in enumerate(points):
        if value == point:
            return heights[at]
        if value < point:
            if at == 0:
                return heights[0]
            slope = (heights[at] - heights[at - 1]) / (point - points[at - 1])
            return slope * (value - points[at - 1]) + heights[at - 1]
    return heights[-1]


def mixed(word):
    word = (word + 0x9E3779B97F4A7C15) & MASK
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & MASK
    return word ^ (word >> 31)


def range_hash(row, nominal, middles, halves, *, steps, farthest, seed):
    word = seed
    for value, named, middle, half in zip(row, nominal, middles, halves, strict=True):
        if math.isnan(value):
            place = -1
        elif named:
            place = int(value)
        else:
            far = (value / 2 - middle / 2) / (half / 2)
            place = round(min(max(far, -farthest), farthest) * steps) + int(farthest * steps)
        word = mixed((word + place) & MASK)
    return word
