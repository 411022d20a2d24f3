"""Contributions of features to predictions: the result and how to obtain it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vicinal.explain.orders import usual_permutations
from vicinal.explain.overall_contributions import OverallContributions
from vicinal.explain.shapley import explain_features
from vicinal.fitted import Fitted, Rows
from vicinal.formatting.durations import shared_unit
from vicinal.formatting.sheet_html import sheet_html
from vicinal.formatting.sheet_text import sheet_text
from vicinal.formatting.values import plain_value
from vicinal.prediction.predictor import Predictor, learn
from vicinal.progress import affordable
from vicinal.schema.decode import turn_into_cycle
from vicinal.schema.kinds import Kind
from vicinal.side_by_side import MOST_ROWS, given_values
from vicinal.tables.to_frame import build_frame
from vicinal.typing import Floats
from vicinal.validation import check_parameter, check_parameters
from vicinal.views.contributions import contributions_view

#: A contribution smaller than this share of the predictions it leads between is rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Contributions:
    """The contribution of each feature to the prediction of each row.

    The baseline and the contributions of a row sum to its prediction.

    Parameters
    ----------
    names : tuple of str
        Features of the context, in the order of the table.
    values : ndarray of shape (m, d), for classes (m, d, n_classes)
        Contributions, in the unit of the target; for classes, in probability. Those to dates,
        times and durations are in seconds here, and in a unit that fits in `to_frame`.
    baseline : float, for classes ndarray of shape (n_classes,)
        The prediction without any features: the mean outcome, or the class frequencies.
    predictions : ndarray of shape (m,), for classes (m, n_classes)
        The predictions with all features. Numbers are encoded: ranks for ordinal targets,
        seconds since the feature's origin for times; those of cyclic targets are shifted by
        whole periods to be as close to the baseline as possible, which is in the table's cycle.
    standard_errors : ndarray of the shape of `values`
        Standard errors from sampling; 0 where all coalitions were evaluated.
    classes : tuple, optional
        The classes, for nominal targets.
    given : ndarray of shape (m, d), optional
        The rows as numbers; NaN for categories and missing values.
    row_values : tuple of dict
        The features' values of the first rows, for showing them beside the contributions.
    library : str, optional
        The dataframe library of the fitted table, which `to_frame` uses by default.
    queries : tuple, optional
        The labels of the rows, if they are stored cases that have them.
    places : tuple of int, optional
        Where the rows are in the table that they were chosen from, for showing it; by default
        0, 1, ….
    times : tuple, optional
        For dates, times and durations: the predictions as such.

    Examples
    --------
    >>> import numpy as np
    >>> import vicinal
    >>> a, b = np.meshgrid(np.arange(8.0), np.arange(8.0))
    >>> table = {"a": a.ravel(), "b": b.ravel(), "y": 3 * a.ravel() - 2 * b.ravel()}
    >>> found = vicinal.Model().fit(table).contributions({"a": [6.0], "b": [1.0]}, "y")
    >>> found.names, found.values.round().tolist()
    (('a', 'b'), [[7.0, 5.0]])
    """

    names: tuple[str, ...]
    values: Floats
    baseline: float | Floats
    predictions: Floats
    standard_errors: Floats
    classes: tuple[Any, ...] | None = None
    given: Floats | None = None
    row_values: tuple[dict[str, Any], ...] = ()
    library: str | None = None
    queries: tuple[Any, ...] | None = None
    places: tuple[int, ...] | None = None
    times: tuple[Any, ...] | None = None

    def __len__(self) -> int:
        return len(self.values)

    def overall(self) -> OverallContributions:
        """Summarize the rows: how much each feature matters, and in which direction."""
        size = np.abs(self.values).mean(axis=0) if len(self) else np.zeros(self.values.shape[1:])
        mean = self.values.mean(axis=0) if len(self) else np.zeros(self.values.shape[1:])
        given = np.full(self.values.shape[:2], np.nan) if self.given is None else self.given
        direction = _directions(given, self.values)
        of_times = self.times is not None
        return OverallContributions(
            self.names, size, mean, direction, self.classes, self.library, of_times
        )

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe with one row per input row and feature (and class).

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            Library to use; by default that of the fitted table, or else the first installed.
        """
        columns = self.columns()
        if self.queries is not None:
            columns["row"] = [self.queries[at] for at in columns["row"]]
        return build_frame(columns, backend or self.library)

    def columns(self) -> dict[str, Any]:
        """Return the columns of `to_frame`, with positions of rows; this needs no library."""
        m, d = self.values.shape[:2]
        row, feature = np.repeat(np.arange(m), d), np.tile(np.arange(d), m)
        columns: dict[str, Any] = {"row": row}
        names = np.array(self.names, dtype=object)
        if self.classes is None:
            columns["feature"] = names[feature].tolist()
        else:
            k = len(self.classes)
            columns["row"] = np.repeat(row, k)
            columns["feature"] = names[np.repeat(feature, k)].tolist()
            columns["class"] = list(self.classes) * (m * d)
        unit, size = shared_unit(self.values.ravel().tolist())
        size = 1.0 if self.times is None else size
        columns["contribution"] = self.values.ravel() / size
        columns["standard_error"] = self.standard_errors.ravel() / size
        if self.times is not None:
            columns["unit"] = [unit] * (m * d)
        return columns

    def plot(self, *, ax: Any = None) -> Any:
        """Draw a waterfall of one prediction, or a summary of several.

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
        from vicinal.plots.contribution import draw_contributions

        return draw_contributions(self, ax)

    def __repr__(self) -> str:
        return sheet_text(contributions_view(self))

    def _repr_html_(self) -> str:
        return sheet_html(contributions_view(self))


def _directions(given: Floats, values: Floats) -> Floats:
    """Correlate each feature's values with its contributions over the rows."""
    out = np.full(values.shape[1:], np.nan)
    for feature in range(given.shape[1]):
        known = ~np.isnan(given[:, feature])
        if known.sum() < 2:
            continue
        x, y = given[known, feature], values[known, feature]
        with np.errstate(all="ignore"):
            x = (x - x.mean()) / np.abs(x - x.mean()).max()
            y = (y - y.mean(axis=0)) / np.abs(y - y.mean(axis=0)).max(axis=0)
            out[feature] = (x @ y) / np.sqrt((x @ x) * (y**2).sum(axis=0))
    return out


def contributions(
    fitted: Fitted,
    rows: Any,
    target: str,
    *,
    context: Iterable[str] | None = None,
    n_permutations: int | None = None,
    exact_up_to: int = 10,
    random_state: int | None = None,
    baseline: str = "auto",
    time_budget: float | None = None,
) -> Contributions:
    """Compute the contribution of each feature to predictions (Shapley values).

    The same model predicts from every subset of the features; the contribution of a feature
    is how much adding it changes the prediction, averaged over all orders in which features
    could be added (its Shapley value). The empty subset predicts the mean outcome, or the
    class frequencies.

    Parameters
    ----------
    rows : table or None
        Rows to explain, as in `predict`; None for the training cases, leave-one-out.
    target : str
        The feature to predict.
    context : list of str, optional
        Features to predict from; by default all columns of the rows except the target.
    n_permutations : int, optional
        Number of orders of the features to sample if these are too many for all subsets, at least
        4; they come in pairs, each with its reverse. By default, contributions are estimated from
        balanced sets of the features instead, which takes less time: three for each feature, and
        more for rows whose standard errors are not within 5 % of the mean absolute deviation of
        the target (in root mean square over features; 2 percentage points for two classes that
        are as frequent), at most eight. Of more than 64 features, and in tables of more than
        131,072 cases, 8 orders at a time are added until then, at most 32.
    exact_up_to : int, default 10
        Maximum number of features for evaluating all subsets, at most 16. Features that do
        not vary are not counted.
    random_state : int, optional
        Random seed for sampling orders; by default that of the model.
    baseline : {"auto", "all"}, default "auto"
        Which cases predict from subsets of the features. With ``"auto"``, in tables of more than
        131,072 cases these are 16 samples of 8,192 cases, in turn; standard errors include what
        this adds. The prediction from all features is always that of all cases.
    time_budget : float, optional
        Seconds, besides what it takes to learn the target. If they do not suffice, fewer orders of
        the features are sampled, at least 4; the standard errors say what that costs.

    Returns
    -------
    Contributions
        Together with the baseline they sum to the prediction. Features with identical values
        contribute equally, and a feature that does not vary contributes 0. Of more than 200
        features, the 64 with the greatest weights are added one by one; the others share what
        they change together.

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
    check_parameters({"exact_up_to": exact_up_to, "baseline": baseline})
    if n_permutations is not None:
        check_parameter("n_permutations", n_permutations)
    seed = fitted.settings.random_state if random_state is None else random_state
    check_parameter("random_state", seed, rule="seed")
    asked = fitted.rows(rows, target, context)
    predictor = learn(fitted, target, asked.columns)

    def explained(n_orders: int | None, most: int) -> Contributions:
        return contributions_of(
            predictor,
            asked,
            n_permutations=n_orders,
            exact_up_to=most,
            random_state=int(seed),
            baseline=baseline,
        )

    if time_budget is not None:
        check_parameter("time_budget", time_budget)
        count = len(predictor.players())
        # All subsets take about as long as so many orders.
        orders = n_permutations or usual_permutations(count)
        most = -(-(1 << count) // max(count, 1)) if count <= exact_up_to else orders
        n_orders = affordable(lambda n: explained(n, 0), time_budget, most, least=4)
        if n_orders < most:
            return explained(n_orders, 0)
    return explained(n_permutations, exact_up_to)


def contributions_of(
    predictor: Predictor,
    rows: Rows,
    *,
    n_permutations: int | None = None,
    exact_up_to: int = 10,
    random_state: int | None = None,
    baseline: str = "auto",
) -> Contributions:
    """Compute the contributions of features to predictions; see `Model.contributions`."""
    fitted = predictor.fitted
    found = explain_features(
        predictor,
        rows,
        n_permutations=None if n_permutations is None else int(n_permutations),
        exact_up_to=int(exact_up_to),
        random_state=fitted.settings.random_state if random_state is None else random_state,
        baseline=baseline,
    )
    schema = fitted.schema
    features = [f for f in schema.features if schema.column(f.name) in predictor.context]
    places = np.array([schema.column(f.name) for f in features], dtype=np.intp)
    given = rows.values[:, places].copy()
    given[:, [f.kind in (Kind.NOMINAL, Kind.CYCLIC) for f in features]] = np.nan
    values, errors = found.values[:, places], found.standard_errors[:, places]
    between = np.maximum(np.abs(found.baseline), np.abs(found.predictions))[:, None]
    values = np.where(np.abs(values) < _ROUNDING * between, 0.0, values)
    names = tuple(f.name for f in features)
    first = rows.take(slice(MOST_ROWS))
    shown: dict[str, Any] = {
        "row_values": tuple(given_values(schema, names, first.values, first.table)),
        "library": fitted.library,
        "queries": fitted.labels_of(rows),
    }
    if predictor.target.n_classes:
        column = predictor.column
        return Contributions(
            names=names,
            values=fitted.by_class(values, column),
            baseline=fitted.by_class(found.baseline, column),
            predictions=fitted.by_class(found.predictions, column),
            standard_errors=fitted.by_class(errors, column),
            classes=schema.storage[column].class_order,
            given=given,
            **shown,
        )
    turn = turn_into_cycle(float(found.baseline[0]), schema.storage[predictor.column])
    times = None
    if schema.storage[predictor.column].in_seconds:
        decoded = fitted.predicted(found.predictions[:, 0], predictor.column)
        times = tuple(map(plain_value, decoded))
    return Contributions(
        names=names,
        values=values[..., 0],
        baseline=float(found.baseline[0]) + turn,
        predictions=found.predictions[:, 0] + turn,
        standard_errors=errors[..., 0],
        given=given,
        times=times,
        **shown,
    )
