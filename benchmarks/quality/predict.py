"""Classification and regression against the usual models.

    python -m benchmarks.quality.predict --data DIR --task classification --out results.csv

Reads any folder with an ``INDEX.tsv``, makes seeded 75/25 splits (stratified for classes),
writes one line per ``dataset, split, model`` and prints the summary. Started again with the
same ``--out`` it goes on where it stopped. ``--group real`` keeps to a group of tables,
``--seeds 0,1,2`` names the splits, ``--max-train 20000`` caps the training rows. Classifiers
with balanced classes run when they are named: ``--peers lightgbm-balanced``.
``--labeled-anomalies`` classifies the tables of the anomaly benchmark by their labels, which
prediction was not developed with.
``--paper`` follows the paper's protocol: 30 repetitions, at most 400,000 cells, the grids of
its appendix.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

from benchmarks.quality import ours
from benchmarks.quality.datasets import Dataset
from benchmarks.quality.fitting import TIMES
from benchmarks.quality.peers import BALANCED, PEERS
from benchmarks.quality.records import Records
from benchmarks.quality.runner import chosen_datasets, chosen_models, names, parser, run_all
from benchmarks.quality.scores import CLASSIFICATION, REGRESSION
from benchmarks.quality.summary import print_summary
from benchmarks.quality.trial import Trial, protocol

KEY = ("dataset", "split", "model")
SCORES = {"classification": CLASSIFICATION, "regression": REGRESSION}
PAPER_CELLS, PAPER_SPLITS, SPLITS = 400_000, 30, 3


def columns(task: str) -> tuple[str, ...]:
    """The header of a results file."""
    sizes = ("n_train", "n_test", "n_features")
    about = ("task", "group", "protocol", "version", "error")
    return (*KEY, *TIMES, *SCORES[task], *sizes, *about)


def trials(options: argparse.Namespace) -> list[Trial]:
    """Every job: data sets, the smallest first, then splits, then models."""
    packages = {name: peer.package for name, peer in PEERS.items()}
    more = BALANCED if options.task == "classification" else {}
    more = {name: peer.package for name, peer in more.items()}
    models = chosen_models(options, packages, more)
    for name in filter(ours.is_ours, models):
        ours.parameters(name)
    return [
        Trial(dataset, split, model, options.threads, options.paper, options.max_train)
        for dataset in _tables(options)
        for split in options.seeds
        for model in models
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parse(arguments)
    jobs = trials(options)
    records = Records(options.out, columns(options.task), KEY)
    _check_protocol(records, protocol(paper=options.paper, max_train=options.max_train))
    try:
        run_all(jobs, records, options, SCORES[options.task][0])
    except KeyboardInterrupt:
        print(f"\nstopped; the same command goes on from {options.out}")
        return
    if records.rows:
        print_summary([options.out], options.task)


def _tables(options: argparse.Namespace) -> list[Dataset]:
    if not options.labeled_anomalies:
        return chosen_datasets(options, options.task)
    return [replace(dataset, task=options.task) for dataset in chosen_datasets(options, "anomaly")]


def _check_protocol(records: Records, expected: str) -> None:
    others = {row["protocol"] for row in records.rows.values()} - {expected}
    if others:
        raise SystemExit(
            f"{records.path} holds the protocol {others.pop()!r}; "
            f"expected {expected!r}: choose another --out"
        )


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    made = parser("predict", __doc__.split("\n\n")[0], models=ours.NAMED, peers=PEERS)
    made.add_argument("--task", choices=list(SCORES), required=True)
    made.add_argument("--splits", type=int, help="how many; default 3, 30 with --paper")
    made.add_argument("--seeds", default="", help="numbers of the splits, instead of --splits")
    made.add_argument("--max-train", type=int, help="fit on a sample of at most so many rows")
    made.add_argument("--paper", action="store_true", help="the paper's protocol")
    made.add_argument(
        "--labeled-anomalies", action="store_true", help="classify the tables of anomalies"
    )
    options = made.parse_args(arguments)
    if options.labeled_anomalies and options.task != "classification":
        made.error("--labeled-anomalies needs --task classification: anomalies are classes")
    splits = options.splits or (PAPER_SPLITS if options.paper else SPLITS)
    options.seeds = [int(seed) for seed in names(options.seeds)] or list(range(splits))
    if options.paper and options.max_cells is None:
        options.max_cells = PAPER_CELLS
    return options


if __name__ == "__main__":
    main()
