"""Which shard a case belongs to: like cases together, so that few shards matter to a query.

Any division gives the same answers; this one makes them faster.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vicinal.typing import Floats, Ints, Places

#: Cases of the sample that a leaf has at least.
_LEAST = 2


@dataclass(frozen=True, eq=False)
class SplitTree:
    """A binary tree of splits, as arrays over its nodes; leaves are numbered from the left.

    Parameters
    ----------
    columns : ndarray of int64
        Column that a node splits; −1 for a leaf.
    values : ndarray
        Values above this go right; smaller ones, and missing ones, go left.
    lefts, rights : ndarray of int64
        The nodes below; of a leaf the left one is its number.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.stores.split_tree import SplitTree
    >>> values = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> tree = SplitTree.learn(values, np.ones(1), 2)
    >>> tree.route(values), tree.splits()[1]
    (array([0, 0, 1, 1]), array([1.5]))
    """

    columns: Ints
    values: Floats
    lefts: Ints
    rights: Ints

    @classmethod
    def learn(cls, sample: Floats, scales: Floats, leaves: int) -> SplitTree:
        """Split a sample into so many parts of about the same size, if it can be split.

        Parameters
        ----------
        sample : ndarray of shape (n, d)
            Encoded cases.
        scales : ndarray of shape (d,)
            What counts as a large difference in each column; 0 for columns that do not count.
        """
        nodes: list[list[float]] = []
        count = 0

        def grow(rows: Places, wanted: int) -> int:
            nonlocal count
            at = len(nodes)
            nodes.append([-1, 0.0, 0, 0])
            left = wanted // 2
            found = _best_split(sample[rows], scales, left / wanted) if wanted > 1 else None
            if found is None:
                nodes[at][2] = count
                count += 1
                return at
            column, value = found
            above = sample[rows, column] > value
            below = grow(rows[~above], left)
            nodes[at] = [column, value, below, grow(rows[above], wanted - left)]
            return at

        grow(np.arange(len(sample)), max(leaves, 1))
        columns, values, lefts, rights = np.array(nodes).T
        whole = [part.astype(np.int64) for part in (columns, lefts, rights)]
        return cls(whole[0], values, whole[1], whole[2])

    @property
    def leaves(self) -> int:
        """The number of leaves."""
        return int((self.columns < 0).sum())

    def splits(self) -> tuple[Ints, Floats]:
        """Return columns and values of all splits."""
        inner = self.columns >= 0
        return self.columns[inner], self.values[inner]

    def route(self, values: Floats) -> Ints:
        """Return the leaf of each case."""
        at = np.zeros(len(values), dtype=np.int64)
        while True:
            open_ = np.flatnonzero(self.columns[at] >= 0)
            if not len(open_):
                return self.lefts[at]
            node = at[open_]
            above = values[open_, self.columns[node]] > self.values[node]
            at[open_] = np.where(above, self.rights[node], self.lefts[node])


def _best_split(sample: Floats, scales: Floats, share: float) -> tuple[int, float] | None:
    """Return the column in which the parts lie farthest apart, and a value between them."""
    best, found = 0.0, None
    for column in np.flatnonzero(scales > 0).tolist():
        cells = np.sort(sample[:, column])  # missing ones come last
        known = cells[: len(cells) - int(np.isnan(cells).sum())]
        if len(known) < 2 * _LEAST or known[0] == known[-1]:
            continue
        # Missing ones go left.
        place = int(share * len(cells)) - (len(cells) - len(known))
        place = min(max(place, 1), len(known) - 1)
        value = _gap_near(known, place)
        above = known > value
        if not _LEAST <= above.sum() <= len(known) - _LEAST:
            continue
        apart = float(known[above].mean() - known[~above].mean()) / float(scales[column])
        if apart > best:
            best, found = apart, (column, value)
    return found


def _gap_near(ordered: Floats, place: int) -> float:
    """Return the middle of the widest gap between values near a place, so that few lie close."""
    reach = max(1, len(ordered) // 50)
    some = ordered[max(place - reach, 0) : place + reach + 1]
    if some[0] == some[-1]:  # one value has the whole middle
        above = ordered[ordered > some[0]]
        below = ordered[ordered < some[0]]
        near = len(above) >= len(below)
        pair = (some[0], above[0]) if near else (below[-1], some[0])
        return float(pair[0] / 2 + pair[1] / 2)
    gaps = np.diff(some)
    widest = int(np.argmax(gaps))
    return float(some[widest] / 2 + some[widest + 1] / 2)
