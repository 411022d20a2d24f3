"""Whether predictions treat the groups of a protected column alike."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from vicinal.exceptions import ParameterError
from vicinal.explorer.computed import CasePredictions
from vicinal.explorer.filters import encoded
from vicinal.explorer.state import State
from vicinal.explorer.values import number
from vicinal.formatting.values import format_value, json_value
from vicinal.schema.kinds import Kind
from vicinal.typing import Bools, Floats

Json = dict[str, Any]
#: Groups that are compared, the largest ones; numbers are cut at these quantiles.
_MOST_GROUPS, _QUANTILES = 12, (0.25, 0.5, 0.75)


def fairness_of(
    state: State,
    found: CasePredictions,
    target: str,
    protected: str,
    positive: Any,
    among: Bools,
) -> Json:
    """Compare the predictions of the groups of a column, within a selection of cases.

    For classes, selection means to predict the positive class, by default the rarest one.
    """
    groups = _groups(state, found, protected, among)
    answer: Json = {"protected": protected, "positive": None}
    if not found.is_class:
        rows = [
            {"value": value, "text": text, "cases": int(mask.sum()), **_number_rates(found, mask)}
            for value, text, mask in groups
        ]
        return answer | {"groups": rows, "measures": _number_measures(rows)}
    code = _positive(state, found, target, positive)
    category = (state.fitted.schema[target].categories or ())[code]
    rows = [
        {"value": value, "text": text, "cases": int(mask.sum()), **_class_rates(found, mask, code)}
        for value, text, mask in groups
    ]
    return answer | {
        "positive": json_value(category),
        "groups": rows,
        "measures": _class_measures(rows),
    }


def _groups(
    state: State, found: CasePredictions, protected: str, among: Bools
) -> list[tuple[Any, str, Bools]]:
    """Return the groups of a column: value, text and the cases of each."""
    fitted = state.fitted
    column, feature = fitted.schema.column(protected), fitted.schema[protected]
    there = fitted.index.contains(found.numbers)
    values = np.full(len(found.numbers), np.nan)
    values[there] = fitted.index.cells(found.numbers[there], column)
    usable = among & there & ~np.isnan(found.truth)
    if feature.kind is Kind.NOMINAL or feature.listed:
        codes, counts = np.unique(values[usable & ~np.isnan(values)], return_counts=True)
        codes = codes[np.argsort(-counts, kind="stable")][:_MOST_GROUPS]
        decoded = fitted.decoded(codes, column)
        return [
            (json_value(value), format_value(value), usable & (values == code))
            for code, value in zip(codes, decoded, strict=True)
        ]
    known = values[usable & ~np.isnan(values)]
    if not len(known):
        raise ParameterError(f"{protected!r} has no values in these cases; choose another column.")
    cuts = np.unique(np.quantile(known, _QUANTILES, method="inverted_cdf"))
    edges = [-np.inf, *cuts.tolist(), np.inf]
    texts = [format_value(one) for one in fitted.decoded(cuts, column)]
    names = [f"up to {texts[0]}"]
    names += [f"above {a} to {b}" for a, b in pairwise(texts)]
    names += [f"above {texts[-1]}"]
    parts = [
        (name, name, usable & (values > low) & (values <= high))
        for name, low, high in zip(names, edges[:-1], edges[1:], strict=True)
    ]
    return [part for part in parts if part[2].any()]


def _positive(state: State, found: CasePredictions, target: str, positive: Any) -> int:
    n_classes = found.positive.shape[1]
    if positive is None:
        counts = np.bincount(
            found.truth[~np.isnan(found.truth)].astype(np.intp), minlength=n_classes
        )
        return int(np.where(counts > 0, counts, counts.max() + 1).argmin())
    code = float(encoded(state, target, [positive])[0])
    if not code < n_classes:
        raise ParameterError(
            f"positive is {positive!r}, which is no class of {target!r}; see the schema."
        )
    return int(code)


def _class_rates(found: CasePredictions, mask: Bools, code: int) -> Json:
    chosen, true = found.values[mask] == code, found.truth[mask] == code
    return {
        "selection_rate": _share(chosen),
        "true_positive_rate": _share(chosen[true]),
        "false_positive_rate": _share(chosen[~true]),
        "precision": _share(true[chosen]),
        "accuracy": _share(~found.wrong[mask]),
        "base_rate": _share(true),
    }


def _number_rates(found: CasePredictions, mask: Bools) -> Json:
    return {
        "mean_absolute_error": number(_mean(found.error[mask])),
        "bias": number(_mean(found.signed[mask])),
        "coverage": _share(~found.wrong[mask]),
    }


def _class_measures(rows: list[Json]) -> list[Json]:
    rates = ("selection_rate", "true_positive_rate", "false_positive_rate")
    selection, true, false = ([row[rate] for row in rows] for rate in rates)
    odds = [one for one in (_spread(true), _spread(false)) if one is not None]
    return [
        _measure(
            "Demographic parity difference",
            _spread(selection),
            "largest difference in how often the groups are predicted positive; 0 is equal",
        ),
        _measure(
            "Demographic parity ratio",
            _ratio(selection),
            "smallest ÷ largest selection rate; 1 is equal, below 0.8 is often called adverse",
        ),
        _measure(
            "Equal opportunity difference",
            _spread(true),
            "largest difference in the true positive rate; 0 is equal",
        ),
        _measure(
            "Equalized odds difference",
            max(odds) if odds else None,
            "largest difference in the true or false positive rate; 0 is equal",
        ),
        _measure(
            "Accuracy difference",
            _spread([row["accuracy"] for row in rows]),
            "largest difference in accuracy; 0 is equal",
        ),
    ]


def _number_measures(rows: list[Json]) -> list[Json]:
    errors, biases = ([row[name] for row in rows] for name in ("mean_absolute_error", "bias"))
    return [
        _measure("Error ratio", _ratio(errors), "smallest ÷ largest mean absolute error"),
        _measure("Bias difference", _spread(biases), "largest difference in mean error"),
        _measure(
            "Coverage difference",
            _spread([row["coverage"] for row in rows]),
            "largest difference in the coverage of 90 % intervals",
        ),
    ]


def _measure(name: str, value: float | None, text: str) -> Json:
    return {"name": name, "value": number(value), "text": text}


def _spread(values: list[float | None]) -> float | None:
    known = [one for one in values if one is not None]
    return max(known) - min(known) if len(known) > 1 else None


def _ratio(values: list[float | None]) -> float | None:
    known = [one for one in values if one is not None]
    return min(known) / max(known) if len(known) > 1 and max(known) > 0 else None


def _share(mask: Bools) -> float | None:
    return float(mask.mean()) if len(mask) else None


def _mean(values: Floats) -> float | None:
    return float(values.mean()) if len(values) else None
