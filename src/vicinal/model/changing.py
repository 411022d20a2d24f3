"""Counterfactuals: the Model's answer to "what would have to change?"."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from vicinal.counterfactual.arguments import read_constraints, read_goal
from vicinal.counterfactual.candidates import find_candidates, nearest_wanted, wanted_cases
from vicinal.counterfactual.oracle import Oracle
from vicinal.counterfactual.relaxation import find_relaxation
from vicinal.counterfactual.result import Counterfactual, Counterfactuals, Relaxation
from vicinal.counterfactual.search import Change, Search
from vicinal.exceptions import TableError
from vicinal.model.judging import Judging
from vicinal.model.predicting import Predicting
from vicinal.schema.align import table_names
from vicinal.schema.decode import decode
from vicinal.tables.table import Table, read_table
from vicinal.typing import Floats, Places
from vicinal.validation import check_whole


@dataclass(frozen=True, eq=False)
class _Asked:
    """The row that is asked about: in its own terms, encoded, and what counts of it."""

    row: dict[str, Any]
    own: Floats
    columns: Places
    target: str


class Changing(Predicting, Judging):
    """What would change an answer."""

    def counterfactual(
        self,
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
    ) -> Counterfactuals:
        """Find the least that has to change in a row for the model to answer as wished.

        The row is moved towards the nearest real cases that have a wished outcome, in as few
        features as it takes and no farther than it takes. The model itself has answered whatever
        is returned, and no constraint is ever broken.

        Parameters
        ----------
        row : table of one row, or dict of values
            The row, in any form `fit` takes; it may have some of the columns only. That of the
            target, if there, is not looked at.
        target : str
            The feature asked for.
        wanted : value, collection of values, or (low, high)
            The wished answer: a class, several that would do, or for numbers a range, with None
            for an end that is open. Ordinal features take either.
        immutable : list of str
            Features that must stay as they are.
        ranges : dict of str to (low, high)
            Where numbers and ordinal values must lie, changed or not; None for an open end. Of
            cyclic features from low to high round the circle.
        directions : dict of str to {"increase", "decrease"}
            Which way features may change, if they do.
        allowed : dict of str to list
            The values that features may have, changed or not.
        n : int, default 1
            How many, at most: with different features changed where possible, else towards
            different cases.
        context : list of str, optional
            Features to predict from; by default all columns the row has, but the target. No
            others change.

        Returns
        -------
        Counterfactuals
            The sparsest first. If there is none, it is empty and says which constraint stands
            in the way and what would be possible without it.

        Notes
        -----
        A missing value may stay missing, whatever the constraints; no value becomes missing.

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
        check_whole("n", n, 1)
        asked = self._one_row(row, target, context)
        wish = read_goal(self.schema_, target, wanted)
        constraints = read_constraints(
            self.schema_,
            asked.row,
            asked.own,
            asked.columns,
            target,
            immutable=immutable,
            ranges=ranges,
            directions=directions,
            allowed=allowed,
        )
        learned = self._learn(target, asked.columns)
        oracle = Oracle(
            self.index_, learned.tuning.ensemble, learned.target, wish, threads=self.n_jobs
        )
        wished = wanted_cases(oracle, asked.own)

        def told(changes: list[Change]) -> tuple[Counterfactual, ...]:
            cases = [nearest_wanted(oracle, change.row, wished) for change in changes]
            return self._told(asked, cases, changes)

        if not len(constraints.forced) and len(wished) and oracle.ask(asked.own[None])[0][0]:
            return Counterfactuals(told([Change(asked.own, (), 0.0)]), target, int(n))
        candidates = find_candidates(oracle, constraints, wished)
        changes = Search(oracle, constraints, candidates).run(int(n))
        relaxed = None if changes else find_relaxation(oracle, constraints, wished)
        if relaxed is None:
            return Counterfactuals(told(changes), target, int(n))
        dropped, change = relaxed
        names = tuple((rule.rule, rule.name) for rule in dropped)
        return Counterfactuals((), target, int(n), Relaxation(names, *told([change])))

    def _one_row(self, row: Any, target: str, context: Iterable[str] | None) -> _Asked:
        self._check_fitted()
        if row is None:
            raise TableError("row is None; expected one row, such as a dict of its values.")
        read = read_table(row)
        if len(read) != 1:
            raise TableError(f"row has {len(read)} rows; expected one at a time.")
        names = table_names(read, self.schema_)
        columns = dict(zip(names, read.columns.values(), strict=True))
        queries, counted, _ = self._context_of(Table(columns), target, context)
        plain = {
            name: None if column.first_present() is None else column.value(0)
            for name, column in columns.items()
            if name != target
        }
        return _Asked(plain, queries[0], counted, target)

    def _told(
        self, asked: _Asked, cases: list[int], changes: list[Change]
    ) -> tuple[Counterfactual, ...]:
        """Changed rows in their own terms, with what the model says about them."""
        if not changes:
            return ()
        rows, changed = [], []
        for change in changes:
            values = decode(change.row[None], self.schema_)
            names = [self.schema_.storage[column].name for column in change.columns]
            names = [name for name in self.schema_.names if name in names]
            changed.append({name: (asked.row[name], values[name][0]) for name in names})
            rows.append(asked.row | {name: values[name][0] for name in names})
        table = {name: [row[name] for row in rows] for name in asked.row}
        context = [self.schema_.storage[column].name for column in asked.columns]
        learned, answered = self._answer(table, asked.target, context)
        values = self._decoded(answered.values, learned.target.column).tolist()
        judged = self.conviction(table, context=context, familiarity=False).similarity
        categories = self.schema_[asked.target].categories or ()
        return tuple(
            Counterfactual(
                changes=changed[at],
                row=rows[at],
                prediction=values[at],
                conviction=float(judged[at]),
                case=cases[at],
                probabilities=None
                if answered.probabilities is None
                else dict(zip(categories, answered.probabilities[at].tolist(), strict=True)),
            )
            for at in range(len(changes))
        )
