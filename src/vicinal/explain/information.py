"""Information of features about a target: entropy, and the effect of adding or dropping each."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np

from vicinal.explain.boundary import mean_metric
from vicinal.explain.dropping import held_out_losses, held_out_sample
from vicinal.explain.equal_columns import equal_columns
from vicinal.fitted import Fitted
from vicinal.formatting.durations import shared_unit
from vicinal.formatting.sheet_html import sheet_html
from vicinal.formatting.sheet_text import sheet_text
from vicinal.influence.losses import CaseLosses, Losses, error_of_mean
from vicinal.prediction.heaviest import MANY, heaviest
from vicinal.prediction.predictor import Predictor, learn
from vicinal.progress import affordable
from vicinal.tables.to_frame import build_frame
from vicinal.typing import Floats, Ints
from vicinal.validation import check_parameter
from vicinal.views.information import information_view

#: Held-out cases that features are measured on, unless a time budget buys more: so many by the
#: number of features, and at least so many.
_MEASURED, _LEAST_MEASURED = 4_000, 200
#: Of many features, the lighter ones are measured alone on so many cases by their number, and at
#: least so many.
_OTHERS, _LEAST_OTHERS = 50_000, 16
#: Nats and probabilities have so many decimals; what is smaller is rounding.
_DECIMALS = 12


@dataclass(frozen=True)
class Measured:
    """Losses of held-out cases when all, some or no columns are known."""

    #: With all columns, and with none.
    whole: Losses
    nothing: Losses
    #: Without each column, and with it alone; columns without any effect are not listed.
    without: dict[int, Losses]
    alone: dict[int, Losses]
    #: With all columns, as predicted by the cases that predict without each column: a sample of
    #: them in large tables.
    compared: Losses
    #: Standard errors of the differences in entropy: to all columns, and to none.
    lost_errors: dict[int, float]
    alone_errors: dict[int, float]


def measure_features(
    predictor: Predictor, cases: Ints, *, columns: Container[int] | None = None
) -> Measured:
    """Predict held-out cases with each column dropped, and with each column alone.

    The learned ensemble does not change, so this measures how the model uses a feature.
    Not all columns need to be measured, but all are available for prediction.

    In large tables, each batch of held-out cases is predicted from another sample of the cases,
    also with all columns where this is compared.

    Of many columns, those with the greatest weights are dropped one by one. The others are dropped
    together, and share what this costs in proportion to their weights.
    """
    target = predictor.target
    able = [column for column in predictor.players() if columns is None or column in columns]
    weights = mean_metric(predictor).weights
    heavy = heaviest(able, weights) if len(able) > MANY else able
    light = [column for column in able if column not in heavy]
    others = [column for column in predictor.players() if column not in light] if light else None
    held = held_out_losses(predictor, cases, without=heavy, alone=heavy, keeping=others)

    def error(one: CaseLosses, other: CaseLosses, asked: Ints = cases) -> float:
        return error_of_mean(one.entropy_parts - other.entropy_parts, asked, target)

    without = {column: one.mean for column, one in held.without.items()}
    alone = {column: one.mean for column, one in held.alone.items()}
    lost_errors = {column: error(one, held.compared) for column, one in held.without.items()}
    alone_errors = {column: error(held.nothing, one) for column, one in held.alone.items()}
    if light:
        cost, spread = _minus(held.kept.mean, held.compared.mean), error(held.kept, held.compared)
        shares = weights[light] / (weights[light].sum() or 1.0)
        for column, share in zip(light, shares.tolist(), strict=True):
            without[column] = _plus(held.compared.mean, cost, share)
            lost_errors[column] = share * spread
        count = max(_LEAST_OTHERS, _OTHERS // len(able))
        fewer = held_out_sample(predictor, min(count, len(cases)))
        some = held_out_losses(predictor, fewer, alone=light)
        for column, one in some.alone.items():
            alone[column] = _plus(held.nothing.mean, _minus(one.mean, some.nothing.mean))
            alone_errors[column] = error(some.nothing, one, fewer)
    for group in equal_columns(predictor, able):
        # A score may be made of any of them.
        without |= dict.fromkeys(group, _mean([without[column] for column in group]))
        alone |= dict.fromkeys(group, _mean([alone[column] for column in group]))
        for errors in (lost_errors, alone_errors):
            errors |= dict.fromkeys(group, float(np.mean([errors[one] for one in group])))
    means = (held.whole.mean, held.nothing.mean, without, alone, held.compared.mean)
    return Measured(*means, lost_errors, alone_errors)


def _minus(one: Losses, other: Losses) -> Losses:
    pairs = zip(astuple(one), astuple(other), strict=True)
    return Losses(*(a - b for a, b in pairs))


def _plus(one: Losses, other: Losses, part: float = 1.0) -> Losses:
    pairs = zip(astuple(one), astuple(other), strict=True)
    return Losses(*(a + part * b for a, b in pairs))


def _mean(losses: list[Losses]) -> Losses:
    """Return the mean of each loss."""
    means = np.mean([[one.mae, one.accuracy, one.entropy] for one in losses], axis=0)
    return Losses(*means.tolist())


def information(
    fitted: Fitted,
    target: str,
    *,
    context: Iterable[str] | None = None,
    time_budget: float | None = None,
) -> Information:
    """Measure the information of features about a target on held-out cases.

    Parameters
    ----------
    target : str
        The feature to predict.
    context : list of str, optional
        Features to predict from; by default all others. To measure the effect of adding any
        other feature, the target is relearned with it.
    time_budget : float, optional
        Seconds for measuring the features, besides what it takes to learn the target. They buy
        as many held-out cases to measure features on as they suffice for, up to all of them; the
        result says how many. By default 4,000 divided by the number of features, at least 200.

    Returns
    -------
    Information
        Mean absolute error, accuracy and conditional entropy given the context, and the
        effect of each feature on them. At most `max_queries` cases are held out; if there
        are enough, only cases that the target was not learned from. Standard errors are those
        of sampling held-out cases. In tables of more than 16,384 cases, the effects of dropping
        a feature and of having it alone are measured by predictions from samples of 8,192 cases.
        Of more than 200 features, the 64 with the greatest weights are dropped one by one; the
        others share what is lost when all of them are dropped, by their weights, and are measured
        alone on fewer cases.
    """
    names = tuple(name for name in fitted.schema.names if name != target)
    wanted = [context] if isinstance(context, str) else context
    columns = fitted.columns_for(names if wanted is None else list(wanted), target)
    predictor, settings = learn(fitted, target, columns), fitted.settings

    every = held_out_sample(predictor, settings.max_queries)
    n_cases = max(_LEAST_MEASURED, _MEASURED // max(len(columns), 1))
    if time_budget is not None:
        check_parameter("time_budget", time_budget)
        extra = 1 + len(names) - len(columns)  # the target is relearned with other features
        n_cases = affordable(
            lambda n: measure_features(predictor, held_out_sample(predictor, n)),
            time_budget / extra,
            len(every),
        )
    cases = every if n_cases >= len(every) else held_out_sample(predictor, n_cases)
    found = measure_features(predictor, cases)
    held = held_out_losses(predictor, every)
    overall, before = held.whole.mean, held.nothing.mean
    alone, gained, lost, mda, mae_without = np.full((5, len(names)), np.nan)
    lost_error, alone_error = np.full((2, len(names)), np.nan)
    for at, name in enumerate(names):
        column, whole, compared = fitted.schema.column(name), found.whole, found.compared
        measured = found
        if column in columns:
            without = found.without.get(column, compared)
            rise, fall = without.mae - compared.mae, compared.accuracy - without.accuracy
            lost[at] = without.entropy - compared.entropy
            lost_error[at] = found.lost_errors.get(column, 0.0)
            mda[at] = fall if predictor.target.n_classes else rise
            mae_without[at] = without.mae + (overall.mae - compared.mae)
        else:
            more = learn(fitted, target, np.sort(np.append(columns, column)))
            measured = measure_features(more, cases)
            gained[at] = whole.entropy - measured.whole.entropy
        alone[at] = found.nothing.entropy - measured.alone.get(column, found.nothing).entropy
        alone_error[at] = measured.alone_errors.get(column, 0.0)
    alone, gained, lost = (np.round(nats, _DECIMALS) + 0.0 for nats in (alone, gained, lost))
    return Information(
        target=target,
        names=names,
        context=tuple(n for n in names if fitted.schema.column(n) in columns),
        n_cases=len(cases),
        mae=round(overall.mae, _DECIMALS) if predictor.target.n_classes else overall.mae,
        accuracy=overall.accuracy,
        entropy=round(overall.entropy, _DECIMALS) + 0.0,
        entropy_before=round(before.entropy, _DECIMALS) + 0.0,
        alone=alone,
        gained=gained,
        lost=lost,
        mda=mda,
        mae_without=mae_without,
        library=fitted.library,
        n_held_out=len(every),
        alone_error=alone_error,
        lost_error=lost_error,
        in_seconds=fitted.schema[target].in_seconds,
    )


@dataclass(frozen=True, eq=False)
class Information:
    """The information of features about a target, in nats, measured on held-out cases.

    Parameters
    ----------
    target : str
        The feature that is predicted.
    names : tuple of str
        All other features, in the order of the table.
    context : tuple of str
        The features it is predicted from.
    n_cases : int
        Number of held-out cases that features are measured on.
    mae : float
        Mean absolute error; for classes, the mean probability not given to the true class.
    accuracy : float
        Share of correctly predicted classes; NaN for numbers.
    entropy : float
        H(target | context), the mean surprisal of the true value. For numbers, that of a Laplace
        distribution whose scale is the mean absolute error, 1 + ln(2 · mae).
    entropy_before : float
        H(target), without any features.
    alone : ndarray
        Information of each feature alone: H(target) − H(target | feature).
    gained : ndarray
        Information gained by adding each feature: H(target | context) −
        H(target | context, feature); NaN for features in the context.
    lost : ndarray
        Information lost by dropping each feature: H(target | the others) − H(target | context);
        NaN for features outside the context. Negative if the feature is harmful.
    mda : ndarray
        Mean decrease in accuracy when each feature is dropped; for numbers, the increase of `mae`.
    mae_without : ndarray
        Mean absolute error when each feature is dropped.
    library : str, optional
        The dataframe library of the fitted table, which `to_frame` uses by default.
    n_held_out : int, optional
        Number of held-out cases that `mae`, `accuracy` and the entropies are measured on.
    alone_error, lost_error : ndarray, optional
        Standard errors of `alone` and `lost`.
    in_seconds : bool
        Whether errors are seconds: those of dates, times and durations. `to_frame` has a unit
        that fits.

    Examples
    --------
    >>> import numpy as np
    >>> import vicinal
    >>> sky = np.array(["gray", "blue"] * 40)
    >>> table = {"sky": sky, "day": np.arange(80) % 7, "rain": sky == "gray"}
    >>> found = vicinal.Model().fit(table).information("rain")
    >>> round(found.entropy_before, 2), bool(found.alone[0] > 0.6), bool(found.alone[1] < 0.1)
    (0.69, True, True)
    """

    target: str
    names: tuple[str, ...]
    context: tuple[str, ...]
    n_cases: int
    mae: float
    accuracy: float
    entropy: float
    entropy_before: float
    alone: Floats
    gained: Floats
    lost: Floats
    mda: Floats
    mae_without: Floats
    library: str | None = None
    n_held_out: int | None = None
    alone_error: Floats | None = None
    lost_error: Floats | None = None
    in_seconds: bool = False

    @property
    def information(self) -> float:
        """Information of the context about the target: H(target) − H(target | context)."""
        return self.entropy_before - self.entropy

    def __len__(self) -> int:
        return len(self.names)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe (pandas, polars or pyarrow: `backend`) with one row per feature.

        Errors of dates, times and durations are in the unit that its last column names.
        """
        columns: dict[str, Any] = {
            "feature": list(self.names),
            "in_context": [name in self.context for name in self.names],
        }
        for name in ("alone", "gained", "lost", "mda", "mae_without"):
            columns[name] = getattr(self, name)
        for name in ("alone_error", "lost_error"):
            if getattr(self, name) is not None:
                columns[name] = getattr(self, name)
        if self.in_seconds:
            unit, seconds = shared_unit([*self.mae_without.tolist(), *self.mda.tolist()])
            columns |= {name: columns[name] / seconds for name in ("mda", "mae_without")}
            columns["unit"] = [unit] * len(self)
        return build_frame(columns, backend or self.library)

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the information of each feature, alone and beside the others.

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
        from vicinal.plots.information import draw_information

        return draw_information(self, ax)

    def __repr__(self) -> str:
        return sheet_text(information_view(self))

    def _repr_html_(self) -> str:
        return sheet_html(information_view(self))
