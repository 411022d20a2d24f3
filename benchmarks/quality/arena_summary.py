"""The tables of a results file of ``tabarena``, beside the published methods.

A method that has no published error for a table gets that of the random forest there, as
TabArena does it; its name is marked with ``*``.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.quality.elo import ANCHOR, elo
from benchmarks.quality.markdown import table
from benchmarks.quality.summary import print_failures

YARDSTICK = "CAT (default)"
DEFAULT = "(default)"


def print_summary(rows: pd.DataFrame, published: pd.DataFrame) -> None:
    """Print the errors of each model by table, and the Elo ratings.

    Parameters
    ----------
    rows
        Lines of a results file: dataset, model, seed, metric_error and error.
    published
        Published errors, a row for each table and a column for each method.
    """
    failed = rows["error"].fillna("").astype(str) != ""
    print_failures(rows[failed])
    results = rows[~failed].astype({"metric_error": float})
    errors = results.pivot_table(index="dataset", columns="model", values="metric_error")
    seeds = results.groupby(["model", "dataset"])["seed"].nunique()
    for model in errors:
        n_tables = errors[model].notna().sum()
        print(f"\n## {model}: {n_tables} tables, seeds of each: {_span(seeds[model])}\n")
        print(_by_table(errors[model].dropna(), results, published))
    _print_ratings(errors, published)


def _span(counts: pd.Series) -> str:
    return f"{counts.min()}" if counts.min() == counts.max() else f"{counts.min()}–{counts.max()}"


def _by_table(mine: pd.Series, results: pd.DataFrame, published: pd.DataFrame) -> str:
    theirs = published.loc[mine.index]
    defaults = theirs[[method for method in theirs if method.endswith(DEFAULT)]]
    ratio = mine / theirs[YARDSTICK]
    times = ["fit_cpu_s", "predict_cpu_s"]
    own = results[results["model"] == mine.name].astype(dict.fromkeys(times, float))
    seconds = own.groupby("dataset")[times].mean()
    metrics = own.groupby("dataset")["metric"].first()
    lines = []
    for name in mine.index:
        others = defaults.loc[name].dropna()
        rank = 1 + (others < mine[name]).sum() + (others == mine[name]).sum() / 2
        lines.append(
            [
                *(name, metrics[name], f"{mine[name]:.5g}", f"{theirs.loc[name, YARDSTICK]:.5g}"),
                *(float(ratio[name]), f"{rank:g} of {len(others) + 1}"),
                *(f"{value:.2f}" for value in seconds.loc[name]),
            ]
        )
    mean = float(np.exp(np.log(ratio).mean()))
    lines.append(["geometric mean", "", "", "", mean, "", "", ""])
    header = ["table", "metric", "error", YARDSTICK, "÷ it", "rank among defaults"]
    return table([*header, "fit CPU s", "predict CPU s"], lines)


def _print_ratings(errors: pd.DataFrame, published: pd.DataFrame) -> None:
    complete = errors.dropna()
    if complete.empty:
        print("\nno table that all models have, so no ratings")
        return
    theirs = published.loc[complete.index]
    imputed = theirs.apply(lambda column: column.fillna(theirs[ANCHOR]))
    imputed.columns = [m + "*" if theirs[m].isna().any() else m for m in theirs]
    defaults = [name for name in imputed if name.rstrip("*").endswith(DEFAULT)]
    own = list(complete)
    for what, methods in (("all methods", list(imputed)), ("defaults only", defaults)):
        print(f"\n## Elo, {what}: {len(complete)} tables, {len(methods)} published methods\n")
        print(_ratings(pd.concat([imputed[methods], complete], axis=1), own))
    if theirs.isna().to_numpy().any():
        print(f"\n* not published for all of these tables; there it has the error of {ANCHOR}")


def _ratings(errors: pd.DataFrame, own: list[str]) -> str:
    rated = elo(errors)
    ranks = errors.rank(axis=1).mean()
    lines = [
        [
            f"**{name}**" if name in own else name,
            *(f"{row['elo']:.0f}", f"{row['low']:.0f} to {row['high']:.0f}"),
            *(float(row["wins"]), f"{ranks[name]:.1f}"),
        ]
        for name, row in rated.iterrows()
    ]
    numbered = [[f"{place}. {line[0]}", *line[1:]] for place, line in enumerate(lines, 1)]
    return table(["method", "Elo", "95 % interval", "share of wins", "mean rank"], numbered)
