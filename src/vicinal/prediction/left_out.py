"""Leave-one-out predictions of stored cases, kept until the cases change."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from vicinal.influence.answer import Answer
from vicinal.typing import Ints

#: Predictions of more cells than this are not kept: cases, times the classes of each.
MOST_KEPT = 1 << 22


class LeftOutAnswers:
    """What was predicted for cases, so that questions about the same ones need not ask again.

    A prediction does not depend on what is predicted beside it, so it can be kept.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.influence.answer import Answer
    >>> from vicinal.prediction.left_out import LeftOutAnswers
    >>> asked = []
    >>> def predict(cases):
    ...     asked.extend(cases.tolist())
    ...     return Answer(10.0 * cases, None, None)
    >>> kept = LeftOutAnswers()
    >>> kept.of(np.array([3, 1]), 0, predict).values, kept.of(np.array([1, 2]), 0, predict).values
    (array([30., 10.]), array([10., 20.]))
    >>> asked
    [3, 1, 2]
    """

    def __init__(self) -> None:
        #: The version of the cases, the numbers of those predicted, ascending, and the answers.
        #: Replaced as a whole, since several threads may ask.
        self._kept: tuple[int, Ints, Answer] | None = None

    def of(self, cases: Ints, version: int, predict: Callable[[Ints], Answer]) -> Answer:
        """Return the predictions of cases, of which only those not kept are predicted."""
        kept = self._kept
        if kept is None or kept[0] != version:
            answered = predict(cases)
            self._keep(version, cases, answered)
            return answered
        _, numbers, answers = kept
        places = np.minimum(np.searchsorted(numbers, cases), len(numbers) - 1)
        open_ = np.flatnonzero(numbers[places] != cases)
        if len(open_):
            more = predict(cases[open_])
            places[open_] = len(numbers) + np.arange(len(open_))
            numbers = np.concatenate([numbers, cases[open_]])
            answers = Answer.joined([answers, more])
            self._keep(version, numbers, answers)
        return answers.take(places)

    def _keep(self, version: int, cases: Ints, answers: Answer) -> None:
        numbers, places = np.unique(cases, return_index=True)
        width = 1 if answers.probabilities is None else answers.probabilities.shape[1]
        if 0 < len(numbers) * width <= MOST_KEPT:
            self._kept = version, numbers, answers.take(places)
