"""Load saved models and estimators."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from vicinal import estimators
from vicinal.exceptions import FileError, ParameterError
from vicinal.model.files import model_from_file
from vicinal.model.model import Model
from vicinal.model.store import model_from_store
from vicinal.storage import open_file


def load(
    path: str | os.PathLike[str],
    *,
    mmap: bool = False,
    verify: bool | None = None,
    max_bytes: int | None = None,
    on: Any = None,
) -> Any:
    """Load a saved Model or estimator.

    It gives exactly the same results, to the last bit, as the one that was saved.

    Parameters
    ----------
    path : path
        A file written by `Model.save` or by the ``save`` method of an estimator; or a store that
        `vicinal.sharded.fit` wrote, whose cases stay on disk.
    mmap : bool, default False
        Whether to memory-map the cases instead of reading them: they are loaded from disk as
        needed, and processes that load the same file share them. Do not write to the file while
        it is mapped; `save` is safe, since it replaces the file. The first change to the cases
        copies them.
    verify : bool, optional
        Whether to verify all checksums. Data that is read into memory is always verified; mapped
        data only with True, because it takes the time that mapping saves. Without it, a damaged
        file may give wrong results, but it cannot do other harm.
    max_bytes : int, optional
        Maximum file size. Loading needs a small multiple of the file size in memory.
    on : int, dask.distributed.Client or "ray", optional
        For a store, the number of processes that search it, a Dask cluster, or the Ray cluster
        that this process is connected to; its workers must see the same files. By default this
        process.

    Returns
    -------
    Model or estimator
        The saved object.

    Raises
    ------
    FileError
        If the file is damaged, was saved by a later version, or was not saved by Vicinal. Files
        from untrusted sources are safe to load: no code in them is executed.
    OSError
        If the file does not exist or cannot be read.

    Examples
    --------
    >>> import tempfile, vicinal
    >>> model = vicinal.Model().fit({"height": [1.0, 1.1, 1.3], "color": ["a", "a", "b"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(f"{folder}/m.vicinal")
    ...     again = vicinal.load(f"{folder}/m.vicinal")
    >>> again.predict({"height": [1.0]}, "color") == model.predict({"height": [1.0]}, "color")
    array([ True])
    """
    if Path(path).is_dir():
        return model_from_store(Model, Path(path), on=on, verify=bool(verify))
    if on is not None:
        raise ParameterError(f"on={on!r} applies to stores only, and {path} is a file.")
    thorough = bool(verify) or not mmap
    with open_file(path, mapped=mmap, verify=thorough, max_bytes=max_bytes) as file:
        kind = file.header.kind
        if kind == "Model":
            return model_from_file(Model, file, file.header.state, thorough=thorough)
        if kind not in estimators.__all__:
            raise FileError(f"it contains a {kind[:40]!r}, which this version does not support")
        return getattr(estimators, kind)._from_file(file, file.header.state, thorough=thorough)
