"""Certificates against attacks: none may succeed within a radius, and how tight are they.

Twenty tables of mixed kinds. A model is fitted to one half of each, and rows of the other half are
certified in both norms. Then each is attacked within its radius: at corners of the box, at random,
on the way to stored cases, and, if adversarial-robustness-toolbox is installed
(``pip install "vicinal[bench-robustness]"``), by
HopSkipJump and Boundary. A *success* is a prediction that differs within the radius; there
must be none. The *gap* is the smallest known change that alters a prediction over the certified
radius; the minimum-norm attack of the package looks for it among plausible changes and among all
that the certificate is about. Time is processor time, with the attack of `certify`, over that of
predicting one row.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.quality.datasets import folder, read_index, select
from benchmarks.quality.markdown import table
from benchmarks.quality.records import Records
from benchmarks.quality.robustness.certificate_attacks import art_rows, on_steps, rows_within
from benchmarks.quality.stopwatch import timed
from vicinal import Model
from vicinal.exceptions import IgnoredColumnWarning
from vicinal.prediction.predictor import Predictor, learn
from vicinal.robustness.attack import Attack, starting_cases
from vicinal.robustness.outcome import class_outcome
from vicinal.robustness.perturbation import Perturbation

DATASETS = (
    *("analcatdata_lawsuit", "appendicitis", "australian", "auto", "backache", "biomed", "bupa"),
    *("cars", "colic", "credit_g", "glass", "haberman", "heart_h", "heart_statlog", "iris"),
    *("new_thyroid", "penguins", "prnn_crabs", "tae", "titanic"),
)
#: What is certified, settings and options: the default model, against any change and against
#: changes by whole steps, and the one that is made to be certified.
MODELS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "default": ({}, {}),
    "steps": ({}, {"steps": True}),
    "probability": ({"influence": "probability", "scores": False}, {}),
}
KEY = ("dataset", "split", "model", "norm", "row")
COLUMNS = (*KEY, "radius", "flip", "tried", "succeeded", "cpu_ratio", "labels", "removals")
TARGET = "target"


def fitted_models(
    features: pd.DataFrame, target: pd.Series, seed: int, given: argparse.Namespace
) -> Iterator[tuple[str, Model, pd.DataFrame]]:
    """Each kind of model, fitted to one half, and rows of the other half."""
    order = np.random.default_rng(seed).permutation(len(features))
    train = order[: min(len(order) // 2, given.max_rows)]
    test = order[len(order) // 2 :][: given.rows]
    whole = features.assign(**{TARGET: target.astype(str)})
    for name in given.certified:
        settings = MODELS[name][0]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IgnoredColumnWarning)
            model = Model(n_jobs=1, kinds={TARGET: "nominal"}, **settings).fit(whole.iloc[train])
        yield name, model, features.iloc[test].reset_index(drop=True)


def certified(
    model: Model,
    rows: pd.DataFrame,
    norm: str,
    options: dict[str, Any],
    seed: int,
    given: argparse.Namespace,
) -> Iterator[dict[str, Any]]:
    """Certify and attack each row."""
    options = {"norm": norm, **options}
    fitted = model._ready()
    encoded = fitted.rows(rows, TARGET, all_new=True)
    predictor = learn(fitted, TARGET, encoded.columns)
    answered = predictor.answer(encoded)
    cases = np.concatenate([values for _, values in fitted.index.blocks()])
    rng = np.random.default_rng(seed)
    for at in range(len(rows)):
        one = rows.iloc[[at]]
        _, _, predicting = timed(lambda one=one: model.predict(one, TARGET))
        found, _, seconds = timed(
            lambda one=one: model.certify(
                one, TARGET, training=False, max_boxes=given.boxes, **options
            )
        )
        counted = model.certify(one, TARGET, attack=False, max_boxes=1, **options)
        radius = float(found.radius[0])
        changes = Perturbation.of(
            fitted, encoded.values[at], encoded.columns, categories=False, **options
        )
        tried, succeeded, flip = attacked(
            predictor, changes, radius, float(answered.values[at]), cases, rng, given
        )
        yield {
            "row": at,
            "radius": radius,
            "flip": min(float(found.flip[0]), flip),
            "tried": tried,
            "succeeded": succeeded,
            "cpu_ratio": seconds / max(predicting, 1e-9),
            "labels": float(counted.labels[0]) if counted.labels is not None else np.nan,
            "removals": float(counted.removals[0, 0]) if counted.removals is not None else np.nan,
        }


def attacked(
    predictor: Predictor,
    changes: Perturbation,
    radius: float,
    own: float,
    cases: Any,
    rng: np.random.Generator,
    given: argparse.Namespace,
) -> tuple[int, int, float]:
    """How many attacks were tried and succeeded within the radius, and the smallest change."""
    if not 0 < radius < np.inf:
        return 0, 0, np.inf
    predict: Callable[[Any], Any] = lambda changed: predictor.predict(changed).values  # noqa: E731
    rows = rows_within(changes, radius, cases, rng, given.attacks)
    flip = smallest(predictor, changes, own)
    if given.art:
        found = on_steps(changes, art_rows(predict, changes, own, rng))
        costs = changes.costs(found)
        differs = predict(found) != own if len(found) else np.zeros(0, dtype=bool)
        flip = min(flip, float(costs[differs].min(initial=np.inf)))
        rows = np.concatenate([rows, found[costs <= radius]])
    differs = predict(rows) != own
    return len(rows), int(differs.sum()), flip


def smallest(predictor: Predictor, changes: Perturbation, own: float) -> float:
    """The smallest change found by the attack of the package, of those the certificate is about.

    It need not be plausible, unless numbers change by whole steps.
    """
    outcome = class_outcome(predictor, int(own))
    margin = lambda rows: outcome.margin(predictor.predict(rows))  # noqa: E731
    attack = Attack(predictor, changes, margin, plausible=bool(changes.domains))
    found = attack.run(starting_cases(predictor, changes, outcome.differs))
    return np.inf if found is None else found.cost


def summary(results: pd.DataFrame) -> str:
    """What is certified by model and norm, and whether any attack succeeded."""
    rows = []
    for (model, norm, split), some in results.groupby(["model", "norm", "split"]):
        known = some[np.isfinite(some["flip"]) & (some["radius"] > 0)]
        gap = known["flip"] / known["radius"]
        rows.append(
            [
                f"{model}, {norm}",
                split,
                some["dataset"].nunique(),
                len(some),
                int(some["tried"].sum()),
                int(some["succeeded"].sum()),
                float((some["radius"] > 0).mean()),
                float(some["radius"].median()),
                float(some["flip"].median()),
                float(gap.median()),
                *(float(gap.quantile(part)) for part in (0.25, 0.75)),
                float(some["cpu_ratio"].median()),
                float(some["labels"].median()),
                float(some["removals"].median()),
            ]
        )
    header = ["model, norm", "split", "tables", "rows", "attacks", "successes", "certified"]
    header += ["median radius", "median flip", "median gap", "a quarter below"]
    header += ["a quarter above", "CPU ÷ prediction"]
    return table([*header, "labels", "removals ≥"], rows)


def run(given: argparse.Namespace) -> None:
    """Certify and attack what is missing in the file, and print the table."""
    records = Records(given.out / "certificates.csv", COLUMNS, KEY)
    chosen = select(read_index(folder(given.data), "classification"), given.only or DATASETS)
    for dataset in chosen:
        features, target = dataset.load()
        for seed in given.seeds:
            for name, model, rows in fitted_models(features, target, seed, given):
                key = {"dataset": dataset.name, "split": seed, "model": name}
                for norm in ("max", "sum"):
                    if (*key.values(), norm, len(rows) - 1) in records:
                        continue
                    for found in certified(model, rows, norm, MODELS[name][1], seed, given):
                        records.append(key | {"norm": norm, **found})
    print(summary(pd.read_csv(records.path)))
