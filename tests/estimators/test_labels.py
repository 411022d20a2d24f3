"""The labels of the classifier."""

from __future__ import annotations

import numpy as np
import pytest

from vicinal.estimators.labels import agreed_classes, checked_labels, plain_labels, positions
from vicinal.exceptions import ParameterError


@pytest.mark.parametrize(
    "classes", [["a", "b"], [1, 2], [False, True], [0.5, 1.0], np.array(["x", "y"], dtype=object)]
)
def test_labels_of_the_model_are_found_among_the_classes(classes):
    classes = np.asarray(classes)
    labels = np.empty(3, dtype=object)
    labels[:] = [plain_labels(classes)[place] for place in (1, 0, 1)]
    assert positions(labels, classes).tolist() == [1, 0, 1]


def test_the_first_call_names_all_classes_and_later_ones_agree():
    with pytest.raises(ParameterError, match="must be passed on the first call"):
        agreed_classes(None, None)
    known = agreed_classes([2, 1, 2], None)
    assert known.tolist() == [1, 2]
    assert agreed_classes(None, known) is known
    assert agreed_classes([2, 1], known) is known
    with pytest.raises(ParameterError, match="the first call of partial_fit had"):
        agreed_classes([1, 2, 3], known)


def test_a_label_that_is_no_class_is_named():
    X = np.zeros((2, 1))
    assert checked_labels(X, [1, 3]).tolist() == [1, 3]
    with pytest.raises(ParameterError, match="y has the label 3, which is not among classes"):
        checked_labels(X, [1, 3], np.array([1, 2]))
