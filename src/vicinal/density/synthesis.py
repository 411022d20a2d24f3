"""Synthetic rows, sampled from the density."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from vicinal.density.mixture import mixture_of
from vicinal.fitted import Fitted
from vicinal.schema.decode import decode
from vicinal.schema.encode import encode
from vicinal.tables.to_frame import build_frame
from vicinal.typing import Floats, Ints
from vicinal.validation import check_parameter


@dataclass(frozen=True, eq=False)
class Synthetic:
    """Rows sampled from the density, with the closest training case of each.

    Parameters
    ----------
    columns : dict of str to list
        The sampled values by feature.
    nearest : ndarray of int64
        Number of the closest training case.
    distances : ndarray
        Distance to that case: mean surprisal per feature in nats, 1.5 for a copy.

    Examples
    --------
    >>> import vicinal
    >>> model = vicinal.Model().fit({"height": [1.0, 1.1, 3.0], "color": ["red", "red", "blue"]})
    >>> drawn = model.synthesize(4, given={"color": "blue"})
    >>> drawn.columns["color"]
    ['blue', 'blue', 'blue', 'blue']
    """

    columns: dict[str, list[Any]]
    nearest: Ints
    distances: Floats

    def __len__(self) -> int:
        return len(self.nearest)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe (pandas, polars or pyarrow: `backend`) of the sampled rows only."""
        return build_frame(self.columns, backend)

    def __repr__(self) -> str:
        n = len(self)
        if not n:
            return "Synthetic: no rows"
        return (
            f"Synthetic: {n} row{'s' * (n != 1)} of {', '.join(self.columns)}; closest real case "
            f"at {self.distances.min():.4g} to {self.distances.max():.4g}"
        )


def synthesize(
    fitted: Fitted,
    n: int,
    *,
    given: Mapping[str, Any] | None = None,
    random_state: int | None = None,
) -> Synthetic:
    """Sample synthetic rows from the density.

    Parameters
    ----------
    n : int
        Number of rows.
    given : mapping of str to value, optional
        Fixed values of some features in all rows; the others are sampled conditionally on these.
    random_state : int, optional
        Random seed; by default that of the model.

    Returns
    -------
    Synthetic
        The rows, and the closest training case of each with its distance.
    """
    check_parameter("n", n, rule="n_rows")
    seed = fitted.settings.random_state if random_state is None else random_state
    fixed = np.full((n, len(fitted.schema)), np.nan)
    if given:
        row = {name: [value] for name, value in given.items()}
        fixed[:] = encode(row, fitted.schema, require=False)
    rows = mixture_of(fitted).draw(fixed, np.random.default_rng(seed))
    found = fitted.index.search(rows, fitted.metric, 1, threads=fitted.threads)
    return Synthetic(decode(rows, fitted.schema), found.indices[:, 0], found.distances[:, 0])
