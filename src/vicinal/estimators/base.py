"""Base class of the estimators: parameters, tags, fitting the Model, and files."""

from __future__ import annotations

import os
from dataclasses import replace
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
from vicinal.tables.case_labels import NO_LABELS, CaseLabels
from vicinal.tables.table import Table
from vicinal.tables.values import is_missing
from vicinal.typing import Floats
from vicinal.validation import check_parameters, current_parameters

#: Residuals and weights are relearned once more than this share of the cases are new: each time
#: the table has doubled, so the cost per row is constant.
STALE = 0.5
_HOW_TO_USE = "To use a column as categories, name it in categorical_features."
#: Attributes that are recomputed when needed.
_UNSAVED = {"model_", "_places"}
#: Attributes that had another name in the files of the first release.
_RENAMED = {"_kept": "_rows"}


class VicinalEstimator(BaseEstimator):  # type: ignore[misc]
    """Base of all estimators: a Model of the training rows, built from parameters.

    Subclasses have the parameters ``categorical_features``, ``ordinal_features``,
    ``cyclic_features``, ``missing_values``, ``missing``, ``bounds``, ``random_state``, and those
    passed on.
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

        The file contains the training data. It holds no code, so untrusted files are safe to load.

        Parameters
        ----------
        path : path
            Destination. An existing file is replaced atomically.
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
            raise FileError(f"the estimator is damaged: {str(error)[:200]}") from error
        return made

    def _take(self, learned: Any, file: StoredFile) -> None:
        for name, value in learned.items():
            # Only attributes that an estimator stores; never a method or a special attribute.
            if not name.isidentifier() or name.startswith("__") or hasattr(type(self), name):
                raise FileError(f"an estimator has no attribute {name[:40]!r}")
            setattr(self, _RENAMED.get(name, name), unpack_attribute(value, file))

    def _check_loaded(self) -> None:
        """Reject inconsistent attributes; each estimator adds its own checks."""
        check_parameters(current_parameters(self.get_params(deep=False), warned=False))
        rows, index = self._rows, self.model_.index_
        if rows.ndim != 1 or not ((rows >= 0) & (rows < self._n_rows)).all():
            raise FileError("the rows of the estimator do not match the cases of its model")
        if index.contains(np.arange(len(rows), index.next_number)).any():
            raise FileError("the rows of the estimator do not match the cases of its model")
        named = [*self._names, *getattr(self, "_targets", ())]
        if named != list(self.model_.schema_.table_names):
            raise FileError("the columns of the estimator do not match those of its model")

    def _training_table(
        self, X: Any, y: Any = "no_validation", sample_weight: Any = None, *, reset: bool = True
    ) -> tuple[Table, Floats | None]:
        """Check parameters, X and the weights; `reset` unless rows were fitted before."""
        parameters = current_parameters(self.get_params(deep=False), stacklevel=4)
        check_parameters(parameters)
        table = checked_table(self, X, y, reset=reset)
        return table, row_weights(sample_weight, len(table))

    def _fit_model(
        self, table: Table, weights: Floats | None, names: tuple[str, ...], **settings: Any
    ) -> None:
        """Fit the Model to a table, using these columns as features."""
        self.model_ = self._new_model(names, **settings)
        kept, weights, self._rows = counted_rows(_distinctly_labeled(table), weights)
        self.model_._fit(kept, None, weights, (_HOW_TO_USE,), stacklevel=4)
        self._n_rows = len(table)

    def _new_model(self, names: tuple[str, ...], **settings: Any) -> Model:
        """Return a Model of these features, not fitted yet."""
        parameters = current_parameters(self.get_params(deep=False), warned=False)
        self._names = names
        return Model(
            random_state=seed_of(self.random_state),
            **{name: parameters[name] for name in self._passed_on},
            **declarations(self, names),
            **settings,
        )

    def _add_rows(self, table: Table, weights: Floats | None) -> None:
        """Add rows to the Model, and relearn whenever it has doubled."""
        known = self.model_.labels_
        kept, weights, rows = counted_rows(_distinctly_labeled(table, known), weights)
        self.model_.add(kept, sample_weight=weights)
        self._rows = np.concatenate([self._rows, self._n_rows + rows])
        self._n_rows += len(table)
        if self.model_.changed_share > STALE:
            self.model_.refresh()

    def _table(self, X: Any) -> Table:
        """Read X, with the column names used in `fit`."""
        check_is_fitted(self)
        # As scikit-learn expects, all rows are new, training rows among them.
        return replace(checked_table(self, X, reset=False).rename(self._names), labels=None)


def _distinctly_labeled(table: Table, known: CaseLabels = NO_LABELS) -> Table:
    """Return a table without labels that are repeated, as in bootstrap samples of dataframes."""
    labels = () if table.labels is None else table.labels.tolist()
    repeated = len(set(labels)) < len(labels) or any(is_missing(one) for one in labels)
    if repeated or any(known.number_of(one) is not None for one in labels):
        return replace(table, labels=None)
    return table


def seed_of(random_state: int | np.random.RandomState | None) -> int:
    """Turn scikit-learn's ``random_state`` into a seed; None becomes 0, so fits are reproducible.

    Examples
    --------
    >>> from vicinal.estimators.base import seed_of
    >>> seed_of(None), seed_of(7)
    (0, 7)
    """
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(1 << 31))
    return int(random_state or 0)
