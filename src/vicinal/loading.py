"""Loading whatever was saved."""

from __future__ import annotations

import os
from typing import Any

from vicinal import estimators
from vicinal.exceptions import FileError
from vicinal.model.files import model_from_file
from vicinal.model.model import Model
from vicinal.storage import open_file

__all__ = ["load"]


def load(
    path: str | os.PathLike[str],
    *,
    mmap: bool = False,
    verify: bool | None = None,
    max_bytes: int | None = None,
) -> Any:
    """Load a Model or an estimator that was saved.

    It answers every question with the same bits as the one that was saved.

    Parameters
    ----------
    path : path
        A file that `Model.save`, or ``save`` of an estimator, wrote.
    mmap : bool, default False
        Whether to map the cases rather than read them: they come from the disk as they are
        needed, and processes that load the same file share them. The file must not be written to
        as long as it is mapped; `save` replaces it, which does no harm. The first change to the
        cases copies them.
    verify : bool, optional
        Whether to read everything and check it against the checksums. Of what is read into memory
        it is always done; of what is mapped only with True, for it takes the time that mapping
        saves. Without, a damaged file may give wrong answers, but no worse.
    max_bytes : int, optional
        Larger files are refused. Memory that is used is a small multiple of the size of the file.

    Returns
    -------
    Model or estimator
        What was saved.

    Raises
    ------
    FileError
        When the file is damaged, was saved by a later version, or is none of ours. It may come
        from anyone: nothing in it is run.
    OSError
        When it is not there, or may not be read.

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
    thorough = bool(verify) or not mmap
    with open_file(path, mapped=mmap, verify=thorough, max_bytes=max_bytes) as file:
        kind = file.header.kind
        if kind == "Model":
            return model_from_file(Model, file, file.header.state, thorough=thorough)
        if kind not in estimators.__all__:
            raise FileError(f"it holds a {kind[:40]!r}, which this version does not know")
        return getattr(estimators, kind)._from_file(file, file.header.state, thorough=thorough)
