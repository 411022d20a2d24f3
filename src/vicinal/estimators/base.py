"""What all estimators share: parameters, tags, the fit of the Model, and files."""

from __future__ import annotations

import os
from importlib.metadata import version
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from vicinal.estimators.saving import pack_attributes, unpack_attribute
from vicinal.estimators.tables import checked_table, counted_rows, declarations, row_weights
from vicinal.exceptions import FileError, VicinalError
from vicinal.model.files import model_from_file, model_parts
from vicinal.model.model import Model
from vicinal.model.settings_json import read_settings, write_settings
from vicinal.storage import StoredFile, write_file
from vicinal.tables.table import Table
from vicinal.typing import Floats
from vicinal.validation import check_parameters, current_parameters

#: Once more than this share of the cases came after residuals and weights were learned, they are
#: learned anew: each time the table has doubled, so that it costs a constant per row.
STALE = 0.5
#: Attributes that are made again when they are needed.
_UNSAVED = {"model_", "_places"}
#: Attributes that had another name in the files of the first release.
_RENAMED = {"_kept": "_rows"}


class VicinalEstimator(BaseEstimator):  # type: ignore[misc]
    """Base of all estimators: a Model of the training rows, built from parameters.

    Subclasses have the parameters ``categorical_features``, ``ordinal_features``,
    ``cyclic_features``, ``missing_values``, ``missing``, ``random_state``, and those passed on.
    """

    #: Parameters that the Model has too.
    _passed_on: ClassVar[tuple[str, ...]] = ("p", "n_jobs")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the estimator to a file, which `vicinal.load` reads.

        The file holds the training data; it is data, not code, and can be loaded from anyone.

        Parameters
        ----------
        path : path
            Where to. A file that is there is replaced, at once.
        """
        check_is_fitted(self)
        state, arrays = model_parts(self.model_)
        parameters = self.get_params(deep=False)
        left_out = _UNSAVED | parameters.keys()
        learned = {name: one for name, one in vars(self).items() if name not in left_out}
        whole = {
            "parameters": write_settings(parameters),
            "learned": pack_attributes(learned, arrays),
            "model": state,
        }
        write_file(path, type(self).__name__, version("vicinal"), whole, arrays)

    @classmethod
    def _from_file(cls, file: StoredFile, state: Any, *, thorough: bool) -> Self:
        model = model_from_file(Model, file, state.get("model"), thorough=thorough)
        try:
            made = cls(**read_settings(state["parameters"]))
            made._take(state["learned"], file)
            made.model_ = model
            made._check_loaded()
        except FileError:
            raise
        except (VicinalError, TypeError, ValueError, LookupError, AttributeError) as error:
            raise FileError(f"its estimator cannot be: {str(error)[:200]}") from error
        return made

    def _take(self, learned: Any, file: StoredFile) -> None:
        for name, value in learned.items():
            # Only what an estimator keeps; never a method or something of Python's own.
            if not name.isidentifier() or name.startswith("__") or hasattr(type(self), name):
                raise FileError(f"an estimator has no attribute {name[:40]!r}")
            setattr(self, _RENAMED.get(name, name), unpack_attribute(value, file))

    def _check_loaded(self) -> None:
        """Refuse attributes that do not fit each other; each estimator adds its own."""
        check_parameters(current_parameters(self.get_params(deep=False), warned=False))
        rows, index = self._rows, self.model_.index_
        if rows.ndim != 1 or not ((rows >= 0) & (rows < self._n_rows)).all():
            raise FileError("its rows are not those of its cases")
        if index.contains(np.arange(len(rows), index.next_number)).any():
            raise FileError("its rows are not those of its cases")
        named = [*self._names, *getattr(self, "_targets", ())]
        if named != list(self.model_.schema_.names):
            raise FileError("its columns are not those of its model")

    def _training_table(
        self, X: Any, y: Any = "no_validation", sample_weight: Any = None, *, reset: bool = True
    ) -> tuple[Table, Floats | None]:
        """Check parameters, X and the weights; `reset` unless there are rows before these."""
        parameters = current_parameters(self.get_params(deep=False), stacklevel=4)
        check_parameters(parameters)
        table = checked_table(self, X, y, reset=reset)
        return table, row_weights(sample_weight, len(table))

    def _fit_model(
        self, table: Table, weights: Floats | None, names: tuple[str, ...], **settings: Any
    ) -> None:
        """Build the Model of a table, of which these columns are features."""
        parameters = current_parameters(self.get_params(deep=False), warned=False)
        self._names = names
        self.model_ = Model(
            random_state=seed_of(self.random_state),
            **{name: parameters[name] for name in self._passed_on},
            **declarations(self, names),
            **settings,
        )
        kept, weights, self._rows = counted_rows(table, weights)
        self.model_.fit(kept, sample_weight=weights)
        self._n_rows = len(table)

    def _add_rows(self, table: Table, weights: Floats | None) -> None:
        """Add rows to the Model, which learns anew whenever it has doubled."""
        kept, weights, rows = counted_rows(table, weights)
        self.model_.add(kept, sample_weight=weights)
        self._rows = np.concatenate([self._rows, self._n_rows + rows])
        self._n_rows += len(table)
        if self.model_.changed_share > STALE:
            self.model_.refresh()

    def _table(self, X: Any) -> Table:
        """Read X, with the columns called as they were in `fit`."""
        check_is_fitted(self)
        return checked_table(self, X, reset=False).rename(self._names)


def seed_of(random_state: int | np.random.RandomState | None) -> int:
    """Turn scikit-learn's ``random_state`` into a number; None is 0, so that fits repeat.

    Examples
    --------
    >>> from vicinal.estimators.base import seed_of
    >>> seed_of(None), seed_of(7)
    (0, 7)
    """
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(1 << 31))
    return int(random_state or 0)
