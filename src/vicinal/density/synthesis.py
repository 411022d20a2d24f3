"""Synthetic rows, sampled from the density."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vicinal.counterfactual.arguments import read_rules
from vicinal.counterfactual.constraints import Constraint
from vicinal.density.limits import Limits
from vicinal.density.mixture import mixture_of
from vicinal.density.sampled_centers import MOST_CENTERS, sampled_centers
from vicinal.density.sampler import Sampler, privacy_ratio
from vicinal.exceptions import ParameterError
from vicinal.fitted import Fitted
from vicinal.formatting.sheet_html import sheet_html
from vicinal.formatting.sheet_text import sheet_text
from vicinal.progress import stages
from vicinal.schema.decode import decode, frame_categories
from vicinal.schema.encode import encode
from vicinal.schema.ranges import encoded_values
from vicinal.tables.case_labels import NO_LABELS, CaseLabels
from vicinal.tables.to_frame import build_frame
from vicinal.typing import Floats, Ints
from vicinal.validation import check_parameter
from vicinal.views.synthesis import synthesis_view


@dataclass(frozen=True, eq=False)
class Synthetic:
    """Rows sampled from the density, with the closest training case of each.

    Parameters
    ----------
    columns : dict of str to list
        The sampled values by feature.
    nearest : ndarray of int64
        Number of the closest training case.
    distances : ndarray
        Distance to that case: mean surprisal per feature in nats, 1.5 for a copy.
    privacy_ratio : float
        How far the rows are from their closest training case, compared with training cases that
        are held out: the ratio of the median distances in excess of those of a copy. 1 means as
        far as a real row that is not in the table; below 0.9, rows disclose more than they
        should. Equal training cases are held out together. NaN if all are equal.
    library : str, optional
        The dataframe library of the fitted table, which `to_frame` uses by default.
    categories : dict of str to tuple
        Columns that are categorical in the fitted table, with their levels if these are ordered.
    case_labels : CaseLabels
        What the cases are called, if they have labels.
    n_centers : int, optional
        Number of cases that rows were sampled around, if not around all of them.

    Examples
    --------
    >>> import vicinal
    >>> model = vicinal.Model().fit({"height": [1.0, 1.1, 3.0], "color": ["red", "red", "blue"]})
    >>> drawn = model.synthesize(4, given={"color": "blue"})
    >>> drawn.columns["color"]
    ['blue', 'blue', 'blue', 'blue']
    """

    columns: dict[str, list[Any]]
    nearest: Ints
    distances: Floats
    privacy_ratio: float = np.nan
    library: str | None = None
    categories: dict[str, tuple[str, ...] | None] = field(default_factory=dict)
    case_labels: CaseLabels = NO_LABELS
    n_centers: int | None = None

    def __len__(self) -> int:
        return len(self.nearest)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe (pandas, polars or pyarrow: `backend`) of the sampled rows only."""
        return build_frame(self.columns, backend or self.library, self.categories)

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the distances to the closest training cases.

        This requires matplotlib (the extra ``plots``).

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on; new ones by default.

        Returns
        -------
        matplotlib axes
            The axes.
        """
        from vicinal.plots.synthesis import draw_synthesis

        return draw_synthesis(self, ax)

    def __repr__(self) -> str:
        return sheet_text(synthesis_view(self))

    def _repr_html_(self) -> str:
        return sheet_html(synthesis_view(self))


def synthesize(
    fitted: Fitted,
    n: int,
    *,
    given: Mapping[str, Any] | None = None,
    constraints: Mapping[str, Any] | None = None,
    random_state: int | None = None,
) -> Synthetic:
    """Sample synthetic rows whose values can exist.

    Numbers lie within the range of the stored ones and on their step, values are missing where
    they are in similar cases, and no two categories meet that no case has together. Rows that
    come too close to a case are drawn again; only then, categories may meet that are so rare that
    less than one case with both is to be expected.

    In tables of more than 131,072 cases, rows are sampled around a sample of 10,000 and the 1,024
    cases next to what is given; widths are learned from all cases, and rows are near none of them.

    Parameters
    ----------
    n : int
        Number of rows.
    given : mapping of str to value, optional
        Fixed values of some features in all rows; the others are sampled conditionally on these.
    constraints : mapping of str to tuple or list, optional
        What other features may be: a range (low, high), with None for an open end, or a list of
        the allowed values. Features with a constraint are never missing.
    random_state : int, optional
        Random seed; by default that of the model.

    Returns
    -------
    Synthetic
        The rows, the closest training case of each with its distance, and the privacy ratio.

    Examples
    --------
    >>> import vicinal
    >>> from vicinal.data import load_penguins
    >>> model = vicinal.Model().fit(load_penguins())
    >>> drawn = model.synthesize(
    ...     5, given={"species": "Gentoo"}, constraints={"body_mass_g": (5000, 5500)}
    ... )
    >>> all(5000 <= mass <= 5500 for mass in drawn.columns["body_mass_g"])
    True
    >>> set(drawn.columns["island"])
    {'Biscoe'}
    """
    check_parameter("n", n, rule="n_rows")
    seed = fitted.settings.random_state if random_state is None else random_state
    fixed = np.full(len(fitted.schema), np.nan)
    if given:
        row = {name: [value] for name, value in given.items()}
        fixed = encode(row, fitted.schema, require=False)[0]
        for name, values in row.items():
            if not np.isnan(fixed[fitted.schema.column(name)]):
                encoded_values(fitted.schema, name, values, "given")  # of categories, known ones
    rules = read_rules(fitted.schema, constraints)
    _check_given(fixed, rules)
    with stages(3, what="synthesizing rows") as begin:
        begin()
        sampled = len(fitted.index) > MOST_CENTERS
        mixture = sampled_centers(fitted, fixed) if sampled else mixture_of(fitted)
        limits = Limits.of(tuple(fitted.domain(i) for i in range(len(fitted.schema))), rules)
        begin()
        every = fitted.index if sampled else None
        sampler = Sampler(mixture, fitted.metric, fitted.threads, every)
        drawn = sampler.draw(fixed, limits, n, np.random.default_rng(seed))
        begin()
        found = fitted.index.search(drawn.rows, fitted.metric, 1, threads=fitted.threads)
    return Synthetic(
        decode(drawn.rows, fitted.schema),
        found.indices[:, 0],
        found.distances[:, 0],
        privacy_ratio(drawn.excess, mixture.closest, drawn.shares),
        library=fitted.library,
        categories=frame_categories(fitted.schema.features),
        case_labels=fitted.labels.some(found.indices[:, 0].tolist()),
        n_centers=len(mixture.numbers) if sampled else None,
    )


def _check_given(fixed: Floats, rules: tuple[Constraint, ...]) -> None:
    for rule in rules:
        value = fixed[rule.column : rule.column + 1]
        if not np.isnan(value[0]) and not rule.permits(value)[0]:
            raise ParameterError(
                f"given has a value for {rule.name!r} that constraints do not permit; leave it "
                "out of one of them."
            )
