"""The tables of a results file of the prediction benchmark.

    python -m benchmarks.quality.summary results.csv [more.csv …] [--models a,b] [--each]

Models are compared only where all of them have results; what is missing is listed. Scores
are averaged over the splits of a data set first, then over data sets; so are the differences
between our models and each other one, whose standard errors are over data sets.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import pandas as pd

from benchmarks.quality.differences import differences, mean_ranks
from benchmarks.quality.markdown import table
from benchmarks.quality.ours import is_ours

SHOWN = {
    "classification": ("accuracy", "balanced_accuracy", "mcc", "auc", "log_loss"),
    "regression": ("r2_clipped", "mae_relative", "rmse_relative", "spearman"),
}
LOWER_IS_BETTER = ("log_loss", "mae_relative", "rmse_relative")


def print_summary(
    paths: Sequence[Path], task: str, *, models: Sequence[str] = (), each: bool = False
) -> None:
    """Print every table; ``each`` adds the one with a line per data set."""
    rows = read(paths, models)
    results = rows[(rows["task"] == task) & rows["error"].isna()]
    failures = rows[(rows["task"] == task) & rows["error"].notna()]
    if results.empty:
        print(f"no {task} results in {', '.join(map(str, paths))}")
        return
    common = shared(results)
    _print_missing(results, failures, common)
    if common.empty:
        return
    # Files of earlier versions have no AUC.
    shown = [score for score in SHOWN[task] if score in common]
    scores = common.groupby(["dataset", "model"])[shown].mean()
    main_score = scores[shown[0]].unstack("model")
    _heading(task, common)
    print(_means(scores, main_score), "\n")
    print(mean_ranks(scores, LOWER_IS_BETTER), "\n")
    print("Mean difference ± standard error (wins–ties–losses); positive: the first is better.\n")
    for focus in _focus(main_score):
        print(differences(scores, focus, LOWER_IS_BETTER), "\n")
    print(_times(common, _focus(main_score)[0]), "\n")
    if each:
        print(_each(main_score))


def read(paths: Sequence[Path], models: Sequence[str] = ()) -> pd.DataFrame:
    """All lines of the files; the last line of a job counts."""
    rows = pd.concat([pd.read_csv(path) for path in paths], ignore_index=True)
    rows = rows.drop_duplicates(["dataset", "split", "model"], keep="last")
    if models:
        rows = rows[[any(fnmatchcase(name, m) for m in models) for name in rows["model"]]]
    if "r2" in rows:
        rows["r2_clipped"] = rows["r2"].clip(lower=-1)
        rows["mae_relative"] = rows["mae"] / rows["baseline_mae"]
        rows["rmse_relative"] = rows["rmse"] / rows["baseline_rmse"]
    return rows


def shared(results: pd.DataFrame) -> pd.DataFrame:
    """The lines of those splits that every model has."""
    have = results.groupby(["dataset", "split"])["model"].transform("nunique")
    return results[have == results["model"].nunique()]


def ranks(main_score: pd.DataFrame, *, ascending: bool = False) -> pd.Series:
    """Mean rank of each model over data sets; 1 is best, equals share a rank."""
    return main_score.round(6).rank(axis=1, ascending=ascending).mean()


def _print_missing(results: pd.DataFrame, failures: pd.DataFrame, common: pd.DataFrame) -> None:
    print_failures(failures)
    every, kept = set(results["dataset"]), set(common["dataset"])
    if every - kept:
        print(f"not compared, {len(every - kept)} of {len(every)} data sets:")
    for model in sorted(set(results["model"])):
        lacking = sorted(every - set(results.loc[results["model"] == model, "dataset"]))
        if lacking:
            print(f"  {model} has no result for {_few(lacking)}")


def print_failures(failures: pd.DataFrame) -> None:
    """One line for each model and error, with the data sets it happened on."""
    for (model, error), rows in failures.groupby(["model", "error"]):
        print(f"failed: {model} on {_few(sorted(set(rows['dataset'])))}: {error}")


def _few(found: Sequence[str], most: int = 12) -> str:
    more = f" and {len(found) - most} more" if len(found) > most else ""
    return ", ".join(found[:most]) + more


def _heading(task: str, common: pd.DataFrame) -> None:
    counts = common.groupby("dataset")["split"].nunique()
    splits = (
        f"{counts.min()}" if counts.min() == counts.max() else f"{counts.min()}–{counts.max()}"
    )
    print(f"\n## {task}: {len(counts)} data sets, {splits} splits each\n")


def _means(scores: pd.DataFrame, main_score: pd.DataFrame) -> str:
    means = scores.groupby("model").mean()
    rank = ranks(main_score)
    best = main_score.round(6).eq(main_score.round(6).max(axis=1), axis=0).sum()
    means = means.sort_values(scores.columns[0], ascending=False)
    lines = [
        [model, *map(float, values), f"{rank[model]:.2f}", int(best[model])]
        for model, values in zip(means.index, means.to_numpy(), strict=True)
    ]
    names = [n + (" ↓" if n in LOWER_IS_BETTER else "") for n in scores]
    return table(["model", *names, "mean rank", "times best"], lines)


def _focus(main_score: pd.DataFrame) -> list[str]:
    """The models to look at closely: ours, or without them the best one."""
    own = [model for model in main_score if is_ours(model)]
    return own or [main_score.mean().idxmax()]


def _times(common: pd.DataFrame, focus: str) -> str:
    """Processor seconds: on a shared machine the clock on the wall says little."""
    columns = ["fit_cpu_s", "predict_cpu_s"]
    seconds = common.groupby(["dataset", "model"])[columns].mean().unstack("model")
    lines = []
    for model in common["model"].unique():
        line: list[object] = [model]
        for column in columns:
            mine, its = seconds[column][focus], seconds[column][model]
            line += [f"{its.median():.3g}", f"{(mine / its.clip(lower=1e-6)).median():.3g}"]
        lines.append(line)
    ratio = f"{focus} ÷ it"
    header = ["model", "median fit s", f"fit, {ratio}", "median predict s", f"predict, {ratio}"]
    return table(header, lines)


def _each(main_score: pd.DataFrame) -> str:
    order = main_score.mean().sort_values(ascending=False).index
    lines = [[name, *map(float, row)] for name, row in main_score[order].iterrows()]
    return table(["data set", *order], lines)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality.summary")
    parser.add_argument("results", nargs="+", type=Path)
    parser.add_argument("--models", default="", help="names or globs, between commas")
    parser.add_argument("--each", action="store_true", help="a line per data set too")
    options = parser.parse_args(arguments)
    models = [name for name in options.models.split(",") if name]
    for task in sorted(set(read(options.results)["task"])):
        print_summary(options.results, task, models=models, each=options.each)


if __name__ == "__main__":
    main()
