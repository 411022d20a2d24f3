"""Every question that `benchmarks.digests` puts to the estimators, as `digest_questions` does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.digest_questions import HERE, Variants, middle_of, other_class
from benchmarks.digest_subject import Subject, in_form, take
from benchmarks.digest_values import Named, arguments


def _options(s: Subject, without: str | None, jobs: int | None) -> dict[str, Any]:
    """The settings that estimators have too, of the columns that are left."""
    known = ("p", "weighting", "influence", "max_queries", "missing", "missing_values")
    options = {name: s.options[name] for name in known if name in s.options}
    for name in ("ordinal_features", "cyclic_features"):
        said = {one: how for one, how in s.options.get(name, {}).items() if one != without}
        if said:
            options[name] = said
    return {**options, "n_jobs": jobs}


class _Fitted:
    """An estimator that is fitted when it is first asked."""

    def __init__(self, name: str, s: Subject, target: str | None, jobs: int | None) -> None:
        known = [at for at in range(s.n) if target is None or s.columns[target][at] is not None]
        columns = take({one: col for one, col in s.columns.items() if one != target}, known)
        fresh = {one: col for one, col in s.fresh.items() if one != target}
        form = "numpy" if s.form == "numpy" else "pandas"
        self.X, self.rows = in_form(columns, form), in_form(fresh, form)
        self.y = None if target is None else np.array([s.columns[target][at] for at in known])
        self.weights = None if s.weights is None else s.weights[known]
        self._name, self._options = name, _options(s, target, jobs)
        self._made: Named | None = None

    def new(self) -> Named:
        observer = ("VicinalDensity", "VicinalImputer", "VicinalOutlierDetector")
        left_out = ("weighting", "influence", "max_queries") if self._name in observer else ()
        options = {name: one for name, one in self._options.items() if name not in left_out}
        return Named(getattr(HERE, self._name)(**options))

    def __call__(self) -> Named:
        if self._made is None:
            made = self.new()
            made.fit(self.X, self.y, sample_weight=self.weights)
            self._made = made
        return self._made

    def in_parts(self, **first: Any) -> Named:
        """Fitted to the first half, and then to the rest in two parts."""
        made, n = self.new(), len(self.X)
        for start, stop in ((0, n // 2), (n // 2, n - 3), (n - 3, n)):
            y = () if self.y is None else (self.y[start:stop],)
            made.partial_fit(self.X[start:stop], *y, **first)
            first = {}
        return made


def classifier(s: Subject, jobs: int | None) -> Variants:
    if not s.label:
        return
    told = _Fitted("VicinalClassifier", s, s.label, jobs)
    rows, one = told.rows, told.rows[:1]
    yield "predict", lambda: told().predict(rows)
    yield "classes", lambda: told().classes_
    yield "predict_proba", lambda: told().predict_proba(rows)
    yield "predict_set", lambda: told().predict_set(rows, alpha=0.2)
    yield "influences", lambda: told().influences(rows)
    yield "contributions", lambda: told().contributions(rows[:2])
    yield "explain", lambda: told().explain(rows[:2], counterfactuals=True)
    labels = sorted(set(told.y.tolist()))
    for wish in labels[:2]:
        yield f"counterfactual {wish}", lambda wish=wish: told().counterfactual(one, wish)
    fixed = list(range(1, one.shape[1]))
    yield "fixed", lambda: told().counterfactual(one, other_class(s, s.row()), immutable=fixed)
    yield "kneighbors", lambda: told().kneighbors(rows, 4)
    yield "kneighbors stored", lambda: told().kneighbors(n_neighbors=3)
    yield "partial_fit", lambda: told.in_parts(classes=labels).predict_proba(rows)


def regressor(s: Subject, jobs: int | None) -> Variants:
    if not s.number:
        return
    told = _Fitted("VicinalRegressor", s, s.number, jobs)
    rows, one = told.rows, told.rows[:1]
    middle = middle_of(s, s.number)
    yield "predict", lambda: told().predict(rows)
    yield "predict_interval", lambda: told().predict_interval(rows, alpha=0.2)
    yield "influences", lambda: told().influences(rows)
    yield "contributions", lambda: told().contributions(rows[:2])
    wish = arguments("counterfactual", wanted=(middle, None))
    yield "explain", lambda: told().explain(rows[:2], counterfactuals=wish, alpha=0.3)
    yield "counterfactual", lambda: told().counterfactual(one, (None, middle), n=2)
    yield "kneighbors", lambda: told().kneighbors(rows, 4)
    yield "partial_fit", lambda: told.in_parts().predict(rows)


def detector(s: Subject, jobs: int | None) -> Variants:
    told = _Fitted("VicinalOutlierDetector", s, None, jobs)
    yield "score_samples", lambda: told().score_samples(told.rows)
    yield "decision_function", lambda: told().decision_function(told.rows)
    yield "predict", lambda: told().predict(told.rows)
    yield "stored", lambda: [told().decision_scores_, told().labels_]
    yield "partial_fit", lambda: told.in_parts().score_samples(told.rows)
    settings = {
        "familiar": {"conviction": "familiarity"},
        "robust": {"robust": True, "contamination": 0.2},
        "own": {"n_neighbors": 8, "circle": 5, "prior": 0.5, "flavour": "full", "fade": 0.0},
    }
    for name, setting in settings.items():

        def asked(setting: dict[str, Any] = setting) -> Any:
            made = told.new()
            made.set_params(**setting)
            made.fit(told.X, sample_weight=told.weights)
            return [made.score_samples(told.rows), made.predict(told.rows), made.labels_]

        yield name, asked


def density_estimator(s: Subject, jobs: int | None) -> Variants:
    told = _Fitted("VicinalDensity", s, None, jobs)
    yield "score_samples", lambda: told().score_samples(told.rows)
    yield "score", lambda: told().score(told.rows)
    yield "sample", lambda: told().sample(6, random_state=4)
    yield "partial_fit", lambda: told.in_parts().score_samples(told.rows)


def imputer(s: Subject, jobs: int | None) -> Variants:
    told = _Fitted("VicinalImputer", s, None, jobs)
    yield "transform", lambda: told().transform(told.rows)
    yield "stored", lambda: told().transform(told.X)
    yield "impute", lambda: told().impute(told.rows, alpha=0.2)


#: Questions to estimators.
ESTIMATORS: dict[str, Callable[[Subject, int | None], Variants]] = {
    one.__name__: one for one in (classifier, regressor, detector, density_estimator, imputer)
}
