"""Cases beside a row, feature by feature: their values, and the surprisal of the difference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vicinal.explain.explanation.parts import NearCases
from vicinal.formulas import SAME, laplace_term, power_mean
from vicinal.index.exact import ExactIndex
from vicinal.index.metric import Metric
from vicinal.schema.decode import decode
from vicinal.schema.schema import Schema
from vicinal.typing import Floats, Ints

__all__ = ["CaseView"]


#: The term of a difference of one residual: less is nothing to speak of.
ONE_RESIDUAL = float(laplace_term(np.array(1.0), np.array(1.0)))


@dataclass(frozen=True, eq=False)
class CaseView:
    """What it takes to show cases beside a row.

    Parameters
    ----------
    index, schema
        The cases and what their columns are.
    metric : Metric
        Terms of the context.
    weighed : Metric
        The same with the weights of the target; see `mean_metric`.
    names : tuple of str
        The features of the context, in the order of the table.
    outcome : callable
        From encoded outcomes to a tuple of outcomes in their own terms.
    numbering : ndarray of int64, optional
        The number to show for each case, where it is not its own.
    """

    index: ExactIndex
    schema: Schema
    metric: Metric
    weighed: Metric
    names: tuple[str, ...]
    outcome: Callable[[Floats], tuple[Any, ...]]
    numbering: Ints | None = None
    threads: int | None = None

    def near(
        self,
        query: Floats,
        cases: Ints,
        influences: Floats,
        codes: Floats,
        background: float = 0.0,
        expected: Any = None,
    ) -> NearCases:
        """Show cases beside one encoded row.

        Parameters
        ----------
        query : ndarray of shape (d,)
            The row.
        cases, influences, codes : ndarray of shape (j,)
            Numbers of the cases, their influence and encoded outcome.
        background, expected
            As in `NearCases`.
        """
        columns = [self.schema.column(name) for name in self.names]
        terms = self.index.terms(query[None], cases[None], self.metric, threads=self.threads)[0]
        weights = self.weighed.weights
        known = np.where(np.isnan(terms), SAME, terms)
        distances = np.full(len(cases), SAME)
        if weights.any():
            distances = power_mean(known, weights, self.weighed.p)
        values = decode(self.index.case_values(cases), self.schema)
        share = weights[columns] / (weights.sum() or 1.0)
        return NearCases(
            numbers=cases if self.numbering is None else self.numbering[cases],
            influences=influences,
            outcomes=self.outcome(codes),
            codes=codes,
            distances=np.asarray(distances, dtype=np.float64),
            names=self.names,
            values={name: tuple(values[name]) for name in self.names},
            terms=terms[:, columns],
            differs=known[:, columns] > ONE_RESIDUAL,
            weights=share,
            background=background,
            expected=expected,
        )
