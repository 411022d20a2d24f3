"""Counterfactuals of a classifier, beside DiCE's on the same classifier.

    python -m benchmarks.quality.counterfactual --data DIR --out results.csv

Ten tables of mixed kinds, 100 seeded questions each: a row of the test split, a class that is not
predicted for it, and random constraints (immutable features, ranges, directions, allowed values)
that all let the row stay as it is. Whatever a method returns is put to the classifier again and
held against its constraints; *valid* means that both hold. Methods take turns, question by
question, and time is processor time, so that a busy machine troubles all alike. The file is
written question by question; the same command goes on after a break.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.quality import counterfactual_dice as dice
from benchmarks.quality.counterfactual_queries import Problem, Question, prepare, questions
from benchmarks.quality.datasets import folder, read_index, select
from benchmarks.quality.markdown import table
from benchmarks.quality.records import Records
from benchmarks.quality.runner import installed_version, names
from benchmarks.quality.stopwatch import timed

DATASETS = (
    *("analcatdata_lawsuit", "auto", "australian", "backache", "cars"),
    *("colic", "credit_g", "heart_h", "penguins", "titanic"),
)
OURS = "vicinal"
KEY = ("dataset", "question", "method")
COLUMNS = (
    *KEY,
    *("returned", "valid", "wish_met", "broken", "n_changed", "n_features", "n_constraints"),
    *("conviction", "cpu_s", "version", "error"),
)


def options() -> argparse.Namespace:
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.quality.counterfactual", description=__doc__.split("\n")[0]
    )
    made.add_argument("--data", help="folder with INDEX.tsv; by default that of VICINAL_DATA")
    made.add_argument("--out", type=Path, default=Path("build/counterfactual.csv"))
    made.add_argument("--only", default=",".join(DATASETS), help="data sets, with commas")
    made.add_argument("--questions", type=int, default=100, help="for each data set")
    made.add_argument(
        "--peers", default="all", help="all, none, or some of " + str([*dice.METHODS])
    )
    made.add_argument(
        "--peer-questions", type=int, help="how many of them are put to peers too; by default all"
    )
    made.add_argument("--max-rows", type=int, default=500, help="training rows, at most")
    made.add_argument("--seed", type=int, default=0)
    return made.parse_args()


def main() -> None:
    given = options()
    found = select(read_index(folder(given.data), "classification"), names(given.only))
    asked = {"all": [*dice.METHODS], "none": []}.get(given.peers, names(given.peers))
    if asked and not installed_version("dice-ml"):
        print("note: DiCE is skipped, dice-ml is not installed")
        asked = []
    records = Records(given.out, COLUMNS, KEY)
    try:
        for dataset in found:
            run(prepare(dataset, max_rows=given.max_rows, seed=given.seed), asked, records, given)
    except KeyboardInterrupt:
        print(f"\nstopped; the same command goes on from {given.out}")
    print_summary(given.out)


def run(problem: Problem, peers: list[str], records: Records, given: argparse.Namespace) -> None:
    """Put every question that the file does not have yet to every method."""
    due = {
        (number, method)
        for method in (OURS, *peers)
        for number in range(given.questions)
        if (method == OURS or given.peer_questions is None or number < given.peer_questions)
        and (problem.name, number, method) not in records
    }
    if not due:
        return
    from vicinal import VicinalClassifier

    model = VicinalClassifier(n_jobs=1).fit(problem.train, problem.outcomes)
    model.model_.conviction(context=list(problem.train))  # what every later question shares
    explainers = {m: dice.explainer(m, model, problem) for m in peers}
    predicted = model.predict(problem.asked)
    for question in questions(problem, predicted, count=given.questions, seed=given.seed):
        for method in (OURS, *peers):
            if (question.number, method) not in due:
                continue
            records.append(
                {"dataset": problem.name, "question": question.number, "method": method}
                | measured(model, explainers.get(method), method, problem, question)
            )
        if question.number % 10 == 9:
            print(f"{problem.name}: {question.number + 1} of {given.questions}", flush=True)


def measured(
    model: Any, explainer: Any, method: str, problem: Problem, question: Question
) -> dict[str, object]:
    """What a method returns for a question, held against the question."""
    about: dict[str, object] = {
        "returned": 0,
        "valid": 0,
        "n_features": question.row.shape[1],
        "n_constraints": len(question.immutable)
        + len(question.ranges)
        + len(question.directions)
        + len(question.allowed),
        "version": installed_version("vicinal" if method == OURS else "dice-ml"),
    }
    try:
        row, about["cpu_s"], about["conviction"] = asked(
            model, explainer, method, problem, question
        )
    except Exception as error:
        return about | {"error": f"{type(error).__name__}: {error}"[:200]}
    if row is None:
        return about
    types = problem.train.dtypes.to_dict()
    met = model.predict(pd.DataFrame([row])[list(types)].astype(types))[0] == question.wanted
    broken = question.broken(row)
    return about | {
        "returned": 1,
        "valid": int(met and not broken),
        "wish_met": int(met),
        "broken": len(broken),
        "n_changed": len(question.changed(row)),
    }


def asked(
    model: Any, explainer: Any, method: str, problem: Problem, question: Question
) -> tuple[dict[str, Any] | None, float, object]:
    """The changed row, the processor time it took, and our conviction of it."""
    if method != OURS:
        row, _, cpu = timed(lambda: dice.ask(explainer, method, problem, question))
        return row, cpu, ""
    found, _, cpu = timed(
        lambda: model.counterfactual(
            question.row,
            question.wanted,
            immutable=question.immutable,
            ranges=question.ranges,
            directions=question.directions,
            allowed=question.allowed,
        )
    )
    return (dict(found[0].row), cpu, found[0].conviction) if found else (None, cpu, "")


def print_summary(path: Path) -> None:
    """Tables over all questions, and over those that each peer found an answer to."""
    rows = pd.read_csv(path)
    methods = [OURS, *(m for m in dice.METHODS if m in set(rows["method"]))]
    print("\n" + table(*overall(rows, methods)))
    for peer in methods[1:]:
        print(
            f"\nThe questions put to {peer}; changes and times where both have a valid answer:\n"
        )
        print(table(*paired(rows, peer)))
    print("\nShare found, mean features changed and processor ms, by data set:\n")
    print(table(*by_dataset(rows, methods)))


def overall(rows: pd.DataFrame, methods: list[str]) -> tuple[list[str], list[list[object]]]:
    header = ["method", "questions", "refused", "returned", "valid of returned", "found"]
    header += ["features changed", "cpu ms a question"]
    lines: list[list[object]] = []
    for method in methods:
        own = rows[rows["method"] == method]
        back = own[own["returned"] == 1]
        lines.append(
            [
                *(method, len(own), int(own["error"].notna().sum()), len(back)),
                f"{back['valid'].mean():.1%}" if len(back) else "–",
                f"{own['valid'].mean():.1%}",
                float(back.loc[back["valid"] == 1, "n_changed"].mean()),
                f"{1e3 * own['cpu_s'].mean():.0f}",
            ]
        )
    return header, lines


def paired(rows: pd.DataFrame, peer: str) -> tuple[list[str], list[list[object]]]:
    key = ["dataset", "question"]
    ours = rows[(rows["method"] == OURS) & (rows["valid"] == 1)].set_index(key)
    theirs = rows[(rows["method"] == peer) & (rows["valid"] == 1)].set_index(key)
    both = ours.index.intersection(theirs.index)
    asked = rows[rows["method"] == peer].set_index(key).index
    changes, times = ours.loc[both, "n_changed"], ours.loc[both, "cpu_s"]
    other, longer = theirs.loc[both, "n_changed"], theirs.loc[both, "cpu_s"]
    header = ["questions", "ours found", "theirs found", "both"]
    header += ["ours changes", "theirs changes", "fewer", "as many", "more"]
    header += ["median time, theirs ÷ ours"]
    line = [
        *(str(len(asked)), f"{len(ours.index.intersection(asked)) / len(asked):.1%}"),
        *(f"{len(theirs) / len(asked):.1%}", len(both)),
        *(float(changes.mean()), float(other.mean())),
        *(int((changes < other).sum()), int((changes == other).sum())),
        *(int((changes > other).sum()), f"{np.median(longer / times):.1f}" if len(both) else "–"),
    ]
    return header, [line]


def by_dataset(rows: pd.DataFrame, methods: list[str]) -> tuple[list[str], list[list[object]]]:
    header = ["data set"]
    for method in methods:
        header += [f"{method} found", "changed", "ms"]
    lines: list[list[object]] = []
    for name, own in rows.groupby("dataset"):
        line: list[object] = [str(name)]
        for method in methods:
            part = own[own["method"] == method]
            if not len(part):
                line += ["–", "–", "–"]
                continue
            good = part[part["valid"] == 1]
            line += [
                f"{part['valid'].mean():.0%}",
                f"{good['n_changed'].mean():.2f}" if len(good) else "–",
            ]
            line += [f"{1e3 * part['cpu_s'].mean():.0f}"]
        lines.append(line)
    return header, lines


if __name__ == "__main__":
    main()
