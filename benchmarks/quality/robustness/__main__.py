"""Run parts of the study of robustness; see the package.

    python -m benchmarks.quality.robustness --data DIR --out DIR [--parts noise,foreign]

A part goes on where its file in ``--out`` ends.
"""

from __future__ import annotations

import argparse
import importlib
import os
from collections.abc import Sequence
from pathlib import Path

PARTS = ("certificates", "noise", "abstention", "budgets", "foreign", "thresholds")
MODELS = ("vicinal", "random_forest", "lightgbm", "catboost", "mlp", "linear", "knn")


def options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.quality.robustness", description=__doc__.split("\n")[0]
    )
    made.add_argument("--data", help="folder with INDEX.tsv; by default that of VICINAL_DATA")
    made.add_argument("--out", type=Path, default=Path("build/robustness"), help="folder")
    made.add_argument("--parts", type=_names, default=list(PARTS), help="with commas")
    made.add_argument("--only", type=_names, help="data sets, with commas")
    made.add_argument("--models", type=_names, default=list(MODELS), help="with commas")
    made.add_argument("--seeds", type=_numbers, default=[0, 1], help="of splits, with commas")
    made.add_argument("--rows", type=int, default=5, help="rows certified of each data set")
    made.add_argument("--attacks", type=int, default=60, help="attacks on each certificate")
    made.add_argument("--slow-rows", type=int, default=8, help="budgets: rows for HopSkipJump")
    made.add_argument("--art", action="store_true", help="certificates: more attacks")
    made.add_argument("--boxes", type=int, help="certificates: boxes of changes, at most")
    made.add_argument(
        "--certified",
        type=_names,
        default=["default", "steps", "probability"],
        help="certificates: default, steps or probability, with commas",
    )
    made.add_argument("--max-rows", type=int, default=400, help="certificates: training rows")
    return made.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    given = options(arguments)
    unknown = set(given.parts) - set(PARTS)
    if unknown:
        raise SystemExit(f"--parts {', '.join(sorted(unknown))}: expected {', '.join(PARTS)}")
    # Processor time is reported, and threads that wait for small products use it up.
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    for name in given.parts:
        print(f"## {name.capitalize()}\n", flush=True)
        importlib.import_module(f"{__package__}.{name}").run(given)


def _names(text: str) -> list[str]:
    return text.split(",")


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


if __name__ == "__main__":
    main()
