"""The parameters of a Model, in one place."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from vicinal.tables.asked_names import text_names
from vicinal.tables.values import plain_scalars
from vicinal.validation import current_parameters

#: Parameters that may be dicts by the name of a column.
_NAMING = (
    *("cyclic_features", "kinds", "classes", "missing_values", "bounds", "missing"),
    "feature_weights",
)


@dataclass(kw_only=True, eq=False, repr=False)
class Settings:
    """The parameters of a Model.

    Parameters
    ----------
    p : float, default 1
        Power of the mean that combines the features' terms into a distance: 1 for the arithmetic
        mean, 0 for the geometric, 2 for the quadratic, or any other nonnegative number.
    n_neighbors : int, default 10
        Number of neighbors, used wherever a method does not choose its own.
    categorical_features, ordinal_features, cyclic_features, kinds, missing_values
        The kinds of columns whose data types do not determine them; see `infer_schema`.
    classes : dict of str to list, optional
        Order of the classes of nominal features, used for listing probabilities and breaking
        ties; by frequency by default. Classes that are not listed come last.
    ignore : "auto" or list of str, default "auto"
        Columns that are not features. By default identifiers and free text that are not declared
        in any other way; with a list these columns alone, and with an empty one none.
    bounds : dict of str to (low, high), optional
        The values that numbers and dates can have: ``{"age": (0, 120), "price": (0, None)}``.
        Intervals, imputed and synthetic values stay within, and cases outside are refused. An end
        that is None or not given is learned: synthetic and imputed values stay between the least
        and the greatest value observed, and intervals do not pass 0 if no value does.
    missing : {"expected", "distinct"} or dict, default "expected"
        How to compare missing values: by the difference expected for the feature, or as a
        category of their own, equal to each other. A dict sets this for each feature.
    feature_weights : dict, optional
        Nonnegative weights of features in the distance, by name; 1 for all others.
    weighting : {"entropy", "irw", "mda", "paper"}, default "entropy"
        How to weight features for a target: to minimize its entropy, by their residuals alone, or
        by the loss in accuracy when each feature is dropped. "paper" chooses between the last two,
        and tunes the power of the distance: the preset that reproduces the paper's results.
    influence : {"auto", "centered", "linear", "probability"}, default "auto"
        How neighbors are weighted in a prediction with entropy weighting; the other weightings
        use shares ∝ 1/distance, or a power of it. "centered" and "probability" shares are never
        negative; "linear" is local regression, whose shares may be negative. "auto" uses centered
        for classes and linear for numbers. Leave-one-out predictions select the bandwidth and
        the ridge, if any.
    scores : bool, estimator, or list, default True
        Whether neighbors of a target are also searched by scores: sums over all features and
        small boosted trees, learned out of fold from the outcomes, with entropy weighting. Cases
        with the same score are good neighbors. Explanations hand scores back to the features.
        scikit-learn estimators, or a list of them or of pairs (name, estimator), add scores of
        their own, fitted to the same folds: classifiers for classes, regressors for numbers.
    robust_radius : float or "auto", default 0
        How far an attacker, or a bad measurement, may move each number of a row whose class is
        predicted, in standard deviations. With entropy weighting, the metrics and members of a
        target are then learned from left-out cases that were moved this far toward the nearest
        case of another class. "auto" influences are "probability" ones then. An "auto" radius is
        the largest of 0.5, 0.25, 0.1 and 0 whose leave-one-out loss without an attack is within
        one standard error of the lowest; learning takes about four times as long. With 0, metrics
        are learned from unmoved cases; from 150 cases on, moved cases also count in the choice of
        members, if this costs almost no accuracy.
    max_queries : int, default 2400
        Maximum number of cases for learning the weights and tuning of a target; for classes three
        quarters of it.
    max_members : int, default 20
        Maximum number of members of the ensemble that predicts a target.
    max_rounds : int, default 8
        Maximum number of rounds for learning the residuals; three or four usually suffice.
    residual_mean : {"absolute", "square"}, default "absolute"
        How to compute the residual of a number: the mean absolute error (as in the paper), or
        the root mean squared error divided by √2. Both estimate the scale of Laplace errors;
        "square", as in `VicinalOutlierDetector`, downweights columns with rare large errors.
    random_state : int, default 0
        Random seed, such as for sampling the cases of a large table to learn residuals from.
    n_jobs : int, optional
        Number of threads; all available ones by default. Results do not depend on it.
    """

    p: float = 1.0
    n_neighbors: int = 10
    categorical_features: Any = "from_dtype"
    ordinal_features: Any = None
    cyclic_features: Any = None
    kinds: Any = None
    classes: Any = None
    missing_values: Any = ()
    ignore: Any = "auto"
    bounds: Any = None
    missing: Any = "expected"
    feature_weights: Any = None
    weighting: str = "entropy"
    influence: str = "auto"
    scores: Any = True
    robust_radius: Any = 0.0
    max_queries: int = 2400
    max_members: int = 20
    max_rounds: int = 8
    residual_mean: str = "absolute"
    random_state: int = 0
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        named = {"influence": self.influence}
        self.influence = current_parameters(named, stacklevel=4)["influence"]


def with_text_names(settings: Settings, names: Collection[str]) -> Settings:
    """Return the parameters with all names of columns as text, and plain values.

    The names are those of the table.
    """
    plain = {name: plain_scalars(value) for name, value in vars(settings).items()}
    settings = replace(settings, **plain)
    # A sequence of missing values, or one weight for each column, names none.
    named = {
        name: text_names(getattr(settings, name), names)
        for name in _NAMING
        if isinstance(getattr(settings, name), Mapping)
    }
    for name in ("categorical_features", "ordinal_features", "ignore"):
        if isinstance(getattr(settings, name), Iterable):
            named[name] = text_names(getattr(settings, name), names)
    return replace(settings, **named)
