"""Convert scikit-learn input for the Model: tables, weights, declarations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array, validate_data

from vicinal.exceptions import FeatureError, ParameterError
from vicinal.tables.arrays import column_of_array
from vicinal.tables.asked_names import text_name
from vicinal.tables.frames import as_frame
from vicinal.tables.table import Table, read_table
from vicinal.tables.values import value_type
from vicinal.typing import Floats, Ints
from vicinal.validation import checked_weights, weights_as_numbers


def checked_table(estimator: Any, X: Any, y: Any = "no_validation", *, reset: bool) -> Table:
    """Check X as scikit-learn requires, and read it; `reset` in `fit` only.

    Dataframes keep their column types. Everything else is read as an array, where NaN means
    missing and the type of an object column is inferred from its values.
    """
    if as_frame(X) is not None:
        # y=None is rejected here too: the estimator's tags declare it as required.
        validate_data(estimator, X, y, reset=reset, skip_check_array=True)
        return read_table(X)
    if y is None:
        validate_data(estimator, X, y, skip_check_array=True)
    checked = validate_data(
        estimator, _with_types(X), reset=reset, dtype=None, ensure_all_finite="allow-nan"
    )
    return read_table(_without_collections(checked))


def _with_types(X: Any) -> Any:
    """Keep the types of a mixed list; numpy alone would turn its numbers into strings."""
    if isinstance(X, list | tuple) and np.asarray(X).dtype.kind in "SU":
        return np.array(X, dtype=object)
    return X


def _without_collections(values: NDArray[Any]) -> NDArray[Any]:
    """Convert cells that hold collections to strings.

    scikit-learn expects this of estimators that accept strings: any object is a category.
    """
    if values.dtype != object:
        return values
    cells = values.ravel().tolist()
    if all(value_type(one) != "refused" for one in set(map(type, cells))):
        return values
    plain = np.empty(len(cells), dtype=object)
    plain[:] = [str(cell) if value_type(type(cell)) == "refused" else cell for cell in cells]
    return plain.reshape(values.shape)


def declarations(estimator: Any, names: Sequence[str]) -> dict[str, Any]:
    """Return what an estimator's parameters declare about these columns only, by name."""
    markers = named_mapping(estimator.missing_values, names, "missing_values")
    if not isinstance(markers, Mapping):
        # Without any, nothing is declared about the columns.
        markers = {} if markers is None or not np.size(markers) else dict.fromkeys(names, markers)
    return {
        "categorical_features": named_features(
            estimator.categorical_features, names, "categorical_features"
        ),
        "ordinal_features": named_features(estimator.ordinal_features, names, "ordinal_features"),
        "cyclic_features": named_mapping(estimator.cyclic_features, names, "cyclic_features"),
        "missing_values": markers,
        "missing": named_mapping(estimator.missing, names, "missing"),
        "bounds": named_mapping(estimator.bounds, names, "bounds"),
    }


def with_targets(table: Table, names: Sequence[str], targets: Mapping[str, NDArray[Any]]) -> Table:
    """Rename the features and append the targets; the column order is preserved."""
    features = table.rename(names)
    columns = {name: column_of_array(values, name) for name, values in targets.items()}
    columns = {**features.columns, **columns}
    # Arrays remain without names of their own, so that nothing is read into their numbers. What is
    # never predicted need not be a label: numbers are what their type says, and predict no worse.
    return replace(features, columns=columns, named=table.named, by_name=False, codes=False)


def counted_rows(table: Table, weights: Floats | None) -> tuple[Table, Floats | None, Ints]:
    """Drop rows of weight 0, and return the indices of the remaining rows."""
    rows = np.arange(len(table))
    if weights is None or (weights > 0).all():
        return table, weights, rows
    rows = np.flatnonzero(weights > 0)
    return table.take(rows), weights[rows], rows


def row_weights(sample_weight: Any, count: int) -> Floats | None:
    """Check one weight per row, or one for all rows; return None if all are 1."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, Real):
        sample_weight = np.full(count, float(sample_weight))
    given = check_array(
        weights_as_numbers(sample_weight), ensure_2d=False, input_name="sample_weight"
    )
    weights = checked_weights(given, count)
    return None if weights is None or (weights == 1).all() else weights


def free_name(wanted: str, names: Iterable[str]) -> str:
    """Return a name that no column has.

    Examples
    --------
    >>> from vicinal.estimators.tables import free_name
    >>> free_name("target", ["age", "target"])
    'target_'
    """
    taken = set(names)
    while wanted in taken:
        wanted += "_"
    return wanted


def named_features(declared: Any, names: Sequence[str], argument: str) -> Any:
    """Turn column numbers and boolean masks into names; return anything else unchanged.

    Examples
    --------
    >>> from vicinal.estimators.tables import named_features
    >>> named_features([True, False], ["age", "job"], "categorical_features")
    ['age']
    >>> named_features([1], ["age", "job"], "ordinal_features")
    ['job']
    """
    if isinstance(declared, Mapping):
        return named_mapping(declared, names, argument)
    if declared is None or isinstance(declared, str) or not isinstance(declared, Iterable):
        return declared
    chosen = list(declared)
    if chosen and all(isinstance(one, bool | np.bool_) for one in chosen):
        if len(chosen) != len(names):
            raise ParameterError(
                f"{argument} has {len(chosen)} bools but X has {len(names)} columns; expected one "
                "for each column."
            )
        return [name for name, yes in zip(names, chosen, strict=True) if yes]
    return [_named(one, names, argument) for one in chosen]


def named_mapping(declared: Any, names: Sequence[str], argument: str) -> Any:
    """Turn keys that are column numbers into names; return anything but a mapping unchanged."""
    if not isinstance(declared, Mapping):
        return declared
    return {_named(one, names, argument): value for one, value in declared.items()}


def named_constraints(given: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Turn column numbers in the arguments of `Model.counterfactual` into names.

    Examples
    --------
    >>> from vicinal.estimators.tables import named_constraints
    >>> named_constraints({"immutable": [0], "ranges": {1: (0, 9)}, "n": 2}, ["age", "size"])
    {'immutable': ['age'], 'ranges': {'size': (0, 9)}, 'n': 2}
    """
    named = dict(given)
    for argument in named.keys() & {"ranges", "directions", "allowed"}:
        named[argument] = named_mapping(named[argument], names, argument)
    if "immutable" in named:
        fixed = named["immutable"]
        fixed = [fixed] if isinstance(fixed, str) else fixed
        named["immutable"] = named_features(fixed, names, "immutable")
    return named


def _named(one: Any, names: Sequence[str], argument: str) -> Any:
    if not isinstance(one, Integral) or isinstance(one, bool):
        return text_name(one, names)
    if not -len(names) <= int(one) < len(names):
        raise FeatureError(
            f"{argument} has the column number {one}; X has {len(names)} columns, counted from 0."
        )
    return names[int(one)]
