"""The labels of the classifier: reading them, comparing them, and giving them to the Model."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, column_or_1d

from vicinal.estimators.targets import missing_targets
from vicinal.exceptions import FileError, ParameterError
from vicinal.model.model import Model
from vicinal.tables.arrays import column_of_array
from vicinal.tables.values import to_python, value_key
from vicinal.typing import Floats, Places


def checked_labels(X: Any, y: Any, known: NDArray[Any] | None = None) -> NDArray[Any]:
    """Read the labels of rows, which must be among the known ones, if there are any yet.

    Missing ones, which only a series may have, are None.
    """
    labels = column_or_1d(y, warn=True)
    check_consistent_length(X, labels)
    missing = missing_targets(y)
    given = labels if missing is None else _without_missing(labels[~missing])
    assert_all_finite(given, input_name="y")
    check_classification_targets(given)
    if missing is not None:
        labels = np.full(len(labels), None, dtype=object)
        labels[~missing] = given
    unknown = given[:0] if known is None else given[~np.isin(given, known)]
    if len(unknown):
        raise ParameterError(
            f"y has the label {unknown.tolist()[0]!r}, which is not among classes."
        )
    return labels


def _without_missing(labels: NDArray[Any]) -> NDArray[Any]:
    """Return numbers as such, which were objects only since others were missing."""
    if labels.dtype != object or any(isinstance(label, str) for label in labels):
        return labels
    return np.array(labels.tolist())


def classes_of(labels: NDArray[Any], weights: Floats | None) -> NDArray[Any]:
    """Return the labels of the rows that count, each once, sorted."""
    counted = labels if weights is None else labels[weights > 0]
    if not _some_missing(counted):
        return np.unique(counted)
    present = known_labels(counted)
    if not len(present):
        raise ParameterError("All labels in y are missing; expected at least one.")
    return np.unique(present)


def known_labels(labels: NDArray[Any]) -> NDArray[Any]:
    """Return the labels that are not missing, with their own type."""
    return np.array([label for label in labels.tolist() if label is not None])


def typed_labels(labels: NDArray[Any], classes: NDArray[Any]) -> NDArray[Any]:
    """Return labels with the type of the classes, unless some are missing."""
    return labels if _some_missing(labels) else labels.astype(classes.dtype, copy=False)


def _some_missing(labels: NDArray[Any]) -> bool:
    return labels.dtype == object and any(label is None for label in labels)


def agreed_classes(classes: Any, known: NDArray[Any] | None) -> NDArray[Any]:
    """Return the classes of `partial_fit`: those of the first call, which must name them."""
    if known is None and classes is None:
        raise ParameterError(
            "classes must be passed on the first call to partial_fit; list all labels."
        )
    if known is None:
        return np.unique(classes)
    if classes is not None and not _are_equal(np.unique(classes), known):
        raise ParameterError(f"classes={classes!r}; the first call of partial_fit had {known!r}.")
    return known


def plain_labels(classes: NDArray[Any]) -> list[Any]:
    """Return labels as the Model stores them."""
    return [to_python(label) for label in classes]


def positions(labels: NDArray[Any], classes: NDArray[Any]) -> Places:
    """Return the positions of labels, as the Model gives them, among the classes.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.estimators.labels import positions
    >>> positions(np.array(["b", "a"], dtype=object), np.array(["a", "b"]))
    array([1, 0])
    """
    places = {value_key(label): place for place, label in enumerate(plain_labels(classes))}
    return np.array([places[value_key(label)] for label in labels.tolist()], dtype=np.intp)


def match_labels(model: Model, target: str, classes: NDArray[Any]) -> None:
    """Refuse the Model of a file whose labels are not the classes.

    In files of the first release it has the positions of the labels, and gets the labels now.
    """
    if model.schema_[target].classes is None:
        _give_labels(model, target, classes)
    known, labels = model.schema_[target].class_order, plain_labels(classes)
    if list(map(value_key, known)) != list(map(value_key, labels)):
        raise FileError("the classes of the estimator do not match those of its model")


def _give_labels(model: Model, target: str, classes: NDArray[Any]) -> None:
    fitted, labels = model._ready(), plain_labels(classes)
    places = [int(place) for place in fitted.schema[target].categories or ()]
    if not all(0 <= place < len(labels) for place in places):
        raise FileError("the classes of the estimator do not match those of its model")
    model.classes = {target: labels}
    fitted.schema = fitted.schema.replace(
        target,
        categories=tuple(labels[place] for place in places),
        classes=tuple(labels),
        dtype=column_of_array(classes, target).dtype,
    )


def _are_equal(some: NDArray[Any], others: NDArray[Any]) -> bool:
    return len(some) == len(others) and bool((some == others).all())
