"""The derived columns of stored cases, as new rows see them and as left-out cases do."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np

from vicinal.derived.columns import DerivedColumns
from vicinal.index.protocol import Index
from vicinal.index.seen import SeenColumns, SharedColumns
from vicinal.typing import Floats, Ints


class StoredColumns:
    """Makes the indexes that a target is learned with.

    Each run without the fold of a case is asked once about it, because these scores take long: the
    mean of them is what new rows see, and each by itself what the cases of another fold see.
    """

    def __init__(self, derived: DerivedColumns) -> None:
        self.derived = derived
        self._known: dict[bytes, tuple[Ints, Floats]] = {}

    def index(self, index: Index) -> Index:
        """Return an index of the same cases under the same numbers, with the derived columns."""
        make = self._extended if self.derived.folds.pairs else self.derived.cases
        return index.rebuilt_by(make, self.derived.kinds(index))

    def views(self, index: Index) -> tuple[SeenColumns, ...]:
        """Return for each fold the cases with nothing that was learned from its outcomes.

        None if runs are without a single fold. The index has the derived columns.
        """
        folds = self.derived.folds
        if not folds.pairs:
            return ()
        learned = self.derived.learned
        shared = len(index.kinds) - len(learned)
        kinds = np.append(index.kinds[:shared], np.tile(index.kinds[shared:], folds.count))
        whole = index.rebuilt_by(self._seen_from_all, kinds)
        return SharedColumns(whole, shared, folds.count).views()

    def _extended(self, rows: Floats) -> Floats:
        _, learned = self._by_run(rows)
        return self.derived.with_learned(rows, np.mean(learned, axis=0))

    def _seen_from_all(self, rows: Floats) -> Floats:
        """Return extended rows with what each fold sees of what was learned, fold after fold."""
        learned = self.derived.learned
        views = [self._seen_from(view, rows) for view in range(self.derived.folds.count)]
        return np.concatenate([rows[:, : rows.shape[1] - len(learned)], *views], axis=1)

    def _seen_from(self, view: int, rows: Floats) -> Floats:
        """Return what the runs without the fold in view have learned of extended rows."""
        derived = self.derived
        folds, learned = self._by_run(rows[:, : derived.width])
        others = np.flatnonzero(folds != view)
        # Exactly one of the runs without another fold is without the one in view, too.
        which = derived.folds.left_out[derived.folds.runs_of(folds[others]), view].argmax(axis=0)
        changed = rows[:, derived.learned]
        changed[others] = learned[which, others]
        return changed

    def _by_run(self, rows: Floats) -> tuple[Ints, Floats]:
        """Return the folds of encoded rows, and what each run gives them; worked out once."""
        rows = np.ascontiguousarray(rows)
        content = blake2b(rows.tobytes(), digest_size=16).digest()
        if content not in self._known:
            folds = self.derived.folds.of_rows(rows)
            self._known[content] = (folds, self.derived.of_each_run(rows, folds))
        return self._known[content]
