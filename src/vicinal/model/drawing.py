"""Density and synthesis: the Model's answers to "how probable is this, and what else is?"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from vicinal.density.mixture import Mixture, fit_mixture
from vicinal.density.results import Synthetic
from vicinal.index.exact import ExactIndex
from vicinal.model.base import Cases
from vicinal.schema.decode import decode
from vicinal.schema.encode import encode
from vicinal.schema.kinds import Kind
from vicinal.schema.schema import Feature
from vicinal.typing import Floats
from vicinal.validation import check_whole


class Drawing(Cases):
    """The density of rows, and rows drawn from it."""

    def density(self, rows: Any = None) -> Floats:
        """Give the log density of rows, in nats.

        Parameters
        ----------
        rows : table, optional
            Rows to ask about. They may have some of the columns only, and missing values: the
            density is that of what they have. By default the stored cases, each as if new.

        Returns
        -------
        ndarray of shape (m,)
            Per unit of every continuous and cyclic feature; probabilities of ordinal and nominal
            ones are multiplied in. Features that are constant do not count.

        Examples
        --------
        >>> import vicinal
        >>> model = vicinal.Model().fit({"height": [1.0, 1.1, 1.3], "colour": ["a", "a", "b"]})
        >>> near, far = model.density({"height": [1.1, 9.0], "colour": ["a", "a"]})
        >>> bool(near > far)
        True
        """
        queries, metric, _ = self._asked(rows, None)
        return self._mixture().log_density(queries, metric.active)

    def synthesize(
        self, n: int, *, given: Mapping[str, Any] | None = None, random_state: int | None = None
    ) -> Synthetic:
        """Draw rows from the density.

        Parameters
        ----------
        n : int
            How many.
        given : mapping of str to value, optional
            Values that all rows are to have; the others are drawn given these.
        random_state : int, optional
            Another number gives other rows; the Model's own by default.

        Returns
        -------
        Synthetic
            The rows, and the closest real case of each with its distance.
        """
        self._check_fitted()
        check_whole("n", n, 0)
        seed = self.random_state if random_state is None else random_state
        fixed = np.full((n, len(self.schema_)), np.nan)
        if given:
            row = encode(
                {name: [value] for name, value in given.items()}, self.schema_, require=False
            )
            fixed[:] = row
        rows = self._mixture().draw(fixed, np.random.default_rng(seed))
        found = self.index_.search(rows, self.metric_, 1, threads=self.n_jobs)
        return Synthetic(decode(rows, self.schema_), found.indices[:, 0], found.distances[:, 0])

    def _forget(self) -> None:
        super()._forget()
        self._kernels: tuple[ExactIndex | None, int, Mixture | None] = (None, -1, None)

    def _mixture(self) -> Mixture:
        """Kernels around the cases; made once for as long as they stay the same."""
        index, version, made = self._kernels
        if made is None or index is not self.index_ or version != index.version:
            levels = np.array([_levels(feature) for feature in self.schema_.storage])
            made = fit_mixture(
                self.index_,
                self.metric_,
                levels,
                random_state=self.random_state,
                threads=self.n_jobs,
            )
            self._kernels = (self.index_, self.index_.version, made)
        return made


def _levels(feature: Feature) -> float:
    """How many values an ordinal or nominal feature can have; 0 for others."""
    if feature.kind not in (Kind.ORDINAL, Kind.NOMINAL):
        return 0.0
    return float(len(feature.categories or ()))
