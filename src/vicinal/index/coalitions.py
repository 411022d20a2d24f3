"""What coalitions of features predict, all in one native pass over the cases."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from vicinal.exceptions import ParameterError
from vicinal.index import _native
from vicinal.index.checks import checked_rows
from vicinal.index.metric import Metric
from vicinal.index.players import Players
from vicinal.index.protocol import Index
from vicinal.index.shares import RULES
from vicinal.index.threads import thread_count
from vicinal.typing import Floats, Ints

#: Players as the bits of an integer. As sets, the prefixes of a chain of thousands of players
#: would not fit into memory.
Coalition = int

#: Memory that all threads may take together; what each needs grows with the number of columns.
_MOST_BYTES = 1 << 30
#: Queries that are asked together.
_TOGETHER = 4


def coalition_of(players: Iterable[int]) -> Coalition:
    """Return the coalition of some players.

    Examples
    --------
    >>> from vicinal.index.coalitions import coalition_of, players_in
    >>> coalition_of([0, 2]), players_in(5)
    (5, [0, 2])
    """
    members = 0
    for player in players:
        members |= 1 << player
    return members


def players_in(coalition: Coalition) -> list[int]:
    """Return the players of a coalition, ascending."""
    return [player for player in range(coalition.bit_length()) if coalition >> player & 1]


def prefixes(chain: Iterable[int]) -> Iterator[Coalition]:
    """Yield the coalitions of the first players of a sequence: of one, of two, and so on."""
    members = 0
    for player in chain:
        members |= 1 << player
        yield members


@dataclass(frozen=True)
class CoalitionTree:
    """Coalitions of players as a tree in preorder; every node adds a player to its parent's.

    Parameters
    ----------
    depths, players : tuple of int
        Number of players in each node's coalition, and the player that the node adds.
    slots : tuple of int
        Place of the coalition among `coalitions`; −1 where another node stands for the same set.
    ends : tuple of int
        For each node the first one after those below it.
    coalitions : tuple of int
        The sets, each once; see `coalition_of`.

    Examples
    --------
    >>> from vicinal.index.coalitions import CoalitionTree, players_in
    >>> tree = CoalitionTree.of_chains([(0, 1), (1, 0)])
    >>> [players_in(one) for one in tree.coalitions], tree.depths, tree.ends
    ([[0], [0, 1], [1]], (1, 2, 1), (2, 2, 3))
    """

    depths: tuple[int, ...]
    players: tuple[int, ...]
    slots: tuple[int, ...]
    ends: tuple[int, ...]
    coalitions: tuple[Coalition, ...]

    @classmethod
    def of_chains(
        cls,
        chains: Iterable[Sequence[int]],
        without: Coalition = 0,
        only: Container[Coalition] | None = None,
    ) -> CoalitionTree:
        """Build the tree of all prefixes of some sequences of players.

        Parameters
        ----------
        chains : iterable of sequence of int
            Sequences without repetition.
        without : int
            A coalition to leave out.
        only : container of int, optional
            The coalitions to include; by default all prefixes.
        """
        root = _Node(-1, 0)
        seen = {0, without}
        for chain in chains:
            path = [root]
            for player, members in zip(chain, prefixes(chain), strict=True):
                path.append(path[-1].child(player))
                if members in seen or not (only is None or members in only):
                    continue
                seen.add(members)
                path[-1].asked = members
                for node in reversed(path):
                    if node.leads_on:  # and so do those above it
                        break
                    node.leads_on = True
        return _flattened(root)


@dataclass(eq=False, slots=True)
class _Node:
    player: int
    depth: int
    asked: Coalition = 0  # its coalition, if it is asked for
    leads_on: bool = False
    below: dict[int, _Node] = field(default_factory=dict)

    def child(self, player: int) -> _Node:
        if player not in self.below:
            self.below[player] = _Node(player, self.depth + 1)
        return self.below[player]


def _flattened(root: _Node) -> CoalitionTree:
    """Write the nodes in preorder, but those that lead to no coalition."""
    order: list[_Node] = []
    waiting = [root]
    while waiting:  # not recursive: a chain may be longer than Python's stack
        node = waiting.pop()
        order.append(node)
        waiting += [child for child in reversed(node.below.values()) if child.leads_on]
    order = order[1:]
    depths = [node.depth for node in order]
    asked = [node for node in order if node.asked]
    slots = {id(node): slot for slot, node in enumerate(asked)}
    ends = [0] * len(order)
    open_nodes: list[int] = []
    for at, depth in enumerate([*depths, 0]):
        while open_nodes and depths[open_nodes[-1]] >= depth:
            ends[open_nodes.pop()] = at
        open_nodes.append(at)
    return CoalitionTree(
        tuple(depths),
        tuple(node.player for node in order),
        tuple(slots.get(id(node), -1) for node in order),
        tuple(ends),
        tuple(node.asked for node in asked),
    )


def check_in_memory(index: Index) -> None:
    """Refuse an index whose cases are too many to be gathered in one place."""
    if len(index) > index.at_once:
        raise ParameterError(
            "Predictions from subsets of the features need all cases in memory, and there are "
            f"{len(index)} in shards; expected at most {index.at_once}. Let them be sampled "
            "(baseline='auto'), or fit a Model to a sample of them."
        )


def predict_coalitions(
    index: Index,
    metric: Metric,
    tree: CoalitionTree,
    queries: Floats,
    outcomes: Callable[[Floats], Floats],
    influences: Sequence[tuple[str, float, float, float]],
    *,
    players: Players | None = None,
    target: int,
    k: int,
    n_classes: int = 0,
    exclude: Ints | None = None,
    threads: int | None = None,
    path: str | None = None,
) -> tuple[Floats, Floats | None]:
    """Predict an outcome from every coalition of players, for each query, from k neighbors.

    See `predict_coalitions_from`.
    """
    sums, nonnegative = predict_coalitions_from(
        [k],
        index,
        metric,
        tree,
        queries,
        outcomes,
        influences,
        players=players,
        target=target,
        n_classes=n_classes,
        exclude=exclude,
        threads=threads,
        path=path,
    )
    return sums[0], None if nonnegative is None else nonnegative[0]


def predict_coalitions_from(
    ks: Sequence[int],
    index: Index,
    metric: Metric,
    tree: CoalitionTree,
    queries: Floats,
    outcomes: Callable[[Floats], Floats],
    influences: Sequence[tuple[str, float, float, float]],
    *,
    players: Players | None = None,
    target: int | Sequence[int],
    n_classes: int = 0,
    exclude: Ints | None = None,
    threads: int | None = None,
    path: str | None = None,
) -> tuple[Floats, Floats | None]:
    """Predict an outcome from every coalition of players, from several numbers of neighbors.

    They are searched once, also for several targets that are known of the same cases.

    Parameters
    ----------
    ks : sequence of int
        Numbers of neighbors.
    metric : Metric
        What distance means; a coalition has the terms and weights of the columns of its players,
        and of all scores.
    tree : CoalitionTree
        The coalitions; in each of them a column counts, or a score.
    outcomes : callable
        From the encoded column of the target, or of the targets (n, t), to outcomes, of shape
        (n, width); of classes the codes, with a width of 1.
    influences : sequence of (rule, bandwidth, ridge, share)
        How neighbors share a prediction, as in `influence_shares`.
    players : Players, optional
        What each player of the tree brings; by default, the tree names columns, all of which
        count in the metric.

    Returns
    -------
    sums : ndarray of shape (numbers of neighbors, m, number of coalitions, width or n_classes)
        Outcomes by influence, or influence by class; times the sum of the shares.
    nonnegative : ndarray of the same shape or None
        The same with the rule ``"probability"`` for ``"linear"``; None if not needed.

    Notes
    -----
    Cases that tie for the last of the k places share them, standing as one case at their mean.
    So predictions do not depend on the order of cases, even with few features and many ties.
    """
    check_in_memory(index)
    rows = np.full(len(queries), -1, dtype=np.int64)
    cases = index.gathered().storage
    if exclude is not None:
        named = np.flatnonzero(np.asarray(exclude) >= 0)
        rows[named] = cases.rows_of(np.asarray(exclude)[named])
    if players is None:
        _check_counting(tree, metric)
        players = Players.of_columns(len(metric.kinds), len(cases), len(queries))
    players = players.checked(metric, cases, len(queries))
    if isinstance(target, int):
        required, known = target, cases.row_column(target)
    else:
        required, known = target[0], np.column_stack([cases.row_column(one) for one in target])
    sums, nonnegative = _native.coalitions(
        cases.table,
        metric.native,
        total=float(metric.weights.sum()),
        queries=checked_rows(queries, cases.kinds),
        exclude=rows,
        ks=[int(k) for k in ks],
        required=required,
        depths=np.array(tree.depths, dtype=np.int64),
        players=np.array(tree.players, dtype=np.int64),
        slot_of=np.array(tree.slots, dtype=np.int64),
        ends=np.array(tree.ends, dtype=np.int64),
        player_of=players.player_of(len(metric.kinds)),
        scores=players.scores,
        case_parts=players.in_rows(cases),
        query_parts=np.ascontiguousarray(players.query_parts, dtype=np.float64),
        outcomes=outcomes(known),
        n_classes=n_classes,
        case_weights=cases.weights_at(np.arange(cases.size)),
        influences=np.array([(RULES[rule], *rest) for rule, *rest in influences]),
        threads=_fitting_threads(thread_count(threads), tree, players, max(ks), cases.size),
        path=path,
    )
    return sums, nonnegative


def _fitting_threads(
    threads: int, tree: CoalitionTree, players: Players, k: int, n_rows: int
) -> int:
    """Return so many threads as fit into the memory, at least one."""
    own = np.array(tree.depths)[np.array(tree.slots) >= 0]
    scores, brought = len(players.scores), len(players.columns)
    members = int(own.sum()) * (12 if scores else 4)
    spans = (brought * scores + max(tree.depths, default=0) * (scores + 1)) * 256 * 8
    lists = _TOGETHER * (36 * k + 480 + n_rows // 8) * len(own)
    columns = sum(map(len, players.columns)) + scores
    known = 24 * columns * min(n_rows, k * len(own)) + 4 * n_rows  # terms and offsets of neighbors
    return max(1, min(threads, _MOST_BYTES // (members + spans + lists + known + 1)))


def _check_counting(tree: CoalitionTree, metric: Metric) -> None:
    unknown = sorted(set(tree.players).difference(metric.active.tolist()))
    if unknown:
        raise ParameterError(
            f"A coalition has column {unknown[0]}, which does not count in the metric; "
            f"expected some of {metric.active.tolist()}."
        )
