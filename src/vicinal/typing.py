"""The arrays that functions take and give, by what they hold."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

#: Encoded values, distances, weights: anything that is measured.
Floats: TypeAlias = NDArray[np.float64]
#: Case numbers.
Ints: TypeAlias = NDArray[np.int64]
#: Places in an array, and encoded columns.
Places: TypeAlias = NDArray[np.intp]
#: Masks.
Bools: TypeAlias = NDArray[np.bool_]
#: Hashes.
Words: TypeAlias = NDArray[np.uint64]
#: Arrays by name, as files hold them.
Arrays: TypeAlias = dict[str, NDArray[Any]]
