"""Tables and schemas that several tests of this folder use."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

from hypothesis import strategies as st

from vicinal.schema.encode import encode
from vicinal.schema.feature import Feature
from vicinal.schema.infer import infer_schema
from vicinal.schema.schema import Schema

TABLE = {"job": ["cook", "smith", "cook"], "age": [31, None, 47], "hour": [23, 1, 12]}
SCHEMA = infer_schema(TABLE, cyclic_features={"hour": 24})


def one(fitted, asked, **options):
    """Encode a column beside the schema of another."""
    return encode({"x": asked}, infer_schema({"x": fitted}, **options))[:, 0].tolist()


# A float64 of seconds tells microseconds apart for 272 years.
moments = st.datetimes(dt.datetime(1850, 1, 1), dt.datetime(2100, 1, 1))
COLUMNS = {
    "float": st.floats(allow_nan=False, allow_infinity=False),
    "int": st.integers(-(2**53), 2**53),
    "bool": st.booleans(),
    "text": st.text(max_size=3),
    "mixed": st.sampled_from(["a", "1", 1, 2.5, True, False]),
    "datetime": moments,
    "aware": moments.map(lambda moment: moment.replace(tzinfo=dt.UTC)),
    "date": moments.map(dt.datetime.date),
    "duration": st.timedeltas(dt.timedelta(days=-40_000), dt.timedelta(days=40_000)),
    "time": st.times(),
    "decimal": st.integers(-(10**9), 10**9).map(lambda cents: Decimal(cents) / 100),
    "bytes": st.binary(max_size=2),
}


@st.composite
def tables(draw):
    n = draw(st.integers(1, 8))
    names = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=6, unique=True))
    return {
        name: draw(st.lists(COLUMNS[name] | st.none(), min_size=n, max_size=n)) for name in names
    }


NOMINAL = Feature("b", "nominal", "string", categories=("x", "y"))
ALL_KINDS = Schema(
    (
        NOMINAL,
        Feature("hour", "cyclic", "int", period=24.0),
        Feature("z", "continuous", "float"),
        Feature("a", "nominal", "bool", categories=(True, False)),
        Feature("day", "cyclic", "int", period=7.0),
        Feature("m", "ordinal", "int", categories=(1, 2)),
    )
)

PARCELS = {
    "age": [31, 47, 22, 31],
    "zip": [100, 200, 200, 300],
    "size": ["S", "L", None, "M"],
    "hour": [23, 1, 4, 12],
}


def kinds_of(schema):
    return {feature.name: str(feature.kind) for feature in schema}


words = st.sampled_from(["a", "b", "c", "B", "", "ä", None])
small = st.integers(-3, 3) | st.none()
