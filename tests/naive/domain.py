"""Which values a column can have, digit by digit."""

from decimal import Decimal


def shared_step(values):
    """The largest power of ten of which all numbers are multiples, as they are written."""
    exponents = []
    for value in values:
        digits = Decimal(repr(float(value))).normalize()
        if digits:
            exponents.append(digits.as_tuple().exponent)
    return Decimal(10) ** min(exponents) if exponents else Decimal(0)


def is_possible(value, seen):
    """Whether a number lies within the range of those seen, and on their step."""
    if not min(seen) <= value <= max(seen):
        return False
    step = shared_step(seen)
    return not step or Decimal(repr(float(value))) % step == 0
