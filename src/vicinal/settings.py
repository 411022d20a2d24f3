"""The parameters of a Model, in one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vicinal.validation import current_parameters


@dataclass(kw_only=True, eq=False, repr=False)
class Settings:
    """The parameters of a Model.

    Parameters
    ----------
    p : float, default 1
        Power of the mean that makes a distance of the terms: 1 the arithmetic mean, 0 the
        geometric one, 2 the quadratic one, any other number at least 0.
    n_neighbors : int, default 10
        Cases a prediction is made from, unless a question asks for another number.
    categorical_features, ordinal_features, cyclic_features, kinds, missing_values
        What the columns are, where their types do not say it: see `infer_schema`.
    classes : dict of str to list, optional
        The classes of nominal features in the order in which probabilities list them and ties are
        broken; by default by frequency. Those that are not listed follow.
    missing : {"expected", "distinct"} or dict, default "expected"
        How a missing value is compared: by what is expected of the feature, or as a value of its
        own, equal to other missing ones. A dict says so feature by feature.
    feature_weights : dict, optional
        Weight of features in the distance, by name, at least 0; the others have 1.
    weighting : {"entropy", "irw", "mda"}, default "entropy"
        How features are weighed for a target: so that it is least surprising, by their residuals
        alone (the paper's way), or by how much leaving each out hurts.
    influence : {"auto", "centered", "linear", "probability"}, default "auto"
        How neighbors share a prediction under entropy weights; the other weightings have shares
        ∝ 1/distance. "centered" and "probability" are never negative; "linear",
        local regression, may speak against a case. "auto" is centered for classes and linear for
        numbers; which bandwidth and ridge, and whether any, the left-out cases choose.
    max_queries : int, default 1200
        Cases that weights and tuning for a target are learned from, at most. Where most classes
        are plain from the outset, a few of those cases stand for the others.
    max_members : int, default 20
        Members of the average that predicts a target, at most.
    max_rounds : int, default 8
        Rounds of learning the residuals, at most; three or four usually suffice.
    residual_mean : {"absolute", "square"}, default "absolute"
        How errors of numbers make a residual: their mean (the paper's way), or the root of their
        mean square divided by √2. Both are the scale of Laplace errors; with "square" columns
        that are far off now and then count less. `VicinalOutlierDetector` has it so.
    random_state : int, default 0
        Which cases of a large table the residuals are learned from.
    n_jobs : int, optional
        Threads; all available ones by default. No answer depends on it.
    """

    p: float = 1.0
    n_neighbors: int = 10
    categorical_features: Any = "from_dtype"
    ordinal_features: Any = None
    cyclic_features: Any = None
    kinds: Any = None
    classes: Any = None
    missing_values: Any = ()
    missing: Any = "expected"
    feature_weights: Any = None
    weighting: str = "entropy"
    influence: str = "auto"
    max_queries: int = 1200
    max_members: int = 20
    max_rounds: int = 8
    residual_mean: str = "absolute"
    random_state: int = 0
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        named = {"influence": self.influence}
        self.influence = current_parameters(named, stacklevel=4)["influence"]
