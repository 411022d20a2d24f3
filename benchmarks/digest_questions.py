"""Every question that `benchmarks.digests` puts to a Model and to the estimators.

A question is a function of the fitted Model and the `Subject`; it returns its variants, each a
function without arguments, so that an error of one says nothing of the others.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import vicinal
from benchmarks.digest_tables import Subject, in_form, take
from benchmarks.digest_values import Named, arguments, page_numbers

Variants = Iterator[tuple[str, Callable[[], Any]]]

HERE = Named(vicinal)
#: Tables up to so many rows are asked what takes time for each stored case or each target.
SMALL, LARGE = 60, 1000


def measures(n: int) -> dict[str, Any]:
    return {
        "default": HERE.Measure(),
        "paper": HERE.Measure.of_paper(),
        "robust": HERE.Measure.robust(n),
        "own": HERE.Measure(
            n_neighbors=7, circle=12, prior=0.4, flavour="full", mean="geometric", fade=0.5
        ),
    }


def _two(s: Subject, target: str) -> list[str]:
    return [name for name in s.columns if name != target][:2]


def _main(s: Subject) -> list[str]:
    return [name for name in (s.label, s.number) if name is not None]


def _middle(s: Subject, name: str, share: float = 0.5) -> Any:
    known = sorted(one for one in s.columns[name] if one is not None)
    return known[int(len(known) * share)] if known else None


def _wish(s: Subject, row: dict[str, Any]) -> Any:
    """A class that the row does not have."""
    found = sorted({str(one): one for one in s.columns[s.label] if one not in (None, "?")}.items())
    return next((one for _, one in found if one != row[s.label]), None)


def predict(m: Named, s: Subject) -> Variants:
    for t in s.targets:
        yield f"rows {t}", lambda t=t: m.predict(s.rows, t)
        yield f"stored {t}", lambda t=t: m.predict(None, t)
    if s.n <= LARGE:
        for t in _main(s)[:1]:
            yield f"context {t}", lambda t=t: m.predict(s.rows, t, context=_two(s, t))
        yield "several", lambda: m.predict(s.rows, _main(s))


def predict_proba(m: Named, s: Subject) -> Variants:
    for t in s.targets[:2]:  # that of a number is an error
        yield f"rows {t}", lambda t=t: m.predict_proba(s.rows, t)
        yield f"stored {t}", lambda t=t: m.predict_proba(None, t)


def predict_interval(m: Named, s: Subject) -> Variants:
    for t in s.targets:
        yield f"rows {t}", lambda t=t: m.predict_interval(s.rows, t)
        yield f"alpha {t}", lambda t=t: m.predict_interval(s.rows, t, alpha=0.35)
        yield f"stored {t}", lambda t=t: m.predict_interval(None, t)


def predict_set(m: Named, s: Subject) -> Variants:
    for t in s.targets[:2]:
        yield f"rows {t}", lambda t=t: m.predict_set(s.rows, t)
        yield f"stored {t}", lambda t=t: m.predict_set(None, t, alpha=0.3)


def influences(m: Named, s: Subject) -> Variants:
    for t in s.targets:
        yield f"rows {t}", lambda t=t: m.influences(s.rows, t)
        if s.n <= LARGE:
            yield f"stored {t}", lambda t=t: m.influences(None, t)


def contributions(m: Named, s: Subject) -> Variants:
    some = {"n_permutations": 4, "exact_up_to": 3, "random_state": 5}
    for t in s.targets:
        yield f"rows {t}", lambda t=t: m.contributions(s.some(3), t)
        yield f"orders {t}", lambda t=t: m.contributions(s.some(3), t, **some)
        if s.n <= SMALL:
            yield f"stored {t}", lambda t=t: m.contributions(None, t)
    for t in _main(s)[:1]:
        yield "overall", lambda t=t: Named(m.contributions(s.some(3), t, **some)).overall()


def conviction(m: Named, s: Subject) -> Variants:
    for name, measure in measures(s.n).items():
        yield f"rows {name}", lambda measure=measure: m.conviction(s.rows, measure=measure)
        yield f"stored {name}", lambda measure=measure: m.conviction(measure=measure)
    two = list(s.columns)[:2]
    yield "rows context", lambda: m.conviction(s.rows, context=two)
    yield "stored context", lambda: m.conviction(context=two)
    yield "rows unfamiliar", lambda: m.conviction(s.rows, familiarity=False)


def anomalies(m: Named, s: Subject) -> Variants:
    ways = {
        "default": {},
        "threshold": {"threshold": 0.9, "inliers": True},
        "alpha": {"alpha": 0.2},
        "rate": {"false_discovery_rate": 0.3},
        "context": {"context": list(s.columns)[:2]},
        "robust": {"measure": measures(s.n)["robust"]},
    }
    for name, way in ways.items():
        yield f"rows {name}", lambda way=way: m.anomalies(s.rows, **way)
        yield f"stored {name}", lambda way=way: m.anomalies(**way)


def residual_conviction(m: Named, s: Subject) -> Variants:
    yield "rows", lambda: m.residual_conviction(s.rows)
    yield "features", lambda: m.residual_conviction(s.rows, list(s.columns)[:2])
    yield "stored", lambda: m.residual_conviction(None)


def density(m: Named, s: Subject) -> Variants:
    yield "rows", lambda: m.density(s.rows)
    yield "stored", lambda: m.density(None)
    part = dict(list(take(s.fresh, range(3)).items())[:2])
    yield "columns", lambda: m.density(part)


def explain(m: Named, s: Subject) -> Variants:
    rows = s.some(2)
    if s.label:
        yield "rows class", lambda: m.explain(rows, s.label, counterfactuals=True)
        orders = arguments("contributions", n_permutations=4, exact_up_to=3)
        wish = arguments("counterfactual", n=2, immutable=_two(s, s.label)[:1])
        ask = partial(m.explain, rows, s.label, alpha=0.3, n_boundary=4)
        yield "options", partial(ask, features=orders, counterfactuals=wish)
    if s.number:
        wish = arguments("counterfactual", wanted=(_middle(s, s.number), None))
        ask = partial(m.explain, rows, s.number)
        yield "rows number", ask
        yield "number wanted", partial(ask, features=False, counterfactuals=wish)
    for t in s.others:
        yield f"rows {t}", lambda t=t: m.explain(rows, t, features=False)
    for t in _main(s):
        if s.n <= 320:
            yield f"stored {t}", lambda t=t: m.explain(None, t, features=s.n <= SMALL)


def counterfactual(m: Named, s: Subject) -> Variants:
    row, other = s.row(0), s.row(1)
    if s.label:
        fixed = [name for name in s.columns if name != s.label]
        change = partial(m.counterfactual, row, s.label, _wish(s, row))
        yield "class", partial(change, n=3)
        yield "another row", lambda: m.counterfactual(other, s.label, _wish(s, other))
        yield "first alone", partial(change, immutable=fixed[1:])
        yield "last alone", partial(change, immutable=fixed[:-1])
        yield "nothing", partial(change, immutable=fixed)
        yield "constraints", partial(change, n=2, **_constraints(s))
        yield "context", partial(change, context=fixed[:4])
    for t in [name for name in s.targets if name != s.label]:
        yield f"from {t}", lambda t=t: m.counterfactual(row, t, (_middle(s, t), None), n=2)
        yield f"to {t}", lambda t=t: m.counterfactual(other, t, (None, _middle(s, t)))
        ends = _middle(s, t, 0.2), _middle(s, t, 0.4)
        yield f"within {t}", lambda t=t, ends=ends: m.counterfactual(row, t, ends)
    if s.number:
        yield "beyond", lambda: m.counterfactual(row, s.number, (1e300, None))


def _constraints(s: Subject) -> dict[str, Any]:
    """Ranges and directions of numbers, and categories that are allowed."""
    unordered = [*s.options.get("cyclic_features", ()), *s.options.get("categorical_features", ())]
    numbers = [
        name
        for name, values in s.columns.items()
        if name not in (s.label, *unordered)
        and all(one is None or type(one) in (int, float) for one in values)
        and any(one is not None for one in values)
    ]
    words = [
        name
        for name, values in s.columns.items()
        if name != s.label and any(isinstance(one, str) for one in values)
    ]
    found: dict[str, Any] = {"immutable": numbers[2:3] + words[1:2]}
    if numbers:
        known = [one for one in s.columns[numbers[0]] if one is not None]
        found["ranges"] = {numbers[0]: (min(known), _middle(s, numbers[0]))}
        found["directions"] = dict.fromkeys(numbers[1:2], "increase")
    if words:
        seen = sorted({one for one in s.columns[words[0]] if one not in (None, "?")})
        found["allowed"] = {words[0]: seen[:2]}
    return found


def information(m: Named, s: Subject) -> Variants:
    for t in _main(s):
        yield f"all {t}", lambda t=t: m.information(t)
    if s.n <= LARGE and len(s.columns) < 10:
        for t in _main(s)[:1]:
            yield f"context {t}", lambda t=t: m.information(t, context=_two(s, t))


def information_matrix(m: Named, s: Subject) -> Variants:
    yield "all", m.information_matrix


def data_values(m: Named, s: Subject) -> Variants:
    for t in s.targets:
        yield f"rows {t}", lambda t=t: m.data_values(s.rows, t)
        yield f"k {t}", lambda t=t: m.data_values(s.rows, t, k=3)
    if s.n <= LARGE:
        for t in _main(s):
            yield f"stored {t}", lambda t=t: m.data_values(None, t)


def audit(m: Named, s: Subject) -> Variants:
    yield "table", lambda: m.audit(None)
    yield "test", lambda: m.audit(test=s.rows, by_chance=0.3, threshold=0.6)
    for t in s.targets:
        yield f"target {t}", lambda t=t: m.audit(t)
    for t in _main(s)[:1]:
        yield f"test {t}", lambda t=t: m.audit(t, test=s.rows)


def impute(m: Named, s: Subject) -> Variants:
    for effort in ("low", "medium"):
        yield f"{effort} rows", lambda effort=effort: m.impute(s.rows, effort=effort)
        yield f"{effort} stored", lambda effort=effort: m.impute(effort=effort, alpha=0.3)
    yield "bare", lambda: m.impute(s.rows, effort="low", intervals=False)
    if s.n <= SMALL:
        yield "high", lambda: m.impute(s.rows, effort="high")


def reduce(m: Named, s: Subject) -> Variants:
    yield "share", lambda: m.reduce(share=0.5)
    yield "count", lambda: m.reduce(n_cases=max(1, s.n // 3))
    if s.n <= LARGE:
        yield "loss", lambda: m.reduce(max_loss=0.2)
    for t in _main(s):
        yield f"target {t}", lambda t=t: m.reduce(share=0.3, target=t)
        yield f"smaller {t}", lambda t=t: _smaller(m, s, t)


def _smaller(m: Named, s: Subject, target: str) -> Any:
    m.predict(s.rows, target)  # so that it is learned before, whatever else was asked
    model = Named(Named(m.reduce(share=0.3, target=target)).model)
    return [model.predict(s.rows, target), model.neighbors(s.rows, k=3), model.conviction()]


def drift(m: Named, s: Subject) -> Variants:
    yield "rows", lambda: m.drift(s.rows, shuffles=49)
    later = in_form(take(s.columns, range(s.n // 2, s.n)), s.form)
    yield "later", lambda: m.drift(later, shuffles=19, max_rows=300)
    if s.number:
        known = take(s.columns, range(min(s.n, 80)))
        high = _middle(s, s.number)
        some = [at for at, one in enumerate(known[s.number]) if one is not None and one >= high]
        yield "higher", lambda: m.drift(in_form(take(known, some), s.form), shuffles=49)


def synthesize(m: Named, s: Subject) -> Variants:
    yield "rows", lambda: m.synthesize(12)
    yield "state", lambda: m.synthesize(5, random_state=3)
    for t in _main(s):
        value = next((one for one in s.columns[t] if one is not None), None)
        yield f"given {t}", lambda t=t, value=value: m.synthesize(5, given={t: value})


def neighbors(m: Named, s: Subject) -> Variants:
    yield "rows", lambda: m.neighbors(s.rows)
    yield "rows many", lambda: m.neighbors(s.rows, k=40)
    yield "stored", lambda: m.neighbors(k=4)
    yield "terms", lambda: m.neighbors(s.rows, k=5, terms=True)
    two = list(s.columns)[-2:]
    yield "context", lambda: m.neighbors(s.rows, k=5, context=two, terms=True)
    part = dict(list(take(s.fresh, range(4)).items())[:2])
    yield "columns", lambda: m.neighbors(part, k=6)


def tuning(m: Named, s: Subject) -> Variants:
    def told(target: str) -> Any:
        found = Named(m.tuning(target))
        chosen = Named(found.ensemble)
        return [
            found.loss,
            found.trials,
            found.queries,
            found.predictions,
            chosen.members,
            chosen.k,
            chosen.background,
        ]

    for t in s.targets:
        yield t, lambda t=t: told(t)


def residuals(m: Named, s: Subject) -> Variants:
    yield "values", lambda: m.residuals_
    yield "history", lambda: m.residual_history_
    yield "converged", lambda: [m.residuals_converged_, m.residual_sample_]


def state(m: Named, s: Subject) -> Variants:
    yield "stale", lambda: m.stale_
    yield "changed", lambda: [m.changed_share, len(m)]
    yield "log", lambda: [[Named(one).action, Named(one).cases] for one in m.log_]
    yield "schema", lambda: m.schema_


def report(m: Named, s: Subject) -> Variants:
    def numbers(target: str | None) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "report.html"
            m.report(path, target)
            return page_numbers(path.read_text("utf-8"))

    yield "table", lambda: numbers(None)
    for t in s.targets:
        yield t, lambda t=t: numbers(t)


#: Questions to a Model.
QUESTIONS: dict[str, Callable[[Named, Subject], Variants]] = {
    one.__name__: one
    for one in (
        predict,
        predict_proba,
        predict_interval,
        predict_set,
        influences,
        contributions,
        conviction,
        anomalies,
        residual_conviction,
        density,
        explain,
        counterfactual,
        information,
        information_matrix,
        data_values,
        audit,
        impute,
        reduce,
        drift,
        synthesize,
        neighbors,
        tuning,
        residuals,
        state,
        report,
    )
}


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
    yield "fixed", lambda: told().counterfactual(one, _wish(s, s.row()), immutable=fixed)
    yield "kneighbors", lambda: told().kneighbors(rows, 4)
    yield "kneighbors stored", lambda: told().kneighbors(n_neighbors=3)
    yield "partial_fit", lambda: told.in_parts(classes=labels).predict_proba(rows)


def regressor(s: Subject, jobs: int | None) -> Variants:
    if not s.number:
        return
    told = _Fitted("VicinalRegressor", s, s.number, jobs)
    rows, one = told.rows, told.rows[:1]
    middle = _middle(s, s.number)
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
