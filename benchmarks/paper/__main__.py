"""The paper's experiments, with its printed figures beside ours.

    python -m benchmarks.paper --data DIR --out FOLDER

Runs the presets ``paper`` and ``mda`` on the PMLB tables with at most 400,000 cells, and the
paper's detectors on the ODDS tables, the smallest tables first; takes all other models from
`docs/benchmarks`, which has them on the same splits. Prints the paper's three tables and draws its
figure. Started again with the same ``--out`` it goes on where it stopped; ``--show`` prints what
there is. ``--sample 8`` takes every eighth table, for a quick look.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.paper.figure import draw
from benchmarks.paper.jobs import KEY as TRIAL_KEY
from benchmarks.paper.jobs import SCORES, Trial, columns
from benchmarks.paper.tables import DETECTORS, anomaly_table, prediction_table
from benchmarks.quality.anomaly import COLUMNS, Hunt
from benchmarks.quality.anomaly import KEY as HUNT_KEY
from benchmarks.quality.datasets import Dataset, folder, of_groups, read_index
from benchmarks.quality.records import Records
from benchmarks.quality.runner import names, run_all

MOST_CELLS = 400_000
PARTS = ("figure", "anomaly", "regression", "classification")


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parse(arguments)
    if not options.show:
        try:
            for part in options.parts:
                _run(part, options)
        except KeyboardInterrupt:
            print(f"\nstopped; the same command goes on from {options.out}")
    for part in reversed(options.parts):
        if part == "figure":
            for name, figures in draw(options.out / "figure.svg").items():
                print(f"{name}: {', '.join(f'{k} {v:.3g}' for k, v in figures.items())}")
        elif part == "anomaly":
            print(anomaly_table(options.out / "anomaly.csv"))
        else:
            print(prediction_table(part, options.out / f"{part}.csv"))


def _run(part: str, options: argparse.Namespace) -> None:
    path = options.out / f"{part}.csv"
    if part in SCORES:
        trials = [
            Trial(dataset, seed, model, options.threads)
            for seed in options.seeds
            for dataset in _datasets(part, "pmlb", options)
            for model in names(options.models)
        ]
        run_all(trials, Records(path, columns(part), TRIAL_KEY), options, SCORES[part][0])
    elif part == "anomaly":
        hunts = [
            Hunt(dataset, seed, written, "one-class", options.threads)
            for seed in options.seeds
            for dataset in _datasets(part, "odds", options)
            for written, _ in DETECTORS.values()
        ]
        run_all(hunts, Records(path, COLUMNS, HUNT_KEY), options, "f1_fixed")


def _datasets(task: str, group: str, options: argparse.Namespace) -> list[Dataset]:
    """The tables of a part, the smallest first."""
    found = of_groups(read_index(folder(options.data), task), [group])
    most = MOST_CELLS if task in SCORES else float("inf")
    return [one for one in found if one.cells <= most][:: options.sample]


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.paper", description=__doc__.split("\n\n")[0]
    )
    add = made.add_argument
    add("--data", help="folder with an INDEX.tsv (default: VICINAL_DATA)")
    add("--out", type=Path, default=Path("build/paper"), help="results; resumed if they exist")
    add("--parts", default=",".join(PARTS), help="which experiments, between commas")
    add("--models", default="vicinal-paper,vicinal-mda", help="models to run, ours or peers")
    add("--seeds", default="0", help="numbers of the splits, between commas")
    add("--sample", type=int, default=1, help="take every n-th table only")
    add("--show", action="store_true", help="only print what there is")
    add("--threads", type=int, default=1, help="threads every model may use (default 1)")
    add("--time-limit", type=float, help="seconds for one job; a longer one is ended")
    add("--cpu-limit", type=float, help="the same in seconds of the processor")
    add("--retry-failed", action="store_true", help="run failed jobs of the files again")
    options = made.parse_args(arguments)
    options.parts = names(options.parts)
    unknown = [part for part in options.parts if part not in PARTS]
    if unknown:
        made.error(f"unknown parts {', '.join(unknown)}; expected some of {', '.join(PARTS)}")
    options.seeds = [int(seed) for seed in names(options.seeds)]
    return options


if __name__ == "__main__":
    main()
