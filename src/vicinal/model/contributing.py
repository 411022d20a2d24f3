"""Contributions: the Model's answers to "what did each feature add?"."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from vicinal.exceptions import ParameterError
from vicinal.explain.contributions import Contributions
from vicinal.explain.shapley import PERMUTATIONS, explain_features
from vicinal.model.predicting import Predicting
from vicinal.schema.kinds import Kind
from vicinal.typing import Floats, Ints, Places
from vicinal.validation import check_whole

#: All sets of more features than this are more than anyone waits for.
_MOST_EXACT = 16


class Contributing(Predicting):
    """What features and cases contribute to predictions."""

    def contributions(
        self,
        rows: Any,
        target: str,
        *,
        context: Iterable[str] | None = None,
        n_permutations: int | None = None,
        exact_up_to: int = 10,
        random_state: int | None = None,
    ) -> Contributions:
        """Divide predictions among the features that made them.

        Every set of features is asked for its prediction, by the same model with just those
        features; the contribution of a feature is what it adds, averaged over all orders in
        which features could become known (its Shapley value). The empty set says the mean
        outcome, or the class shares.

        Parameters
        ----------
        rows : table or None
            Rows to explain, as in `predict`; None for the stored cases, each without itself.
        target : str
            The feature that is predicted.
        context : list of str, optional
            Features to predict from; by default all columns the rows have, but the target.
        n_permutations : int, optional
            Orders to try where features are too many for all, at least 4; 32 by default. They
            come in pairs, each with its reverse.
        exact_up_to : int, default 10
            Number of features up to which all sets are asked, at most 16. Features that tell no
            cases apart do not count.
        random_state : int, optional
            Which orders are tried; by default the model's.

        Returns
        -------
        Contributions
            With the baseline they sum to the prediction. Features that hold the same values
            share equally, and one that tells no cases apart gets 0.

        Examples
        --------
        >>> import vicinal
        >>> from vicinal.data import load_penguins
        >>> model = vicinal.Model().fit(load_penguins())
        >>> row = {"bill_length_mm": [50.0], "flipper_length_mm": [230], "sex": ["male"]}
        >>> found = model.contributions(row, "species")
        >>> found.names, found.values.shape
        (('bill_length_mm', 'flipper_length_mm', 'sex'), (1, 3, 3))
        """
        orders = PERMUTATIONS if n_permutations is None else n_permutations
        check_whole("n_permutations", orders, 4)
        check_whole("exact_up_to", exact_up_to, 0)
        if exact_up_to > _MOST_EXACT:
            raise ParameterError(
                f"exact_up_to={exact_up_to}; expected at most {_MOST_EXACT}, for each feature "
                "doubles the number of sets. Raise n_permutations instead."
            )
        seed = self.random_state if random_state is None else random_state
        check_whole("random_state", seed, 0)
        queries, columns, exclude = self._context_of(rows, target, context)
        return self._divided(
            target,
            queries,
            columns,
            exclude,
            n_permutations=int(orders),
            exact_up_to=int(exact_up_to),
            random_state=int(seed),
        )

    def _divided(
        self,
        target: str,
        queries: Floats,
        columns: Places,
        exclude: Ints | None,
        *,
        n_permutations: int = PERMUTATIONS,
        exact_up_to: int = 10,
        random_state: int = 0,
    ) -> Contributions:
        """Contributions to the answers for encoded rows, each without the case given for it."""
        learned = self._learn(target, columns)
        found = explain_features(
            self.index_,
            learned.tuning.ensemble,
            learned.target,
            queries,
            exclude=exclude,
            n_permutations=n_permutations,
            exact_up_to=exact_up_to,
            random_state=random_state,
            threads=self.n_jobs,
        )
        features = [f for f in self.schema_.features if self.schema_.column(f.name) in columns]
        places = np.array([self.schema_.column(f.name) for f in features], dtype=np.intp)
        given = queries[:, places].copy()
        given[:, [f.kind in (Kind.NOMINAL, Kind.CYCLIC) for f in features]] = np.nan
        values, errors = found.values[:, places], found.standard_errors[:, places]
        names = tuple(f.name for f in features)
        if learned.target.n_classes:
            return Contributions(
                names=names,
                values=values,
                baseline=found.baseline,
                predictions=found.predictions,
                standard_errors=errors,
                classes=tuple(self.schema_[target].categories or ()),
                given=given,
            )
        return Contributions(
            names=names,
            values=values[..., 0],
            baseline=float(found.baseline[0]),
            predictions=found.predictions[:, 0],
            standard_errors=errors[..., 0],
            given=given,
        )
