"""Synthetic rows, sampled from the density."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vicinal.density.mixture import mixture_of
from vicinal.fitted import Fitted
from vicinal.formatting.sheet_html import sheet_html
from vicinal.formatting.sheet_text import sheet_text
from vicinal.schema.decode import decode, frame_categories
from vicinal.schema.encode import encode
from vicinal.tables.to_frame import build_frame
from vicinal.typing import Floats, Ints
from vicinal.validation import check_parameter
from vicinal.views.synthesis import synthesis_view


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
    library : str, optional
        The dataframe library of the fitted table, which `to_frame` uses by default.
    categories : dict of str to tuple
        Columns that are categorical in the fitted table, with their levels if these are ordered.

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
    library: str | None = None
    categories: dict[str, tuple[str, ...] | None] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.nearest)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe (pandas, polars or pyarrow: `backend`) of the sampled rows only."""
        return build_frame(self.columns, backend or self.library, self.categories)

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the distances to the closest training cases.

        This requires matplotlib (the extra ``plots``).

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on; new ones by default.

        Returns
        -------
        matplotlib axes
            The axes.
        """
        from vicinal.plots.synthesis import draw_synthesis

        return draw_synthesis(self, ax)

    def __repr__(self) -> str:
        return sheet_text(synthesis_view(self))

    def _repr_html_(self) -> str:
        return sheet_html(synthesis_view(self))


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
    return Synthetic(
        decode(rows, fitted.schema),
        found.indices[:, 0],
        found.distances[:, 0],
        library=fitted.library,
        categories=frame_categories(fitted.schema.features),
    )
