"""The Python code that makes a view, to be copied."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from vicinal.exceptions import ParameterError, did_you_mean
from vicinal.explorer.requests import CodeRequest
from vicinal.explorer.state import State

Json = dict[str, Any]


def code_of(state: State, asked: CodeRequest, source: str) -> Json:
    """Return code for a view and the request that it made."""
    if asked.view not in _VIEWS:
        raise ParameterError(
            f"There is no view {asked.view!r}; expected one of {', '.join(_VIEWS)}."
            + did_you_mean(asked.view, _VIEWS)
        )
    given = dict(asked.request)
    target = given.get("target") or state.target
    lines = _VIEWS[asked.view](given, target)
    text = "\n".join(lines)
    return {
        "language": "python",
        "code": "\n".join([*_start(source, text), "", *lines, ""]),
    }


def _start(source: str, text: str) -> list[str]:
    """Write how the model is made, and the table if the code needs it."""
    saved = source.endswith(".vicinal")
    table = [f"table = pd.read_csv({'table.csv' if saved else source!r})"]
    if saved:
        table = [f"{table[0]}  # the table that was fitted"] if "table" in text else []
        model = f"model = vicinal.load({source!r})"
    else:
        model = "model = vicinal.Model().fit(table)"
    pandas = ["import pandas as pd"] if table or "pd." in text else []
    return [*pandas, "import vicinal", "", *table, model]


def _call(method: str, given: Mapping[str, Any], **options: Any) -> str:
    """Write a call of a method; None leaves an option out."""
    arguments = []
    names = given.get("cases") if given.get("cases") is not None else given.get("ids")
    if given.get("rows") is not None or given.get("changes"):
        arguments.append("rows")
    elif names is not None:
        arguments.append(f"case={names!r}")
    named = {**options, "context": given.get("context")}
    arguments += [f"{name}={value!r}" for name, value in named.items() if value is not None]
    return f"model.{method}({', '.join(arguments)})"


def _rows(given: Mapping[str, Any]) -> list[str]:
    """Write the rows that a call is about, if they are not stored cases."""
    changes = given.get("changes") or {}
    if given.get("rows") is not None:
        return [f"rows = {[{**row, **changes} for row in given['rows']]!r}"]
    names = given.get("cases") if given.get("cases") is not None else given.get("ids")
    if not changes or not names:
        return []
    # The place in the table is the case number, unless cases were removed.
    return [
        "# The row with changes. Unlike in the explorer, the stored case is a neighbor of it.",
        f"row = {'table.iloc' if given.get('cases') else 'table.loc'}[{names[0]!r}].to_dict()",
        f"rows = [{{**row, **{changes!r}}}]",
    ]


def _about(method: str, *options: str) -> Callable[[Json, Any], list[str]]:
    def write(given: Json, target: Any) -> list[str]:
        named = {name: given.get(name) for name in options if name != "target"}
        if "target" in options:
            named = {"target": target, **named}
        return [*_rows(given), f"print({_call(method, given, **named)})"]

    return write


def _counterfactual(given: Json, target: Any) -> list[str]:
    wanted = given.get("wanted")
    if isinstance(wanted, dict):
        wanted = wanted.get("any") or (wanted.get("low"), wanted.get("high"))
    names = ("immutable", "directions", "allowed")
    options = {name: given[name] for name in names if given.get(name)}
    if given.get("ranges"):
        options["ranges"] = {name: tuple(ends) for name, ends in given["ranges"].items()}
    named = {"target": target, "wanted": wanted, **options, "n": given.get("n")}
    call = _call("counterfactual", given, **named)
    if _rows(given):
        return [*_rows(given), f"print({call.replace('(rows', '(rows[0]', 1)})"]
    return [f"print({call})"]


def _explain(given: Json, target: Any) -> list[str]:
    features = False if given.get("contributions") is False else None
    options = {"target": target, "alpha": given.get("alpha"), "features": features}
    call = _call("explain", given, **options, n_boundary=given.get("n_boundary"))
    return [*_rows(given), f"why = {call}[0]", "print(why)", "why.plot()"]


def _what_if(given: Json, target: Any) -> list[str]:
    calls = [_call("predict", given, target=target), _call("conviction", given)]
    return [*_rows(given), *(f"print({call})" for call in calls)]


def _compare(given: Json, target: Any) -> list[str]:
    sides = [given.get(side) or {} for side in ("a", "b")]
    parts = [
        f"pd.Series({one['row']!r})"
        if one.get("row") is not None
        else f"table.{'iloc' if one.get('case') is not None else 'loc'}"
        f"[{one.get('case', one.get('id'))!r}]"
        for one in sides
    ]
    return [f"print(pd.concat([{', '.join(parts)}], axis=1))"]


def _overview(given: Json, target: Any) -> list[str]:
    about = "" if target is None else f", {target!r}"
    lines = [f"model.report('report.html'{about})"]
    return lines if target is None else [*lines, f"print(model.information({target!r}))"]


def _cases(given: Json, target: Any) -> list[str]:
    lines = ["table['conviction'] = model.conviction().similarity"]
    if target is not None:
        lines.append("# Each case is predicted from the others.")
        lines.append(f"table['prediction'] = model.predict(None, {target!r})")
    lines.append(f"chosen = table[{_mask(given.get('filter') or [])}]")
    for one in reversed(given.get("sort") or []):
        name = one.get("feature") if one.get("by", "feature") == "feature" else one.get("by")
        if name in ("case", "label"):
            lines.append(f"chosen = chosen.sort_index(ascending={not one.get('descending')})")
        elif name is not None:
            order = f"ascending={not one.get('descending')}, kind='stable'"
            lines.append(f"chosen = chosen.sort_values({name!r}, {order})")
    return [*lines, "print(chosen)"]


def _mask(conditions: list[Json]) -> str:
    """Write conditions as a mask over the table; those that pandas cannot tell are left out."""
    parts = [_condition(one) for one in conditions]
    parts = [
        f"~({part})" if one.get("not") else part
        for one, part in zip(conditions, parts, strict=True)
    ]
    known = [f"({part})" for part in parts if part not in ("", "~()")]
    return " & ".join(known) or "table.index == table.index"


def _condition(one: Json) -> str:
    column = f"table[{one.get('feature', one.get('by'))!r}]"
    if one.get("cases") is not None:
        return f"table.index.isin({one['cases']!r})"
    if one.get("ids") is not None:
        return f"table.index.isin({one['ids']!r})"
    if one.get("feature") is None and one.get("by") not in ("conviction", "prediction"):
        return ""
    tests = []
    if one.get("missing") is not None:
        tests.append(f"{column}.isna() == {one['missing']!r}")
    if one.get("in") is not None:
        tests.append(f"{column}.isin({one['in']!r})")
    if one.get("contains") is not None:
        text = f"{one['contains']!r}, case=False, regex=False, na=False"
        tests.append(f"{column}.str.contains({text})")
    for name, sign in (("at_least", ">="), ("at_most", "<=")):
        if one.get(name) is not None:
            tests.append(f"{column} {sign} {one[name]!r}")
    return " & ".join(f"({test})" for test in tests)


def _map(given: Json, target: Any) -> list[str]:
    return [
        "import numpy as np",
        "from scipy.sparse import csr_matrix",
        "from sklearn.manifold import TSNE",
        "",
        "found = model.neighbors(k=min(len(model) - 1, 91))",
        "gaps = np.maximum(found.distances - 1.5, 0)  # 1.5 nats between equal cases",
        "ends = np.arange(0, gaps.size + 1, gaps.shape[1])",
        "graph = csr_matrix((gaps.ravel(), found.indices.ravel(), ends), shape=[len(model)] * 2)",
        "drawn = TSNE(metric='precomputed', init='random', perplexity=gaps.shape[1] // 3 - 1)",
        "places = drawn.fit_transform(graph)",
        "print(places)",
    ]


def _drift(given: Json, target: Any) -> list[str]:
    return ["new = pd.read_csv('new.csv')", "print(model.drift(new))"]


def _groups(given: Json, target: Any) -> list[str]:
    lines = [f"a = {_mask(given.get('a') or [])}"]
    other = given.get("b")
    lines.append("b = ~a" if other is None else f"b = {_mask(other)}")
    lines.append("print(table[a].describe(), table[b].describe())")
    if target is not None:
        lines.append("# Each case is predicted from the others.")
        lines.append(f"right = pd.Series(model.predict(None, {target!r})) == table[{target!r}]")
        lines.append("print(right[a].mean(), right[b].mean())")
        if given.get("protected") is not None:
            lines.append(f"print(right.groupby(table[{given['protected']!r}]).mean())")
    return lines


_VIEWS: dict[str, Callable[[Json, Any], list[str]]] = {
    "overview": _overview,
    "schema": lambda given, target: ["print(model.schema_)"],
    "cases/query": _cases,
    "cases/summary": _cases,
    "map": _map,
    "predict": _about("predict", "target"),
    "what-if": _what_if,
    "explain": _explain,
    "compare": _compare,
    "neighbors": _about("neighbors", "k", "terms"),
    "conviction": _about("conviction"),
    "anomalies": _about("anomalies", "threshold", "alpha", "false_discovery_rate", "inliers"),
    "counterfactual": _counterfactual,
    "density": _about("density"),
    "impute": _about("impute", "effort", "alpha"),
    "drift": _drift,
    "audit": lambda given, target: [f"print(model.audit({target!r}))"],
    "groups": _groups,
}
