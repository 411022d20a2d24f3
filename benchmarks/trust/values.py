"""Whether synthetic and imputed values can exist, and whether synthetic rows are private.

Every table is cut into two halves. Rows are sampled from, and cells imputed by, a model of the
first; the second is what held-out real rows are like.
"""

from __future__ import annotations

from argparse import Namespace
from decimal import Decimal

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import cross_val_score

from benchmarks.trust.real_tables import real_tables
from vicinal import Model
from vicinal.formulas import SAME

#: Tables are cut to so many rows, and so many are sampled.
MOST_ROWS, QUICK_ROWS, DRAWN = 2000, 400, 500
#: Share of the cells that are hidden and imputed.
HIDDEN = 0.05
LEAST_PRIVATE = 0.9
HEADER = (
    "| table | outside: synthetic | imputed | off the step: synthetic | imputed "
    "| missing: real | synthetic | privacy ratio | real or synthetic: AUC |"
)


def run(options: Namespace) -> int:
    """Print one line per table, and how many break a promise."""
    print(
        "Promised: no value outside the observed range or off the step, and a privacy ratio "
        f"(median distance to the closest row of the model, against held-out rows) of "
        f"{LEAST_PRIVATE} or more. An AUC of 0.5 means that nobody can tell which rows are "
        "synthetic.\n"
    )
    print(HEADER)
    print("|:--|" + "--:|" * 8)
    failures = 0
    for table in real_tables(options.data, options.tables):
        most = QUICK_ROWS if options.quick else MOST_ROWS
        rows = table.rows.sample(min(len(table.rows), most), random_state=0)
        shares, missing, privacy, auc = check(without_identifiers(rows))
        failures += any(shares) or privacy < LEAST_PRIVATE
        parts = [f"{one:.2%}" for one in (*shares, *missing)] + [f"{privacy:.2f}", f"{auc:.3f}"]
        print(f"| {table.name} | {' | '.join(parts)} |", flush=True)
    print(f"\n{failures} failures")
    return int(failures)


def check(rows: pd.DataFrame) -> tuple[list[float], list[float], float, float]:
    """Return shares of impossible values, shares of missing ones, privacy ratio and AUC."""
    half = len(rows) // 2
    first, second = (part.reset_index(drop=True) for part in (rows[:half], rows[half:]))
    model = Model().fit(first)
    drawn = model.synthesize(DRAWN).to_frame("pandas")
    synthetic = impossible(drawn, first)
    hidden = first.mask(np.random.default_rng(0).random(first.shape) < HIDDEN)
    filled = Model().fit(hidden).impute(hidden, effort="low", intervals=False)
    cells = pd.DataFrame({"feature": filled.features, "value": filled.values})
    imputed = np.zeros(2)
    for name, values in cells.groupby("feature")["value"]:
        alone = pd.DataFrame({name: values.tolist()})
        imputed += np.array(impossible(alone, hidden)) * len(values) / len(cells)
    missing = [float(part[first.columns].isna().mean().mean()) for part in (first, drawn)]
    shares = [synthetic[0], imputed[0], synthetic[1], imputed[1]]
    return shares, missing, privacy(model, drawn, second), tell_apart(first, drawn)


def without_identifiers(rows: pd.DataFrame) -> pd.DataFrame:
    """Drop text columns in which most values are unique."""
    text = [name for name in rows if not pd.api.types.is_numeric_dtype(rows[name])]
    return rows.drop(columns=[name for name in text if rows[name].nunique() > len(rows) / 2])


def impossible(rows: pd.DataFrame, real: pd.DataFrame) -> list[float]:
    """Return the share of numbers outside the observed range, and of those off the step."""
    outside, off, count = 0, 0, 0
    for name in rows.columns.intersection(real.columns):
        seen, values = real[name].dropna(), rows[name].dropna()
        count += len(values)
        if not pd.api.types.is_numeric_dtype(real[name]):
            outside += int((~values.isin(set(seen))).sum())
            continue
        outside += int(((values < seen.min()) | (values > seen.max())).sum())
        step = decimal_step(seen)
        off += sum(Decimal(repr(float(value))) % step != 0 for value in values) if step else 0
    return [outside / max(count, 1), off / max(count, 1)]


def decimal_step(values: pd.Series) -> Decimal:
    """Return the largest power of ten of which all values are multiples; 0 if they have none."""
    digits = [Decimal(repr(float(value))).normalize() for value in values.unique()]
    exponents = [one.as_tuple().exponent for one in digits if one]
    largest = max((one.adjusted() for one in digits if one), default=0)
    # With all digits that a float has, numbers have no step.
    if not exponents or len(values) < 3 or largest - min(exponents) > 12:
        return Decimal(0)
    return Decimal(10) ** min(exponents)


def privacy(model: Model, drawn: pd.DataFrame, held_out: pd.DataFrame) -> float:
    """Return how far rows are from the closest of the model, against real rows that it lacks."""
    away, usual = (
        float(np.median(model.neighbors(part, k=1).distances[:, 0]) - SAME)
        for part in (drawn, held_out)
    )
    return away / usual if usual > 0 else np.inf


def tell_apart(real: pd.DataFrame, drawn: pd.DataFrame) -> float:
    """Return the cross-validated AUC of gradient boosting that tells synthetic from real rows."""
    some = real.sample(min(len(real), len(drawn)), random_state=0)
    both = pd.concat([some, drawn[real.columns].head(len(some))], ignore_index=True)
    numbers = pd.DataFrame(
        {
            name: pd.to_numeric(both[name])
            if pd.api.types.is_numeric_dtype(real[name])
            else both[name].astype("category").cat.codes
            for name in both
        }
    )
    is_drawn = np.arange(len(both)) >= len(some)
    judge = HistGradientBoostingClassifier(max_iter=40, max_depth=4, random_state=0)
    return float(cross_val_score(judge, numbers, is_drawn, cv=3, scoring="roc_auc").mean())
