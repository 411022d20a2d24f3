"""One small table of every dtype, in every library, and what it must become."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from vicinal.schema.encode import encode
from vicinal.schema.infer import infer_schema
from vicinal.tables.table import read_table

PARIS = ZoneInfo("Europe/Paris")
NAN = np.nan

VALUES = {
    "age": [31, None, 47, 22, 31],
    "height": [1.5, 2.25, None, 0.1, -7.0],
    "member": [True, False, None, True, True],
    "job": ["cook", "smith", "smith", None, "pilot"],
    "color": ["red", "blue", None, "red", "blue"],
    "size": ["L", None, "S", "S", "M"],
    "born": [
        dt.date(1990, 5, 17),
        None,
        dt.date(1980, 1, 2),
        dt.date(2001, 2, 3),
        dt.date(1980, 1, 1),
    ],
    "seen": [
        dt.datetime(2024, 2, 29, 12, 30, 15, 250001),
        dt.datetime(2024, 2, 29, 12, 30, 14),
        None,
        dt.datetime(2023, 1, 1),
        dt.datetime(2023, 1, 1, 0, 0, 0, 500000),
    ],
    "paid": [
        dt.datetime(2024, 7, 1, 12, tzinfo=PARIS),
        None,
        dt.datetime(2024, 1, 1, 1, tzinfo=PARIS),
        dt.datetime(2024, 1, 1, 2, tzinfo=PARIS),
        dt.datetime(2024, 7, 1, 13, tzinfo=PARIS),
    ],
    "spent": [
        dt.timedelta(seconds=1.5),
        dt.timedelta(days=2),
        None,
        dt.timedelta(0),
        dt.timedelta(microseconds=-1),
    ],
    "price": [Decimal("0.10"), None, Decimal("12.35"), Decimal("-3.30"), Decimal("0.10")],
    "opens": [dt.time(9, 30), None, dt.time(23, 59, 59, 500000), dt.time(0), dt.time(9, 30)],
}

HOUR, DAY = 3_600.0, 86_400.0
SEEN = 424 * DAY + 12 * HOUR + 30 * 60 + 14  # from 2023-01-01
JULY = 182 * DAY  # from 2024-01-01, in universal time
# By hand: (kind, dtype, categories, encoded values).
EXPECTED = {
    "age": ("continuous", "int", None, [31, NAN, 47, 22, 31]),
    "height": ("continuous", "float", None, [1.5, 2.25, NAN, 0.1, -7.0]),
    "member": ("nominal", "bool", (True, False), [0, 1, NAN, 0, 0]),
    "job": ("nominal", "string", ("smith", "cook", "pilot"), [1, 0, 0, NAN, 2]),
    "color": ("nominal", "category", ("blue", "red"), [1, 0, NAN, 1, 0]),
    "size": ("ordinal", "category", ("S", "M", "L", "XL"), [2, NAN, 0, 0, 1]),
    "born": ("continuous", "date", None, [3789 * DAY, NAN, DAY, 7704 * DAY, 0]),
    "seen": ("continuous", "datetime", None, [SEEN + 1.250001, SEEN, NAN, 0, 0.5]),
    "paid": ("continuous", "datetime", None, [JULY + 10 * HOUR, NAN, 0, HOUR, JULY + 11 * HOUR]),
    "spent": ("continuous", "duration", None, [1.5, 2 * DAY, NAN, 0, -1e-6]),
    "price": ("continuous", "decimal", None, [0.1, NAN, 12.35, -3.3, 0.1]),
    "opens": ("cyclic", "time", None, [34200, NAN, 86399.5, 0, 34200]),
}
NAMES = list(VALUES)
PLAIN = [name for name in NAMES if name not in ("color", "size")]  # no categoricals in Python
ARRAYS = [name for name in PLAIN if name not in ("paid", "price", "born", "opens")]


def pandas_nullable():
    return pd.DataFrame(
        {
            "age": pd.array(VALUES["age"], dtype="Int16"),
            "height": pd.array(VALUES["height"], dtype="Float64"),
            "member": pd.array(VALUES["member"], dtype="boolean"),
            "job": pd.array(VALUES["job"], dtype="string"),
            **_pandas_others(),
        }
    )


def pandas_usual():
    return pd.DataFrame(
        {
            "age": pd.Series(VALUES["age"], dtype=object),
            "height": VALUES["height"],
            "member": pd.Series(VALUES["member"], dtype=object),
            "job": VALUES["job"],  # `str` from pandas 3 on, before that object
            **_pandas_others(),
        }
    ).set_axis([7, 7, 3, 1, 0])


def pandas_arrow():
    arrow = pyarrow_table()
    return arrow.to_pandas(types_mapper=pd.ArrowDtype)


def _pandas_others():
    kinds = pd.CategoricalDtype(["S", "M", "L", "XL"], ordered=True)
    return {
        "color": pd.Categorical(VALUES["color"], categories=["red", "green", "blue"]),
        "size": pd.Categorical(VALUES["size"], dtype=kinds),
        "born": np.array(VALUES["born"], dtype=object),
        "seen": np.array(VALUES["seen"], dtype="datetime64[ns]"),
        "paid": pd.DatetimeIndex(VALUES["paid"]),
        "spent": np.array(VALUES["spent"], dtype="timedelta64[ns]"),
        "price": np.array(VALUES["price"], dtype=object),
        "opens": np.array(VALUES["opens"], dtype=object),
    }


def polars_frame():
    return pl.DataFrame(
        {
            **VALUES,
            "color": pl.Series(VALUES["color"], dtype=pl.Categorical),
            "size": pl.Series(VALUES["size"], dtype=pl.Enum(["S", "M", "L", "XL"])),
            "seen": pl.Series(VALUES["seen"], dtype=pl.Datetime("us")),
            "paid": pl.Series(VALUES["paid"], dtype=pl.Datetime("us", "Europe/Paris")),
            "price": pl.Series(VALUES["price"], dtype=pl.Decimal(10, 2)),
        }
    )


def polars_large():
    """The same, but so many rows that distinct values are few."""
    return pl.concat([polars_frame()] * 50)


def pyarrow_table():
    sizes = pa.array([2, None, 0, 0, 1], pa.int8())
    return pa.table(
        {
            **{name: pa.array(VALUES[name]) for name in PLAIN if name != "paid"},
            "color": pa.array(VALUES["color"]).dictionary_encode(),
            "size": pa.DictionaryArray.from_arrays(
                sizes, pa.array(["S", "M", "L", "XL"]), ordered=True
            ),
            "paid": pa.array(VALUES["paid"], pa.timestamp("ns", "Europe/Paris")),
        }
    ).select(NAMES)


def pyarrow_chunks():
    table = pyarrow_table()
    return pa.concat_tables([table.slice(0, 2), table.slice(2)])


def dict_of_lists():
    return {name: VALUES[name] for name in PLAIN}


def dict_of_arrays():
    columns = polars_frame()
    return {
        **{name: columns[name] for name in NAMES},
        "height": np.array([1.5, 2.25, np.nan, 0.1, -7.0]),
        "age": np.ma.masked_equal([31, -1, 47, 22, 31], -1),
        "job": tuple(VALUES["job"]),
        "color": pd.Series(VALUES["color"], dtype="category"),
        "member": pa.array(VALUES["member"]),
    }


def list_of_dicts():
    rows = zip(*(VALUES[name] for name in PLAIN), strict=True)
    # Absent keys are missing values; but the first row keeps its keys, for the order of columns.
    return [
        {k: v for k, v in zip(PLAIN, row, strict=True) if v is not None or not number}
        for number, row in enumerate(rows)
    ]


def numpy_structured():
    array = np.ma.zeros(
        5,
        dtype=[
            ("age", "i4"),
            ("height", "f8"),
            ("member", "?"),
            ("job", "U8"),
            ("seen", "M8[us]"),
            ("spent", "m8[us]"),
        ],
    )
    for name in ARRAYS:
        for row, value in enumerate(VALUES[name]):
            array[name][row] = np.ma.masked if value is None else value
    return array


LIBRARIES = [
    pandas_nullable,
    pandas_usual,
    pandas_arrow,
    polars_frame,
    pyarrow_table,
    pyarrow_chunks,
    dict_of_lists,
    dict_of_arrays,
    list_of_dicts,
    numpy_structured,
]


def names_of(table):
    return [name for name in NAMES if name in read_table(table).names]


def expected_matrix(schema):
    return np.array([EXPECTED[feature.name][3] for feature in schema.storage], dtype=float).T


def only(table, **options):
    """The one feature of a table of one column, and its encoded values."""
    schema = infer_schema(table, **options)
    [feature] = schema
    return feature, encode(table, schema)[:, 0].tolist()
