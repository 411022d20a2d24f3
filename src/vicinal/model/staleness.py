"""How far the data of a Model has moved since its residuals and weights were learned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vicinal.exceptions import FileError
from vicinal.index.kinds import NOMINAL
from vicinal.index.protocol import Index
from vicinal.typing import Floats, Ints

#: Rows per batch when bins are computed, which bounds the memory.
_BLOCK = 4096
#: Up to this many rows are counted one by one; more are sorted first.
_FEW = 4
#: Bins are numbered column by column.
_COLUMN = 1 << 32


@dataclass(frozen=True)
class Staleness:
    """How far the data has moved since the last `fit` or `refresh`.

    Attributes
    ----------
    added, updated, removed : int
        Number of cases added, updated and removed.
    share : float
        Share of the cases that have changed: 0 if none, 1 if all.
    shift : dict of str to float
        How far the distribution of each feature has shifted, from 0 to 1: the total variation
        distance, the share of cases that would have to change bin, category or missingness to
        undo the shift.
    """

    added: int
    updated: int
    removed: int
    share: float
    shift: dict[str, float]

    def __repr__(self) -> str:
        most = sorted(self.shift.items(), key=lambda item: -item[1])[:3]
        shifts = ", ".join(f"{name} {shift:.3g}" for name, shift in most if shift > 0)
        return (
            f"Staleness: {self.share:.3g} of the cases changed (+{self.added} ~{self.updated} "
            f"−{self.removed}); " + (f"shift of {shifts}" if shifts else "no feature has shifted")
        )


class Movement:
    """Tracks changes to the cases, in O(d) each.

    Parameters
    ----------
    index : Index
        The cases from which the residuals were learned.
    """

    def __init__(self, index: Index) -> None:
        self._edges = index.edges()
        self._nominal = index.kinds == NOMINAL
        self.n_before = self.n_kept = len(index)
        # Cases with this number or a higher one were added later.
        self._later = index.next_number
        self._touched: set[int] = set()
        self._moved: dict[int, float] = {}
        self.counts = [0, 0, 0]

    def add(self, values: Floats, weights: Floats | None) -> None:
        """Record new cases."""
        self.counts[0] += len(values)
        self._shift(values, weights, 1.0)

    def update(
        self, numbers: Ints, old: Floats, new: Floats, before: Floats | None, after: Floats | None
    ) -> None:
        """Record cases whose values change."""
        self.counts[1] += len(numbers)
        self._leave(numbers)
        self._shift(old, before, -1.0)
        self._shift(new, after, 1.0)

    def remove(self, numbers: Ints, old: Floats, weights: Floats | None) -> None:
        """Record removed cases."""
        self.counts[2] += len(numbers)
        self._leave(numbers)
        self._shift(old, weights, -1.0)

    def _leave(self, numbers: Ints) -> None:
        first = set(numbers[numbers < self._later].tolist()) - self._touched
        self._touched |= first
        self.n_kept -= len(first)

    def _shift(self, values: Floats, weights: Floats | None, sign: float) -> None:
        for cell, mass in self._masses(values, weights).items():
            self._moved[cell] = self._moved.get(cell, 0.0) + sign * mass

    def _masses(self, values: Floats, weights: Floats | None) -> dict[int, float]:
        """Return the total weight in each bin of each column."""
        total: dict[int, float] = {}
        if len(values) <= _FEW:
            masses = [1.0] * len(values) if weights is None else weights.tolist()
            for row, mass in zip(self._cells(values).tolist(), masses, strict=True):
                for cell in row:
                    total[cell] = total.get(cell, 0.0) + mass
            return total
        for start in range(0, len(values), _BLOCK):
            block = values[start : start + _BLOCK]
            mass = np.ones(len(block)) if weights is None else weights[start : start + _BLOCK]
            cells, place = np.unique(self._cells(block), return_inverse=True)
            sums = np.bincount(place.ravel(), np.repeat(mass, block.shape[1]), len(cells))
            for cell, one in zip(cells.tolist(), sums.tolist(), strict=True):
                total[cell] = total.get(cell, 0.0) + one
        return total

    def _cells(self, values: Floats) -> Ints:
        known = np.where(np.isnan(values), -1.0, values)
        bins = (known[:, :, None] >= self._edges).sum(axis=2)
        codes = np.where(self._nominal, known, 0.0).astype(np.int64)
        bins = np.where(self._nominal, codes, bins)
        bins = np.where(np.isnan(values), -1, bins) + 1
        return bins + np.arange(values.shape[1]) * _COLUMN

    def share(self, n_now: int) -> float:
        """Return the share of the cases that have changed, given the current number."""
        most = max(self.n_before, n_now)
        return 1.0 - self.n_kept / most if most else 0.0

    def staleness(self, index: Index, names: tuple[str, ...], columns: Ints) -> Staleness:
        """Summarize the changes; `columns` are those of the names."""
        shift = np.zeros(len(self._nominal))
        if any(self.counts):
            shift = self._shifts(index)
        added, updated, removed = self.counts
        return Staleness(
            added=added,
            updated=updated,
            removed=removed,
            share=self.share(len(index)),
            shift=dict(zip(names, shift[columns].tolist(), strict=True)),
        )

    def _shifts(self, index: Index) -> Floats:
        now: dict[int, float] = {}
        for numbers, values in index.blocks(size=_BLOCK):
            for cell, mass in self._masses(values, index.weights_of(numbers)).items():
                now[cell] = now.get(cell, 0.0) + mass
        before = {cell: mass - self._moved.get(cell, 0.0) for cell, mass in now.items()}
        before |= {cell: -mass for cell, mass in self._moved.items() if cell not in now}
        mass_now = float(index.reduce("mass")["mass"])
        mass_before = mass_now - sum(m for cell, m in self._moved.items() if cell < _COLUMN)
        moved = np.zeros(len(self._nominal))
        for cell in sorted(before):
            share_now = now.get(cell, 0.0) / (mass_now or 1.0)
            moved[cell // _COLUMN] += abs(share_now - before[cell] / (mass_before or 1.0)) / 2
        return np.clip(moved, 0.0, 1.0)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the recorded changes as arrays."""
        return {
            "edges": self._edges,
            "nominal": self._nominal.astype(np.uint8),
            "counts": np.array(
                [self.n_before, self.n_kept, self._later, *self.counts], dtype=np.int64
            ),
            "touched": np.array(sorted(self._touched), dtype=np.int64),
            "cells": np.array(list(self._moved), dtype=np.int64),
            "masses": np.array(list(self._moved.values()), dtype=np.float64),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], d: int) -> Movement:
        """Restore the output of `to_arrays`, which must have `d` columns."""
        shapes: dict[str, tuple[int, ...]] = {"nominal": (d,), "counts": (6,)}
        for name in ("touched", "cells", "masses"):
            shapes[name] = (arrays[name].size,)
        dtypes = {"nominal": np.uint8, "masses": np.float64}
        for name, shape in shapes.items():
            if arrays[name].shape != shape or arrays[name].dtype != dtypes.get(name, np.int64):
                raise FileError(f"the record of changes has no valid {name}")
        edges, cells = arrays["edges"], arrays["cells"]
        if edges.ndim != 2 or len(edges) != d or edges.dtype != np.float64:
            raise FileError("the record of changes has the wrong columns")
        wrong = (cells < 0).any() or (cells >= d * _COLUMN).any()
        if wrong or len(cells) != len(arrays["masses"]) or (arrays["counts"] < 0).any():
            raise FileError("the record of changes is invalid")
        made = cls.__new__(cls)
        made._edges, made._nominal = edges, arrays["nominal"] != 0
        made.n_before, made.n_kept, made._later, *made.counts = arrays["counts"].tolist()
        made._touched = set(arrays["touched"].tolist())
        made._moved = dict(zip(cells.tolist(), arrays["masses"].tolist(), strict=True))
        return made
