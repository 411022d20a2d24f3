"""Read y: the names of the targets, which values are missing, and the numbers to predict."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

from vicinal.exceptions import TableError
from vicinal.tables.column import Column
from vicinal.tables.frames import as_frame, as_series, column_of_series
from vicinal.typing import Bools, Floats

#: How numpy and pandas begin to say that text is no number, before they quote it.
_NO_NUMBER = "could not convert string to float: "
#: What numpy quotes from an array of text.
_NUMPY_TEXT = re.compile(r"^np\.str_\((.*)\)$", re.DOTALL)


def target_names(y: Any, count: int | None = None) -> tuple[str, ...]:
    """Return the name of each target: those of a series or a dataframe, or else "target".

    Parameters
    ----------
    y : array-like
        The targets.
    count : int, optional
        Number of targets, if y is two-dimensional.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from vicinal.estimators.targets import target_names
    >>> target_names(pd.Series([1.5], name="income")), target_names(np.zeros((1, 2)), 2)
    (('income',), ('target0', 'target1'))
    """
    frame, series = as_frame(y), as_series(y)
    given = [] if frame is None else list(frame.columns)
    given = given if series is None else [series.name]
    if len(given) == (count or 1) and all(isinstance(one, str) and one for one in given):
        return tuple(given)
    return ("target",) if count is None else tuple(f"target{i}" for i in range(count))


def missing_targets(y: Any) -> Bools | None:
    """Mark the missing values of a series; None if there are none.

    Only a series or a dataframe may have missing targets: a NaN in an array is more often a
    mistake, and scikit-learn requires estimators to refuse it.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from vicinal.estimators.targets import missing_targets
    >>> missing_targets(pd.Series(["a", None])), missing_targets(np.array([1.0, np.nan])) is None
    (array([False,  True]), True)
    """
    return _missing_in(_columns_of(y))


def checked_numbers(y: Any, estimator: Any) -> Floats:
    """Read the numbers to predict; of a series or a dataframe, some may be missing.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from vicinal import VicinalRegressor
    >>> from vicinal.estimators.targets import checked_numbers
    >>> checked_numbers(pd.Series([1, None]), VicinalRegressor())
    array([ 1., nan])
    >>> days = np.array(["2024-01-31"], dtype="datetime64[D]")
    >>> checked_numbers(days, VicinalRegressor())  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    vicinal.exceptions.TableError: y holds dates or durations; expected numbers. Convert them, ...
    """
    columns = _columns_of(y)
    _refuse_times(y, columns)
    try:
        numbers: Floats = check_array(
            y,
            ensure_2d=False,
            dtype=np.float64,
            ensure_all_finite=True if _missing_in(columns) is None else "allow-nan",
            input_name="y",
            estimator=estimator,
        )
    except OverflowError as error:
        raise TableError(
            "y has a number that is too large for a float; expected at most about 1e300. Use "
            "another unit."
        ) from error
    except ValueError as error:
        if not str(error).startswith(_NO_NUMBER):
            raise
        text = _NUMPY_TEXT.sub(r"\1", str(error).removeprefix(_NO_NUMBER))
        raise TableError(
            f"y has the text {text}; expected numbers. Predict labels with VicinalClassifier, and"
            " mark what stands for a missing value as None, in a series."
        ) from error
    return numbers


def _refuse_times(y: Any, columns: list[Column]) -> None:
    # They would become numbers of a unit that nobody chose.
    families = {column.family for column in columns}
    if families & {"instant", "duration", "time of day"} or (
        not columns and getattr(getattr(y, "dtype", None), "kind", "") in ("M", "m")
    ):
        raise TableError(
            "y holds dates or durations; expected numbers. Convert them, such"
            " as to days since the first one, or predict the column with a Model."
        )


def _missing_in(columns: list[Column]) -> Bools | None:
    if not columns:
        return None
    missing: Bools = np.any([column.is_missing() for column in columns], axis=0)
    return missing if missing.any() else None


def _columns_of(y: Any) -> list[Column]:
    """Return the columns of a series or a dataframe; none of anything else."""
    series, frame = as_series(y), as_frame(y)
    if series is not None:
        return [column_of_series(series, "y")]
    if frame is None:
        return []
    return [column_of_series(frame.get_column(name), name) for name in frame.columns]
