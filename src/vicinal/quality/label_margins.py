"""How far cases are from the nearest case for which another class is predicted."""

from __future__ import annotations

import numpy as np

from vicinal.explain.boundary import mean_metric
from vicinal.fitted import Rows
from vicinal.index.exact import ExactIndex
from vicinal.prediction.predictor import Predictor
from vicinal.typing import Floats, Ints

#: Number of cases to which distances are measured.
_MOST_REFERENCES = 1000


def label_margins(predictor: Predictor, cases: Rows, predicted: Ints) -> Floats:
    """Measure how deep inside the region of its predicted class each case is.

    Parameters
    ----------
    predictor : Predictor
        Predicts the classes.
    cases : Rows
        Stored cases.
    predicted : ndarray of int of shape (n,)
        Code of the class predicted for each case, leave-one-out. Labels of the cases themselves
        play no part, so a wrong label does not move the boundary.

    Returns
    -------
    ndarray of shape (n,)
        The distance to the nearest reference case with another predicted class, less the distance
        to the nearest one with the same. Infinite if no other class is predicted for any of them.
    """
    index = predictor.index
    metric = mean_metric(predictor)
    numbers = index.sample(
        _MOST_REFERENCES,
        random_state=predictor.fitted.settings.random_state,
        required=predictor.column,
    )[0]
    place = np.full(int(max(cases.numbers.max(), numbers.max(initial=0))) + 1, -1, dtype=np.int64)
    place[cases.numbers] = np.arange(len(cases))
    codes = predicted[place[numbers]]
    own, other = np.full(len(cases), np.inf), np.full(len(cases), np.inf)
    for code in np.unique(codes):
        members = numbers[codes == code]
        itself = np.full(len(place), -1, dtype=np.int64)
        itself[members] = np.arange(len(members))
        found = ExactIndex(index.rows(members), index.kinds).search(
            cases.values, metric, 1, exclude=itself[cases.numbers], threads=predictor.threads
        )
        nearest = np.where(found.indices[:, 0] >= 0, found.distances[:, 0], np.inf)
        here = predicted == code
        own[here] = nearest[here]
        other[~here] = np.minimum(other, nearest)[~here]
    # A case that is alone in its class is no deeper than the boundary.
    return np.where(np.isinf(own), 0.0, other - np.where(np.isinf(own), 0.0, own))
