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
    return {"language": "python", "code": "\n".join([*_start(source), "", *lines, ""])}


def _start(source: str) -> list[str]:
    if source.endswith(".vicinal"):
        return ["import vicinal", "", f"model = vicinal.load({source!r})"]
    return [
        "import pandas as pd",
        "import vicinal",
        "",
        f"table = pd.read_csv({source!r})",
        "model = vicinal.Model().fit(table)",
    ]


def _call(method: str, given: Mapping[str, Any], **options: Any) -> str:
    """Write a call of a method; `None` leaves an option out."""
    arguments = []
    if given.get("cases") is not None and not given.get("changes"):
        arguments.append(f"case={given['cases']!r}")
    elif given.get("ids") is not None and not given.get("changes"):
        arguments.append(f"case={given['ids']!r}")
    elif given.get("rows") is not None or given.get("changes"):
        arguments.append("rows")
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
    # By position in the fitted table, which is the case number unless cases were removed.
    return [
        "# The row with changes; the stored case itself still counts as a neighbor here.",
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
    options = {
        name: given[name] for name in ("immutable", "directions", "allowed") if given.get(name)
    }
    if given.get("ranges"):
        options["ranges"] = {name: tuple(ends) for name, ends in given["ranges"].items()}
    call = _call(
        "counterfactual", given, target=target, wanted=wanted, **options, n=given.get("n")
    )
    if _rows(given):
        return [*_rows(given), f"print({call.replace('(rows', '(rows[0]', 1)})"]
    return [f"print({call})"]


def _explain(given: Json, target: Any) -> list[str]:
    features = False if given.get("contributions") is False else None
    options = {"target": target, "alpha": given.get("alpha"), "features": features}
    call = _call("explain", given, **options, n_boundary=given.get("n_boundary"))
    return [*_rows(given), f"why = {call}[0]", "print(why)", "why.plot()"]


def _what_if(given: Json, target: Any) -> list[str]:
    about = _rows(given)
    lines = [f"print({_call('predict', given, target=target)})"]
    return [*about, *lines, f"print({_call('conviction', given)})"]


def _overview(given: Json, target: Any) -> list[str]:
    return [
        f"model.report('report.html', {target!r})",
        f"print(model.information({target!r}))",
    ]


def _cases(given: Json, target: Any) -> list[str]:
    lines = ["convictions = model.conviction().to_frame()"]
    if target is not None:
        lines.append(f"predictions = model.predict(None, {target!r})  # each case from the others")
    return lines


def _map(given: Json, target: Any) -> list[str]:
    return [
        "from sklearn.manifold import TSNE",
        "",
        "found = model.neighbors(k=90)  # distances of the nearest cases, in nats",
        "print(found)",
    ]


def _drift(given: Json, target: Any) -> list[str]:
    return ["new = pd.read_csv('new.csv')", "print(model.drift(new))"]


def _groups(given: Json, target: Any) -> list[str]:
    return [
        "# A selection is a mask over the rows of the table, such as table['age'] > 40.",
        "selection = table.index < 100",
        "print(table[selection].describe())",
        f"print((model.predict(None, {target!r}) == table[{target!r}])[selection].mean())",
    ]


_VIEWS: dict[str, Callable[[Json, Any], list[str]]] = {
    "overview": _overview,
    "schema": lambda given, target: ["print(model.schema_)"],
    "cases/query": _cases,
    "map": _map,
    "predict": _about("predict", "target"),
    "what-if": _what_if,
    "explain": _explain,
    "compare": _about("neighbors", "k"),
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
