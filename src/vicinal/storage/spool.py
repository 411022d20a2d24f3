"""Arrays put aside until they are needed, in memory or in a temporary file."""

from __future__ import annotations

from collections.abc import Iterator
from tempfile import TemporaryFile
from typing import Any
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

Arrays = tuple[NDArray[Any], ...]


class Spool:
    """Groups of arrays that can be gone through in order, as often as one likes.

    Parameters
    ----------
    on_disk : bool
        Whether they are in a file without a name, which is gone when the spool is, instead of in
        memory.

    Examples
    --------
    >>> import numpy as np
    >>> from vicinal.storage import Spool
    >>> spool = Spool(on_disk=True)
    >>> for number in (1, 2):
    ...     spool.put(np.array([number]), np.array([[0.5, number]]))
    >>> [(one.tolist(), other.tolist()) for one, other in spool]
    [([1], [[0.5, 1.0]]), ([2], [[0.5, 2.0]])]
    """

    def __init__(self, *, on_disk: bool) -> None:
        # It is closed with this object, not where a block of code ends.
        self._file = TemporaryFile(prefix="vicinal-") if on_disk else None  # noqa: SIM115
        if self._file is not None:
            finalize(self, self._file.close)
        self._kept: list[Arrays] = []
        self._widths: list[int] = []

    def put(self, *arrays: NDArray[Any]) -> None:
        """Put a group of arrays behind the others."""
        if self._file is None:
            self._kept.append(arrays)
            return
        for one in arrays:
            np.save(self._file, one, allow_pickle=False)
        self._widths.append(len(arrays))

    def __iter__(self) -> Iterator[Arrays]:
        if self._file is None:
            yield from self._kept
            return
        self._file.seek(0)
        for width in self._widths:
            yield tuple(np.load(self._file, allow_pickle=False) for _ in range(width))
