"""Every question that can be put to a Model, and its answer in plain arrays.

Whatever must leave all answers as they are (saving and loading, adding and removing as against
building anew) is tested over this table; a test holds it to the Model's public methods.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass

import numpy as np

#: Fields of results that hold case numbers.
NUMBERS = {"case", "indices", "nearest", "numbers", "ordinary"}

WORD, NUMBER, RANK, CIRCLE = "colour", "weight", "size", "hour"

ROW = {"weight": 66.0, "income": 2e4, "visits": 4, "hour": 8.0, "colour": "red"}


@dataclass
class Told:
    """What a long answer says, with its case numbers where they are known as such."""

    said: list
    indices: np.ndarray


def audited(model):
    findings = model.audit(WORD).findings
    cases = [-1 if one.case is None else one.case for one in findings]
    return Told([[f.kind, f.feature, f.score] for f in findings], np.array(cases, dtype=np.int64))


def reduced(model):
    found = model.reduce(share=0.5)
    return Told([found.weights, len(found.model)], found.cases)


def imputed(model, rows):
    found = model.impute(rows, effort="low")
    return [found.values, found.lower, found.upper, found.conviction]


QUESTIONS = {
    "neighbors": lambda m, rows: [m.neighbors(rows, k=6, terms=True), m.neighbors(k=4)],
    "predict": lambda m, rows: [m.predict(rows, t) for t in (WORD, NUMBER, RANK, CIRCLE)],
    "predict_proba": lambda m, rows: [m.predict_proba(rows, WORD)],
    "predict_interval": lambda m, rows: [m.predict_interval(rows, t) for t in (NUMBER, CIRCLE)],
    "predict_set": lambda m, rows: [m.predict_set(rows, WORD, alpha=0.2)],
    "influences": lambda m, rows: [m.influences(rows, t) for t in (WORD, NUMBER)],
    "contributions": lambda m, rows: [m.contributions(rows, t) for t in (WORD, NUMBER)],
    "counterfactual": lambda m, rows: [
        m.counterfactual(ROW, WORD, "blue"),
        m.counterfactual(ROW, NUMBER, (75, None), immutable=["income"]),
    ],
    "explain": lambda m, rows: [m.explain(ROW, WORD), m.explain(ROW, NUMBER)],
    "certify": lambda m, rows: [m.certify(ROW, WORD), m.certify(ROW, NUMBER)],
    "information": lambda m, rows: [m.information(WORD)],
    "information_matrix": lambda m, rows: [m.information_matrix()],
    "data_values": lambda m, rows: [m.data_values(rows, WORD)],
    "conviction": lambda m, rows: [m.conviction(rows), m.conviction()],
    "anomalies": lambda m, rows: [m.anomalies(rows), m.anomalies()],
    "residual_conviction": lambda m, rows: [m.residual_conviction(rows)],
    "density": lambda m, rows: [m.density(rows)],
    "synthesize": lambda m, rows: [m.synthesize(5)],
    "impute": imputed,
    "audit": lambda m, rows: [audited(m)],
    "reduce": lambda m, rows: [reduced(m)],
    "drift": lambda m, rows: [m.drift(rows, shuffles=19)],
    "repr": lambda m, rows: [repr(m), len(m)],
}

#: Public methods that are no questions about the cases as they are.
OTHERS = {"add", "changed_share", "fit", "refresh", "remove", "save", "stale_", "update"}
#: What was tried when a target was learned is history; it does not change with the cases.
OTHERS |= {"tuning"}
#: A report and the explorer show answers to the questions above.
OTHERS |= {"explore", "report"}


def plain(value, renumber):
    """A result as nested lists of arrays, its case numbers renumbered."""
    if is_dataclass(value):
        named = {field.name: getattr(value, field.name) for field in fields(value)}
        cases = named.get("cases")
        of_cases = named.get("stored", True) and isinstance(cases, np.ndarray)
        of_cases = of_cases and cases.dtype.kind == "i"
        renumbered = NUMBERS | ({"cases"} if of_cases else set())
        return [
            plain(renumber(np.asarray(one)) if name in renumbered else one, renumber)
            for name, one in named.items()
        ]
    if isinstance(value, Mapping):
        return [[key, plain(one, renumber)] for key, one in value.items()]
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(one, renumber) for one in value]
    return value


def ask(model, rows, names=QUESTIONS, renumber=lambda numbers: numbers):
    """Every answer, by question."""
    return {name: plain(QUESTIONS[name](model, rows), renumber) for name in names}


def assert_same(actual, expected, where=""):
    """Equal to the last bit."""
    if isinstance(expected, dict):
        assert actual.keys() == expected.keys()
        for key in expected:
            assert_same(actual[key], expected[key], f"{where} {key}")
    elif isinstance(expected, list):
        assert len(actual) == len(expected), where
        for one, other in zip(actual, expected, strict=True):
            assert_same(one, other, where)
    elif isinstance(expected, np.ndarray):
        np.testing.assert_array_equal(actual, expected, err_msg=where)
    else:
        assert actual == expected or (actual != actual and expected != expected), where
