"""Samples of the cases of all shards, the same as if they were in one place.

Hashes depend on the ranges and signs of the columns of all cases that may be sampled, so shards
are asked three times: for ranges, for signs, and for the cases with the smallest keys. Equal cases
are told apart by how many equal ones come before. Those that may have equals in other shards are
sent along, so that they can be counted; all others are counted where they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from vicinal.index import _native
from vicinal.index.hashes import range_of_blocks, told_apart, totals_of_blocks
from vicinal.index.sampling import sample_cases, sample_distinct
from vicinal.index.shard import Shard
from vicinal.typing import Arrays, Bools, Floats, Ints, Words

#: Values of a column that are no farther apart than this part of its range may share a hash.
_GRAIN = 2.0**-20


class AskShards(Protocol):
    """Runs a job on every shard."""

    def __call__(self, job: str, *, shards: slice = ..., **arguments: Any) -> list[Arrays]:
        """Return the answer of each shard, or of some of them."""


# --- jobs ----------------------------------------------------------------------------------------


def _ranges(shard: Shard, required: int, without: Ints) -> Arrays:
    """Count the cases that may be sampled, and find the range of each column."""
    blocks = (values for _, values in shard.chosen(required, without))
    count, low, high = range_of_blocks(blocks, len(shard.index.kinds))
    return {"count": np.array(count), "low": low, "high": high}


def _totals(shard: Shard, required: int, without: Ints, low: Floats, high: Floats) -> Arrays:
    blocks = (values for _, values in shard.chosen(required, without))
    totals, counts = totals_of_blocks(blocks, low, high)
    return {"totals": totals, "counts": counts}


def _gather(shard: Shard, required: int, without: Ints) -> Arrays:
    """Return all cases that may be sampled."""
    blocks = list(shard.chosen(required, without))
    numbers = np.concatenate([np.empty(0, dtype=np.int64), *(one for one, _ in blocks)])
    values = np.concatenate([np.empty((0, len(shard.index.kinds))), *(one for _, one in blocks)])
    order = np.argsort(numbers)
    return {"numbers": numbers[order], "values": values[order]}


def _smallest(
    shard: Shard, count: int, columns: Ints, splits: Floats, others: Words, **hashing: Any
) -> Arrays:
    """Return the cases with the smallest keys, and those that may have equals elsewhere.

    Parameters
    ----------
    columns, splits : ndarray
        Cases in different shards lie on different sides of one of these splits, each a value of
        a column. Without splits, equal cases may be anywhere.
    others : ndarray of uint64
        Hashes of cases that have come since.
    """
    hashes, numbers, border = _hashed(shard, columns, splits, hashing)
    border |= np.isin(hashes, others)
    shared = np.flatnonzero(border)
    own = np.flatnonzero(~border)
    keys = _native.mixed(told_apart(hashes[own], numbers[own]))
    first = np.argpartition(keys, count - 1)[:count] if len(keys) > count else np.arange(len(keys))
    return {
        "keys": keys[first],
        "numbers": numbers[own[first]],
        "shared": hashes[shared],
        "shared_numbers": numbers[shared],
    }


def _all_hashes(shard: Shard, **hashing: Any) -> Arrays:
    hashes, numbers, _ = _hashed(shard, np.empty(0, dtype=np.int64), np.empty(0), hashing)
    return {"shared": hashes, "shared_numbers": numbers}


def _smallest_distinct(shard: Shard, count: int, **hashing: Any) -> Arrays:
    """Return the smallest distinct keys, one more than requested."""
    none = np.empty(0, dtype=np.int64)
    hashes, _, _ = _hashed(shard, none, np.empty(0), hashing)
    return {"keys": np.unique(_native.mixed(hashes))[: count + 1]}


def _below(shard: Shard, limit: Words, **hashing: Any) -> Arrays:
    """Return the cases whose keys are below the limit."""
    none = np.empty(0, dtype=np.int64)
    hashes, numbers, _ = _hashed(shard, none, np.empty(0), hashing)
    return {"numbers": numbers[_native.mixed(hashes) < limit[0]]}


def _hashed(
    shard: Shard, columns: Ints, splits: Floats, hashing: dict[str, Any]
) -> tuple[Words, Ints, Bools]:
    """Return hashes and numbers of the cases, and which may share a hash with another shard's."""
    low, high, signs = hashing["low"], hashing["high"], hashing["signs"]
    parts: list[tuple[Words, Ints, Bools]] = [
        (np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64), np.empty(0, dtype=bool))
    ]
    for numbers, values in shard.chosen(hashing["required"], hashing["without"]):
        hashes = _native.part_hashes(values, hashing["seed"], low, high, signs)
        border = np.full(len(values), not len(columns))
        for column, split in zip(columns.tolist(), splits.tolist(), strict=True):
            near = (high[column] - low[column]) * _GRAIN
            border |= np.abs(values[:, column] - split) <= near
        parts.append((hashes, numbers, border))
    hashes, numbers, border = (np.concatenate(one) for one in zip(*parts, strict=True))
    return hashes, numbers, border


SAMPLING_JOBS: dict[str, Callable[..., Arrays]] = {
    "below": _below,
    "gather": _gather,
    "hashes": _all_hashes,
    "ranges": _ranges,
    "smallest": _smallest,
    "smallest_distinct": _smallest_distinct,
    "totals": _totals,
}


# --- the whole -----------------------------------------------------------------------------------


def sample_shards(
    ask: AskShards,
    count: int,
    *,
    random_state: int = 0,
    required: int | None = None,
    without: Ints | None = None,
    distinct: bool = False,
    splits: tuple[Ints, Floats] | None = None,
    recent: bool = False,
) -> tuple[Ints, Floats | None]:
    """Sample the cases of all shards; see `Index.sample`.

    Parameters
    ----------
    ask : AskShards
        Asks all shards, or only some of them.
    splits : tuple of ndarray, optional
        Columns and values that divide the cases of different shards.
    recent : bool
        Whether the last shard has cases that came later, which may equal any others.

    Returns
    -------
    numbers : ndarray of int64
        Case numbers, ascending.
    values : ndarray or None
        Their values, where they have been fetched already.
    """
    chosen: dict[str, Any] = {
        "required": -1 if required is None else required,
        "without": np.empty(0, dtype=np.int64) if without is None else np.asarray(without),
    }
    ranges = ask("ranges", **chosen)
    total = sum(int(part["count"]) for part in ranges)
    if total <= max(count, _native.FEW_ROWS):
        numbers, values = gather(ask, **chosen)
        choose = sample_distinct if distinct else sample_cases
        some = choose(values, count, random_state=random_state)
        return numbers[some], values[some]
    low = np.min([part["low"] for part in ranges], axis=0)
    high = np.max([part["high"] for part in ranges], axis=0)
    totals = ask("totals", **chosen, low=low, high=high)
    signs = _native.column_signs(
        *(np.sum([part[name] for part in totals], axis=0) for name in ("totals", "counts"))
    )
    hashing = {**chosen, "low": low, "high": high, "signs": signs, "seed": random_state}
    if distinct:
        return _sample_distinct(ask, count, hashing), None
    parts = _with_smallest_keys(ask, count, splits, hashing, recent=recent)
    shared = np.concatenate([part["shared"] for part in parts])
    named = np.concatenate([part["shared_numbers"] for part in parts])
    keys = [*(part["keys"] for part in parts), _native.mixed(told_apart(shared, named))]
    numbers = np.concatenate([*(part["numbers"] for part in parts), named])
    first = np.argpartition(np.concatenate(keys), count)[:count]
    return np.sort(numbers[first]), None


def _with_smallest_keys(
    ask: AskShards,
    count: int,
    splits: tuple[Ints, Floats] | None,
    hashing: dict[str, Any],
    *,
    recent: bool,
) -> list[Arrays]:
    columns, values = (np.empty(0, dtype=np.int64), np.empty(0)) if splits is None else splits
    where: dict[str, Any] = {"columns": columns, "splits": values}
    if not recent:
        others = np.empty(0, dtype=np.uint64)
        return ask("smallest", count=count, others=others, **where, **hashing)
    last = ask("hashes", shards=slice(-1, None), **hashing)
    others = np.unique(last[0]["shared"])
    first = ask("smallest", shards=slice(-1), count=count, others=others, **where, **hashing)
    none = {"keys": np.empty(0, dtype=np.uint64), "numbers": np.empty(0, dtype=np.int64)}
    return [*first, {**none, **last[0]}]


def _sample_distinct(ask: AskShards, count: int, hashing: dict[str, Any]) -> Ints:
    parts = ask("smallest_distinct", count=count, **hashing)
    keys = np.unique(np.concatenate([part["keys"] for part in parts]))
    if len(keys) <= count:
        found = ask("gather", required=hashing["required"], without=hashing["without"])
    else:
        found = ask("below", limit=keys[count : count + 1], **hashing)
    return np.sort(np.concatenate([part["numbers"] for part in found]))


def gather(ask: AskShards, **chosen: Any) -> tuple[Ints, Floats]:
    """Return all cases that may be sampled, by number."""
    parts = ask("gather", **chosen)
    numbers = np.concatenate([part["numbers"] for part in parts])
    order = np.argsort(numbers)
    return numbers[order], np.concatenate([part["values"] for part in parts])[order]
