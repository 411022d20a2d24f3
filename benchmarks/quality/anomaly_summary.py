"""The tables of a results file of the anomaly benchmark.

python -m benchmarks.quality.anomaly_summary results.csv [more.csv …] [--models a,b]
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import pandas as pd

from benchmarks.quality.markdown import table
from benchmarks.quality.published import anomaly_f1
from benchmarks.quality.summary import print_failures, ranks

SCORES = ["f1_fixed", "f1_calibrated", "auroc", "aupr"]
TIMES = ["fit_cpu_s", "score_cpu_s"]


def print_summary(paths: Sequence[Path], setting: str, models: Sequence[str] = ()) -> None:
    """Print the means for each group of data sets, and the paper's table."""
    rows = read(paths, models)
    rows = rows[rows["setting"] == setting]
    print_failures(rows[rows["error"].notna()])
    results = rows[rows["error"].isna()]
    if results.empty:
        print(f"no {setting} results in {', '.join(map(str, paths))}")
        return
    means = results.groupby(["group", "dataset", "model"])[SCORES + TIMES].mean()
    groups = sorted(set(results["group"]), reverse=True)
    for group in [*groups, None] if len(groups) > 1 else groups:
        print(_means(means if group is None else means.loc[[group]], setting, group or "all"))
    if "odds" in groups and setting == "one-class":
        print(_paper_table(means.loc["odds"]["f1_fixed"].unstack("model")))


def read(paths: Sequence[Path], models: Sequence[str] = ()) -> pd.DataFrame:
    """All lines of the files; the last line of a job counts."""
    rows = pd.concat([pd.read_csv(path) for path in paths], ignore_index=True)
    rows = rows.drop_duplicates(["dataset", "seed", "model", "setting"], keep="last")
    if models:
        rows = rows[[any(fnmatchcase(name, m) for m in models) for name in rows["model"]]]
    return rows


def _means(means: pd.DataFrame, setting: str, group: str) -> str:
    """Means over the data sets that every detector has, and a list of the others."""
    by_score = means.unstack("model")
    whole = by_score["auroc"].notna().all(axis=1)
    lines = [f"\n## anomalies, {setting}, {group}: {int(whole.sum())} data sets\n"]
    for (_, dataset), row in by_score["auroc"][~whole].iterrows():
        lacking = ", ".join(row.index[row.isna()])
        lines.append(f"not compared: {dataset}, not done by {lacking}\n")
    kept = by_score[whole]
    rank = {score: ranks(kept[score]) for score in ("auroc", "aupr")}
    body = [
        [model, *(float(kept[s][model].mean()) for s in SCORES), rank["auroc"][model],
         rank["aupr"][model], *(f"{kept[t][model].median():.3g}" for t in TIMES)]
        for model in kept["auroc"].mean().sort_values(ascending=False).index
    ]  # fmt: skip
    header = ["detector", *SCORES, "rank auroc", "rank aupr", "median fit s", "median score s"]
    return "\n".join([*lines, table(header, body), ""])


def _paper_table(f1: pd.DataFrame) -> str:
    """F1 at the fixed threshold with the paper's figure in brackets."""
    paper = pd.DataFrame(anomaly_f1()).T
    body = []
    for dataset, row in f1.iterrows():
        printed = paper.loc[dataset] if dataset in paper.index else {}
        body.append([dataset, *(_beside(row[model], printed.get(model)) for model in f1)])
    same = f1.index.intersection(paper.index)
    printed = paper.loc[same].mean()
    body.append(["mean", *(_beside(f1.loc[same, m].mean(), printed.get(m)) for m in f1)])
    title = "F1 at the fixed threshold (in brackets: as printed in the paper)"
    return f"\n## {title}\n\n{table(['data set', *f1.columns], body)}\n"


def _beside(ours: float, printed: float | None) -> str:
    text = "–" if pd.isna(ours) else f"{ours:.2f}"
    return text if printed is None or pd.isna(printed) else f"{text} ({printed:.2f})"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality.anomaly_summary")
    parser.add_argument("results", nargs="+", type=Path)
    parser.add_argument("--models", default="", help="names or globs, between commas")
    options = parser.parse_args(arguments)
    models = [name for name in options.models.split(",") if name]
    for setting in sorted(set(read(options.results)["setting"])):
        print_summary(options.results, setting, models)


if __name__ == "__main__":
    main()
