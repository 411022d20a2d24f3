"""What is inferred about the columns of real tables, and whether any is ignored wrongly."""

from __future__ import annotations

import argparse
import warnings

import numpy as np
import pandas as pd

from benchmarks.trust.real_tables import real_tables
from vicinal import Model
from vicinal.exceptions import IgnoredColumnWarning
from vicinal.schema.infer import infer_schema
from vicinal.schema.schema import Schema

#: Tables of the group `real` were cleaned of identifiers by those who collected them.
PROMISED = "ignored: none"


def run(options: argparse.Namespace) -> int:
    print("| table | features | read as dates | labels written as integers | missing | ignored |")
    print("|:--|--:|:--|:--|:--|:--|")
    failures = 0
    for table in real_tables(options.data, options.tables):
        schema = infer_schema(table.rows)
        failures += bool(schema.ignored)
        print(f"| {table.name} | {len(schema)} | {' | '.join(_cells(schema, table.rows))} |")
    failures += _planted(real_rows=2000 if not options.quick else 400)
    print(f"\nPromised: {PROMISED}, and every planted column ignored. Failures: {failures}.")
    return failures


def _cells(schema: Schema, rows: pd.DataFrame) -> list[str]:
    dates = [one.name for one in schema if one.family == "instant" and _is_text(rows[one.name])]
    codes = [
        one.name for one in schema if str(one.kind) == "nominal" and one.dtype in ("int", "float")
    ]
    markers = [f"{one.name}={list(one.missing_values)}" for one in schema if one.missing_values]
    ignored = [f"{one.name} ({one.role})" for one in schema.ignored]
    return [", ".join(names) or "–" for names in (dates, codes, markers, ignored)]


def _is_text(column: pd.Series) -> bool:
    return not pd.api.types.is_datetime64_any_dtype(column)


def _planted(real_rows: int) -> int:
    """Plant an identifier, a name and a remark in a table: answers must not change."""
    rng = np.random.default_rng(0)
    age, fare = rng.normal(40, 12, real_rows), rng.lognormal(3, 1, real_rows)
    plain = pd.DataFrame({"age": age, "fare": fare, "survived": (age < fare).astype(int)})
    planted = plain.assign(
        patient_id=rng.permutation(real_rows),
        name=[f"Family {n}, Mr. John" for n in range(real_rows)],
        remark=[f"seen by the doctor on day {n} of the study" for n in range(real_rows)],
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IgnoredColumnWarning)
        without, used, model = (
            Model(ignore=ignore).fit(table)
            for table, ignore in ((plain, "auto"), (planted, []), (planted, "auto"))
        )
    counts = [len(one.anomalies()) for one in (without, used, model)]
    ignored = [one.name for one in model.schema_.ignored]
    print(f"| planted | {len(model.schema_)} | – | survived | – | {', '.join(ignored)} |")
    print(
        f"\nAnomalies of the planted table: {counts[0]} without the planted columns, {counts[1]} "
        f"when they are features, {counts[2]} by default."
    )
    return (len(ignored) != 3) + (counts[0] != counts[2])
