"""What every question to a Model begins with: its settings, its cases, and rows read for it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from vicinal.exceptions import NotFittedError, ParameterError, TableError, did_you_mean
from vicinal.index.exact import ExactIndex
from vicinal.index.metric import CYCLIC, NOMINAL, NUMERIC, Metric
from vicinal.index.neighbors import Neighbors
from vicinal.learning.residuals import RESIDUAL_MEANS, Residuals, TermSettings, learn_residuals
from vicinal.learning.targets import RULES
from vicinal.model.changelog import ChangeLog
from vicinal.model.staleness import Movement
from vicinal.schema.align import table_names
from vicinal.schema.encode import encode
from vicinal.schema.infer import infer_schema
from vicinal.schema.kinds import Kind
from vicinal.schema.limits import check_spans
from vicinal.schema.schema import Schema
from vicinal.schema.weights import feature_weights
from vicinal.tables.table import read_table
from vicinal.typing import Floats, Ints
from vicinal.validation import case_weights, check_power, check_whole

_KIND_CODES = {
    Kind.CONTINUOUS: NUMERIC,
    Kind.ORDINAL: NUMERIC,
    Kind.CYCLIC: CYCLIC,
    Kind.NOMINAL: NOMINAL,
}


class Cases:
    """A table's schema, cases, residuals and index."""

    def __init__(
        self,
        *,
        p: float = 1.0,
        n_neighbors: int = 10,
        categorical_features: Any = "from_dtype",
        ordinal_features: Iterable[str] | Mapping[str, Any] | None = None,
        cyclic_features: Mapping[str, Any] | None = None,
        kinds: Mapping[str, Kind | str] | None = None,
        missing_values: Any = (),
        missing: str | Mapping[str, str] = "expected",
        feature_weights: Mapping[str, float] | None = None,
        weighting: str = "entropy",
        influence: str = "auto",
        max_queries: int = 1200,
        max_members: int = 20,
        max_rounds: int = 8,
        residual_mean: str = "absolute",
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.p = p
        self.n_neighbors = n_neighbors
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.cyclic_features = cyclic_features
        self.kinds = kinds
        self.missing_values = missing_values
        self.missing = missing
        self.feature_weights = feature_weights
        self.weighting = weighting
        self.influence = influence
        self.max_queries = max_queries
        self.max_members = max_members
        self.max_rounds = max_rounds
        self.residual_mean = residual_mean
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, table: Any, *, sample_weight: ArrayLike | None = None) -> Self:
        """Take in a table and learn the residuals of its features.

        Parameters
        ----------
        table : dataframe, ndarray, dict of sequences, or list of dicts
            One row per case.
        sample_weight : array_like of shape (n,), optional
            Weight of each case, at least 0. A whole number means the same as repeating the row
            (in tables large enough to be sampled for residuals: nearly the same).

        Returns
        -------
        Model
            Itself.
        """
        check_power(self.p)
        check_whole("n_neighbors", self.n_neighbors, 1)
        check_whole("max_rounds", self.max_rounds, 1)
        check_whole("random_state", self.random_state, 0)
        _check_settings(self)
        read = read_table(table)
        weights = case_weights(sample_weight, len(read))
        schema = self._schema(read, weights)
        values = encode(read, schema)
        check_spans(values, schema)
        settings, learned = self._learned_of(values, schema, weights)
        index = ExactIndex(values, settings.kinds, weights, scales=learned.metric.residuals)
        # Only now: a fit that fails leaves the model as it was.
        self.log_ = ChangeLog()
        self._begin("fit", schema, settings, learned, index)
        return self

    def _learned_of(
        self, values: Floats, schema: Schema, weights: Floats | None
    ) -> tuple[TermSettings, Residuals]:
        """Everything that a fit learns of encoded values."""
        settings = TermSettings(
            kinds=np.array([_KIND_CODES[f.kind] for f in schema.storage], dtype=np.uint8),
            periods=np.array([f.period or 0.0 for f in schema.storage]),
            weights=feature_weights(self.feature_weights, schema),
            p=self.p,
            distinct=np.array([f.missing == "distinct" for f in schema.storage]),
        )
        learned = learn_residuals(
            values,
            settings,
            k=self.n_neighbors,
            case_weights=weights,
            max_rounds=self.max_rounds,
            mean=self.residual_mean,
            random_state=self.random_state,
            threads=self.n_jobs,
        )
        return settings, learned

    def _begin(
        self,
        action: str,
        schema: Schema,
        settings: TermSettings,
        learned: Residuals,
        index: ExactIndex,
    ) -> None:
        """Make this what the model is; targets are learned when they are asked for."""
        self.schema_ = schema
        self.metric_: Metric = learned.metric
        self.index_ = index
        self._settings = settings
        self._forget()
        self.residuals_ = self._by_name(learned.values)
        self.residual_history_ = [self._by_name(values) for values in learned.history]
        self.residuals_converged_ = learned.converged
        self.residual_sample_ = (learned.n_queries, learned.n_reference)
        self._movement = Movement(index, settings.kinds)
        # Of a refresh, which is of all cases, the log need not list them again.
        self.log_.record(action, index.numbers if action == "fit" else index.numbers[:0])

    def neighbors(
        self,
        rows: Any = None,
        k: int | None = None,
        *,
        context: Iterable[str] | None = None,
        terms: bool = False,
    ) -> Neighbors:
        """Find the nearest cases of some rows.

        Parameters
        ----------
        rows : table, optional
            Rows to ask about, in any form `fit` takes; they may have some of the columns only.
            By default the stored cases, each without itself.
        k : int, optional
            How many cases, at least 1; `n_neighbors` by default.
        context : list of str, optional
            Features that count; by default all columns the rows have.
        terms : bool, default False
            Whether to give the surprisal of each feature's difference as well.

        Returns
        -------
        Neighbors
            Ties go to the lower case number.
        """
        self._check_fitted()
        k = self.n_neighbors if k is None else k
        check_whole("k", k, 1)
        queries, given, exclude = self._queries(rows)
        metric = self.metric_.restricted(
            self.schema_.columns(given if context is None else self._context(context, given))
        )
        found = self.index_.search(queries, metric, int(k), exclude=exclude, threads=self.n_jobs)
        shown = None
        if terms:
            shown = self.index_.terms(queries, found.indices, metric, threads=self.n_jobs)
            shown = shown[:, :, self.schema_.table_order]
        return Neighbors(
            indices=found.indices,
            distances=found.distances,
            names=self.schema_.names,
            terms=shown,
            weights=self.index_.counted_weights(found.indices, int(k), exclude),
        )

    def __len__(self) -> int:
        self._check_fitted()
        return len(self.index_)

    def __repr__(self) -> str:
        if not hasattr(self, "index_"):
            return f"Model(p={self.p}, n_neighbors={self.n_neighbors}), not fitted"
        n, d = len(self), len(self.schema_)
        return f"Model(p={self.p}) of {n} case{'s' * (n != 1)}, {d} feature{'s' * (d != 1)}"

    def _forget(self) -> None:
        """Drop what was learned by the old residuals; each part adds its own."""

    def _check_fitted(self) -> None:
        if not hasattr(self, "index_"):
            raise NotFittedError("This Model has no cases yet; call fit(table) first.")

    def _asked(
        self, rows: Any, context: Iterable[str] | None
    ) -> tuple[Floats, Metric, Ints | None]:
        """Encoded rows, the metric of what they have, and the case to leave out for each."""
        self._check_fitted()
        queries, given, exclude = self._queries(rows)
        columns = self.schema_.columns(given if context is None else self._context(context, given))
        return queries, self.metric_.restricted(columns), exclude

    def _schema(self, table: Any, weights: Floats | None) -> Schema:
        schema = infer_schema(
            table,
            categorical_features=self.categorical_features,
            ordinal_features=self.ordinal_features,
            cyclic_features=self.cyclic_features,
            kinds=self.kinds,
            missing_values=self.missing_values,
            weights=weights,
        )
        if isinstance(self.missing, str):
            said = dict.fromkeys(schema.names, self.missing)
        else:
            said = dict(self.missing)
        for name, treatment in said.items():
            if treatment not in ("expected", "distinct"):
                raise ParameterError(
                    f"missing must be 'expected' or 'distinct'; got {treatment!r}."
                    + did_you_mean(treatment, ["expected", "distinct"])
                )
            if schema[name].missing != treatment:
                schema = schema.replace(name, missing=treatment)
        return schema

    def _queries(
        self, rows: Any, hidden: Collection[str] = ()
    ) -> tuple[Floats, tuple[str, ...], Ints | None]:
        """Encoded rows, the features they have, and the case to leave out for each.

        Columns that are hidden are not even read.
        """
        if rows is None:
            shown = tuple(name for name in self.schema_.names if name not in hidden)
            return self.index_.values, shown, self.index_.numbers
        read = read_table(rows)
        given = table_names(read, self.schema_)
        if hidden and not set(given).isdisjoint(hidden):
            read = read.rename(given).drop(hidden)
            given = read.names
        if not given:
            return np.empty((0, len(self.schema_))), (), None
        return encode(read, self.schema_, require=False), tuple(given), None

    def _context(self, context: Iterable[str], given: tuple[str, ...]) -> list[str]:
        names = [context] if isinstance(context, str) else list(context)
        if not names:
            raise ParameterError("context names no feature; give at least one, or leave it out.")
        self.schema_.columns(names)  # an unknown name is an error with a suggestion
        absent = [name for name in names if name not in given]
        if absent:
            raise TableError(
                f"The rows lack {absent[0]!r}, which the context names; "
                f"they have {', '.join(map(repr, given))}."
            )
        return names

    def _by_name(self, values: Floats) -> dict[str, float]:
        return {name: float(values[self.schema_.column(name)]) for name in self.schema_.names}


def _check_settings(model: Cases) -> None:
    """Refuse settings of prediction outside their range."""
    choices = {
        "weighting": ("entropy", "irw", "mda"),
        "influence": tuple(RULES),
        "residual_mean": RESIDUAL_MEANS,
    }
    for name, known in choices.items():
        if getattr(model, name) not in known:
            raise ParameterError(
                f"{name} must be one of {', '.join(map(repr, known))}; got "
                f"{getattr(model, name)!r}." + did_you_mean(getattr(model, name), known)
            )
    for name, least in {"max_queries": 2, "max_members": 1}.items():
        check_whole(name, getattr(model, name), least)
