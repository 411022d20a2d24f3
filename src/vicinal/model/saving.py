"""Keeping a Model in a file."""

from __future__ import annotations

import os
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Self, cast

from vicinal.model.base import Cases
from vicinal.model.parts import model_from_file, model_parts
from vicinal.storage import StoredFile, write_file

if TYPE_CHECKING:
    from vicinal.model import Model


class Saving(Cases):
    """To a file and back."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, which `vicinal.load` reads.

        The file holds the training data, everything learned so far, and the log of changes; it
        is data, not code. A file that is there is replaced at once: whoever reads it finds the
        old model or the new one, even if the process is killed meanwhile.

        Parameters
        ----------
        path : path
            Where to; by custom it ends in ``.vicinal``.

        Examples
        --------
        >>> import tempfile, vicinal
        >>> model = vicinal.Model().fit({"height": [1.0, 1.1, 1.3]})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(f"{folder}/heights.vicinal")
        ...     again = vicinal.load(f"{folder}/heights.vicinal")
        >>> again
        Model(p=1.0) of 3 cases, 1 feature
        """
        state, arrays = model_parts(cast("Model", self))
        write_file(path, "Model", version("vicinal"), state, arrays)

    @classmethod
    def _from_file(cls, file: StoredFile, state: Any, *, thorough: bool) -> Self:
        made = model_from_file(cast("type[Model]", cls), file, state, thorough=thorough)
        return cast("Self", made)
