"""The distributions of features as the kernels take them, once for all that have the same."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar
from weakref import WeakValueDictionary

import numpy as np

from vicinal.index import _native

if TYPE_CHECKING:
    from vicinal.index.support import Support

#: Points of a feature from which the kernels take them as they are, without a copy.
_LONG = 1 << 12


class SharedSupports:
    """The supports of all columns, laid out for the kernels when they are first needed.

    Thousands of columns take megabytes, as do those with very many categories, and while a target
    is learned there are dozens of metrics, most of which differ in weights alone.

    Parameters
    ----------
    supports : tuple of Support
        Those of all columns, whether these count or not.
    """

    #: Those that some metric has, by the identities of the supports, which they keep alive.
    _known: ClassVar[WeakValueDictionary[tuple[int, ...], SharedSupports]] = WeakValueDictionary()

    def __init__(self, supports: tuple[Support, ...]) -> None:
        self.supports = supports

    @cached_property
    def native(self) -> _native.Supports:
        """The supports as the kernels take them."""
        lengths = np.array([len(one.points) for one in self.supports], dtype=np.int64)
        is_long = lengths > _LONG
        long_columns = np.flatnonzero(is_long).astype(np.int64)
        short = [self.supports[column] for column in np.flatnonzero(~is_long).tolist()]
        long = [self.supports[column] for column in long_columns.tolist()]
        return _native.make_supports(
            points=np.concatenate([np.empty(0), *(one.points for one in short)]),
            shares=np.concatenate([np.empty(0), *(one.shares for one in short)]),
            offsets=np.append(0, np.cumsum(np.where(is_long, 0, lengths))),
            long_columns=long_columns,
            long_points=[np.ascontiguousarray(one.points, dtype=np.float64) for one in long],
            long_shares=[np.ascontiguousarray(one.shares, dtype=np.float64) for one in long],
        )

    @classmethod
    def of(cls, supports: tuple[Support, ...]) -> SharedSupports:
        """Return those of a metric, which others may have made.

        Examples
        --------
        >>> import numpy as np
        >>> from vicinal.index.shared_supports import SharedSupports
        >>> from vicinal.index.support import observed_support
        >>> one = observed_support(np.array([1.0, 2.0]), nominal=False)
        >>> made = SharedSupports.of((one, one))
        >>> SharedSupports.of((one, one)) is made
        True
        """
        key = tuple(map(id, supports))
        made = cls._known.get(key)
        if made is None:
            made = cls._known[key] = cls(supports)
        return made
