"""scikit-learn's own checks: every estimator, every check, no expected failure."""

import inspect

import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import parametrize_with_checks

import vicinal

ESTIMATORS = [
    vicinal.VicinalClassifier(),
    vicinal.VicinalDensity(),
    vicinal.VicinalImputer(),
    vicinal.VicinalOutlierDetector(),
    vicinal.VicinalRegressor(),
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_finds_nothing_wrong(estimator, check):
    check(estimator)


def test_every_public_estimator_is_checked():
    public = [getattr(vicinal, name) for name in vicinal._HOMES]
    estimators = {one for one in public if inspect.isclass(one) and issubclass(one, BaseEstimator)}
    assert estimators == {type(estimator) for estimator in ESTIMATORS}


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda one: type(one).__name__)
def test_no_check_is_skipped_by_a_tag(estimator):
    assert not estimator.__sklearn_tags__().no_validation
    assert not estimator.__sklearn_tags__()._skip_test
