"""``vicinal anomalies``, ``audit``, ``impute`` and ``drift``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from vicinal.cli.options import command, model_options, output_options, say

if TYPE_CHECKING:
    from vicinal.conviction.anomalies import Anomalies
    from vicinal.quality.audit import Audit
    from vicinal.quality.drift import Drift
    from vicinal.quality.imputation import Imputation

__all__ = ["anomalies", "audit", "drift", "impute"]

_SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)
_most = click.option("--rows", "most", default=20, show_default=True, help="Rows to show.")


def _prepared(
    paths: tuple[str, ...],
    rest: dict[str, Any],
    output: str | None,
    as_json: bool,
    *,
    rows: bool = True,
) -> tuple[Any, Any, Any]:
    """The options, the source and the path of new rows, if any."""
    from vicinal.cli.io.writing import check_output
    from vicinal.cli.sources import Options, open_source, split_paths
    from vicinal.exceptions import ParameterError

    if as_json and output == "-":
        raise ParameterError("--json and -o - both want the screen; choose one.")
    options = Options(**rest)
    source, path = split_paths(paths, options, rows=rows)
    check_output(output)
    return options, open_source(source, options), path


def _keep(columns: dict[str, list[Any]], output: str | None, output_format: str | None) -> bool:
    """Write the columns if they are wanted in a file; tell whether there is more to say."""
    from vicinal.cli.io.writing import write_table

    if output is not None:
        write_table(output, columns, output_format)
    return output != "-"


def _and_more(shown: int, total: int) -> str:
    return f"\n… {total - shown} more; -o FILE writes all." if total > shown else ""


@command(
    "anomalies",
    """
vicinal anomalies penguins.csv
vicinal anomalies penguins.vicinal new.csv --alpha 0.01
vicinal anomalies penguins.csv --rate 0.1 -o strange.csv
""",
)
@click.argument("paths", nargs=-1, metavar="MODEL [ROWS]")
@click.option(
    "--threshold",
    default=0.7,
    show_default=True,
    type=click.FloatRange(0, min_open=True),
    help="Conviction below which a row is an anomaly.",
)
@click.option("--alpha", type=_SHARE, help="Instead: the p-value up to which it is one.")
@click.option("--rate", type=_SHARE, help="Instead: share of false alarms among them, at most.")
@click.option("--inliers", is_flag=True, help="Also list rows that are too close to others.")
@_most
@model_options
@output_options
def anomalies(
    paths: tuple[str, ...],
    threshold: float,
    alpha: float | None,
    rate: float | None,
    inliers: bool,
    most: int,
    output: str | None,
    output_format: str | None,
    as_json: bool,
    **rest: Any,
) -> None:
    """List the rows that are surprising, with the features responsible.

    Without ROWS the stored cases are judged, each by the others.
    """
    options, source, path = _prepared(paths, rest, output, as_json)
    model = source.model
    rows = None if path is None else options.read(path).rows(model.schema_, options.missing)
    found = model.anomalies(
        rows, threshold=threshold, alpha=alpha, false_discovery_rate=rate, inliers=inliers
    )
    columns = _anomaly_columns(found)
    if _keep(columns, output, output_format):
        result = {
            "judged": found.n_judged,
            "anomalies": _anomaly_dicts(found),
            "output": output,
        }
        say(as_json, result, lambda: _anomaly_text(found, most, output))


def _anomaly_columns(found: Anomalies) -> dict[str, list[Any]]:
    return {
        "case" if found.stored else "row": found.cases.tolist(),
        "conviction": found.conviction.tolist(),
        "p_value": found.p_value.tolist(),
        "direction": found.direction.tolist(),
        "features": [", ".join(name for name, _ in one) for one in found.features],
        "nearest_ordinary": [
            ", ".join(str(case) for case in one.tolist() if case >= 0) for one in found.ordinary
        ],
    }


def _anomaly_dicts(found: Anomalies) -> list[dict[str, Any]]:
    return [
        {
            "case" if found.stored else "row": int(found.cases[at]),
            "conviction": float(found.conviction[at]),
            "p_value": float(found.p_value[at]),
            "direction": str(found.direction[at]),
            "features": [{"feature": name, "nats": nats} for name, nats in found.features[at]],
            "nearest_ordinary": [case for case in found.ordinary[at].tolist() if case >= 0],
        }
        for at in range(len(found))
    ]


def _anomaly_text(found: Anomalies, most: int, output: str | None) -> str:
    from vicinal.cli.terminal import counted, terminal_table

    word = "case" if found.stored else "row"
    are = "is an anomaly" if len(found) == 1 else "are anomalies"
    title = f"{len(found)} of {counted(found.n_judged, word)} {are}"
    if output or not len(found):
        return title + (f"; wrote {output}." if output else ".")
    table = {
        word: found.cases[:most].tolist(),
        "conviction": [f"{one:.2f}" for one in found.conviction[:most]],
        "p": [f"{one:.2g}" for one in found.p_value[:most]],
        "direction": found.direction[:most].tolist(),
        "because of": [
            ", ".join(f"{name} (+{nats:.2g})" for name, nats in one)
            for one in found.features[:most]
        ],
    }
    return f"{title}.\n\n{terminal_table(table)}{_and_more(most, len(found))}"


@command(
    "audit",
    """
vicinal audit penguins.csv --target species
vicinal audit train.csv --target price --test test.csv
vicinal audit penguins.csv -t species -o findings.csv
""",
)
@click.argument("paths", nargs=-1, metavar="MODEL")
@click.option("-t", "--target", help="A column whose values are doubted.")
@click.option("--test", metavar="TABLE", help="Rows that a test would use: are some known?")
@_most
@model_options
@output_options
def audit(
    paths: tuple[str, ...],
    target: str | None,
    test: str | None,
    most: int,
    output: str | None,
    output_format: str | None,
    as_json: bool,
    **rest: Any,
) -> None:
    """Look for likely errors in a table, each with its evidence.

    Values of the target that are likely wrong, duplicates, test rows that are among the cases,
    unusual cases, and features without information.
    """
    options, source, _ = _prepared(paths, rest, output, as_json, rows=False)
    model = source.model
    rows = None if test is None else options.read(test).rows(model.schema_, options.missing)
    found = model.audit(target, test=rows)
    columns: dict[str, list[Any]] = {
        "kind": [one.kind for one in found],
        "case": [one.case for one in found],
        "feature": [one.feature for one in found],
        "score": [float(one.score) for one in found],
        "evidence": [one.evidence for one in found],
    }
    if _keep(columns, output, output_format):
        say(
            as_json,
            {**found.to_dict(), "output": output},
            lambda: _audit_text(found, most, output),
        )


def _audit_text(found: Audit, most: int, output: str | None) -> str:
    from textwrap import fill

    from vicinal.cli.terminal import counted, terminal_width
    from vicinal.quality.audit import KINDS

    about = f", target {found.target}" if found.target else ""
    lines = [f"Audit of {counted(found.n_cases, 'case')}{about}"]
    if output:
        return f"{lines[0]}: {counted(len(found), 'finding')}; wrote {output}."
    width = terminal_width()
    for kind in found.looked_for:
        listed = found.of(kind)
        lines += ["", f"{KINDS[kind][0].upper()}{KINDS[kind][1:]}: {len(listed) or 'none'}"]
        lines += [
            fill(repr(one), width, initial_indent="  ", subsequent_indent="    ")
            for one in listed[:most]
        ]
        if len(listed) > most:
            lines.append(f"  … {len(listed) - most} more; -o FILE writes all.")
    return "\n".join(lines)


@command(
    "impute",
    """
vicinal impute penguins.csv -o filled.csv
vicinal impute penguins.vicinal new.csv -o filled.csv --cells cells.csv
vicinal impute penguins.csv --json
""",
)
@click.argument("paths", nargs=-1, metavar="MODEL [ROWS]")
@click.option(
    "--effort",
    type=click.Choice(["low", "medium", "high"]),
    default="medium",
    show_default=True,
    help="How much to learn for it.",
)
@click.option(
    "--interval",
    default=0.1,
    show_default=True,
    type=_SHARE,
    metavar="ALPHA",
    help="How often intervals and sets of labels may fail.",
)
@click.option("--cells", metavar="FILE", help="Write a table of the filled cells there.")
@_most
@model_options
@output_options
def impute(
    paths: tuple[str, ...],
    effort: str,
    interval: float,
    cells: str | None,
    most: int,
    output: str | None,
    output_format: str | None,
    as_json: bool,
    **rest: Any,
) -> None:
    """Fill the holes of a table, and say how sure each filled cell is.

    Without ROWS the table itself is filled, or the cases of the model. Whatever is there already
    is written as it came.
    """
    from vicinal.cli.io.formats import format_of
    from vicinal.cli.io.writing import check_output, write_table

    options, source, path = _prepared(paths, rest, output, as_json)
    check_output(cells)
    model = source.model
    block = source.block if path is None else options.read(path)
    rows = None if path is None else block.rows(model.schema_, options.missing)
    found = model.impute(rows, effort=effort, alpha=interval)
    filled = _cell_columns(found)
    if cells is not None:
        write_table(cells, filled)
    if output is not None:
        kind = format_of(output, output_format)
        table = (
            found.table
            if block is None
            else _filled_columns(block.written(model.schema_, kind), found)
        )
        write_table(output, table, output_format)
    if output != "-":
        result = {
            "alpha": interval,
            "filled": [
                dict(zip(filled, row, strict=True)) for row in zip(*filled.values(), strict=True)
            ],
            "output": output,
        }
        say(as_json, result, lambda: _imputed(filled, most, output))


def _cell_columns(found: Imputation) -> dict[str, list[Any]]:
    from vicinal.cli.io.cells import cell_text

    return {
        "row": found.rows.tolist(),
        "feature": list(found.features),
        "value": list(found.values),
        "lower": list(found.lower),
        "upper": list(found.upper),
        "set": ["; ".join(map(cell_text, one)) or None for one in found.classes],
        "conviction": found.conviction.tolist(),
    }


def _filled_columns(columns: Any, found: Imputation) -> dict[str, list[Any]]:
    whole = {name: list(values) for name, values in columns.items()}
    for row, name, value in zip(found.rows.tolist(), found.features, found.values, strict=True):
        whole[name][row] = value
    return whole


def _imputed(filled: dict[str, list[Any]], most: int, output: str | None) -> str:
    from vicinal.cli.terminal import counted, terminal_table

    count = len(filled["row"])
    title = f"Filled {counted(count, 'cell')}" + (f"; wrote {output}." if output else ".")
    if output or not count:
        return title
    some = {name: values[:most] for name, values in filled.items()}
    more = f"\n… {count - most} more; -o FILE writes the filled table." if count > most else ""
    return f"{title}\n\n{terminal_table(some, gap='')}{more}"


@command(
    "drift",
    """
vicinal drift penguins.vicinal new.csv
vicinal drift last_year.csv this_year.csv --json
""",
)
@click.argument("paths", nargs=-1, metavar="MODEL ROWS")
@click.option(
    "--shuffles",
    default=999,
    show_default=True,
    type=click.IntRange(1),
    help="How often it is shuffled which rows are new.",
)
@_most
@model_options
@output_options
def drift(
    paths: tuple[str, ...],
    shuffles: int,
    most: int,
    output: str | None,
    output_format: str | None,
    as_json: bool,
    **rest: Any,
) -> None:
    """Say whether new rows differ from the cases, by how much, and in which features.

    P-values are exact: of unchanged data one table in twenty has a p-value below 0.05.
    """
    from vicinal.cli.sources import Options, split_paths
    from vicinal.exceptions import ParameterError

    if split_paths(paths, Options(**rest), rows=True)[1] is None:
        raise ParameterError("name the new rows too: a table after the model.")
    options, source, path = _prepared(paths, rest, output, as_json)
    model = source.model
    found = model.drift(options.read(path).rows(model.schema_, options.missing), shuffles=shuffles)
    listed = found.to_dict()["features"]
    names = ("feature", "gap", "p_own", "p_given_others", "p_adjusted", "change")
    columns = {name: [one[name] for one in listed] for name in names}
    if _keep(columns, output, output_format):
        result = {"changed": found.changed(), **found.to_dict(), "output": output}
        say(as_json, result, lambda: _drift_text(found, columns, most, output))


def _drift_text(found: Drift, columns: dict[str, list[Any]], most: int, output: str | None) -> str:
    from vicinal.cli.terminal import counted, terminal_table

    verdict = "The data have changed" if found.changed() else "No sign of change"
    some = {
        "feature": columns["feature"][:most],
        "p": columns["p_adjusted"][:most],
        "gap": columns["gap"][:most],
        "change": columns["change"][:most],
    }
    title = (
        f"{verdict}: p = {found.p_value:.2g}, amount {found.amount:.2g} of 1 "
        f"({counted(found.n_new, 'new row')}, {counted(found.n_stored, 'case')})"
    )
    if output:
        return f"{title}; wrote {output}."
    return f"{title}.\n\n{terminal_table(some)}{_and_more(most, len(found))}"
