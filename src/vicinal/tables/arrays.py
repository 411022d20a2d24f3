"""Columns from Python values and from numpy arrays."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal.exceptions import FeatureError, TableError
from vicinal.tables import times
from vicinal.tables.column import Column
from vicinal.tables.values import find_missing, to_python, value_key, value_type
from vicinal.typing import Bools

_Mask = Bools | None


def column_of(values: Sequence[Any], name: str) -> Column:
    """Read a sequence of Python values.

    Returns
    -------
    Column
        Numbers and None are numbers; one type throughout is that type; a mixture of types that
        are not all numbers is "mixed", where a bool, a number and a string are never the same
        label. Values of types unknown here are read by their string form.

    Examples
    --------
    >>> from vicinal.tables.arrays import column_of
    >>> column_of([1, None, 2.5], "x").dtype, column_of(["a", 1, True], "x").levels
    ('float', ('a', 1, True))
    """
    types = set(map(type, values))
    if types and types <= {int, float, np.float64}:
        return _of_numbers(values, None, {value_type(one) for one in types}, name)
    missing = find_missing(values, types)
    gone = missing if missing.any() else None
    if gone is not None:
        types = {type(value) for value, no in zip(values, gone.tolist(), strict=True) if not no}
    words = {value_type(one) for one in types}
    if "refused" in words:
        raise _refused(values, name)
    return _of_words(values, gone, words, name)


def column_of_array(values: NDArray[Any], name: str) -> Column:
    """Read a one-dimensional numpy array, which may be a masked one; numbers are not copied.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.tables.arrays import column_of_array
    >>> column_of_array(np.ma.masked_equal([3, -1, 4], -1), "x").numbers()
    array([ 3., nan,  4.])
    """
    masked = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    missing = masked if masked is not None and masked.any() else None
    values = np.asarray(values)
    match values.dtype.kind:
        case "b":
            return Column("bool", values, missing)
        case "i" | "u":
            return Column("int", values, missing)
        case "f":
            return Column("float", values, missing)
        case "M" | "m":
            return _of_time_array(values, missing)
        case "O" | "U" | "S":
            return column_of(_fill(values.tolist(), missing), name)
        case "T":  # numpy's strings of any length
            return column_of(_fill(values.astype(object).tolist(), missing), name)
    raise FeatureError(
        f"Column {name!r} has the dtype {values.dtype}; expected numbers, strings, bools, dates "
        "or durations, one value per cell."
    )


def _of_words(values: Sequence[Any], missing: _Mask, words: set[str], name: str) -> Column:
    if not words:
        return Column("null", np.full(len(values), np.nan))
    if words == {"bool"} or words <= {"int", "float", "decimal"}:
        return _of_numbers(values, missing, words, name)
    values = _fill(values, missing)
    if words <= {"datetime", "date"}:
        return _of_instants(values, words, name)
    if words == {"duration"}:
        spans = [times.within_range(times.python_time(value)) for value in values]
        return Column("duration", np.array(spans, dtype="timedelta64[us]"))
    if words == {"time"}:
        clock = [None if value is None else times.since_midnight(value) for value in values]
        return Column("time", np.array(clock, dtype="timedelta64[us]"))
    if "other" in words:
        words = words - {"other"} | {"string"}
        values = [str(v) if value_type(type(v)) == "other" else v for v in values]
    return _of_labels(values, *words) if len(words) == 1 else _of_mixed(values)


def _of_numbers(values: Sequence[Any], missing: _Mask, words: set[str], name: str) -> Column:
    values = _fill(values, missing, 0)
    if words == {"bool"}:
        return Column("bool", np.array(values, dtype=bool), missing)
    if words == {"int"}:
        try:
            return Column("int", np.array(values, dtype=np.int64), missing)
        except OverflowError:  # beyond 64 bits: as near as a float can be
            words = {"float"}
    dtype = "decimal" if "decimal" in words and "float" not in words else "float"
    return Column(dtype, _floats(values, name), missing)


def _floats(values: Sequence[Any], name: str) -> NDArray[np.float64]:
    try:
        return np.array(values, dtype=np.float64)
    except OverflowError as error:
        raise TableError(
            f"Column {name!r} has a number that is too large for a float; expected at most about "
            "1e300. Use another unit, or text if it is a code."
        ) from error


def _of_instants(values: Sequence[Any], words: set[str], name: str) -> Column:
    instants, timezone, clash = times.instant_array(values)
    if clash:
        raise TableError(
            f"Column {name!r} mixes datetimes with and without a time zone; give all of them "
            "one, or none."
        )
    return Column("date" if words == {"date"} else "datetime", instants, timezone=timezone)


def _of_labels(values: Sequence[Any], dtype: str) -> Column:
    # One type throughout, so equal values are the same label and a plain dict finds them.
    numbers: dict[Any, int] = dict.fromkeys(values, -1)
    levels = [value for value in numbers if value is not None]
    numbers.update(zip(levels, range(len(levels)), strict=True))
    codes = np.fromiter(map(numbers.__getitem__, values), np.intp, len(values))
    return Column(dtype, codes, levels=tuple(map(to_python, levels)))


def _of_mixed(values: Sequence[Any]) -> Column:
    numbers: dict[Hashable, int] = {}
    levels: list[Any] = []
    codes = np.full(len(values), -1, dtype=np.intp)
    for row, value in enumerate(values):
        if value is None:
            continue
        level = to_python(value)
        code = codes[row] = numbers.setdefault(value_key(level), len(numbers))
        if code == len(levels):
            levels.append(level)
        # 1 and 1.0 are one label; which of them it is called must not depend on the row order.
        levels[code] = min(levels[code], level, key=repr)
    return Column("mixed", codes, levels=tuple(levels))


def _of_time_array(values: NDArray[Any], missing: _Mask) -> Column:
    unit = np.datetime_data(values.dtype)[0]
    dtype = "duration" if values.dtype.kind == "m" else "date" if unit == "D" else "datetime"
    unit = unit if unit in ("us", "ns") else "ns" if unit in ("ps", "fs", "as") else "us"
    fine = values.astype(f"{values.dtype.kind}8[{unit}]", order="C")
    return Column(dtype, fine, missing)


def _fill(values: Sequence[Any], missing: _Mask, filler: Any = None) -> Sequence[Any]:
    if missing is None:
        return values
    return [filler if no else value for value, no in zip(values, missing.tolist(), strict=True)]


def _refused(values: Sequence[Any], name: str) -> FeatureError:
    row = next(i for i, value in enumerate(values) if value_type(type(value)) == "refused")
    return FeatureError(
        f"Column {name!r} holds a {type(values[row]).__name__} in row {row}; expected one number, "
        "string, bool, date or duration per cell. Split the column into several, or drop it."
    )
