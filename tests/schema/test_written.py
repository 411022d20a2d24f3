"""Numbers and dates written as text are told from codes, names and categories."""

from __future__ import annotations

import pandas as pd
import pytest

from vicinal import Model
from vicinal.exceptions import FeatureError
from vicinal.schema.infer import infer_schema
from vicinal.schema.roles import ignored_text
from vicinal.schema.written import written_as

N = 60


@pytest.mark.parametrize(
    "texts",
    [
        ["29.85", "1889.5", " "],  # as in the best-known table about churn
        ["1,234.50", "999"],
        ["1.234,50", "12,5"],
        ["1'234.50", "7"],
        ["1 234,50", "1 234"],
        ["16.8%", "3 %"],
        ["$1,200", "-$35", "($12.50)"],
        ["€ 12", "13 EUR"],
        ["1e-3", "2.5E+10"],
        ["17", "n/a"],
        ["17", "-", "", "?"],
        [17, "3.5"],  # a column of objects
        ["−3.5", "+4"],
    ],
)
def test_numbers_with_marks_are_numbers_written_as_text(texts):
    assert written_as(texts) == "number"


@pytest.mark.parametrize(
    "texts",
    [
        ["31/12/2023", "1/2/2024"],
        ["12/31/23", "1/2/24 10:30"],
        ["31.12.2023", "unknown"],
        ["2023-12-31", "n/a"],
        ["2023/12/31 23:59:01", "2023/1/1 0:00"],
        ["Dec 31, 2023", "May 1, 2024"],
        ["31-Dec-2023", "1 September 2024"],
    ],
)
def test_dates_in_another_form_than_iso_are_dates_written_as_text(texts):
    assert written_as(texts) == "date"


@pytest.mark.parametrize(
    "texts",
    [
        ["01234", "98101"],  # codes
        ["01234", "98101", ""],
        ["18-29", "30-39"],  # ranges
        ["A17", "10.5"],
        ["192.168.100.1", "10.0.0.1"],
        ["5 mg", "3 mg"],
        ["<5", "17.5"],
        ["99/99/2023", "88/88/2023"],
        ["v1.2.3", "1.2.3"],
        ["low", "high"],
        ["none of the above, which is long", "3.5"],
        ["a", "b", "c", "d", "3.5"],
        [],
        [""],
        [(1, 2), "3.5"],
    ],
)
def test_codes_names_and_categories_are_neither(texts):
    assert written_as(texts) is None


def test_numbers_beside_few_words_are_no_text():
    assert written_as([17, 3.5, "n/a"]) == "mixed"
    assert written_as([1, 2.5, 3, 4, "unknown", "-"]) == "mixed"
    assert written_as([17, "low", "high"]) is None
    assert written_as([17, 18, 19, 20, 21, "a", "b", "c", "d"]) is None


def test_a_column_of_numbers_and_a_word_says_what_makes_it_a_feature():
    # Before, it was called an identifier, and nothing said how to use it as numbers.
    income = [1000.5 + 17 * n for n in range(N - 1)] + ["unknown"]
    table = {"income": income, "age": [20 + n % 17 for n in range(N)]}
    schema = infer_schema(table)
    assert [(one.name, one.role) for one in schema.ignored] == [("income", "mixed")]
    assert "missing_values=['unknown']" in ignored_text(schema.ignored)
    assert Model(missing_values=["unknown"]).fit(table).schema_["income"].kind == "continuous"


def test_such_columns_are_not_called_identifiers():
    table = pd.DataFrame(
        {
            "amount": [f"{1000.5 + 17 * n:,.2f}" for n in range(N)],
            "opened": [f"{n % 28 + 1:02d}/{n % 12 + 1:02d}/{1950 + n}" for n in range(N)],
            "patient": [f"P-{n}" for n in range(N)],
            "age": [20 + n % 17 for n in range(N)],
        }
    )
    schema = infer_schema(table)
    assert {one.name: one.role for one in schema.ignored} == {
        "amount": "number",
        "opened": "date",
        "patient": "identifier",
    }
    assert schema.identifiers == ("patient",)
    text = ignored_text(schema.ignored)
    assert "'amount' (numbers written as text), 'opened' (dates written as text)" in text
    assert "1234.5" in text
    assert "2024-01-31" in text


def test_such_a_target_says_what_to_do():
    table = {"amount": [f"{1000.5 + 17 * n:,.2f}" for n in range(N)], "age": list(range(N))}
    schema = infer_schema(table)
    with pytest.raises(FeatureError, match=r"\(numbers written as text\). Numbers"):
        schema.column("amount")


def test_text_with_few_values_has_a_note():
    table = {"rate": ["16.8%", "3.3%", "9.1%"] * 10, "size": ["S", "M", "L"] * 10, "y": range(30)}
    notes = dict(Model().fit({name: list(one) for name, one in table.items()}).schema_.notes)
    assert notes["rate"] == "numbers written as text, compared as categories"
    assert "written" not in notes.get("size", "")
