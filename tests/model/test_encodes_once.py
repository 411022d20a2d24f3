"""A question reads and encodes a row once, however many rooms take part in the answer."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.mixed_table import OPTIONS, mixed_table, take
from vicinal import Model
from vicinal import fitted as fitted_module
from vicinal.schema import decode as decode_module
from vicinal.schema import encode as encode_module


@pytest.fixture(scope="module")
def model():
    made = Model(max_queries=60, max_members=2, **OPTIONS).fit(mixed_table(60))
    for target in ("colour", "weight", "size"):
        made.predict(mixed_table(1, seed=3), target)
    return made


@pytest.fixture
def row():
    return {name: values[:1] for name, values in mixed_table(5, seed=3).items()}


@pytest.fixture
def encoded(monkeypatch):
    """How often each column of a table was encoded."""
    counts = Counter()
    encode_column = encode_module._encode_column

    def counted(column, feature, n_rows):
        if column is not None:
            counts[feature.name] += 1
        return encode_column(column, feature, n_rows)

    monkeypatch.setattr(encode_module, "_encode_column", counted)
    return counts


@pytest.fixture
def decoded(monkeypatch):
    """How often each column was decoded."""
    counts = Counter()
    decode_column = decode_module.decode_column

    def counted(values, feature, *arguments, **options):
        counts[feature.name] += 1
        return decode_column(values, feature, *arguments, **options)

    for module in (decode_module, fitted_module):
        monkeypatch.setattr(module, "decode_column", counted)
    return counts


@pytest.mark.parametrize("target", ["colour", "weight", "size"])
def test_explaining_a_row_encodes_each_column_once_and_the_truth_once(model, row, encoded, target):
    found = model.explain(row, target, features=True)[0]
    assert found.features is not None
    assert found.conviction is not None
    context = {name: count for name, count in encoded.items() if name != target}
    assert context == dict.fromkeys(row.keys() - {target}, 1)
    assert encoded[target] <= 1


def test_explaining_many_rows_encodes_them_together(model, encoded):
    rows = take(mixed_table(40, seed=5), range(40))
    model.explain(rows, "weight", features=False)
    assert {name: count for name, count in encoded.items() if name != "weight"} == dict.fromkeys(
        rows.keys() - {"weight"}, 1
    )


@pytest.mark.parametrize(
    "ask",
    [
        lambda m, row: m.neighbors(row, terms=True),
        lambda m, row: m.conviction(row),
        lambda m, row: m.density(row),
        lambda m, row: m.anomalies(row),
    ],
    ids=["neighbors", "conviction", "density", "anomalies"],
)
def test_other_questions_encode_each_column_once(model, row, encoded, ask):
    ask(model, row)
    assert encoded == dict.fromkeys(row, 1)


@pytest.mark.parametrize("ask", ["predict", "influences", "contributions"])
def test_the_column_of_the_target_is_not_encoded_to_predict_it(model, row, encoded, ask):
    getattr(model, ask)(row, "weight")
    assert encoded == dict.fromkeys(row.keys() - {"weight"}, 1)


@pytest.mark.parametrize("target", ["colour", "size"])
def test_predicting_decodes_one_column(model, row, decoded, target):
    model.predict(row, target)
    assert decoded == {target: 1}


def test_a_predicted_number_is_what_it_is(model, row, decoded):
    model.predict(row, "weight")
    assert decoded == {}
