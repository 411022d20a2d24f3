"""Find the smallest change of a row that makes the model predict something else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vicinal.conviction.results import convictions_of
from vicinal.counterfactual.arguments import read_constraints, read_goal
from vicinal.counterfactual.candidates import find_candidates, nearest_wanted, wanted_cases
from vicinal.counterfactual.oracle import Oracle
from vicinal.counterfactual.relaxation import find_relaxation
from vicinal.counterfactual.result import Counterfactual, Counterfactuals, Relaxation
from vicinal.counterfactual.search import Change, Search
from vicinal.exceptions import TableError
from vicinal.fitted import Fitted
from vicinal.prediction.predictor import Predictor, learn
from vicinal.prediction.rule import deciding
from vicinal.schema.decode import decode
from vicinal.stored_cases import StoredCases
from vicinal.tables.table import read_rows
from vicinal.typing import Floats, Places
from vicinal.validation import check_parameter


@dataclass(frozen=True, eq=False)
class Question:
    """A row and its target: the row as given and encoded, and the columns to predict from.

    If the row is a stored case, `case` is its number: it is left out of all predictions.
    """

    fitted: Fitted
    target: str
    given: Mapping[str, Any]
    row: Floats
    columns: Places
    case: int = -1


def read_row(
    fitted: Fitted, row: Any, target: str, context: Iterable[str] | None = None
) -> Question:
    """Read a table of one row."""
    if row is None:
        raise TableError("row is None; expected one row, such as a dict of its values.")
    read = row if isinstance(row, StoredCases) else read_rows(row)
    rows = fitted.rows(read, target, context)
    if len(rows) != 1:
        raise TableError(
            f"The table has {len(rows)} rows; expected one. Ask for the counterfactual of each row"
            " by itself."
        )
    if rows.table is None:
        values = decode(rows.values, fitted.schema)
        given = {name: values[name][0] for name in rows.names}
    else:
        given = {
            name: None if column.first_present() is None else column.value(0)
            for name, column in rows.table.columns.items()
            if name != target and name in fitted.schema
        }
    case = -1 if rows.exclude is None else int(rows.exclude[0])
    return Question(fitted, target, given, rows.values[0], rows.columns, case)


def counterfactual(
    fitted: Fitted,
    row: Any,
    target: str,
    wanted: Any,
    *,
    immutable: Iterable[str] = (),
    ranges: Mapping[str, Any] | None = None,
    directions: Mapping[str, str] | None = None,
    allowed: Mapping[str, Any] | None = None,
    n: int = 1,
    context: Iterable[str] | None = None,
    decision: Any = None,
    class_weight: Any = None,
) -> Counterfactuals:
    """Find the smallest change of a row that makes the model predict the wanted outcome.

    The row is moved toward the nearest training cases that have a wanted outcome, changing as
    few features as possible, by as little as possible. Every result is verified with the
    model's own prediction and meets all constraints.

    Parameters
    ----------
    row : table of one row, or dict of values
        The row, in any form `fit` takes; some columns may be absent. The target column, if
        present, is ignored.
    target : str
        The feature to predict.
    wanted : value, collection of values, or (low, high)
        The goal: a class, several acceptable classes, or for numbers a range, with None for
        an open end. Ordinal features take either.
    immutable : list of str
        Features that must not change.
    ranges : dict of str to (low, high)
        Range that numbers and ordinal values must lie in, changed or not; None for an open
        end. Ranges of cyclic features run from low to high around the cycle.
    directions : dict of str to {"increase", "decrease"}
        The only direction in which features may change.
    allowed : dict of str to list
        The only values that features may have, changed or not.
    n : int, default 1
        Maximum number of counterfactuals; they change different features if possible, or
        else move toward different cases.
    context : list of str, optional
        Features to predict from; by default all columns of the row except the target. Only
        these may change.
    decision, class_weight
        How a class is decided from the probabilities, as in `predict`.

    Returns
    -------
    Counterfactuals
        The counterfactuals, sparsest first. If there are none, it names the constraint that
        prevents them and what would be possible without it.

    Notes
    -----
    A missing value may stay missing under any constraint; no value becomes missing.

    Examples
    --------
    >>> import vicinal
    >>> from vicinal.data import load_penguins
    >>> model = vicinal.Model().fit(load_penguins())
    >>> row = {"bill_length_mm": 39.0, "bill_depth_mm": 18.0, "sex": "female"}
    >>> found = model.counterfactual(row, "species", "Chinstrap", immutable=["sex"])
    >>> list(found[0].changes), found[0].prediction
    (['bill_length_mm'], 'Chinstrap')
    >>> fixed = ["bill_depth_mm", "sex"]
    >>> found = model.counterfactual(row, "species", "Gentoo", immutable=fixed)
    >>> len(found), found.relaxation.constraints
    (0, (('immutable', 'bill_depth_mm'),))
    """
    check_parameter("n", n)
    question = read_row(fitted, row, target, context)
    predictor = learn(fitted, target, question.columns)
    return find_counterfactuals(
        question,
        deciding(predictor, decision, class_weight),
        wanted,
        immutable=immutable,
        ranges=ranges,
        directions=directions,
        allowed=allowed,
        n=n,
    )


def find_counterfactuals(
    question: Question,
    predictor: Predictor,
    wanted: Any,
    *,
    immutable: Iterable[str] = (),
    ranges: Mapping[str, Any] | None = None,
    directions: Mapping[str, str] | None = None,
    allowed: Mapping[str, Any] | None = None,
    n: int = 1,
) -> Counterfactuals:
    """Find the smallest changes of a row that meet the goal; see `counterfactual`."""
    own, target, schema = question.row, question.target, question.fitted.schema
    goal = read_goal(schema, target, wanted)
    constraints = read_constraints(
        schema,
        question.given,
        own,
        question.columns,
        target,
        immutable=immutable,
        ranges=ranges,
        directions=directions,
        allowed=allowed,
    )
    oracle = Oracle(predictor, goal, question.case)
    cases = wanted_cases(oracle, own)
    cases = cases[cases != question.case]

    def told(changes: list[Change]) -> tuple[Counterfactual, ...]:
        near = [nearest_wanted(oracle, one.row, cases) for one in changes]
        return _told(predictor, question, near, changes)

    result = Counterfactuals((), target, int(n), library=predictor.fitted.library)
    if not len(constraints.forced) and len(cases) and oracle.ask(own[None])[0][0]:
        return replace(result, items=told([Change(own, (), 0.0)]))
    changes = Search(oracle, constraints, find_candidates(oracle, constraints, cases)).run(int(n))
    relaxed = None if changes else find_relaxation(oracle, constraints, cases)
    if relaxed is None:
        return replace(result, items=told(changes))
    dropped, change = relaxed
    names = tuple((rule.rule, rule.name) for rule in dropped)
    return replace(result, relaxation=Relaxation(names, *told([change])))


def _told(
    predictor: Predictor, question: Question, cases: list[int], changes: list[Change]
) -> tuple[Counterfactual, ...]:
    """Decode changed rows and add the model's predictions and convictions."""
    if not changes:
        return ()
    fitted, schema, own = predictor.fitted, predictor.fitted.schema, question.given
    rows, changed = [], []
    for change in changes:
        values = decode(change.row[None], schema)
        names = [schema.storage[column].name for column in change.columns]
        names = [name for name in schema.names if name in names]
        changed.append({name: (own[name], values[name][0]) for name in names})
        rows.append({**own, **{name: values[name][0] for name in names}})
    table = {name: [row[name] for row in rows] for name in own}
    context = [schema.storage[column].name for column in predictor.context]
    asked = fitted.rows(table, predictor.name, context)
    left_out = None if question.case < 0 else np.full(len(asked), question.case, dtype=np.int64)
    answered = predictor.predict(asked.values, left_out)
    predictions = fitted.predicted(answered.values, predictor.column).tolist()
    judged = convictions_of(fitted, asked, with_familiarity=False).similarity
    categories = schema.storage[predictor.column].categories or ()
    return tuple(
        Counterfactual(
            changes=changed[at],
            row=rows[at],
            prediction=predictions[at],
            conviction=float(judged[at]),
            case=cases[at],
            label=fitted.labels.label_of(cases[at]),
            probabilities=None
            if answered.probabilities is None
            else dict(zip(categories, answered.probabilities[at].tolist(), strict=True)),
        )
        for at in range(len(changes))
    )
