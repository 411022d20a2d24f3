"""Columns are asked for by the names that the table has for them, which need not be text."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import vicinal
from vicinal import FeatureError, Model

N = 60
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 2))
TABLE = pd.DataFrame(X).assign(
    word=np.where(X[:, 0] > 0, "hi", "lo"), number=X[:, 0] * 2 + X[:, 1], age=np.arange(N) % 50
)
NAMES = {
    "numbers": [0, 1, 2, 3, 4],
    "years": [2020, 2021, 2022, 2023, 2024],
    "tuples": pd.MultiIndex.from_tuples(
        [("a", "x"), ("a", "y"), ("t", "w"), ("t", "n"), ("t", 1)]
    ),
    "dates": pd.date_range("2024-01-01", periods=5),
    "numpy text": [np.str_(name) for name in "abcde"],
}


@pytest.fixture(scope="module", params=NAMES)
def table(request):
    return TABLE.set_axis(NAMES[request.param], axis=1)


@pytest.fixture(scope="module")
def as_text(table):
    return table.set_axis([str(name) for name in table.columns], axis=1)


@pytest.fixture(scope="module")
def model(table):
    return Model(max_members=2, max_queries=60).fit(table)


def test_law_questions_take_the_names_of_the_table(model, table, as_text):
    a, b, word, number, _ = table.columns
    row, known = table.iloc[[0]], Model(max_members=2, max_queries=60).fit(as_text)

    def answers(asked, a, b, word, number):
        change = {"ranges": {b: (-1, 1)}, "directions": {a: "increase"}}
        return [
            asked.predict(row, number),
            asked.predict(row, target=word, context=[a, b]),
            *asked.predict(row, [word, number]).values(),
            asked.predict_interval(row, number),
            asked.contributions(row, number, context=[a, b]),
            asked.contributions({a: 0.5, b: 1.0}, number),
            asked.explain(row, word, counterfactuals={"immutable": [b]}),
            asked.counterfactual(row, word, "lo", immutable=[b]),
            asked.counterfactual(row, number, (0, 1), **change),
            asked.neighbors(row, context=[a]),
            asked.information(number, context=(a, b)),
            asked.synthesize(3, given={word: "hi"}),
            asked.residual_conviction(row, features=[a]),
            asked.audit(word),
            asked.reduce(share=0.5, target=word).loss,
            asked.schema_[word],
        ]

    expected = answers(known, *map(str, (a, b, word, number)))
    for actual, other in zip(answers(model, a, b, word, number), expected, strict=True):
        assert str(actual) == str(other)
        assert "np.str_" not in str(actual)


def test_parameters_take_them_and_files_keep_them(table, tmp_path):
    a, b, word, number, age = table.columns
    model = Model(
        max_members=2,
        kinds={number: "continuous"},
        classes={word: ["lo", "hi"]},
        bounds={a: (-10, 10)},
        cyclic_features={age: 50},
        missing={b: "distinct"},
        missing_values={b: -9},
        ignore=[],
    ).fit(table)
    assert model.schema_[age].period == 50
    assert model.schema_[word].class_order == ("lo", "hi")
    model.save(tmp_path / "m.vicinal")
    again = vicinal.load(tmp_path / "m.vicinal")
    np.testing.assert_array_equal(again.predict(table, number), model.predict(table, number))
    assert Model(ignore=[a]).fit(table).schema_.names == tuple(map(str, (b, word, number, age)))
    assert Model(categorical_features=[age]).fit(table).schema_[age].categories
    assert Model().fit(table, id=number).labels_.of(0) == table[number].iloc[0]


def test_cells_that_were_imputed_are_chosen_by_them(model, table):
    first = table.columns[0]
    gaps = table.copy()
    gaps.loc[[3, 5], first] = np.nan
    found = model.impute(gaps, effort="low")
    assert found.to_frame(feature=first)["row"].tolist() == [3, 5]
    assert not found.table[first].isna().any()


def test_what_is_no_column_is_named_as_it_was_given(model, table):
    with pytest.raises(FeatureError, match="No feature is named 77"):
        model.predict(table.head(1), 77)
