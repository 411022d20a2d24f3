"""Make room in a store that has changed."""

from __future__ import annotations

import os
from pathlib import Path

from vicinal.model.model import Model
from vicinal.model.store import compact_store, model_from_store


def compact(store: str | os.PathLike[str]) -> None:
    """Write the shards of a store anew: without removed cases, and with those added since.

    Nothing that is learned, and no answer, changes. Models that have the store open go on with
    the old files.

    Parameters
    ----------
    store : path
        The folder of the store.

    Examples
    --------
    >>> import tempfile, vicinal
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = f"{folder}/heights.vicinal.d"
    ...     model = vicinal.sharded.fit([{"height": [1.0, 1.1, 3.0]}], store=store)
    ...     model.remove([1])
    ...     model.save(store)
    ...     vicinal.sharded.compact(store)
    ...     len(vicinal.load(store))
    2
    """
    folder = Path(store)
    compact_store(model_from_store(Model, folder), folder)
