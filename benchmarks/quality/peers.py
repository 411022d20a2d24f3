"""The models of other libraries, with their defaults or with the grids of the paper.

Boosting libraries and the EBM get columns of words as their own categories, the others as
numbers. A name with ``-balanced`` is the same classifier with equally heavy classes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil, exp
from typing import Any

import numpy as np
import pandas as pd
from sklearn import ensemble, linear_model, neighbors, neural_network
from sklearn.base import BaseEstimator
from sklearn.compose import TransformedTargetRegressor
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.quality.balanced import BalancedWeights
from benchmarks.quality.native_categories import CategoryDtype, Strings
from benchmarks.quality.prepare import preparation, word_columns

FOLDS = 6
FIBONACCI = (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144)
ENSEMBLE_SIZES = tuple(ceil(exp(i)) for i in range(1, 9))
INVERSE_PENALTIES = (
    *(0.0001, 0.0008, 0.006, 0.0464, 0.3594),
    *(2.7826, 21.5443, 166.8101, 1291.5497, 10000.0),
)
HIST_CATEGORIES = 255
L1_RATIOS = (0.1, 0.5, 0.7, 0.9, 0.95, 0.99, 1.0)


@dataclass(frozen=True)
class Setting:
    """What a model is made for: the task, the seed, and the training target it will see.

    ``words`` are the columns of words; ``balanced`` asks for equally heavy classes.
    """

    task: str
    seed: int
    target: np.ndarray
    threads: int = 1
    paper: bool = False
    words: tuple[str, ...] = ()
    balanced: bool = False

    @property
    def classifies(self) -> bool:
        return self.task == "classification"

    def class_weight(self) -> dict[str, str]:
        """The argument of those libraries that have ``class_weight``."""
        return {"class_weight": "balanced"} if self.balanced else {}

    def folds(self) -> KFold | StratifiedKFold:
        """Six folds, fewer where the target has fewer cases, stratified where it can be."""
        if self.classifies and np.bincount(self.target).max() >= FOLDS:
            return StratifiedKFold(FOLDS, shuffle=True, random_state=self.seed)
        n_folds = min(FOLDS, len(self.target))
        return KFold(n_folds, shuffle=True, random_state=self.seed)

    def search(self, model: BaseEstimator, grid: dict[str, Any]) -> GridSearchCV:
        return GridSearchCV(model, grid, cv=self.folds(), n_jobs=1)


def knn(setting: Setting) -> BaseEstimator:
    """k-NN with the paper's grid, in either mode: untuned it would be no peer."""
    kinds = neighbors.KNeighborsRegressor, neighbors.KNeighborsClassifier
    folds = setting.folds().get_n_splits()
    most = len(setting.target) * (folds - 1) // folds
    grid = {"n_neighbors": [k for k in FIBONACCI if k <= most], "p": [1, 2]}
    return setting.search(kinds[setting.classifies](n_jobs=setting.threads), grid)


def random_forest(setting: Setting) -> BaseEstimator:
    kinds = ensemble.RandomForestRegressor, ensemble.RandomForestClassifier
    model = kinds[setting.classifies](
        random_state=setting.seed, n_jobs=setting.threads, **setting.class_weight()
    )
    return setting.search(model, {"n_estimators": ENSEMBLE_SIZES}) if setting.paper else model


def gradient_boosting(setting: Setting) -> BaseEstimator:
    kinds = ensemble.GradientBoostingRegressor, ensemble.GradientBoostingClassifier
    model = kinds[setting.classifies](random_state=setting.seed)
    return setting.search(model, {"n_estimators": ENSEMBLE_SIZES}) if setting.paper else model


def hist_gradient_boosting(setting: Setting) -> BaseEstimator:
    kinds = ensemble.HistGradientBoostingRegressor, ensemble.HistGradientBoostingClassifier
    return kinds[setting.classifies](
        random_state=setting.seed, categorical_features="from_dtype", **setting.class_weight()
    )


def linear(setting: Setting) -> BaseEstimator:
    """Logistic regression, or the elastic net."""
    if not setting.classifies:
        ratios = L1_RATIOS if setting.paper else 0.5
        model = linear_model.ElasticNetCV(
            l1_ratio=ratios, cv=setting.folds(), max_iter=10_000, random_state=setting.seed
        )
        # Its penalties grow with the unit of the target: in dollars it would learn nothing.
        return TransformedTargetRegressor(model, transformer=StandardScaler())
    options = {"max_iter": 1000, "random_state": setting.seed, **setting.class_weight()}
    if not setting.paper:
        return linear_model.LogisticRegression(**options)
    model = linear_model.LogisticRegression(solver="sag", **options)
    return setting.search(model, {"C": INVERSE_PENALTIES})


def mlp(setting: Setting) -> BaseEstimator:
    """The library's network; in paper mode trained as there (its layers are not stated).

    The paper's swish, dropout and layer norm do not exist in scikit-learn.
    """
    kinds = neural_network.MLPRegressor, neural_network.MLPClassifier
    options: dict[str, Any] = {"random_state": setting.seed}
    if setting.paper:
        n_train = len(setting.target)
        # Stratified validation rows need each class twice.
        stops = not setting.classifies or (
            np.bincount(setting.target).min() >= 2 and n_train // 10 >= setting.target.max() + 1
        )
        options |= {
            "batch_size": min(128, n_train),
            "learning_rate_init": 0.001,
            "max_iter": 1000,
            "early_stopping": bool(stops),
        }
    model = kinds[setting.classifies](**options)
    if setting.classifies:
        return model
    # A network cannot reach a target in the thousands from its first weights.
    return TransformedTargetRegressor(model, transformer=StandardScaler())


def lightgbm(setting: Setting) -> BaseEstimator:
    """100 trees of 31 leaves: the library's default and the paper's setting."""
    from lightgbm import LGBMClassifier, LGBMRegressor

    kinds = LGBMRegressor, LGBMClassifier
    return kinds[setting.classifies](
        random_state=setting.seed,
        n_jobs=setting.threads,
        verbosity=-1,
        **setting.class_weight(),
    )


def xgboost(setting: Setting) -> BaseEstimator:
    from xgboost import XGBClassifier, XGBRegressor

    kinds = XGBRegressor, XGBClassifier
    model = kinds[setting.classifies](
        random_state=setting.seed, n_jobs=setting.threads, enable_categorical=True
    )
    return BalancedWeights(model) if setting.balanced else model


def catboost(setting: Setting) -> BaseEstimator:
    from catboost import CatBoostClassifier, CatBoostRegressor

    kinds = CatBoostRegressor, CatBoostClassifier
    return kinds[setting.classifies](
        random_seed=setting.seed,
        thread_count=setting.threads,
        verbose=False,
        allow_writing_files=False,
        cat_features=list(setting.words),
        **({"auto_class_weights": "Balanced"} if setting.balanced else {}),
    )


def ebm(setting: Setting) -> BaseEstimator:
    """The explainable boosting machine: a sum of shape functions and some interactions."""
    from interpret.glassbox import ExplainableBoostingClassifier, ExplainableBoostingRegressor

    kinds = ExplainableBoostingRegressor, ExplainableBoostingClassifier
    model = kinds[setting.classifies](random_state=setting.seed, n_jobs=setting.threads)
    return BalancedWeights(model) if setting.balanced else model


def howso(setting: Setting) -> BaseEstimator:
    from benchmarks.quality.howso_peer import HowsoModel

    return HowsoModel(setting.task, setting.seed)


@dataclass(frozen=True)
class Peer:
    """How to make a model, and what must be done to a table before it.

    Parameters
    ----------
    make
        Makes the model.
    package
        The distribution it comes from.
    words
        How it takes columns of words: as ``numbers``, as the ``category`` dtype, as
        ``strings``, or ``as is``.
    most
        The largest number of categories it takes.
    gaps
        It takes missing values.
    scale
        It compares sizes.
    balanced
        Its classes weigh the same.
    """

    make: Callable[[Setting], BaseEstimator]
    package: str = "scikit-learn"
    words: str = "numbers"
    most: int | None = None
    gaps: bool = True
    scale: bool = False
    balanced: bool = False

    def steps(self, table: pd.DataFrame) -> list[Any]:
        """What to do to this table, as steps of a pipeline."""
        if self.words == "numbers":
            return preparation(table, gaps=self.gaps, scale=self.scale)
        words = word_columns(table)
        if not words or self.words == "as is":
            return []
        return [CategoryDtype(words, self.most) if self.words == "category" else Strings(words)]


PEERS = {
    "knn": Peer(knn, gaps=False, scale=True),
    "random_forest": Peer(random_forest),
    "gradient_boosting": Peer(gradient_boosting, gaps=False),
    "hist_gradient_boosting": Peer(hist_gradient_boosting, words="category", most=HIST_CATEGORIES),
    "linear": Peer(linear, gaps=False, scale=True),
    "mlp": Peer(mlp, gaps=False, scale=True),
    "lightgbm": Peer(lightgbm, "lightgbm", words="category"),
    "xgboost": Peer(xgboost, "xgboost", words="category"),
    "catboost": Peer(catboost, "catboost", words="strings"),
    "ebm": Peer(ebm, "interpret-core", words="as is"),
    "howso": Peer(howso, "howso-engine", words="as is"),
}
BALANCED = {
    f"{name}-balanced": replace(PEERS[name], balanced=True)
    for name in (
        *("random_forest", "hist_gradient_boosting", "linear"),
        *("lightgbm", "xgboost", "catboost", "ebm"),
    )
}
ALL_PEERS = PEERS | BALANCED


def make_peer(name: str, setting: Setting, table: pd.DataFrame) -> BaseEstimator:
    """The model behind the steps that this table needs."""
    peer = ALL_PEERS[name]
    asked = replace(setting, words=tuple(word_columns(table)), balanced=peer.balanced)
    steps, model = peer.steps(table), peer.make(asked)
    return make_pipeline(*steps, model) if steps else model
