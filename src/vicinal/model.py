"""The Model: one table's schema, cases, residuals and index; it answers every question."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vicinal.analysis import (
    RULES,
    TermSettings,
    Tuning,
    describe_target,
    learn_residuals,
    learn_target,
)
from vicinal.arguments import (
    case_weights,
    check_power,
    check_spans,
    check_whole,
    feature_weights,
)
from vicinal.conviction import (
    Anomalies,
    Convictions,
    Measure,
    Survey,
    break_down,
    convictions_of_rows,
    convictions_of_stored,
    flagged,
    nearest_ordinary,
    residual_conviction,
    responsible,
    survey,
)
from vicinal.density import Mixture, Synthetic, fit_mixture
from vicinal.exceptions import NotFittedError, ParameterError, TableError, did_you_mean
from vicinal.features import (
    Feature,
    Kind,
    Schema,
    Table,
    decode,
    encode,
    infer_schema,
    read_table,
    table_names,
)
from vicinal.index import ExactIndex, Metric, Neighbors
from vicinal.index.metric import CYCLIC, NOMINAL, NUMERIC
from vicinal.prediction import (
    Answer,
    Calibration,
    CaseInfluences,
    Target,
    answer,
    calibrate_classes,
    calibrate_numbers,
    find_influences,
)

Floats = NDArray[np.float64]

_KIND_CODES = {
    Kind.CONTINUOUS: NUMERIC,
    Kind.ORDINAL: NUMERIC,
    Kind.CYCLIC: CYCLIC,
    Kind.NOMINAL: NOMINAL,
}


class Model:
    """Cases in surprisal space.

    Parameters
    ----------
    p : float, default 1
        Power of the mean that makes a distance of the terms: 1 the arithmetic mean, 0 the
        geometric one, 2 the quadratic one, any other number at least 0.
    n_neighbors : int, default 10
        Cases a prediction is made from, unless a question asks for another number.
    categorical_features, ordinal_features, cyclic_features, kinds, missing_values
        What the columns are, where their types do not say it: see `infer_schema`.
    missing : {"expected", "distinct"} or dict, default "expected"
        How a missing value is compared: by what is expected of the feature, or as a value of its
        own, equal to other missing ones. A dict says so feature by feature.
    feature_weights : dict, optional
        Weight of features in the distance, by name, at least 0; the others have 1.
    weighting : {"entropy", "irw", "mda"}, default "entropy"
        How features are weighed for a target: so that it is least surprising, by their residuals
        alone (the paper's way), or by how much leaving each out hurts.
    influence : {"auto", "centred", "linear", "probability"}, default "auto"
        How neighbours share a prediction under entropy weights; the other weightings have shares
        ∝ 1/distance. With "centred" and "probability" no influence is negative; "auto" lets the
        left-out cases choose among all, and "linear", local regression, may speak against a
        case.
    max_queries : int, default 1200
        Cases that weights and tuning for a target are learned from, at most.
    max_members : int, default 20
        Members of the average that predicts a target, at most.
    max_rounds : int, default 8
        Rounds of learning the residuals, at most; three or four usually suffice.
    random_state : int, default 0
        Which cases of a large table the residuals are learned from.
    n_jobs : int, optional
        Threads; all available ones by default. No answer depends on it.

    Attributes
    ----------
    schema_ : Schema
        What the columns are.
    residuals_ : dict of str to float
        Expected error in predicting each feature from the others, in the feature's own unit; for
        nominal features the probability not given to the true category. NaN for features that
        tell nothing apart.
    residual_history_ : list of dict
        The residuals of each round, beginning with the spread of each feature by itself.
    residuals_converged_ : bool
        Whether the last round changed next to nothing.
    residual_sample_ : tuple of int
        How many cases were predicted for the residuals, and from how many.
    metric_ : Metric
        What distance means here.
    index_ : ExactIndex
        The cases.

    Examples
    --------
    >>> import vicinal
    >>> table = {"height": [1.0, 1.1, 3.0, 3.2], "colour": ["red", "red", "blue", None]}
    >>> model = vicinal.Model().fit(table)
    >>> model.neighbors({"height": [3.1], "colour": ["blue"]}, k=2)
    Neighbors of 1 row, k = 2
      row 0: #2 at 1.501, #3 at 1.636
    """

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
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, table: Any, *, sample_weight: ArrayLike | None = None) -> Model:
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
            random_state=self.random_state,
            threads=self.n_jobs,
        )
        index = ExactIndex(values, settings.kinds, weights, scales=learned.metric.residuals)
        # Only now: a fit that fails leaves the model as it was.
        self.schema_ = schema
        self.metric_: Metric = learned.metric
        self.index_ = index
        self._settings = settings
        self._learned: dict[tuple[int, ...], _Learned] = {}
        self._kernels: tuple[Any, Any, Mixture | None] = (None, None, None)
        self._surveys: dict[tuple[tuple[int, ...], Measure], tuple[ExactIndex, Survey]] = {}
        self.residuals_ = self._by_name(learned.values)
        self.residual_history_ = [self._by_name(values) for values in learned.history]
        self.residuals_converged_ = learned.converged
        self.residual_sample_ = (learned.n_queries, learned.n_reference)
        return self

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

    def conviction(
        self,
        rows: Any = None,
        *,
        context: Iterable[str] | None = None,
        measure: Measure | None = None,
        familiarity: bool = True,
    ) -> Convictions:
        """Say how surprising rows are, against what is expected of them.

        Parameters
        ----------
        rows : table, optional
            Rows to judge, each as if it alone were added. By default the stored cases, each
            without itself.
        context : list of str, optional
            Features that count; by default all columns the rows have.
        measure : Measure, optional
            How to measure, if not by the defaults; `Measure.of_paper` is the paper's way.
        familiarity : bool, default True
            Whether to give familiarity conviction as well, which takes new rows a second search.

        Returns
        -------
        Convictions
            Similarity and familiarity conviction (1 is ordinary, low surprising), distance
            contributions and p-values.

        Examples
        --------
        >>> import vicinal
        >>> model = vicinal.Model().fit({"height": [1.0, 1.1, 1.2, 1.3, 1.5]})
        >>> model.conviction({"height": [1.15, 4.0]})
        Convictions of 2 rows
          row 1: similarity 0.0675, familiarity 0.327, p = 0.167, outlier
          row 0: similarity 1.29, familiarity 1.49, p = 1, ordinary
        """
        queries, metric, _ = self._asked(rows, context)
        stored = self._survey(metric, measure or Measure())
        if rows is None:
            return convictions_of_stored(stored)
        return convictions_of_rows(
            self.index_,
            metric,
            stored,
            queries,
            with_familiarity=familiarity,
            threads=self.n_jobs,
        )

    def anomalies(
        self,
        rows: Any = None,
        *,
        threshold: float = 0.7,
        alpha: float | None = None,
        false_discovery_rate: float | None = None,
        inliers: bool = False,
        context: Iterable[str] | None = None,
        measure: Measure | None = None,
    ) -> Anomalies:
        """List the rows that are surprising, with the features responsible.

        Parameters
        ----------
        rows : table, optional
            Rows to judge, each as if it alone were added. By default the stored cases, each
            without itself.
        threshold : float, default 0.7
            Conviction below which a row is an anomaly, as in the paper.
        alpha : float, optional
            Instead of the threshold: the p-value up to which a row is an anomaly. Of ordinary
            rows about this share is called one.
        false_discovery_rate : float, optional
            Instead of both: the share of false alarms among the anomalies, at most.
        inliers : bool, default False
            With the threshold: whether rows that are too close to others count too.
        context : list of str, optional
            Features that count; by default all columns the rows have.
        measure : Measure, optional
            How to measure; `Measure.robust` for tables that already contain groups of anomalies.

        Returns
        -------
        Anomalies
            The most surprising first.
        """
        for name, share in (("alpha", alpha), ("false_discovery_rate", false_discovery_rate)):
            if share is not None and not 0 < share < 1:
                raise ParameterError(f"{name} must be between 0 and 1; got {share!r}.")
        measure = measure or Measure()
        queries, metric, exclude = self._asked(rows, context)
        stored = convictions_of_stored(self._survey(metric, measure))
        judged = stored
        if rows is not None:
            judged = self.conviction(rows, context=context, measure=measure, familiarity=False)
        found = flagged(
            judged, threshold=threshold, alpha=alpha, rate=false_discovery_rate, inliers=inliers
        )
        broken = break_down(
            self.index_,
            metric,
            queries[found],
            measure.width,
            exclude=None if exclude is None else exclude[found],
            threads=self.n_jobs,
        )
        return Anomalies(
            cases=judged.cases[found],
            conviction=judged.similarity[found],
            p_value=judged.p_value[found],
            direction=np.where(judged.similarity[found] > 1, "inlier", "outlier"),
            features=responsible(broken, self.schema_.table_order, self.schema_.names),
            ordinary=nearest_ordinary(broken.neighbors, stored, 5),
            n_judged=len(judged),
            stored=rows is None,
        )

    def residual_conviction(self, rows: Any = None, features: Iterable[str] | None = None) -> Any:
        """Say how far off features of rows are, against how far those of their neighbours are.

        Parameters
        ----------
        rows : table, optional
            Rows to judge; by default the stored cases, each without itself.
        features : list of str, optional
            Features to predict from the others; by default all that the rows have.

        Returns
        -------
        dict of str to ndarray
            Residual conviction of each feature: 1 for errors like the neighbours', near 0 for
            values that the data do not explain; NaN where a row lacks the feature.
        """
        queries, metric, exclude = self._asked(rows, None)
        names = list(self.schema_.names if rows is None else table_names(rows, self.schema_))
        wanted = names if features is None else self._context(features, tuple(names))
        columns = np.array([self.schema_.column(name) for name in wanted], dtype=np.intp)
        judged = residual_conviction(
            self.index_,
            metric,
            queries,
            columns,
            self.n_neighbors,
            exclude=exclude,
            threads=self.n_jobs,
        )
        return dict(zip(wanted, judged.conviction.T, strict=True))

    def density(self, rows: Any = None) -> Floats:
        """Give the log density of rows, in nats.

        Parameters
        ----------
        rows : table, optional
            Rows to ask about. They may have some of the columns only, and missing values: the
            density is that of what they have. By default the stored cases, each as if new.

        Returns
        -------
        ndarray of shape (m,)
            Per unit of every continuous and cyclic feature; probabilities of ordinal and nominal
            ones are multiplied in. Features that are constant do not count.

        Examples
        --------
        >>> import vicinal
        >>> model = vicinal.Model().fit({"height": [1.0, 1.1, 1.3], "colour": ["a", "a", "b"]})
        >>> near, far = model.density({"height": [1.1, 9.0], "colour": ["a", "a"]})
        >>> bool(near > far)
        True
        """
        queries, metric, _ = self._asked(rows, None)
        return self._mixture().log_density(queries, metric.active)

    def synthesize(
        self, n: int, *, given: Mapping[str, Any] | None = None, random_state: int | None = None
    ) -> Synthetic:
        """Draw rows from the density.

        Parameters
        ----------
        n : int
            How many.
        given : mapping of str to value, optional
            Values that all rows are to have; the others are drawn given these.
        random_state : int, optional
            Another number gives other rows; the Model's own by default.

        Returns
        -------
        Synthetic
            The rows, and the closest real case of each with its distance.
        """
        self._check_fitted()
        check_whole("n", n, 0)
        seed = self.random_state if random_state is None else random_state
        fixed = np.full((n, len(self.schema_)), np.nan)
        if given:
            row = encode(
                {name: [value] for name, value in given.items()}, self.schema_, require=False
            )
            fixed[:] = row
        rows = self._mixture().draw(fixed, np.random.default_rng(seed))
        found = self.index_.search(rows, self.metric_, 1, threads=self.n_jobs)
        return Synthetic(decode(rows, self.schema_), found.indices[:, 0], found.distances[:, 0])

    def _mixture(self) -> Mixture:
        """Kernels around the cases; made once for as long as they stay the same."""
        index, numbers, made = self._kernels
        if made is None or index is not self.index_ or not np.array_equal(numbers, index.numbers):
            levels = np.array([_levels(feature) for feature in self.schema_.storage])
            made = fit_mixture(
                self.index_,
                self.metric_,
                levels,
                random_state=self.random_state,
                threads=self.n_jobs,
            )
            self._kernels = (self.index_, self.index_.numbers, made)
        return made

    def _asked(
        self, rows: Any, context: Iterable[str] | None
    ) -> tuple[Floats, Metric, NDArray[np.int64] | None]:
        """Encoded rows, the metric of what they have, and the case to leave out for each."""
        self._check_fitted()
        queries, given, exclude = self._queries(rows)
        columns = self.schema_.columns(given if context is None else self._context(context, given))
        return queries, self.metric_.restricted(columns), exclude

    def _survey(self, metric: Metric, measure: Measure) -> Survey:
        """The stored cases judged by this metric; made once for as long as they stay the same."""
        key = (tuple(metric.active), measure)
        index, stored = self._surveys.get(key, (None, None))
        same = index is self.index_ and stored is not None
        if stored is None or not same or not np.array_equal(stored.numbers, self.index_.numbers):
            stored = survey(self.index_, metric, measure, threads=self.n_jobs)
            self._surveys[key] = (self.index_, stored)
        return stored

    def predict(
        self, rows: Any, target: str | Iterable[str], *, context: Iterable[str] | None = None
    ) -> Any:
        """Predict any feature from any others.

        What it takes to predict a target is learned at the first question about it, and kept.

        Parameters
        ----------
        rows : table or None
            Rows to predict for, in any form `fit` takes. The columns of the targets, if there,
            are not looked at. None stands for the stored cases, each without itself.
        target : str or list of str
            The feature asked for, or several; none of them is predicted from another.
        context : list of str, optional
            Features to predict from; by default all columns the rows have, but the targets.

        Returns
        -------
        ndarray or dict of str to ndarray
            Values in the feature's own terms: numbers, or categories. For several targets a dict
            by name.

        Examples
        --------
        >>> import vicinal
        >>> from vicinal.data import load_penguins
        >>> model = vicinal.Model().fit(load_penguins())
        >>> model.predict({"bill_length_mm": [50.0], "flipper_length_mm": [230]}, "species")
        array(['Gentoo'], dtype=object)
        """
        if isinstance(target, str):
            learned, answered = self._answer(rows, target, context)
            return self._decoded(answered.values, learned.target.column)
        targets = list(target)
        predictions = {}
        for name in targets:
            learned, answered = self._answer(rows, name, context, targets)
            predictions[name] = self._decoded(answered.values, learned.target.column)
        return predictions

    def predict_proba(
        self, rows: Any, target: str, *, context: Iterable[str] | None = None
    ) -> Floats:
        """Give the probability of each class of a nominal feature.

        Returns
        -------
        ndarray of shape (m, n_classes)
            In the order of ``schema_[target].categories``. Every row sums to 1.
        """
        _, answered = self._answer(rows, target, context)
        if answered.probabilities is None:
            raise ParameterError(
                f"{target!r} is {self.schema_[target].kind}, so it has no class probabilities; "
                "see predict_interval, or declare it in categorical_features."
            )
        return answered.probabilities

    def predict_interval(
        self,
        rows: Any,
        target: str,
        *,
        alpha: float = 0.1,
        context: Iterable[str] | None = None,
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Give intervals that hold the true value with probability 1 − alpha.

        Their width follows the errors of left-out cases, in units of the spread among the
        influential cases of each row (conformal prediction).

        Returns
        -------
        lower, upper : ndarray
            In the feature's own terms. Where there are too few cases to tell, infinite; of
            ordinal features the first and the last category, of times None. Those of cyclic
            features run from lower to upper round the circle; None for all of it.
        """
        _check_alpha(alpha)
        learned, answered = self._answer(rows, target, context)
        if answered.spread is None:
            raise ParameterError(f"{target!r} is nominal; see predict_set, which gives classes.")
        calibration = self._calibration(learned)
        half = calibration.quantile(alpha) * calibration.scale(answered.spread)
        column, period = learned.target.column, learned.target.period
        half = np.where((period > 0) & (2 * half >= period), np.nan, half)
        ends = answered.values - half, answered.values + half
        if self.schema_[target].kind is Kind.ORDINAL:
            last = max(len(self.schema_[target].categories or ()) - 1, 0)
            ends = np.clip(ends[0], 0.0, last), np.clip(ends[1], 0.0, last)
        return self._decoded(ends[0], column), self._decoded(ends[1], column)

    def predict_set(
        self,
        rows: Any,
        target: str,
        *,
        alpha: float = 0.1,
        context: Iterable[str] | None = None,
    ) -> NDArray[np.bool_]:
        """Give sets of classes that hold the true one with probability 1 − alpha.

        Returns
        -------
        ndarray of bool of shape (m, n_classes)
            Whether each class is in the set, in the order of ``schema_[target].categories``. An
            empty set says that nothing like the row was seen.
        """
        _check_alpha(alpha)
        learned, answered = self._answer(rows, target, context)
        if answered.probabilities is None:
            raise ParameterError(f"{target!r} is a number; see predict_interval.")
        return 1.0 - answered.probabilities <= self._calibration(learned).quantile(alpha)

    def influences(
        self, rows: Any, target: str, *, context: Iterable[str] | None = None
    ) -> CaseInfluences:
        """Give the cases behind each prediction: Σ influence × outcome is the prediction.

        Returns
        -------
        CaseInfluences
            Case numbers, their influence and outcome, and the background that all cases share.
        """
        queries, columns, exclude = self._context_of(rows, target, context)
        learned = self._learn(target, columns)
        found = find_influences(
            self.index_,
            learned.tuning.ensemble,
            queries,
            target=learned.target,
            exclude=exclude,
            threads=self.n_jobs,
        )
        return CaseInfluences.merged(found, learned.target)

    def tuning(self, target: str, *, context: Iterable[str] | None = None) -> Tuning:
        """Give what was tried to predict a target, what each scored, and what was chosen."""
        self._check_fitted()
        names = self.schema_.names if context is None else list(context)
        return self._learn(target, self._columns_but(names, target)).tuning

    def _answer(
        self,
        rows: Any,
        target: str,
        context: Iterable[str] | None,
        without: Iterable[str] = (),
    ) -> tuple[_Learned, Answer]:
        queries, columns, exclude = self._context_of(rows, target, context, without)
        learned = self._learn(target, columns)
        return learned, answer(
            self.index_,
            learned.tuning.ensemble,
            learned.target,
            queries,
            exclude=exclude,
            threads=self.n_jobs,
        )

    def _context_of(
        self,
        rows: Any,
        target: str,
        context: Iterable[str] | None,
        without: Iterable[str] = (),
    ) -> tuple[Floats, NDArray[np.intp], NDArray[np.int64] | None]:
        """Encoded rows, the columns to predict from, and the case to leave out for each row."""
        self._check_fitted()
        self.schema_.columns([target, *without])  # an unknown name is an error with a suggestion
        hidden = {target, *without}
        queries, given, exclude = self._queries(rows, hidden)
        names = given
        if context is not None:
            wanted = [context] if isinstance(context, str) else list(context)
            names = tuple(self._context(wanted, (*given, *hidden)))
        columns = self._columns_but([name for name in names if name not in hidden], target)
        return queries, columns, exclude

    def _columns_but(self, names: Iterable[str], target: str) -> NDArray[np.intp]:
        column = self.schema_.column(target)
        columns = self.schema_.columns(names)
        if not len(columns[columns != column]):
            raise TableError(
                f"Nothing is given to predict {target!r} from; name at least one other feature."
            )
        return columns[columns != column]

    def _learn(self, target: str, columns: NDArray[np.intp]) -> _Learned:
        """Everything learned about predicting the target from these columns."""
        column = self.schema_.column(target)
        key = (column, *columns.tolist())
        if key in self._learned:
            self._check_known(self._learned[key].target)
        else:
            nominal = self._settings.kinds[column] == NOMINAL
            described = describe_target(
                self.index_,
                column,
                n_classes=len(self.schema_[target].categories or ()) if nominal else 0,
                period=self.schema_[target].period or 0.0,
            )
            self._check_known(described)
            weights = np.zeros(len(self.schema_))
            weights[columns] = self._settings.weights[columns]
            tuning = learn_target(
                self.index_,
                self.metric_.restricted(columns),
                replace(self._settings, weights=weights),
                described,
                weighting=self.weighting,
                influence=self.influence,
                k=self.n_neighbors,
                max_queries=self.max_queries,
                max_members=self.max_members,
                random_state=self.random_state,
                threads=self.n_jobs,
            )
            self._learned[key] = _Learned(described, tuning)
        return self._learned[key]

    def _check_known(self, target: Target) -> None:
        mass = 1.0 if target.weights is None else target.weights
        if not (~np.isnan(target.outcomes) * mass > 0).any():
            name = self.schema_.storage[target.column].name
            raise TableError(f"No case has a value of {name!r}; it cannot be predicted.")

    def _calibration(self, learned: _Learned) -> Calibration:
        """How far off left-out cases were when the target was learned."""
        if learned.calibration is None:
            learned.calibration = self._calibrated(learned.target, learned.tuning)
        return learned.calibration

    def _calibrated(self, target: Target, tuning: Tuning) -> Calibration:
        cases = tuning.queries
        truth = target.outcomes[cases]
        weights = None if target.weights is None else target.weights[cases]
        if target.n_classes:
            return calibrate_classes(truth, tuning.predictions, weights)
        again = answer(
            self.index_,
            tuning.ensemble,
            target,
            self.index_.case_values(cases),
            exclude=cases,
            threads=self.n_jobs,
        )
        assert again.spread is not None
        # Tuning knows no circles: its means are wrong where a cycle ends.
        predicted = again.values if target.period else tuning.predictions[:, 0]
        return calibrate_numbers(target.near(truth, predicted), predicted, again.spread, weights)

    def _decoded(self, values: Floats, column: int) -> NDArray[Any]:
        """Encoded values of one column in its own terms."""
        feature = self.schema_.storage[column]
        if feature.kind is Kind.CONTINUOUS and feature.dtype in ("float", "int", "bool"):
            return values
        matrix = np.full((len(values), len(self.schema_)), np.nan)
        matrix[:, column] = values
        decoded = decode(matrix, self.schema_)[feature.name]
        out = np.empty(len(values), dtype=object)
        out[:] = decoded
        return out

    def add(self, rows: Any, *, sample_weight: ArrayLike | None = None) -> NDArray[np.int64]:
        """Add cases; residuals and weights stay as they are.

        Returns
        -------
        ndarray of int64
            The numbers of the new cases.
        """
        self._check_fitted()
        values, schema = encode(read_table(rows), self.schema_, grow=True)
        weights = case_weights(sample_weight, len(values))
        self._calibrate_all()
        numbers = self.index_.add(values, weights)
        self.schema_ = schema
        self._describe_again()
        return numbers

    def remove(self, cases: ArrayLike) -> None:
        """Remove cases by number; residuals and weights stay as they are."""
        self._check_fitted()
        self._calibrate_all()
        self.index_.remove(cases)
        self._describe_again()

    def _calibrate_all(self) -> None:
        """Calibrate while the cases that were left out are all there."""
        for learned in self._learned.values():
            self._calibration(learned)

    def _describe_again(self) -> None:
        """Bring the targets' outcomes up to date; what was learned about them stays."""
        for (column, *_), learned in self._learned.items():
            n_classes = len(self.schema_.storage[column].categories or ())
            learned.target = describe_target(
                self.index_,
                column,
                n_classes=n_classes if learned.target.n_classes else 0,
                period=learned.target.period,
            )

    def __len__(self) -> int:
        self._check_fitted()
        return len(self.index_)

    def __repr__(self) -> str:
        if not hasattr(self, "index_"):
            return f"Model(p={self.p}, n_neighbors={self.n_neighbors}), not fitted"
        n, d = len(self), len(self.schema_)
        return f"Model(p={self.p}) of {n} case{'s' * (n != 1)}, {d} feature{'s' * (d != 1)}"

    def _check_fitted(self) -> None:
        if not hasattr(self, "index_"):
            raise NotFittedError("This Model has no cases yet; call fit(table) first.")

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
            schema = schema.replace(name, missing=treatment)
        return schema

    def _queries(
        self, rows: Any, hidden: Collection[str] = ()
    ) -> tuple[Floats, tuple[str, ...], NDArray[np.int64] | None]:
        """Encoded rows, the features they have, and the case to leave out for each.

        Columns that are hidden are not even read.
        """
        if rows is None:
            shown = tuple(name for name in self.schema_.names if name not in hidden)
            return self.index_.values, shown, self.index_.numbers
        read = read_table(rows)
        given = table_names(read, self.schema_)
        if hidden and not set(given).isdisjoint(hidden):
            columns = dict(zip(given, read.columns.values(), strict=True))
            read = Table({name: one for name, one in columns.items() if name not in hidden})
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


@dataclass(eq=False)
class _Learned:
    """A target and what was learned to predict it."""

    target: Target
    tuning: Tuning
    calibration: Calibration | None = None


def _levels(feature: Feature) -> float:
    """How many values an ordinal or nominal feature can have; 0 for others."""
    if feature.kind not in (Kind.ORDINAL, Kind.NOMINAL):
        return 0.0
    return float(len(feature.categories or ()))


def _check_settings(model: Model) -> None:
    """Refuse settings of prediction outside their range."""
    choices = {"weighting": ("entropy", "irw", "mda"), "influence": tuple(RULES)}
    for name, known in choices.items():
        if getattr(model, name) not in known:
            raise ParameterError(
                f"{name} must be one of {', '.join(map(repr, known))}; got "
                f"{getattr(model, name)!r}." + did_you_mean(getattr(model, name), known)
            )
    for name, least in {"max_queries": 2, "max_members": 1}.items():
        check_whole(name, getattr(model, name), least)


def _check_alpha(alpha: float) -> None:
    if not 0 < alpha < 1:
        raise ParameterError(f"alpha must be between 0 and 1; got {alpha!r}.")
