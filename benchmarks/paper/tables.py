"""The paper's three tables, measured on the splits that all models have, beside what it prints."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.paper import printed
from benchmarks.paper.jobs import KEY, SCORES
from benchmarks.quality.markdown import table
from benchmarks.quality.published import anomaly_f1

#: Results of the usual benchmark on the same splits.
PUBLISHED = Path(__file__).parents[2] / "docs" / "benchmarks"
PRINTED = {"classification": printed.CLASSIFICATION, "regression": printed.REGRESSION}
NAMES = {
    "vicinal-paper": 'weighting="paper"',
    "vicinal-mda": 'weighting="mda"',
    "vicinal-irw": 'weighting="irw"',
    "vicinal": "our default",
    "knn": "k-NN, tuned",
    "gradient_boosting": "gradient boosting",
    "linear": "linear",
    "mlp": "neural network",
    "random_forest": "random forest",
    "lightgbm": "LightGBM",
}
HEADERS = {
    "classification": ("accuracy", "precision", "recall", "MCC"),
    "regression": ("R²", "MAE ÷ mean's", "MSE ÷ mean's", "Spearman"),
}
#: Detectors as the paper describes them, and as they are by default.
AS_WRITTEN = "terms=full,n_neighbors=10,n_reference=10,prior=0,rank_decay=0,robust=False,p=0"
DETECTORS = {
    "familiarity": (f"vicinal[conviction=familiarity,{AS_WRITTEN}]", "vicinal-familiarity"),
    "similarity": (f"vicinal[{AS_WRITTEN}]", "vicinal"),
}


def prediction_table(task: str, own: Path) -> str:
    """Means over tables and splits, with the paired difference to tuned k-NN."""
    results = _read([PUBLISHED / f"{task}.csv", own], KEY)
    if task == "regression":
        results = _in_units_of_the_mean(results)
    first, wanted = SCORES[task][0], [name for name in NAMES if name in set(results["model"])]
    whole = results.pivot_table(index=["dataset", "split"], columns="model", values=first)
    whole = whole[wanted].dropna()
    counted = whole.index.get_level_values("dataset").nunique()
    lines = [f"\n## {task.capitalize()}: {counted} tables, {len(whole)} splits\n"]
    body: list[list[object]] = [
        [f"paper: {name}", *map(float, _in_paper_units(task, figures)), None]
        for name, figures in PRINTED[task].items()
    ]
    by_table = whole.groupby("dataset").mean()
    for model in wanted:
        kept = results[results["model"] == model].set_index(["dataset", "split"]).loc[whole.index]
        means = kept.groupby("dataset")[list(SCORES[task])].mean()
        gap = by_table[model] - by_table["knn"]
        error = gap.std(ddof=1) / np.sqrt(len(gap))
        beside = None if model == "knn" else f"{gap.mean():+.3f} ± {error:.3f}"
        body.append([NAMES[model], *map(float, means.mean(skipna=False)), beside])
    return "\n".join([*lines, table(["model", *HEADERS[task], "− k-NN"], body), ""])


def _in_units_of_the_mean(results: pd.DataFrame) -> pd.DataFrame:
    """Divide errors by those of always predicting the mean: units of targets differ."""
    base = results.groupby(["dataset", "split"])[["baseline_mae", "baseline_rmse"]].first()
    pairs = pd.MultiIndex.from_frame(results[["dataset", "split"]])
    base = base.reindex(pairs).reset_index(drop=True)
    mse = results["mse"].fillna(results["rmse"] ** 2)
    mae = results["mae"] / base["baseline_mae"]
    return results.assign(mae=mae, mse=mse / base["baseline_rmse"] ** 2)


def _in_paper_units(task: str, figures: Sequence[float]) -> list[float]:
    """Leave out the paper's errors, whose unit it does not say."""
    unknown = {"regression": {1, 2}, "classification": set()}[task]
    return [np.nan if at in unknown else value for at, value in enumerate(figures)]


def anomaly_table(own: Path) -> str:
    """F1 at the threshold 0.7, table by table: as printed, as written, and our default."""
    rows = _read([PUBLISHED / "anomaly-one-class.csv", own], ("dataset", "seed", "model"))
    rows = rows[rows["group"] == "odds"]
    f1 = rows.groupby(["dataset", "model"])["f1_fixed"].mean().unstack("model")
    paper = pd.DataFrame(anomaly_f1()).T
    wanted = [name for written, default in DETECTORS.values() for name in (written, default)]
    missing = [name for name in wanted if name not in f1]
    if missing:
        return f"\n## Anomalies\n\nno results of {', '.join(missing)}\n"
    done = f1[wanted].dropna().index.intersection(paper.index)
    header = ["data set"]
    for kind in DETECTORS:
        header += [f"{kind}: paper", "as written", "default"]

    def line(name: str, some: pd.Index) -> list[object]:
        cells: list[object] = [name]
        for written, default in DETECTORS.values():
            cells += [float(paper.loc[some, default].mean())]
            cells += [float(f1.loc[some, one].mean()) for one in (written, default)]
        return cells

    body = [line(name, pd.Index([name])) for name in done] + [line("mean", done)]
    title = f"\n## Anomalies: F1 at conviction 0.7 on {len(done)} ODDS tables\n"
    return "\n".join([title, table(header, body), ""])


def _read(paths: Sequence[Path], key: Sequence[str]) -> pd.DataFrame:
    """All results without an error; the last line of a job counts."""
    found = pd.concat([pd.read_csv(path) for path in paths if path.exists()], ignore_index=True)
    found = found.drop_duplicates(list(key), keep="last")
    return found[found["error"].isna()].reset_index(drop=True)
