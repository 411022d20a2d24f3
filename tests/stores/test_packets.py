"""Messages hold what was sent, and are safe to read whatever they hold."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest
from hypothesis import given, settings

from tests.strategies import tables
from vicinal.exceptions import FileError
from vicinal.stores.packets import pack, unpack


@settings(max_examples=20)
@given(table=tables())
def test_a_metric_arrives_as_it_was_sent(table):
    metric = unpack(pack({"metric": table.metric}))["metric"]
    for name in ("kinds", "residuals", "periods", "weights", "distinct"):
        np.testing.assert_array_equal(getattr(metric, name), getattr(table.metric, name))
    assert metric.p == table.metric.p
    for one, other in zip(metric.supports, table.metric.supports, strict=True):
        np.testing.assert_array_equal(one.points, other.points)
        np.testing.assert_array_equal(one.shares, other.shares)


@pytest.mark.parametrize(
    "value",
    [
        3,
        "rows",
        None,
        np.arange(6).reshape(2, 3),
        np.array(True),
        np.empty((0, 4)),
        np.uint16([7]),
    ],
)
def test_values_arrive_as_they_were_sent(value):
    [found] = unpack(pack({"value": value})).values()
    np.testing.assert_array_equal(found, value)
    assert getattr(found, "dtype", None) == getattr(value, "dtype", None)


@pytest.mark.parametrize("value", [0.1 + 0.2, float("inf"), -0.0])
def test_numbers_keep_all_of_their_bits(value):
    [found] = unpack(pack({"value": value})).values()
    assert np.float64(found).tobytes() == np.float64(value).tobytes()


@pytest.mark.parametrize("value", [object(), [1], np.array([object()]), np.array(["a"])])
def test_nothing_else_is_sent(value):
    with pytest.raises(FileError, match="cannot be sent"):
        pack({"value": value})


def message(head, rest=b""):
    text = json.dumps(head).encode()
    return struct.pack("<Q", len(text)) + text + rest


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\x00" * 7,
        message([1]),
        message({"a": {"dtype": "<f8", "shape": [2]}}),
        message({"a": {"dtype": "<f8", "shape": [-1]}}),
        message({"a": {"dtype": "|O", "shape": [1]}}, b"12345678"),
        message({"a": {"metric": {"p": 1}}}),
        message({"a": 1}, b"more"),
        pack({"a": np.arange(3)})[:-1],
    ],
)
def test_damaged_messages_are_refused(raw):
    with pytest.raises(FileError, match="a message"):
        unpack(raw)
