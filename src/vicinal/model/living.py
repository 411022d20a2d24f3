"""Cases come, change and go while a Model is in use."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from vicinal.exceptions import ParameterError
from vicinal.model.predicting import Predicting
from vicinal.model.staleness import Staleness
from vicinal.schema.encode import encode
from vicinal.schema.limits import check_range
from vicinal.schema.refit import refit_schema
from vicinal.tables.table import read_table
from vicinal.typing import Ints
from vicinal.validation import case_weights


class Living(Predicting):
    """Cases come and go; what was learned stays, until it is refreshed."""

    def add(self, rows: Any, *, sample_weight: ArrayLike | None = None) -> Ints:
        """Add cases; residuals and weights stay as they are.

        Every answer is then that of a model with the same residuals and weights that was built
        from all the cases at once. One case costs O(d), amortised.

        Parameters
        ----------
        rows : table
            With all the columns, in any form `fit` takes. New categories are welcome.
        sample_weight : array_like, optional
            Weight of each case, at least 0.

        Returns
        -------
        ndarray of int64
            The numbers of the new cases.

        Examples
        --------
        >>> import vicinal
        >>> model = vicinal.Model().fit({"height": [1.0, 1.1, 1.3], "colour": ["a", "a", "b"]})
        >>> model.add({"height": [1.2], "colour": ["c"]})
        array([3])
        >>> model.neighbors({"height": [1.2], "colour": ["c"]}, k=1).indices
        array([[3]])
        """
        self._check_fitted()
        values, schema = encode(read_table(rows), self.schema_, grow=True)
        check_range(values, schema)
        weights = case_weights(sample_weight, len(values))
        self._calibrate_all()
        numbers = self.index_.add(values, weights)
        self.schema_ = schema
        self._movement.add(values, weights)
        if len(numbers):
            self.log_.record("add", numbers)
        return numbers

    def update(
        self, cases: ArrayLike, rows: Any, *, sample_weight: ArrayLike | None = None
    ) -> None:
        """Give cases other values; they keep their numbers, and residuals and weights stay.

        Parameters
        ----------
        cases : int or array_like of int
            Case numbers, each once.
        rows : table
            One row for each of them. Columns that are left out keep their values.
        sample_weight : array_like, optional
            Their new weights; by default they keep the old ones.

        Examples
        --------
        >>> import vicinal
        >>> model = vicinal.Model().fit({"height": [1.0, 1.1, 1.3], "colour": ["a", "a", "b"]})
        >>> model.update(1, {"height": [1.4]})
        >>> model.neighbors({"height": [1.4], "colour": ["a"]}, k=1).indices
        array([[1]])
        """
        self._check_fitted()
        numbers = np.atleast_1d(np.asarray(cases))
        read = read_table(rows)
        values, schema = encode(read, self.schema_, grow=True, require=False)
        check_range(values, schema)
        if len(values) != len(numbers):
            raise ParameterError(
                f"{len(numbers)} case{'s' * (len(numbers) != 1)} and {len(values)} rows came; "
                "expected one row for each case."
            )
        old = self.index_.case_values(numbers)
        absent = [schema.column(name) for name in schema.names if name not in read.names]
        if read.named:
            values[:, absent] = old[:, absent]
        weights = case_weights(sample_weight, len(values))
        before = self.index_.case_weights(numbers)
        self._calibrate_all()
        self.index_.update(numbers, values, weights)
        self.schema_ = schema
        self._movement.update(numbers, old, values, before, self.index_.case_weights(numbers))
        if len(numbers):
            self.log_.record("update", numbers)

    def remove(self, cases: ArrayLike) -> None:
        """Remove cases by number; residuals and weights stay as they are.

        Their values are wiped. What was learned from them, residuals, weights and quantiles, stays
        until `refresh`.
        """
        self._check_fitted()
        numbers = np.unique(np.asarray(cases))
        old = self.index_.case_values(numbers)
        before = self.index_.case_weights(numbers)
        self._calibrate_all()
        self.index_.remove(numbers)
        self._movement.remove(numbers, old, before)
        if len(numbers):
            self.log_.record("remove", numbers)

    def refresh(self) -> Self:
        """Learn residuals and weights anew from the cases that are there now.

        The model is then what a new `fit` to these cases would give, but that they keep their
        numbers and the log goes on. Weights for a target are learned at the next question.

        Returns
        -------
        Model
            Itself.
        """
        self._check_fitted()
        if not len(self.index_):
            raise ParameterError("There are no cases left to learn from; add some first.")
        weights = self.index_.weights
        schema, values = refit_schema(self.index_.values, self.schema_, weights)
        settings, learned = self._learned_of(values, schema, weights)
        index = self.index_.rebuilt(values, scales=learned.metric.residuals)
        self._begin("refresh", schema, settings, learned, index)
        return self

    @property
    def stale_(self) -> Staleness:
        """How far the cases have moved since the last `fit` or `refresh`.

        Examples
        --------
        >>> import vicinal
        >>> model = vicinal.Model().fit({"height": [1.0, 1.1, 1.3]})
        >>> _ = model.add({"height": [9.0]})
        >>> model.stale_
        Staleness: 0.25 of the cases changed (+1 ~0 −0); shift of height 0.25
        >>> model.refresh().stale_.share
        0.0
        """
        self._check_fitted()
        return self._movement.staleness(self.index_, self.schema_.names, self.schema_.table_order)

    @property
    def changed_share(self) -> float:
        """Share of the cases that are not as they were at the last `fit` or `refresh`; O(1)."""
        self._check_fitted()
        return self._movement.share(len(self.index_))

    def _calibrate_all(self) -> None:
        """Calibrate while the cases that were left out are all there."""
        for learned in self._learned.values():
            if learned.calibration is None:
                self._bring_up_to_date(learned)
                self._calibration(learned)
