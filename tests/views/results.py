"""A small table that was asked every question, for views and plots to show."""

from __future__ import annotations

import datetime as dt

import numpy as np

from vicinal import Model

NAMES = ("size", "kind", "day", "target")


def table(names=NAMES, word="a", n=24):
    """Numbers, words, dates and a target, with a missing value and an outlier."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=n).round(2)
    x[3] = 9.0
    days = [dt.date(2024, 1, 1) + dt.timedelta(days=int(d)) for d in rng.integers(0, 300, n)]
    words = [word if v > 0 else "other" for v in x]
    sizes = [None if at == 5 else float(v) for at, v in enumerate(x)]
    target = [word if v > 0.2 else "other" for v in x]
    return dict(zip(names, (sizes, words, days, target), strict=True))


def all_results(names=NAMES, word="a", frame=dict):
    """Every result of a Model of this table, by the name of the question."""
    data = table(names, word)
    size, kind, _, target = names
    model = Model(max_queries=12, max_members=1, n_jobs=1, kinds={target: "nominal"})
    model.fit(frame(data))
    rows = {name: values[:4] for name, values in data.items()}
    inputs = {name: values for name, values in rows.items() if name != target}
    contributions = model.contributions(inputs, target)
    row = {name: values[0] for name, values in inputs.items()}
    wanted = "other" if model.predict(inputs, target)[0] == word else word
    return {
        "neighbors": model.neighbors(rows, k=3),
        "stored neighbors": model.neighbors(k=2, terms=True),
        "conviction": model.conviction(rows),
        "stored conviction": model.conviction(),
        "anomalies": model.anomalies(),
        "new anomalies": model.anomalies(rows),
        "audit": model.audit(target, test=rows),
        "drift": model.drift(rows, shuffles=19),
        "information": model.information(target, context=[size, kind]),
        "information of all": model.information(target),
        "matrix": model.information_matrix(),
        "imputation": model.impute(frame(data), effort="low"),
        "synthesis": model.synthesize(5),
        "reduction": model.reduce(n_cases=8),
        "counterfactuals": model.counterfactual(row, target, wanted, n=2),
        "no counterfactuals": model.counterfactual(row, target, wanted, immutable=[size, kind]),
        "contributions": contributions,
        "one contribution": model.contributions(row, target),
        "numbers": model.contributions(rows, size),
        "overall": contributions.overall(),
        "overall numbers": model.contributions(rows, size).overall(),
        "data values": model.data_values(rows, target),
        "influences": model.influences(inputs, target),
        "certificates": model.certify(inputs, target),
        "one certificate": model.certify(row, target, categories=True),
        "certified numbers": model.certify(inputs, size, training=False),
        "explanation": model.explain(inputs, target)[0],
    }
