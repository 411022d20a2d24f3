"""Holes in tables filled: the Model's answer to "what would be there?"."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from vicinal.exceptions import ParameterError, did_you_mean
from vicinal.index.metric import NOMINAL
from vicinal.learning.representations import representations
from vicinal.model.predicting import Predicting
from vicinal.prediction.answer import Answer
from vicinal.quality.filling import EFFORTS, Effort, Filler
from vicinal.quality.imputation import (
    FilledColumn,
    Imputation,
    Sureness,
    careful_answer,
    check_share,
    learn_sureness,
)
from vicinal.schema.align import table_names
from vicinal.schema.decode import decode, decode_column
from vicinal.schema.encode import encode
from vicinal.tables.table import read_table
from vicinal.tables.write_cells import write_cells
from vicinal.typing import Floats, Ints, Places

#: A filler, what it was learned from, and how sure it is of each column.
_Kept = tuple[Any, int, Filler, dict[int, Sureness]]


class Filling(Predicting):
    """Imputation."""

    def impute(
        self,
        table: Any = None,
        *,
        effort: str = "medium",
        alpha: float = 0.1,
        intervals: bool = True,
    ) -> Imputation:
        """Fill the holes of a table, and say how sure each cell is.

        Every column is predicted from the others, by the stored cases that have it. Holes of the
        context are filled first, so that few holes in many columns do no harm. What it takes is
        learned at the first question about a column, and kept.

        Parameters
        ----------
        table : table, optional
            Rows to fill, in any form `fit` takes; they may have some of the columns only. By
            default the stored cases.
        effort : {"low", "medium", "high"}, default "medium"
            What may be spent on a column: ``"low"`` weighs features by their residuals alone,
            ``"medium"`` learns weights for each column from a few hundred cases, ``"high"`` from
            as many as a prediction does, and fills once more.
        alpha : float, default 0.1
            How often intervals, and sets of categories, may miss the true value.
        intervals : bool, default True
            Whether to say how sure each cell is. Without, it takes less time, intervals and sets
            are empty, and convictions NaN.

        Returns
        -------
        Imputation
            The filled table, in the form in which it came, and for every filled cell an interval
            or a set of categories, and a conviction. Columns without any value stay empty.

        Examples
        --------
        >>> import vicinal
        >>> from vicinal.data import load_penguins
        >>> penguins = load_penguins()
        >>> model = vicinal.Model().fit(penguins)
        >>> row = {"species": ["Gentoo"], "flipper_length_mm": [230], "body_mass_g": [None]}
        >>> filled = model.impute(row, effort="low")
        >>> filled.features, 5000 < filled.table["body_mass_g"][0] < 6000
        (('body_mass_g',), True)
        """
        self._check_fitted()
        check_share("alpha", alpha)
        if effort not in EFFORTS:
            raise ParameterError(
                f"effort must be one of {', '.join(map(repr, EFFORTS))}; got {effort!r}."
                + did_you_mean(effort, EFFORTS)
            )
        if table is None:
            rows, names = self.index_.values, self.schema_.names
            whole: Any = decode(rows, self.schema_)
            owners = dict(zip(names, names, strict=True))
            numbers = self.index_.numbers
        else:
            whole = table
            read = read_table(table)
            names = table_names(read, self.schema_)
            rows = encode(read, self.schema_, require=False)
            owners = dict(zip(names, read.names, strict=True))
            numbers = np.arange(len(rows))
        filler, sureness = self._filler(effort)
        context = filler.context(rows) if np.isnan(rows).any() else rows
        columns, cells = [], {}
        for name in names:
            column = self.schema_.column(name)
            holes = np.flatnonzero(np.isnan(rows[:, column]))
            if len(holes) and filler.knows(column):
                filled = self._filled_column(
                    filler,
                    sureness if intervals else None,
                    column,
                    numbers[holes],
                    rows[holes],
                    context[holes],
                    alpha,
                )
                columns.append(filled)
                cells[owners[name]] = (holes, filled.values)
        return Imputation.of(write_cells(whole, cells), columns, alpha)

    def _filled_column(
        self,
        filler: Filler,
        sureness: dict[int, Sureness] | None,
        column: int,
        numbers: Ints,
        rows: Floats,
        context: Floats,
        alpha: float,
    ) -> FilledColumn:
        """Fill a column of rows, and say how sure each value is."""
        stage = filler.last
        target, tuning = filler.learned(stage, column)
        # The value that was filled in before must not count as known of the column itself.
        context = context.copy()
        context[:, column] = np.nan
        filled = filler.queries(context)
        answered = careful_answer(
            stage.index,
            tuning.ensemble,
            target,
            filled,
            filled if sureness is None else filler.queries(rows),
            threads=self.n_jobs,
        )
        nothing: list[Any] = [None] * len(numbers)
        empty = FilledColumn(
            name=self.schema_.storage[column].name,
            rows=numbers,
            values=self._restored(answered.values, column),
            lower=nothing,
            upper=nothing,
            classes=[()] * len(numbers),
            conviction=np.full(len(numbers), np.nan),
        )
        if sureness is None:
            return empty
        if column not in sureness:
            sureness[column] = learn_sureness(
                stage.index,
                tuning.ensemble,
                target,
                tuning.queries,
                filler.lacking(tuning.queries),
                threads=self.n_jobs,
            )
        return self._with_sureness(empty, answered, sureness[column], column, alpha)

    def _with_sureness(
        self, bare: FilledColumn, answered: Answer, sure: Sureness, column: int, alpha: float
    ) -> FilledColumn:
        """Add intervals or sets, and convictions."""
        limit = sure.calibration.quantile(alpha)
        conviction = sure.conviction(answered)
        if answered.probabilities is not None:
            known = self.schema_.storage[column].categories or ()
            within = 1.0 - answered.probabilities <= limit
            # The answer itself always belongs to the set, so that none is empty.
            within[np.arange(len(within)), answered.values.astype(np.intp)] = True
            classes = [tuple(known[i] for i in np.flatnonzero(one)) for one in within]
            return replace(bare, classes=classes, conviction=conviction)
        assert answered.spread is not None
        half = limit * sure.calibration.scale(answered.spread)
        lower, upper = self._ends(answered.values, half, column)
        return replace(bare, lower=lower.tolist(), upper=upper.tolist(), conviction=conviction)

    def _restored(self, values: Floats, column: int) -> list[Any]:
        """Encoded values of one column as its table wrote them."""
        return decode_column(values, self.schema_.storage[column])

    def _forget(self) -> None:
        super()._forget()
        self._fillers: dict[str, _Kept] = {}

    def _filler(self, effort: str) -> tuple[Filler, dict[int, Sureness]]:
        """What fills holes; made once for as long as the cases stay the same."""
        kept = self._fillers.get(effort)
        index = self.index_
        if kept is None or kept[0] is not index or kept[1] != index.version:
            kept = (index, index.version, self._new_filler(EFFORTS[effort]), {})
            self._fillers[effort] = kept
        return kept[2], kept[3]

    def _new_filler(self, effort: Effort) -> Filler:
        values, weights = self.index_.values, self.index_.weights
        found = {"as given": self.metric_}
        if "entropy" in effort.stages:
            found = representations(
                values,
                self._settings,
                self.metric_,
                k=self.n_neighbors,
                case_weights=weights,
                random_state=self.random_state,
                threads=self.n_jobs,
            )
        return Filler(
            values,
            weights,
            found,
            self._class_counts(),
            effort,
            random_state=self.random_state,
            threads=self.n_jobs,
        )

    def _class_counts(self) -> Places:
        """Number of categories of each encoded column, 0 for numbers."""
        counts = [len(feature.categories or ()) for feature in self.schema_.storage]
        return np.where(self._settings.kinds == NOMINAL, counts, 0).astype(np.intp)
