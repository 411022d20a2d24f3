"""Results as dataframes of whichever library is there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Literal, cast

import narwhals.stable.v2 as nw

from vicinal.exceptions import ParameterError, did_you_mean
from vicinal.tables.frames import LIBRARIES
from vicinal.tables.typed_columns import typed_column


def build_frame(
    columns: Mapping[str, Any],
    backend: str | None = None,
    categories: Mapping[str, Sequence[str] | None] | None = None,
) -> Any:
    """Make a dataframe of named columns, by default of the first library that is installed.

    Numbers, booleans and times have the types of the library. The columns named in `categories`
    are categorical, ordered where their levels are given.

    Examples
    --------
    >>> from vicinal.tables.to_frame import build_frame
    >>> build_frame({"case": [3, 1]}, "polars")["case"].to_list()
    [3, 1]
    """
    installed = [name for name in LIBRARIES if find_spec(name)]
    if backend is None and not installed:
        raise ParameterError(
            "A dataframe needs pandas, polars or pyarrow, and none is installed; "
            "install one of them."
        )
    chosen = installed[0] if backend is None else backend
    if chosen not in installed:
        hint = did_you_mean(chosen, installed) or f" Installed: {', '.join(installed) or 'none'}."
        raise ParameterError(f"backend {chosen!r} is not one of the libraries installed.{hint}")
    library = cast(Literal["pandas", "polars", "pyarrow"], chosen)
    typed = {name: typed_column(values, chosen) for name, values in columns.items()}
    frame = nw.from_dict(typed, backend=library)
    casts = [
        nw.col(name).cast(nw.Categorical() if levels is None else nw.Enum(levels))
        for name, levels in (categories or {}).items()
        if name in typed and len(frame)
    ]
    return frame.with_columns(*casts).to_native()
