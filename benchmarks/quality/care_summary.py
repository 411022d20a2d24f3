"""The tables of a results file of the imputation or the audit benchmark.

python -m benchmarks.quality.care_summary results.csv [more.csv …]
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from scipy import stats

from benchmarks.quality.differences import TIE
from benchmarks.quality.markdown import table
from benchmarks.quality.ours import is_ours
from benchmarks.quality.summary import print_failures, ranks

KINDS = {"number_error": True, "category_error": True, "average_precision": False}


def print_summary(paths: Sequence[Path], scores: Sequence[str], *, lower_is_better: bool) -> None:
    """Print a table of means and one of duels for each score."""
    rows = pd.concat([pd.read_csv(path) for path in paths], ignore_index=True)
    rows["name"] = rows["dataset"].astype(str)
    if "task" in rows:
        rows["name"] += " " + rows["task"]
    rows = rows.drop_duplicates(["name", "seed", "model"], keep="last")
    print_failures(rows[rows["error"].notna()])
    results = rows[rows["error"].isna()]
    for score in scores:
        means = results.groupby(["name", "model"])[score].mean().unstack("model").dropna()
        if means.empty:
            print(f"no {score} that all models have")
            continue
        print(f"\n## {score.replace('_', ' ')}: {len(means)} tables\n")
        print(_means(means, results, lower_is_better), "\n")
        print(_duels(means, lower_is_better), "\n")


def _means(means: pd.DataFrame, results: pd.DataFrame, lower_is_better: bool) -> str:
    rank = ranks(means, ascending=lower_is_better)
    best = means.min(axis=1) if lower_is_better else means.max(axis=1)
    seconds = results[[c for c in results if c.endswith("cpu_s")]].sum(axis=1)
    median = seconds.groupby(results["model"]).median()
    lines = [
        [
            model,
            float(means[model].mean()),
            float(means[model].median()),
            f"{rank[model]:.2f}",
            int((means[model] - best).abs().le(TIE).sum()),
            f"{median[model]:.3g}",
        ]
        for model in means.mean().sort_values(ascending=lower_is_better).index
    ]
    header = ["model", "mean", "median", "mean rank", "times best", "median CPU s"]
    return table(header, lines)


def _duels(means: pd.DataFrame, lower_is_better: bool) -> str:
    focus = next(model for model in means if is_ours(model))
    lines = []
    for peer in means.columns.drop(focus):
        gap = means[focus] - means[peer] if not lower_is_better else means[peer] - means[focus]
        wins, losses = int((gap > TIE).sum()), int((gap < -TIE).sum())
        p = stats.wilcoxon(gap).pvalue if gap.abs().gt(0).any() else 1.0
        ties = len(gap) - wins - losses
        lines.append([peer, wins, ties, losses, float(gap.mean()), f"{p:.2g}"])
    return table([f"{focus} against", "wins", "ties", "losses", "mean gain", "Wilcoxon p"], lines)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality.care_summary")
    parser.add_argument("results", nargs="+", type=Path)
    options = parser.parse_args(arguments)
    header = pd.read_csv(options.results[0], nrows=0).columns
    for score, lower_is_better in KINDS.items():
        if score in header:
            print_summary(options.results, [score], lower_is_better=lower_is_better)


if __name__ == "__main__":
    main()
