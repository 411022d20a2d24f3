"""Running the jobs of a benchmark: resume, time limit, progress. Shared by the commands."""

from __future__ import annotations

import argparse
import time
from collections.abc import Collection, Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Protocol

from benchmarks.quality import ours
from benchmarks.quality.datasets import Dataset, folder, of_groups, read_index, select
from benchmarks.quality.records import Records
from benchmarks.quality.worker import JobError, OverTime, Worker


class Job(Protocol):
    """Something to run and to write down: a model on a part of a data set."""

    def about(self) -> dict[str, object]:
        """The columns that name the job."""

    def run(self) -> dict[str, object]:
        """The columns that are measured; called in the worker."""


def run_all(
    jobs: Sequence[Job], records: Records, options: argparse.Namespace, score: str
) -> None:
    """Run what the file does not have yet, and say how it goes."""
    todo = [job for job in jobs if _is_due(job, records, retry=options.retry_failed)]
    print(f"{len(jobs)} jobs, {len(jobs) - len(todo)} already in {records.path}", flush=True)
    start = time.perf_counter()
    too_slow: set[tuple[object, object]] = set()
    with Worker(options.threads) as worker:
        for number, job in enumerate(todo, 1):
            row = _run(job, worker, too_slow, options)
            records.append(row)
            elapsed = time.perf_counter() - start
            print(_progress(number, len(todo), row, elapsed, score), flush=True)


def _is_due(job: Job, records: Records, *, retry: bool) -> bool:
    about = job.about()
    row = records.get([about[column] for column in records.key])
    return row is None or (retry and bool(row["error"]))


def _run(
    job: Job, worker: Worker, too_slow: set[tuple[object, object]], options: argparse.Namespace
) -> dict[str, object]:
    about = job.about()
    pair = about["dataset"], about["model"]
    if pair in too_slow:
        return about | {"error": "OverTime: in an earlier repetition of this run"}
    try:
        limits = {"limit": options.time_limit, "cpu_limit": options.cpu_limit}
        return about | worker.run(job.run, **limits)
    except JobError as error:
        if isinstance(error, OverTime):
            too_slow.add(pair)
        return about | {"error": str(error)}


def _progress(number: int, total: int, row: dict[str, Any], elapsed: float, score: str) -> str:
    left = elapsed / number * (total - number)
    repetition = row.get("split", row.get("seed"))
    where = f"[{number}/{total}, {elapsed:.0f} s, about {left:.0f} s left]"
    what = f"{where} {row['dataset']} {repetition} {row['model']}:"
    if row.get("error"):
        return f"{what} FAILED {row['error']}"
    seconds = sum(value for key, value in row.items() if key.endswith("_s") and "cpu" not in key)
    return f"{what} {score} {row[score]:.4f} in {seconds:.2f} s"


def chosen_datasets(options: argparse.Namespace, task: str | None) -> list[Dataset]:
    """The data sets that the options ask for, the smallest first."""
    found = of_groups(read_index(folder(options.data), task), names(options.group))
    found = select(found, names(options.only))
    most = options.max_cells
    return [dataset for dataset in found if most is None or dataset.cells <= most]


def chosen_models(
    options: argparse.Namespace, peers: dict[str, str], more: dict[str, str] | None = None
) -> list[str]:
    """Our models and the peers that can run here; a note for each one that cannot.

    Parameters
    ----------
    options
        With ``models`` and ``peers``.
    peers
        The distribution each peer comes from, by its name.
    more
        The same of peers that only run when they are named.
    """
    own = [] if options.models == "none" else names(options.models)
    if own and not ours.installed():
        print("note: vicinal is not importable here, so only peers run")
        own = []
    asked = {"all": list(peers), "none": []}.get(options.peers, names(options.peers))
    peers = peers | (more or {})
    unknown = [name for name in asked if name not in peers]
    if unknown:
        raise SystemExit(
            f"unknown peers {', '.join(unknown)}; expected some of {', '.join(peers)}"
        )
    missing = [name for name in asked if not installed_version(peers[name])]
    for name in missing:
        print(f"note: {name} is skipped, {peers[name]} is not installed")
    return own + [name for name in asked if name not in missing]


def installed_version(distribution: str) -> str:
    """The version of a distribution; empty when it is not installed."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return ""


def names(text: str) -> list[str]:
    """Names between commas, except those inside brackets.

    Examples
    --------
    >>> names("vicinal[p=0,k=5],vicinal-irw")
    ['vicinal[p=0,k=5]', 'vicinal-irw']
    """
    found, depth = [""], 0
    for letter in text:
        depth += (letter == "[") - (letter == "]")
        if letter == "," and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return [name.strip() for name in found if name.strip()]


def parser(
    command: str, description: str, *, models: Iterable[str], peers: Collection[str]
) -> argparse.ArgumentParser:
    """The options that every quality benchmark has."""
    made = argparse.ArgumentParser(
        prog=f"python -m benchmarks.quality.{command}", description=description
    )
    add = made.add_argument
    add("--data", help="folder with an INDEX.tsv (default: VICINAL_DATA)")
    add("--out", type=Path, required=True, help="results, one line per job; resumed if it exists")
    add("--peers", default="all", help=f"all, none, or some of {','.join(peers)}")
    add("--models", default=",".join(models), help="none, or models of this package")
    add("--only", default="", help="names or globs of data sets, between commas")
    add("--group", default="", help="groups of data sets, between commas")
    add("--max-cells", type=float, help="leave out data sets with more rows x columns")
    add("--time-limit", type=float, help="seconds for one job; a longer one is ended")
    add("--cpu-limit", type=float, help="the same in seconds of the processor")
    add("--threads", type=int, default=1, help="threads every model may use (default 1)")
    add("--retry-failed", action="store_true", help="run failed jobs of the file again")
    return made
