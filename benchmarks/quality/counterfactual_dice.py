"""DiCE on the same questions, with the same classifier as its predictor."""

from __future__ import annotations

import contextlib
import io
import warnings
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.quality.counterfactual_queries import Problem, Question

OUTCOME = "__outcome__"
METHODS = {"dice-kdtree": "kdtree", "dice-random": "random"}


class Predictor:
    """The classifier as DiCE calls it: DiCE hands out numbers as objects."""

    def __init__(self, model: Any, problem: Problem) -> None:
        self.model, self.types = model, problem.train.dtypes.to_dict()

    def predict_proba(self, table: pd.DataFrame) -> np.ndarray:
        return self.model.predict_proba(table[list(self.types)].astype(self.types))

    def predict(self, table: pd.DataFrame) -> np.ndarray:
        return self.model.predict(table[list(self.types)].astype(self.types))


def explainer(method: str, model: Any, problem: Problem) -> Any:
    """DiCE's explainer, with its defaults."""
    import dice_ml

    table = problem.train.assign(**{OUTCOME: problem.outcomes})
    with quiet():
        data = dice_ml.Data(
            dataframe=table, continuous_features=problem.numbers, outcome_name=OUTCOME
        )
        predictor = dice_ml.Model(model=Predictor(model, problem), backend="sklearn")
        return dice_ml.Dice(data, predictor, method=METHODS[method])


def ask(found: Any, method: str, problem: Problem, question: Question) -> dict[str, Any] | None:
    """The changed row that DiCE returns; None for none."""
    seed = {"random_seed": question.number} if method == "dice-random" else {}
    options = {
        "total_CFs": 1,
        "desired_class": question.wanted,
        "features_to_vary": [n for n in question.row if n not in question.immutable],
        "permitted_range": permitted(problem, question),
        **seed,
    }
    with quiet():
        try:
            told = found.generate_counterfactuals(question.row, **options)
        except Exception as error:
            # Its way to say that it found none.
            if "No counterfactuals found" in str(error):
                return None
            raise
    [example] = told.cf_examples_list
    rows = example.final_cfs_df_sparse
    rows = example.final_cfs_df if rows is None else rows
    if rows is None or not len(rows):
        return None
    row = rows.iloc[0]
    return {
        name: float(row[name]) if name in problem.numbers else row[name] for name in question.row
    }


def permitted(problem: Problem, question: Question) -> dict[str, list[Any]]:
    """The constraints as DiCE takes them; a direction is a range from the row's value on."""
    given: dict[str, list[Any]] = {name: list(words) for name, words in question.allowed.items()}
    for name, (low, high) in question.ranges.items():
        given[name] = [low, high]
    for name, word in question.directions.items():
        value, known = float(question.row[name].iat[0]), problem.train[name]
        up = word == "increase"
        given[name] = [value, float(known.max())] if up else [float(known.min()), value]
        given[name].sort()
    return given


@contextlib.contextmanager
def quiet() -> Any:
    """No bars, no prints, no warnings."""
    with (
        warnings.catch_warnings(),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        yield
