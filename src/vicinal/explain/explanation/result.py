"""A prediction with everything behind it, as a result object."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

from vicinal.counterfactual.result import Counterfactuals
from vicinal.exceptions import ParameterError, did_you_mean
from vicinal.explain.explanation.html import html_of, html_of_all
from vicinal.explain.explanation.parts import (
    FeatureShares,
    NearCases,
    ResidualConviction,
    RowConviction,
    json_shares,
)
from vicinal.explain.explanation.text import answer_text, text_of
from vicinal.formatting.values import format_value, json_list, json_tree, json_value
from vicinal.tables.to_frame import build_frame

#: The parts that `to_frame` can return.
PARTS = (
    "prediction",
    "cases",
    "boundary",
    "features",
    "conviction",
    "residual_conviction",
    "counterfactuals",
)


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """One prediction: its uncertainty, the cases and features behind it, what would change it.

    Parameters
    ----------
    row : int
        Position among the rows; for training cases, the case number.
    stored : bool
        Whether it is a training case, predicted leave-one-out.
    target : str
        The feature that is predicted.
    given : dict of str to value
        The features given and their values; None where missing.
    prediction : Any
        The predicted number or category.
    alpha : float
        Error rate of the prediction interval or prediction set.
    interval : tuple, optional
        For numbers: the prediction interval, lower and upper end. None means no limit.
    probabilities : dict, optional
        For classes: the probability of each class, most probable first.
    labels : tuple, optional
        For classes: the prediction set, which contains the true class with probability
        1 − alpha, within each class. The most probable class is always in it.
    cases : NearCases
        The training cases behind the prediction, most influential first. With the background,
        Σ influence × outcome is the prediction.
    boundary : NearCases
        The nearest cases with another outcome; for numbers, one that differs by more than the
        usual error.
    conviction : RowConviction
        Whether the row resembles the training data.
    residual_conviction : ResidualConviction
        Whether this prediction is harder than usual.
    features : FeatureShares, optional
        The contribution of each feature; None if not requested.
    counterfactuals : Counterfactuals, optional
        What would change the prediction; None if not requested.
    library : str, optional
        The dataframe library of the fitted table, which `to_frame` uses by default.
    label : value, optional
        The label of the training case that is explained, if it has one.

    Examples
    --------
    >>> import vicinal
    >>> table = {"height": [1.0, 1.1, 1.2, 3.0, 3.1, 3.2], "sort": ["a", "a", "a", "b", "b", "b"]}
    >>> model = vicinal.Model().fit(table)
    >>> why = model.explain({"height": [1.04]}, target="sort")[0]
    >>> why.prediction, why.boundary.numbers[0]
    ('a', np.int64(3))
    """

    row: int
    stored: bool
    target: str
    given: Mapping[str, Any]
    prediction: Any
    alpha: float
    interval: tuple[Any, Any] | None
    probabilities: Mapping[Any, float] | None
    labels: tuple[Any, ...] | None
    cases: NearCases
    boundary: NearCases
    conviction: RowConviction
    residual_conviction: ResidualConviction
    features: FeatureShares | None = None
    counterfactuals: Counterfactuals | None = None
    library: str | None = None
    label: Any = None

    @property
    def name(self) -> Any:
        """What the row is called: the label of a training case, or `row`."""
        return self.row if self.label is None else self.label

    @property
    def headline(self) -> str:
        """The prediction with its interval or prediction set, in one line."""
        return answer_text(self)

    def columns(self, part: str = "cases") -> dict[str, list[Any]]:
        """Return the columns of the dataframe of one part; see `to_frame`."""
        if part not in PARTS:
            raise ParameterError(
                f"part must be one of {', '.join(map(repr, PARTS))}; got {part!r}."
                + did_you_mean(str(part), PARTS)
            )
        if part == "prediction":
            return self._summary()
        if part == "counterfactuals":
            return _changes(self.counterfactuals)
        known = getattr(self, part)
        if known is None:
            raise ParameterError(
                f"This explanation has no {part}; ask for them with explain(…, {part}=True)."
            )
        columns: dict[str, list[Any]] = known.columns()
        return columns

    def to_frame(self, part: str = "cases", backend: str | None = None) -> Any:
        """Return one part as a dataframe.

        Parameters
        ----------
        part : {"prediction", "cases", "boundary", "features", "conviction", \
"residual_conviction", "counterfactuals"}
            The part to return; the cases by default.
        backend : {"pandas", "polars", "pyarrow"}, optional
            Library to use; by default that of the fitted table, or else the first installed.
        """
        return build_frame(self.columns(part), backend or self.library)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as a dict of JSON values.

        Times become ISO text and durations seconds; None represents missing values and interval
        ends without a limit.
        """
        shares = self.probabilities
        saved: dict[str, Any] = {
            "row": int(self.row),
            **({} if self.label is None else {"label": json_value(self.label)}),
            "stored": self.stored,
            "target": self.target,
            "given": {name: json_value(value) for name, value in self.given.items()},
            "prediction": json_value(self.prediction),
            "alpha": self.alpha,
            "interval": None if self.interval is None else json_list(self.interval),
            "probabilities": None if shares is None else json_shares(shares),
            "labels": None if self.labels is None else json_list(self.labels),
        }
        for part in ("cases", "boundary", "features", "conviction", "residual_conviction"):
            known = getattr(self, part)
            saved[part] = None if known is None else known.to_dict()
        found = self.counterfactuals
        saved["counterfactuals"] = None if found is None else json_tree(found.to_dict())
        return saved

    def plot(self, **options: Any) -> Any:
        """Plot the influential cases, the features' contributions and the neighbors' values.

        This requires matplotlib (the extra ``plots``).

        Parameters
        ----------
        **options
            Passed to `vicinal.plots.ExplanationDisplay.plot`.

        Returns
        -------
        ExplanationDisplay
            The plot, with ``figure_`` and ``axes_``.
        """
        from vicinal.plots import ExplanationDisplay

        return ExplanationDisplay.from_explanation(self, **options)

    def __str__(self) -> str:
        return text_of(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_of(self)

    def _summary(self) -> dict[str, list[Any]]:
        columns: dict[str, list[Any]] = {"target": [self.target], "prediction": [self.prediction]}
        if self.interval is not None:
            columns |= {"lower": [self.interval[0]], "upper": [self.interval[1]]}
        if self.probabilities is not None:
            columns["probability"] = [self.probabilities[self.prediction]]
            columns["label_set"] = [", ".join(map(str, self.labels or ()))]
        columns |= {
            "conviction": [self.conviction.similarity],
            "p_value": [self.conviction.p_value],
            "residual_conviction": [self.residual_conviction.conviction],
        }
        return columns


class Explanations(Sequence[Explanation]):
    """The explanations of some rows, in their order.

    Parameters
    ----------
    explanations : sequence of Explanation
        One for each row.

    Examples
    --------
    >>> import vicinal
    >>> table = {"height": [1.0, 1.1, 1.2, 3.0, 3.1, 3.2], "sort": ["a", "a", "a", "b", "b", "b"]}
    >>> found = vicinal.Model().fit(table).explain({"height": [1.04, 3.3]}, target="sort")
    >>> [why.prediction for why in found]
    ['a', 'b']
    >>> found.to_frame("prediction", "pandas")["prediction"].tolist()
    ['a', 'b']
    """

    def __init__(self, explanations: Sequence[Explanation]) -> None:
        self._all = tuple(explanations)

    def __len__(self) -> int:
        return len(self._all)

    @overload
    def __getitem__(self, at: int) -> Explanation: ...

    @overload
    def __getitem__(self, at: slice) -> Explanations: ...

    def __getitem__(self, at: int | slice) -> Explanation | Explanations:
        return Explanations(self._all[at]) if isinstance(at, slice) else self._all[at]

    def __iter__(self) -> Iterator[Explanation]:
        return iter(self._all)

    def to_frame(self, part: str = "prediction", backend: str | None = None) -> Any:
        """Return one part of all explanations as a dataframe; see `Explanation.to_frame`.

        Its first column is ``query``, the row (or training case) that is explained.
        """
        joined: dict[str, list[Any]] = {}
        for one in self._all:
            columns = one.columns(part)
            length = len(next(iter(columns.values())))
            for name, values in {"query": [one.name] * length, **columns}.items():
                joined.setdefault(name, []).extend(values)
        library = self._all[0].library if self._all else None
        return build_frame(joined, backend or library)

    def to_dict(self) -> list[dict[str, Any]]:
        """Return everything as JSON values: a list with one dict for each row."""
        return [one.to_dict() for one in self._all]

    def plot(self, **options: Any) -> Any:
        """Plot the first explanation; to plot another one, select it by index."""
        if not self._all:
            raise ParameterError("There is nothing to draw: no row was explained.")
        return self._all[0].plot(**options)

    def __repr__(self) -> str:
        if len(self) == 1:
            return str(self._all[0])
        lines = [f"Explanations of {len(self)} rows"]
        lines += [f"  {format_value(one.name)}: {one.headline}" for one in self._all[:10]]
        return "\n".join(lines + [f"  … {len(self) - 10} more"] * (len(self) > 10))

    def _repr_html_(self) -> str:
        return html_of_all(self._all)


def _changes(found: Counterfactuals | None) -> dict[str, list[Any]]:
    rows = [
        (number, name, before, after, one.prediction, one.case_name)
        for number, one in enumerate(found or ())
        for name, (before, after) in one.changes.items()
    ]
    names = ("counterfactual", "feature", "from", "to", "prediction", "case")
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}
