"""Digests of every public answer on thirty tables, to show that a change of code changes none.

Record the answers of one revision, then compare those of another one on the same machine::

    python -m benchmarks.digests --out before.json        # in a checkout of the old revision
    python -m benchmarks.digests --against before.json    # in a checkout of the new one

The second prints each answer that differs, a summary, and exits with 1 if any does. Copy the
``benchmarks/digest*.py`` files of the new revision into the old checkout if that has none. Where
names have changed, `RENAMED` and `WORDS` at the top of ``digest_values.py`` say so; nothing else
has to be edited.

To see what differs, save the plain values in both checkouts and compare the folders::

    python -m benchmarks.digests --tables 3,7 --questions predict,explain --dump old
    diff -r old new

What counts: numbers to the last bit, shapes and types of arrays, features, categories, case
numbers, and words such as "outlier". What does not: names of fields, prose (texts with spaces that
are no category or feature), and messages of errors, of which only the class is kept.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.digest_estimators import ESTIMATORS
from benchmarks.digest_questions import HERE, QUESTIONS, Variants
from benchmarks.digest_shards import in_shards
from benchmarks.digest_subject import Subject
from benchmarks.digest_tables import TABLES
from benchmarks.digest_values import Named, digest, plain, word

#: Answers by table, question and variant.
Digests = dict[str, dict[str, dict[str, str]]]


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    warnings.simplefilter("ignore")
    tables = _chosen(options.tables, list(TABLES), "table")
    questions = _chosen(options.questions, [*QUESTIONS, *ESTIMATORS], "question")
    start, found = time.perf_counter(), {}
    for name in tables:
        began = time.perf_counter()
        found[name] = answers(
            name, questions, options.jobs, options.dump, slow=options.slow, shards=options.shards
        )
        count = sum(map(len, found[name].values()))
        place, spent = list(TABLES).index(name) + 1, time.perf_counter() - began
        print(f"{place:2} {name}: {count} answers, {spent:.1f} s", file=sys.stderr, flush=True)
    spent = time.perf_counter() - start
    count = sum(len(asked) for table in found.values() for asked in table.values())
    print(f"{count} answers on {len(found)} tables in {spent:.0f} s", file=sys.stderr)
    if options.out:
        options.out.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    return compare(found, json.loads(options.against.read_text("utf-8"))) if options.against else 0


def answers(
    name: str,
    questions: list[str],
    jobs: int | None,
    folder: Path | None,
    *,
    slow: float,
    shards: int = 0,
) -> dict[str, dict[str, str]]:
    """The digests of one table, by question and variant."""
    told = TABLES[name]()
    names = told.names
    model = _model(told, jobs, shards)
    found: dict[str, dict[str, str]] = {}
    for question in questions:
        if question in ESTIMATORS and not told.estimators:
            continue
        found[question] = {}
        if question in told.skipped:
            found[question]["all"] = f"skipped: {told.skipped[question]}"
            continue
        for variant, ask in _variants(question, model, told, jobs):
            start = time.perf_counter()
            said, short = _asked(ask, names)
            found[question][variant] = short
            if folder is not None:
                _save(folder / name / question, variant, said)
            if (spent := time.perf_counter() - start) > slow:
                print(f"   {question} {variant}: {spent:.2f} s", file=sys.stderr, flush=True)
    return found


def _variants(question: str, model: Named, told: Subject, jobs: int | None) -> Variants:
    """What is asked; where that itself fails, the error is the last answer."""
    try:
        if question in ESTIMATORS:
            yield from ESTIMATORS[question](told, jobs)
        else:
            yield from QUESTIONS[question](model, told)
    except Exception as error:
        yield "asking", partial(_raise, error)


def _raise(error: Exception) -> None:
    raise error


def _model(told: Subject, jobs: int | None, shards: int = 0) -> Named:
    model = Named(HERE.Model(**told.options, n_jobs=jobs))
    model.fit(told.table, sample_weight=told.weights)
    if shards:
        model = Named(in_shards(model.value, shards))
    return model if told.change is None else Named(told.change(model, told))


def _asked(ask: Callable[[], Any], names: set[str]) -> tuple[Any, str]:
    try:
        said = plain(ask(), names)
    except Exception as error:
        said = f"error: {word(type(error).__name__)}"
        return said, said
    return said, digest(said)


def _save(folder: Path, variant: str, said: Any) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{variant.replace('/', ' ')}.json"
    path.write_text(json.dumps(said, indent=0, ensure_ascii=False) + "\n", "utf-8")


def compare(found: Digests, recorded: Digests) -> int:
    """Print what differs from what was recorded; the exit code."""
    equal = differ = missing = 0
    for table, asked in found.items():
        for question, variants in asked.items():
            before = recorded.get(table, {}).get(question, {})
            for variant in [*variants, *(one for one in before if one not in variants)]:
                now, then = variants.get(variant), before.get(variant)
                if now == then:
                    equal += 1
                    continue
                missing += now is None or then is None
                differ += now is not None and then is not None
                print(f"{table} × {question} × {variant}: {then} before, {now} now")
    print(f"{equal} answers equal, {differ} differ, {missing} missing")
    return int(differ + missing > 0)


def _chosen(wanted: str | None, known: list[str], what: str) -> list[str]:
    """Names, of which some may be given by number, from 1."""
    if wanted is None:
        return known
    found = []
    for one in wanted.split(","):
        named = known[int(one) - 1] if one.isdigit() and 0 < int(one) <= len(known) else one
        if named not in known:
            raise SystemExit(f"No {what} is {one!r}; there are {', '.join(known)}.")
        found.append(named)
    return found


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.digests", description=__doc__.splitlines()[0]
    )
    add = parser.add_argument
    add("--out", type=Path, metavar="FILE", help="where to record the digests")
    add("--against", type=Path, metavar="FILE", help="recorded digests to compare with")
    add("--tables", metavar="LIST", help="numbers or names of tables, with commas between")
    add("--questions", metavar="LIST", help="names of questions, with commas between")
    add("--dump", type=Path, metavar="FOLDER", help="save the plain values there too")
    add("--jobs", type=int, metavar="N", help="threads (all); no digest may depend on it")
    add("--shards", type=int, metavar="N", default=0, help="keep the cases in N shards; likewise")
    add("--slow", type=float, metavar="S", default=1e9, help="tell answers that take longer")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
