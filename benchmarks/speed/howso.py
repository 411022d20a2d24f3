"""Fit and predict beside Howso Engine, on two tables of scikit-learn.

``python -m benchmarks.speed.howso --help`` lists the options. The goal: 300 times less processor
time than Howso Engine's train, analyze and react, at no lower accuracy, on breast_cancer and on
digits (75/25, seed 0). Howso Engine wants an environment of its own (howso-engine 64.0.4 with
amalgam-lang 34.2.6 runs on glibc 2.36) and takes minutes; where it cannot be imported, or with
``--without-howso``, its figures are those that this command measured before.

``vicinal`` is the default; the other line is the paper's own method (``weighting="irw"``), which
Howso Engine is built on, too. Ours are the medians of many repetitions after a first fit, since a
shared machine is faster and slower for seconds at a time; all on one thread.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.model_selection import train_test_split

from benchmarks.quality.stopwatch import timed
from benchmarks.speed import report

TABLES: dict[str, Callable[..., Any]] = {
    "breast_cancer": load_breast_cancer,
    "digits": load_digits,
}
OURS: dict[str, dict[str, str]] = {"vicinal": {}, "vicinal, irw": {"weighting": "irw"}}
#: Processor seconds and accuracy of howso-engine 64.0.4, one thread.
RECORDED = {"breast_cancer": (46.6, 0.965), "digits": (112.0, 0.9889)}
FASTER = 300.0


def run(make: Callable[[], Any], split: list[np.ndarray]) -> tuple[float, float]:
    """Processor seconds of fit and predict, and the accuracy."""
    train, test, labels, truth = split

    def fit_and_predict() -> np.ndarray:
        model = make().fit(train, labels)
        answers = model.predict(test)
        getattr(model, "close", lambda: None)()
        return np.asarray(answers)

    answers, _, cpu = timed(fit_and_predict)
    return cpu, float(np.mean(answers.astype(truth.dtype) == truth))


def ours(split: list[np.ndarray], settings: dict[str, str], repeats: int) -> tuple[float, float]:
    from vicinal import VicinalClassifier

    runs = [run(lambda: VicinalClassifier(n_jobs=1, **settings), split) for _ in range(repeats)]
    return float(np.median([cpu for cpu, _ in runs])), runs[0][1]


def howso(split: list[np.ndarray]) -> tuple[float, float]:
    from benchmarks.quality.howso_peer import HowsoModel

    return run(lambda: HowsoModel("classification"), split)


def main(arguments: list[str] | None = None) -> int:
    warnings.filterwarnings("ignore")
    options = _parser().parse_args(arguments)
    beside = bool(find_spec("howso")) and not options.without_howso
    rows, results, held = [], {}, []
    for name, load in TABLES.items():
        split = train_test_split(*load(return_X_y=True), random_state=0)
        ours(split, {}, 1)
        peer = howso(split) if beside else RECORDED[name]
        measured = {one: ours(split, settings, options.repeats) for one, settings in OURS.items()}
        results[name] = {"howso": peer, **measured}
        label = "howso" if beside else "howso, recorded"
        rows.append([name, label, report.number(peer[0]), f"{peer[1]:.3f}", "1"])
        for one, (seconds, accuracy) in measured.items():
            times = peer[0] / seconds
            cells = [report.number(seconds), f"{accuracy:.3f}", f"{times:.0f}"]
            rows.append([name, one, *cells])
            if one == "vicinal":
                held.append(times >= FASTER and accuracy >= peer[1])
    print(report.table(["table", "model", "cpu s", "accuracy", "times faster"], rows))
    for name, holds in zip(TABLES, held, strict=True):
        what = f"{name}: {FASTER:g} times faster at no lower accuracy"
        print(f"{what}: {'PASS' if holds else 'FAIL'}")
    if options.json:
        report.save(options.json, {"machine": report.machine(), "results": results})
    return 0 if all(held) else 1


def _parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.howso", description=__doc__.splitlines()[0]
    )
    add = options.add_argument
    add("--repeats", type=int, default=41, help="fits of ours, of which the median counts (41)")
    add("--without-howso", action="store_true", help="compare with the recorded figures")
    add("--json", type=Path, metavar="FILE", help="write the results")
    return options


if __name__ == "__main__":
    sys.exit(main())
