"""Adding and removing cases of a Model that is in use."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vicinal.analysis import describe_target
from vicinal.arguments import case_weights
from vicinal.features import encode, read_table
from vicinal.model.predicting import Predicting


class Living(Predicting):
    """Cases come and go; what was learned stays."""

    def add(self, rows: Any, *, sample_weight: ArrayLike | None = None) -> NDArray[np.int64]:
        """Add cases; residuals and weights stay as they are.

        Returns
        -------
        ndarray of int64
            The numbers of the new cases.
        """
        self._check_fitted()
        values, schema = encode(read_table(rows), self.schema_, grow=True)
        weights = case_weights(sample_weight, len(values))
        self._calibrate_all()
        numbers = self.index_.add(values, weights)
        self.schema_ = schema
        self._describe_again()
        return numbers

    def remove(self, cases: ArrayLike) -> None:
        """Remove cases by number; residuals and weights stay as they are."""
        self._check_fitted()
        self._calibrate_all()
        self.index_.remove(cases)
        self._describe_again()

    def _calibrate_all(self) -> None:
        """Calibrate while the cases that were left out are all there."""
        for learned in self._learned.values():
            self._calibration(learned)

    def _describe_again(self) -> None:
        """Bring the targets' outcomes up to date; what was learned about them stays."""
        for (column, *_), learned in self._learned.items():
            n_classes = len(self.schema_.storage[column].categories or ())
            learned.target = describe_target(
                self.index_,
                column,
                n_classes=n_classes if learned.target.n_classes else 0,
                period=learned.target.period,
            )
