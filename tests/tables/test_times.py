"""Dates and times of any unit and time zone."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tests.tables.libraries import only
from vicinal.exceptions import TableError
from vicinal.schema.decode import decode
from vicinal.schema.encode import encode
from vicinal.schema.infer import infer_schema
from vicinal.tables.table import read_table


@pytest.mark.parametrize("unit", ["D", "h", "s", "ms", "us", "ns", "ps"])
def test_datetimes_of_any_unit_are_the_same_moment(unit):
    array = np.array(["1970-01-03", "NaT", "1970-01-02"], dtype=f"M8[{unit}]")
    feature, encoded = only({"x": array})
    assert feature.origin == 86_400
    np.testing.assert_array_equal(encoded, [86_400, np.nan, 0])


@pytest.mark.parametrize("unit", ["us", "ns"])
def test_fractions_of_seconds_do_not_depend_on_the_unit(unit):
    stamps = np.array(["2024-02-29T12:30:15.123457", "1999-12-31T23:59:59.999999"], dtype="M8[us]")
    _, encoded = only({"x": stamps.astype(f"M8[{unit}]")})
    seconds = (stamps[0].astype(int) // 10**6) - (stamps[1].astype(int) // 10**6)
    assert encoded == [float(seconds) + 0.123457, 0.999999]


def test_fixed_offsets_are_spelled_alike():
    zone = dt.timezone(dt.timedelta(hours=5, minutes=30))
    values = [dt.datetime(2024, 1, 1, tzinfo=zone)]
    arrow = pa.table({"x": pa.array(values, pa.timestamp("us", "+05:30"))})
    schema = infer_schema({"x": values})
    assert schema["x"].timezone == "UTC+05:30"
    assert infer_schema(arrow) == schema == infer_schema(pd.DataFrame({"x": values}))
    assert decode(encode(arrow, schema), schema) == {"x": values}


def test_a_time_zone_without_a_name_becomes_universal_time():
    class Nowhere(dt.tzinfo):
        def utcoffset(self, when):
            return dt.timedelta(hours=1)

        def __str__(self):
            return "tzfile('/somewhere/on/this/machine')"

    feature, _ = only({"x": [dt.datetime(2024, 1, 1, 1, tzinfo=Nowhere())]})
    assert feature.timezone == "UTC"
    assert feature.origin == dt.datetime(2024, 1, 1, tzinfo=dt.UTC).timestamp()


def test_several_time_zones_become_universal_time():
    zones = [dt.timezone(dt.timedelta(hours=h)) for h in (1, 2)]
    feature, encoded = only({"x": [dt.datetime(2024, 1, 1, 12, tzinfo=zone) for zone in zones]})
    assert feature.timezone == "UTC"
    assert encoded == [3600.0, 0.0]


def test_mixed_naive_and_aware_datetimes_are_refused():
    table = {"when": [dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 1, tzinfo=dt.UTC)]}
    with pytest.raises(TableError, match="'when' mixes datetimes with and without a time zone"):
        read_table(table)


def test_the_longest_duration_does_not_wrap_around():
    table = {"d": [dt.timedelta.max, dt.timedelta(1), dt.timedelta.min, None]}
    first, second, third, _ = encode(table, infer_schema(table))[:, 0]
    assert first > second > third
