"""The outlier detector: rows that are farther from others than is usual in their region."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import OutlierMixin
from sklearn.utils.validation import check_is_fitted

from vicinal.conviction.measure import Measure
from vicinal.conviction.p_values import controlled_offset
from vicinal.conviction.quantiles import with_ranks_of
from vicinal.conviction.results import THRESHOLD, Convictions
from vicinal.conviction.sampled_baseline import baseline_of
from vicinal.conviction.within_table import out_of_line, surprise_within
from vicinal.estimators.base import VicinalEstimator
from vicinal.exceptions import FileError
from vicinal.schema.encode import encode
from vicinal.tables.table import Table
from vicinal.typing import Bools, Floats, Ints, Places
from vicinal.validation import DEPRECATED, current_parameters

#: What the surprise in the whole table adds to a log conviction: where many convictions are the
#: same number, it still ranks their rows.
_TOLD_APART = 1e-6


class VicinalOutlierDetector(OutlierMixin, VicinalEstimator):  # type: ignore[misc]
    """Outliers by conviction: expected surprisal ÷ observed surprisal.

    Numbers, strings, categories, dates and missing values are used as they are. A conviction of
    1 is ordinary; rows below 0.7 are outliers, as in the paper, for every table.

    Parameters
    ----------
    conviction : {"similarity", "familiarity"}, default "similarity"
        Conviction to use as the score. Familiarity also finds rows too close to others.
    threshold : float, default 0.7
        Conviction below which a row is an outlier, with ``contamination="auto"``.
    contamination : "auto" or float, default "auto"
        A number sets the threshold so that this share of the training rows are outliers. "auto"
        estimates their share among the training rows; see the notes.
    false_discovery_rate : float, optional
        Instead of both: sets the threshold so that at most this share of the training rows below
        it are false alarms, on average; see `Model.anomalies`.
    n_neighbors : int, default 30
        Number of nearest rows that define the distance contribution.
    n_reference : int, default 30
        Number of nearest rows that define the expected distance contribution.
    prior : float, default 0.2
        Weight of all rows in the expectation relative to the nearest rows, from 0 to 1.
    robust : bool or "auto", default "auto"
        Training data may already contain anomalies, possibly in clusters that are each other's
        neighbors. "auto" ranks the *training rows* by comparing them with the whole table: by
        their distance from a tenth of it, by the tails of single columns and by the
        correlations of three quarters of the table; *new rows* by their neighborhood. True
        compares new rows with the whole table, too: it uses 3 √n neighbors and the expectation
        over all rows, in place of the three parameters above, and mean absolute residuals instead
        of squared ones, which a few rows can dominate. False, for training data known to be
        clean, ranks all rows by their neighborhood, as familiarity and a false discovery rate
        always do with "auto".
    terms : {"excess", "full"}, default "excess"
        Whether to use only the distance beyond the residual, or the full distance.
    mean : {"harmonic", "geometric"}, default "harmonic"
        How distances are averaged.
    rank_decay : float, default 1
        The j-th nearest row has weight j^−rank_decay. 0, as in the paper, weights all equally.
    p : float, default 1
        Power of the mean that combines the features' terms into a distance.
    categorical_features, ordinal_features, cyclic_features, missing_values, missing, bounds
        The types of the columns; see `VicinalClassifier`.
    random_state : int or RandomState, optional
        Random seed for sampling rows of a large table. None means 0.
    n_jobs : int, optional
        Number of threads; None and −1 mean all processors. It does not affect the results.
    circle, flavour, fade
        The old names of ``n_reference``, ``terms`` and ``rank_decay``, for one more release.

    Attributes
    ----------
    offset_ : float
        Log conviction below which a row is an outlier.
    training_scores_ : ndarray of shape (n_samples,)
        Log conviction of the training rows, each without itself; NaN for rows of weight 0. Unless
        ``robust=False``, these are handed out by rank in the whole table: the most surprising row
        there has the lowest, and those of estimated outliers are below 0.7. For a threshold that
        a share of ordinary new rows is below, set ``contamination``, which moves no score.
    model_ : Model
        The fitted Model, which offers all further methods.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if X has column names that are strings.

    Notes
    -----
    A row equal to a training row gets its leave-one-out score, so ``predict`` of the training
    table agrees with ``fit_predict``. Other rows are scored as if each were added alone.
    One threshold serves both: the convictions of the training rows are the same numbers in
    another order, and where "auto" estimates more or fewer outliers than are below the threshold,
    those between move to it.

    With ``contamination="auto"``, training rows are outliers if their surprise in the whole table
    is more than 4 deviations above the median, the deviation being that of the rows below it: less
    than half of the rows are anomalies, and these lie above. It is right where anomalies are
    clearly apart from all other rows and from each other, be they 0 % or 35 % of the table. It
    cannot be where they look like other rows, or where they are a third of the table in one group:
    that is a cluster like others, and its rows count as ordinary.

    We found no way to tell from a table whether it contains anomalies (see the benchmark), so
    "auto" does not decide it: it treats training rows unlike new rows. For new rows and training
    data that contain anomalies, True is better.
    ``decision_scores_`` and ``labels_`` follow PyOD: higher is more unusual, and 1 is an
    outlier.

    Examples
    --------
    >>> from vicinal import VicinalOutlierDetector
    >>> X = [[1.0], [1.1], [1.2], [1.3], [1.5]]
    >>> detector = VicinalOutlierDetector().fit(X)
    >>> detector.predict([[1.15], [4.0]])
    array([ 1, -1])
    """

    def __init__(
        self,
        *,
        conviction: str = "similarity",
        threshold: float = 0.7,
        contamination: str | float = "auto",
        false_discovery_rate: float | None = None,
        n_neighbors: int = 30,
        n_reference: int = 30,
        prior: float = 0.2,
        robust: bool | str = "auto",
        terms: str = "excess",
        mean: str = "harmonic",
        rank_decay: float = 1.0,
        p: float = 1.0,
        categorical_features: Any = "from_dtype",
        ordinal_features: Any = None,
        cyclic_features: Any = None,
        missing_values: Any = (),
        missing: Any = "expected",
        bounds: Any = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        circle: Any = DEPRECATED,
        flavour: Any = DEPRECATED,
        fade: Any = DEPRECATED,
    ) -> None:
        self.conviction = conviction
        self.threshold = threshold
        self.contamination = contamination
        self.false_discovery_rate = false_discovery_rate
        self.n_neighbors = n_neighbors
        self.n_reference = n_reference
        self.prior = prior
        self.robust = robust
        self.terms = terms
        self.mean = mean
        self.rank_decay = rank_decay
        self.p = p
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.cyclic_features = cyclic_features
        self.missing_values = missing_values
        self.missing = missing
        self.bounds = bounds
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.circle = circle
        self.flavour = flavour
        self.fade = fade

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn what is usual in the training rows.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            Any types; NaN and None are missing values.
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional
            Nonnegative weights: 2 counts like a repeated row, 0 like no row.

        Returns
        -------
        VicinalOutlierDetector
            The fitted estimator.
        """
        # Squares: rare large errors of a column should not give it more weight.
        mean = "absolute" if self._is_robust else "square"
        table, weights = self._training_table(X, sample_weight=sample_weight)
        self._fit_model(table, weights, table.names, residual_mean=mean)
        return self._score_rows()

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Add training rows, or call `fit` if there are none yet.

        Residuals are relearned each time the table has doubled; all rows are scored again.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            Columns as in the first call.
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional
            Nonnegative weights.

        Returns
        -------
        VicinalOutlierDetector
            The fitted estimator.
        """
        if not hasattr(self, "model_"):
            return self.fit(X, y, sample_weight)
        table, weights = self._training_table(X, sample_weight=sample_weight, reset=False)
        self._add_rows(table.rename(self._names), weights)
        return self._score_rows()

    def _score_rows(self) -> Self:
        """Score the training rows, leaving each one out."""
        self._find_places()
        judged = self.model_.conviction(measure=self._measure())
        weights = self.model_.index_.weights_of(judged.cases)
        self._scores = self._log(judged)
        if self._distrusts:
            masses = np.ones(len(judged)) if weights is None else weights
            surprise = self._surprise()
            self._scores = with_ranks_of(self._scores, -surprise, masses) - _TOLD_APART * surprise
            if isinstance(self.contamination, str):
                self._scores = _with_share(self._scores, out_of_line(surprise, masses))
        self.training_scores_ = np.full(self._n_rows, np.nan)
        self.training_scores_[self._rows] = self._scores
        if self.false_discovery_rate is not None:
            self.offset_ = controlled_offset(self._scores, weights, self.false_discovery_rate)
        elif isinstance(self.contamination, str):
            self.offset_ = float(np.log(self.threshold))
        else:
            self.offset_ = _quantile(self._scores, weights, self.contamination)
        return self

    def score_samples(self, X: Any) -> Floats:
        """Return the log conviction of each row; higher is more ordinary.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_queries, n_features)
            Columns as in `fit`.

        Returns
        -------
        ndarray of shape (n_queries,)
        """
        table = self._table(X)
        places = self._known(table)
        scores = self._scores[places]
        new = np.flatnonzero(places < 0)
        if len(new):
            scores[new] = self._log(self._judge(table.take(new)))
        return scores

    def decision_function(self, X: Any) -> Floats:
        """Return the log conviction minus the threshold; negative for outliers.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_queries, n_features)
            Columns as in `fit`.
        """
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> Ints:
        """Return −1 for outliers and 1 for ordinary rows.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_queries, n_features)
            Columns as in `fit`.
        """
        return np.where(self.decision_function(X) < 0, -1, 1)

    @property
    def decision_scores_(self) -> Floats:
        """Negative log conviction of the training rows, under PyOD's name."""
        check_is_fitted(self)
        return -self.training_scores_

    @property
    def labels_(self) -> Ints:
        """Labels of the training rows as in PyOD: 1 for outliers, 0 for the others."""
        check_is_fitted(self)
        return (self.training_scores_ < self.offset_).astype(np.int64)

    def _check_loaded(self) -> None:
        super()._check_loaded()
        if self._scores.shape != (len(self.model_),) or len(self.training_scores_) != self._n_rows:
            raise FileError("the number of scores does not match the number of rows")

    def _measure(self) -> Measure:
        given = current_parameters(self.get_params(deep=False), warned=False)
        if self._is_robust:
            usual = Measure.robust(len(self.model_))
            return replace(usual, terms=given["terms"], mean=given["mean"])
        return Measure(
            n_neighbors=int(given["n_neighbors"]),
            n_reference=int(given["n_reference"]),
            prior=float(given["prior"]),
            terms=given["terms"],
            mean=given["mean"],
            rank_decay=float(given["rank_decay"]),
        )

    @property
    def _distrusts(self) -> bool:
        """Whether training rows are ranked in the whole table.

        A false discovery rate rests on the convictions themselves, not on numbers handed out by
        rank.
        """
        plain = self.conviction == "similarity" and self.false_discovery_rate is None
        return bool(self.robust) and plain

    @property
    def _is_robust(self) -> bool:
        """Whether new rows are compared with the table as a whole, too."""
        return bool(self.robust) and not isinstance(self.robust, str)

    def _surprise(self) -> Floats:
        """Return how surprising the training rows are, compared with the table as a whole."""
        fitted = self.model_._ready()
        columns = fitted.rows(None).columns
        stored = baseline_of(fitted, columns, self._measure(), "all")
        return surprise_within(stored, random_state=fitted.settings.random_state)

    def _known(self, table: Table) -> Places:
        """Return the position in the Model of the training row equal to each row; −1 for none."""
        if not hasattr(self, "_places"):  # the estimator was loaded from a file
            self._find_places()
        rows = _keys(encode(table, self.model_.schema_))
        return np.array([self._places.get(key, -1) for key in rows], dtype=np.intp)

    def _find_places(self) -> None:
        blocks = self.model_.index_.blocks()
        keys = [key for _, values in blocks for key in _keys(values)]
        self._places = {key: place for place, key in reversed(list(enumerate(keys)))}

    def _judge(self, table: Table) -> Convictions:
        return self.model_.conviction(
            table, measure=self._measure(), familiarity=self.conviction == "familiarity"
        )

    def _log(self, judged: Convictions) -> Floats:
        values = judged.familiarity if self.conviction == "familiarity" else judged.similarity
        assert values is not None
        return np.log(values)


def _with_share(scores: Floats, strange: Bools | None) -> Floats:
    """Move log convictions so that those of strange rows, which are the lowest, are below 0.7.

    Only those on the wrong side move, and their order stays: new rows, which are not moved, are
    compared with them.
    """
    if strange is None:
        return scores
    limit, moved = np.log(THRESHOLD), scores.copy()
    low, high = scores[strange], scores[~strange]
    below = limit - _TOLD_APART * (1 + low.max(initial=-np.inf) - low)
    moved[strange] = np.minimum(low, below)
    moved[~strange] = np.maximum(high, limit + _TOLD_APART * (high - high.min(initial=np.inf)))
    return moved


def _keys(values: Floats) -> list[bytes]:
    """Return bytes that are equal for equal rows."""
    plain = np.where(np.isnan(values), np.nan, values + 0.0)  # one NaN, and no −0
    return [row.tobytes() for row in np.ascontiguousarray(plain)]


def _quantile(scores: Floats, weights: Floats | None, share: float) -> float:
    """Return the score below which this share of the weight lies, halfway to the next one."""
    order = np.argsort(scores, kind="stable")
    mass = np.ones(len(scores)) if weights is None else weights[order]
    reached = np.cumsum(mass)
    above = int(np.searchsorted(reached, share * reached[-1] * (1 + 1e-9), side="right"))
    return float(scores[order[[max(above - 1, 0), above]]].mean())
