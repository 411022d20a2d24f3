"""Every question that `benchmarks.digests` puts to a Model.

A question is a function of the fitted Model and the `Subject`; it returns its variants, each a
function without arguments, so that an error of one says nothing of the others.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import vicinal
from benchmarks.digest_subject import Subject, in_form, take
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


def middle_of(s: Subject, name: str, share: float = 0.5) -> Any:
    known = sorted(one for one in s.columns[name] if one is not None)
    return known[int(len(known) * share)] if known else None


def other_class(s: Subject, row: dict[str, Any]) -> Any:
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
        wish = arguments("counterfactual", wanted=(middle_of(s, s.number), None))
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
        change = partial(m.counterfactual, row, s.label, other_class(s, row))
        yield "class", partial(change, n=3)
        yield "another row", lambda: m.counterfactual(other, s.label, other_class(s, other))
        yield "first alone", partial(change, immutable=fixed[1:])
        yield "last alone", partial(change, immutable=fixed[:-1])
        yield "nothing", partial(change, immutable=fixed)
        yield "constraints", partial(change, n=2, **_constraints(s))
        yield "context", partial(change, context=fixed[:4])
    for t in [name for name in s.targets if name != s.label]:
        yield f"from {t}", lambda t=t: m.counterfactual(row, t, (middle_of(s, t), None), n=2)
        yield f"to {t}", lambda t=t: m.counterfactual(other, t, (None, middle_of(s, t)))
        ends = middle_of(s, t, 0.2), middle_of(s, t, 0.4)
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
        found["ranges"] = {numbers[0]: (min(known), middle_of(s, numbers[0]))}
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
        high = middle_of(s, s.number)
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
