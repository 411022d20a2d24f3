"""The cases as a predictor searches them: with the columns derived for its target."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vicinal.derived.columns import DerivedColumns
from vicinal.derived.hash_counts import HashCounts
from vicinal.fitted import Fitted, Rows
from vicinal.index.exact import ExactIndex
from vicinal.index.memory import return_memory
from vicinal.index.metric import Metric
from vicinal.index.players import Players
from vicinal.index.protocol import Index
from vicinal.influence.ensemble import Ensemble
from vicinal.typing import Floats, Ints, Places

#: Parts of some features or scores are kept beside those of all up to this size.
_MOST_ARRANGED = 1 << 20


class ExtendedCases:
    """The cases of a table and the columns that are derived from others, if any.

    They are derived when first needed, and follow the changes of the cases.

    Parameters
    ----------
    fitted : Fitted
        The fitted state, which has the cases.
    derived : DerivedColumns, optional
        What is derived.
    whole : ExtendedCases, optional
        All cases, if these are a sample; what is derived of rows depends on all.
    layout : Ensemble, optional
        Who searches them: cases that are alike to it are kept together, so that it is fast.
    """

    def __init__(
        self,
        fitted: Fitted,
        derived: DerivedColumns | None,
        whole: ExtendedCases | None = None,
        layout: Ensemble | None = None,
    ) -> None:
        self._fitted, self._derived, self._whole = fitted, derived, whole
        self._layout = layout
        self._made: tuple[int, Index] | None = None
        self._known: tuple[int, HashCounts] | None = None
        self._parts: tuple[int, Floats] | None = None
        self._row_parts: tuple[int, Rows, Floats] | None = None
        self._arranged: tuple[int, dict[tuple[bytes, bytes], Floats]] = (-1, {})

    @property
    def index(self) -> Index:
        """The index in which neighbors are searched."""
        index = self._fitted.index
        if self._derived is None:
            return index
        if self._made is None or self._made[0] != index.version:
            self._made = (index.version, self.like(index))
            return_memory(self._made[1])
            if self._whole is not None:  # which has the cases of a sample, so once is enough here
                self._fitted = replace(self._fitted, index=self._made[1])
        return self._made[1]

    def like(self, index: Index) -> Index:
        """Return an index of other cases with the derived columns."""
        if self._derived is None:
            return index
        kinds = self._derived.kinds(index)
        scales = None if self._layout is None else self._layout.scales(kinds)
        return index.rebuilt_by(self._derived.cases, kinds, scales)

    def among(self, numbers: Ints) -> ExtendedCases:
        """Return a sample of the cases, which then have the numbers 0, 1, and so on."""
        index = self._fitted.index
        sample = ExactIndex(index.rows(numbers), index.kinds, index.weights_of(numbers))
        fitted = replace(self._fitted, index=sample, _kept={})
        return ExtendedCases(fitted, self._derived, self, self._layout)

    def rows(self, values: Floats, exclude: Ints | None = None) -> Floats:
        """Append the derived columns to encoded rows.

        Those of a stored case do not depend on its own outcome: rows with a case to exclude get
        what was learned without the fold of that case. So do rows that equal a stored case, which
        is then at no distance from them. All others get the mean over the folds.
        """
        if self._whole is not None:
            return self._whole.rows(values, exclude)
        if self._derived is None:
            return values
        return self._derived.extended(values, self._folds(self._derived, values, exclude))

    def metric(self, metric: Metric) -> Metric:
        """Return a metric of extended rows for encoded rows; see `DerivedColumns.handed_back`."""
        return metric if self._derived is None else self._derived.handed_back(metric)

    def columns_of(self, feature: int) -> tuple[int, ...]:
        """Return the columns of the index that come from this feature alone."""
        return (feature,) if self._derived is None else self._derived.columns_of(feature)

    def players(self, features: list[int], metric: Metric, rows: Rows) -> Players | None:
        """Return what each feature brings to a space; None if it is its own column."""
        derived = self._derived
        if derived is None:
            return None
        places = np.searchsorted(derived.columns, features)
        active = np.flatnonzero(metric.weights[derived.scores] > 0)
        return Players(
            columns=tuple(self.columns_of(feature) for feature in features),
            scores=derived.scores[active].astype(np.int64),
            case_parts=self._chosen_parts(derived, places, active),
            query_parts=_chosen(self._parts_of(derived, rows), places, active),
            by_row=True,
        )

    def _chosen_parts(self, derived: DerivedColumns, places: Places, active: Places) -> Floats:
        """Return the parts of some players and scores of the cases; of few cases they are kept."""
        every = self._case_parts(derived)
        version, arranged = self._arranged
        if version != self._fitted.index.version:
            version, arranged = self._arranged = (self._fitted.index.version, {})
        key = (places.tobytes(), active.tobytes())
        chosen = arranged.get(key)
        if chosen is None:
            chosen = np.ascontiguousarray(_chosen(every, places, active))
        # Samples are many, and small: to choose again takes little time, to keep all much memory.
        if chosen is not every and chosen.size <= _MOST_ARRANGED and self._whole is None:
            arranged[key] = chosen
        return chosen

    def _parts_of(self, derived: DerivedColumns, rows: Rows) -> Floats:
        """Return what each feature adds to the scores of rows; the last are cached for all spaces.

        An estimator of the user takes long.
        """
        if self._whole is not None:
            return self._whole._parts_of(derived, rows)
        version = self._fitted.index.version
        known = self._row_parts
        if known is None or known[0] != version or known[1] is not rows:
            folds = self._folds(derived, rows.values, rows.exclude)
            known = self._row_parts = (version, rows, derived.parts(rows.values, folds))
        return known[2]

    def _folds(self, derived: DerivedColumns, rows: Floats, exclude: Ints | None) -> Ints:
        """Return the fold of each row, −1 for all of them."""
        hashes = derived.folds.hashes(rows)
        own = derived.folds.of_hashes(hashes)
        if exclude is not None:
            stored = np.flatnonzero(exclude >= 0)
            own[stored] = derived.folds.of_rows(self._fitted.index.rows(exclude[stored]))
            if len(stored) == len(rows):
                return own
        equal = self._hashes(derived).contains(hashes)
        if exclude is not None:
            equal |= exclude >= 0
        return np.where(equal, own, -1)

    def _hashes(self, derived: DerivedColumns) -> HashCounts:
        """Return how many cases have each hash."""
        index = self._fitted.index
        if self._known is None or self._known[0] != index.version:
            blocks = (derived.folds.hashes(values) for _, values in index.blocks())
            self._known = (index.version, HashCounts.of(blocks))
            return_memory(index)
        return self._known[1]

    def _case_parts(self, derived: DerivedColumns) -> Floats:
        """Return what each feature adds to the scores of the cases, row by row; it is cached."""
        version = self._fitted.index.version
        if self._parts is None or self._parts[0] != version:
            storage = self.index.gathered().storage
            parts = np.zeros((storage.size, len(derived.columns), len(derived.scores)))
            for numbers, values in self.index.blocks():
                own = values[:, : derived.width]
                parts[storage.rows_of(numbers)] = derived.parts(own, derived.folds.of_rows(own))
            self._parts = (version, parts)
        return self._parts[1]

    @property
    def current(self) -> bool:
        """Whether the derived columns of all cases are at hand."""
        return self._made is not None and self._made[0] == self._fitted.index.version

    def prepare_change(self) -> None:
        """Copy what the table shares, before it changes: then less is there twice at a time."""
        _, kept = self._kept()
        if isinstance(kept, ExactIndex):
            kept.own()

    def add(self, values: Floats, weights: Floats | None) -> None:
        """Add cases that were just added to the table, if `current` before."""
        derived, kept = self._kept()
        kept.add(derived.cases(values), weights)
        self._follow(values, values[:0])

    def update(self, numbers: Ints, values: Floats, weights: Floats | None) -> None:
        """Change cases that were just changed in the table, if `current` before."""
        derived, kept = self._kept()
        old = kept.rows(numbers)[:, : derived.width]
        kept.update(numbers, derived.cases(values), weights)
        self._follow(values, old)

    def remove(self, numbers: Ints) -> None:
        """Remove cases that were just removed from the table, if `current` before."""
        derived, kept = self._kept()
        old = kept.rows(numbers)[:, : derived.width]
        kept.remove(numbers)
        self._follow(old[:0], old)

    def _kept(self) -> tuple[DerivedColumns, Index]:
        assert self._derived is not None
        assert self._made is not None
        return self._derived, self._made[1]

    def _follow(self, new: Floats, old: Floats) -> None:
        """Count the hashes of new and old rows, and note that nothing is out of date."""
        derived, kept = self._kept()
        before, version = self._made[0] if self._made else -1, self._fitted.index.version
        self._made = (version, kept)
        if self._known is not None and self._known[0] == before:
            known = self._known[1]
            known.change(derived.folds.hashes(new), derived.folds.hashes(old))
            self._known = (version, known)


def _chosen(parts: Floats, places: Places, active: Places) -> Floats:
    """Return the parts of some players and scores, which is a copy unless these are all."""
    if len(places) < parts.shape[1]:
        parts = parts[:, places]
    return parts if len(active) == parts.shape[2] else parts[:, :, active]
